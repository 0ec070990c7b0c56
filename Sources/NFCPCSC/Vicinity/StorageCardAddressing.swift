import SwiftNFCCore

extension StorageCardBlocks.Addressing {
  /// Finds out with a few reads how a reader interprets P1 and P2.
  ///
  /// Each interpretation predicts the answers for block 1, for the block after the last one and so
  /// on, or predicts that they are refused. The reader has the interpretation whose predictions
  /// hold.
  ///
  /// - Parameter uid: the UID of the present tag. It reveals the size of the memory.
  /// - Returns: `nil` if the tag's content does not rule out all interpretations but one.
  static func find(
    for uid: [UInt8], by transmit: VicinityDialect.Transmit
  ) throws -> StorageCardBlocks.Addressing? {
    let attempts = 3
    let geometry = ISO15693Chip(uid: uid)?.geometry
    let size = geometry?.blockSize ?? 4
    func read(_ p1: Int, _ p2: Int) throws -> [UInt8]? {
      let address = [UInt8(truncatingIfNeeded: p1), UInt8(truncatingIfNeeded: p2)]
      // A single refusal may be a lost frame: readers report both in the same way.
      for _ in 0..<attempts {
        let answer = try StorageCardBlocks.read(address, length: size, by: transmit)
        if case .answer(let bytes) = ExchangeOutcome(answer), bytes.count == size { return bytes }
      }
      return nil
    }
    guard let first = try read(0, 0) else { return nil }
    var possible: Set<Self> = [.number, .numberInP1, .byteOffset]
    // Block 256, or block 1 if the reader takes the block number from P1.
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
      // Blocks with identical content look like that, too. A known size is more reliable.
      if isContinued, geometry == nil, Set(first).count > 1 { possible.remove(.number) }
    } else {
      possible.subtract([.number, .byteOffset])
    }

    if let second = inP1 {
      if let geometry {
        // A reader that ignores P1 returns block 0.
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
    // A refusal may have had another reason: the remaining interpretation must be confirmed.
    guard possible.count == 1, var found = possible.first else { return nil }
    if found == .number, inP1 == first { found = .numberInP2 }
    let known = [1, geometry.map { $0.blockCount - 1 }].compactMap { $0 }
    for address in known.compactMap({ found.address(of: $0, blockSize: size) }) {
      guard try read(Int(address[0]), Int(address[1])) != nil else { return nil }
    }
    return try read(0, 0) == first ? found : nil
  }
}
