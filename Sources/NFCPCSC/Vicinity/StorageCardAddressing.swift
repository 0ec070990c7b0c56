import NFCCore

extension StorageCardBlocks.Addressing {
  /// Finds out by a few reads what a reader takes P1 and P2 for.
  ///
  /// Each of the ways says what block 1, the block after the last one and the like would be answered
  /// with, or that they would be refused. The one that is left is the reader's.
  ///
  /// - Parameter uid: of the tag that is there, which tells the size of its memory.
  /// - Returns: `nil` if the tag's content leaves more than one of them open.
  static func find(
    for uid: [UInt8], by transmit: VicinityDialect.Transmit
  ) throws -> StorageCardBlocks.Addressing? {
    let attempts = 3
    let geometry = ISO15693Product(uid: uid)?.geometry
    let size = geometry?.blockSize ?? 4
    func read(_ p1: Int, _ p2: Int) throws -> [UInt8]? {
      let address = [UInt8(truncatingIfNeeded: p1), UInt8(truncatingIfNeeded: p2)]
      // A refusal that comes once may be a frame that was lost: readers tell of both alike.
      for _ in 0..<attempts {
        let answer = try StorageCardBlocks.read(address, length: size, by: transmit)
        if case .answer(let bytes) = ExchangeOutcome(answer), bytes.count == size { return bytes }
      }
      return nil
    }
    guard let first = try read(0, 0) else { return nil }
    var possible: Set<Self> = [.number, .numberInP1, .byteOffset]
    // Block 256, or block 1 of a reader that takes the number there.
    let inP1 = try read(1, 0)

    if let second = try read(0, 1) {
      if second != first { possible.remove(.numberInP1) }
      var isContinued = true
      var last = first
      for offset in 1..<size where isContinued {
        let next = try offset == 1 ? second : read(0, offset)
        isContinued = next.map { $0.dropLast() == last.dropFirst() } ?? false
        last = next ?? last
      }
      if !isContinued { possible.remove(.byteOffset) }
      // Where all is alike blocks look like that too, and a known size tells more surely.
      if isContinued, geometry == nil, Set(first).count > 1 { possible.remove(.number) }
    } else {
      possible.subtract([.number, .byteOffset])
    }

    if let second = inP1 {
      if let geometry {
        // A reader that leaves P1 out of account gives block 0.
        if geometry.blockCount <= 0x100, second != first { possible.remove(.number) }
        if geometry.size <= 0x100 { possible.remove(.byteOffset) }
      }
    } else {
      possible.remove(.numberInP1)
    }

    if possible.count > 1, let count = geometry?.blockCount, (2...0xFF).contains(count) {
      let isBeyondEnd = try read(0, count) == nil
      possible.remove(isBeyondEnd ? .byteOffset : .number)
      if possible.contains(.numberInP1), try read(count - 1, 0) == nil {
        possible.remove(.numberInP1)
      }
    }
    // A refusal tells nothing if its reason was another one: what is left must answer as it has to.
    guard possible.count == 1, var found = possible.first else { return nil }
    if found == .number, inP1 == first { found = .numberInP2 }
    let known = [1, geometry.map { $0.blockCount - 1 }].compactMap { $0 }
    for address in known.compactMap({ found.address(of: $0, blockSize: size) }) {
      guard try read(Int(address[0]), Int(address[1])) != nil else { return nil }
    }
    return try read(0, 0) == first ? found : nil
  }
}
