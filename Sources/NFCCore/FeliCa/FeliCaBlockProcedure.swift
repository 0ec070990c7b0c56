/// Reads and writes many blocks of a service in as few exchanges as frame, reader and card allow.
struct FeliCaBlockProcedure {
  let idm: [UInt8]
  /// Bytes of a packet with its LEN that the reader carries.
  let maximumCommandLength: Int
  let maximumResponseLength: Int
  /// Sends a packet without LEN.
  let exchange: ([UInt8]) throws -> [UInt8]

  init(
    idm: [UInt8], maximumCommandLength: Int, maximumResponseLength: Int,
    exchange: @escaping ([UInt8]) throws -> [UInt8]
  ) {
    self.idm = idm
    self.maximumCommandLength = maximumCommandLength
    self.maximumResponseLength = maximumResponseLength
    self.exchange = exchange
  }

  init(idm: [UInt8], _ link: TagLink) {
    self.init(
      idm: idm, maximumCommandLength: link.capabilities.maximumCommandLength,
      maximumResponseLength: link.capabilities.maximumResponseLength
    ) { try FeliCaExchange.send($0, link) }
  }

  /// LEN, code, IDm, two flags and the number of blocks.
  private static let readOverhead = 13
  /// LEN, code, IDm, the number of services and one of them, and the number of blocks.
  private static let writeOverhead = 14
  private static let longestPacket = 255

  /// - Parameter limit: the most blocks in one command; what the card refuses lowers it.
  func read(
    service: UInt16, blocks: Range<Int>, limit: inout Int
  ) throws -> [[UInt8]] {
    let fits = (maximumResponseLength - Self.readOverhead) / FeliCaBlock.size
    limit = max(1, min(limit, FeliCaReadWithoutEncryption.maximumBlocks, fits))
    return try steps(blocks, limit: &limit) { numbers, list in
      let command = FeliCaReadWithoutEncryption(
        idm: idm, list: FeliCaBlockList(serviceCodes: [service], blocks: list))
      try command.validate()
      return try command.answer(exchange(command.encoded))
    }
  }

  func write(
    service: UInt16, firstBlock: Int, data: [[UInt8]], limit: inout Int
  ) throws {
    guard firstBlock >= 0, firstBlock <= Int(UInt16.max) else { throw Self.noSuchBlock }
    guard data.allSatisfy({ $0.count == FeliCaBlock.size }) else {
      throw NFCError(.invalidParameter, "a block has \(FeliCaBlock.size) bytes")
    }
    let blocks = firstBlock..<(firstBlock + data.count)
    let element = blocks.upperBound > 0x100 ? 3 : 2
    let packet = min(Self.longestPacket, maximumCommandLength)
    let fits = (packet - Self.writeOverhead) / (FeliCaBlock.size + element)
    limit = max(1, min(limit, fits))
    _ = try steps(blocks, limit: &limit) { numbers, list in
      let command = FeliCaWriteWithoutEncryption(
        idm: idm, list: FeliCaBlockList(serviceCodes: [service], blocks: list),
        data: Array(data[(numbers.lowerBound - firstBlock)..<(numbers.upperBound - firstBlock)]))
      try command.validate()
      try command.answer(exchange(command.encoded))
      return []
    }
  }

  private static var noSuchBlock: NFCError {
    NFCError(.invalidParameter, "block numbers are 0 to 65535")
  }

  private func steps(
    _ blocks: Range<Int>, limit: inout Int,
    _ step: (Range<Int>, [FeliCaBlock]) throws -> [[UInt8]]
  ) throws -> [[UInt8]] {
    guard blocks.lowerBound >= 0, blocks.upperBound <= Int(UInt16.max) + 1 else {
      throw Self.noSuchBlock
    }
    var result: [[UInt8]] = []
    var next = blocks.lowerBound
    while next < blocks.upperBound {
      let numbers = next..<min(next + limit, blocks.upperBound)
      let list = numbers.map { FeliCaBlock(UInt16(truncatingIfNeeded: $0)) }
      do {
        result += try step(numbers, list)
        next = numbers.upperBound
      } catch let error as NFCError {
        guard case .statusFlags(let first, let second)? = error.cause else { throw error }
        guard second == FeliCaStatusFlag.illegalNumberOfBlocks, numbers.count > 1 else {
          throw Self.placed(error, numbers, flag: first)
        }
        limit = numbers.count / 2
      }
    }
    return result
  }

  /// Names the block: flag 1 has a bit for the element that is to blame, certain in lists of up to eight.
  private static func placed(_ error: NFCError, _ numbers: Range<Int>, flag: UInt8) -> NFCError {
    var error = error
    let index = numbers.count <= 8 && flag.nonzeroBitCount == 1 ? flag.trailingZeroBitCount : 0
    error.place = .block(min(numbers.lowerBound + index, numbers.upperBound - 1))
    return error
  }
}

/// One of the systems of a card: a logical card of its own.
public struct FeliCaSystem: Hashable, Sendable {
  /// What Polling asks for.
  public var code: UInt16
  /// Eight bytes, by which commands name the system.
  public var idm: [UInt8]
  /// Eight bytes.
  public var pmm: [UInt8]

  public init(code: UInt16, idm: [UInt8], pmm: [UInt8]) {
    self.code = code
    self.idm = idm
    self.pmm = pmm
  }
}
