/// Blocks of the NDEF services over the air: NFC Forum, Type 3 Tag Operation Specification 1.1.
struct Type3Exchange {
  /// Services of the NDEF system: read only, and read and write.
  private static let readService: UInt16 = 0x000B
  private static let writeService: UInt16 = 0x0009
  /// Of the system that holds NDEF.
  static let systemCode: UInt16 = 0x12FC
  /// Two more bytes for a block number than its data; LEN counts itself in one byte.
  private static let longestPacket = 255
  private static let writeOverhead = 14
  private static let longElement = 3
  private static let shortElement = 2

  let idm: [UInt8]
  let link: TagLink

  /// How many blocks one command reads, by the tag's own word, the frame and the reader.
  static func blocksPerRead(_ limit: Int, _ link: TagLink) -> Int {
    let overhead = 13
    let fits = (link.capabilities.maximumResponseLength - overhead) / FeliCaBlock.size
    return max(1, min(limit, FeliCaReadWithoutEncryption.maximumBlocks, fits))
  }

  /// How many blocks one command writes.
  static func blocksPerWrite(_ limit: Int, upTo last: Int, _ link: TagLink) -> Int {
    let element = last > 0xFF ? longElement : shortElement
    let packet = min(longestPacket, link.capabilities.maximumCommandLength)
    let fits = (packet - writeOverhead) / (FeliCaBlock.size + element)
    return max(1, min(limit, fits))
  }

  func read(_ numbers: [Int]) throws -> [[UInt8]] {
    let list = FeliCaBlockList(serviceCodes: [Self.readService], blocks: try blocks(numbers))
    return try placed(numbers) {
      try FeliCaExchange.send(FeliCaReadWithoutEncryption(idm: idm, list: list), link)
    }
  }

  func write(_ data: [[UInt8]], to numbers: [Int]) throws {
    let list = FeliCaBlockList(serviceCodes: [Self.writeService], blocks: try blocks(numbers))
    try placed(numbers) {
      try FeliCaExchange.send(
        FeliCaWriteWithoutEncryption(idm: idm, list: list, data: data), link)
    }
  }

  private func blocks(_ numbers: [Int]) throws -> [FeliCaBlock] {
    try numbers.map {
      guard let number = UInt16(exactly: $0) else {
        throw NFCError(.invalidParameter, "there is no block \($0)")
      }
      return FeliCaBlock(number)
    }
  }

  /// Names the block in a refusal: flag 1 has a bit for the element that is to blame, which is certain
  /// in lists of up to eight; else it is the first.
  private func placed<Result>(_ numbers: [Int], _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as NFCError {
      guard case .statusFlags(let first, _)? = error.cause else { throw error }
      let index =
        numbers.count <= 8 && first.nonzeroBitCount == 1 ? first.trailingZeroBitCount : 0
      error.place = numbers.dropFirst(index).first.map { .block($0) }
      throw error
    }
  }
}
