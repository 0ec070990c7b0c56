import NFC
import TagImages

/// Keys of a MIFARE Classic that were not read. A card never gives out key A, nor key B if the access bits hide it.
extension TagImage {
  /// Marks keys of zeros as unknown: most programs write zeros in place of a key that was not read.
  package mutating func forgetUnreadKeys() {
    for (keyA, keyB, hidesKeyB) in readSectors.values {
      if isZero(keyA) { memory.markUnknown(keyA) }
      if hidesKeyB, isZero(keyB) { memory.markUnknown(keyB) }
    }
  }

  /// The keys that are unknown, by sector, with their verb.
  var unreadKeys: [Int: String] {
    readSectors.compactMapValues { keyA, keyB, _ in
      let names = [("key A", keyA), ("key B", keyB)].filter { memory.known($0.1) == nil }.map(\.0)
      guard !names.isEmpty else { return nil }
      return names.joined(separator: " and ") + (names.count == 1 ? " is" : " are")
    }
  }

  /// The places of both keys, and whether the access bits hide key B, by sector. A sector without access bits was not
  /// read at all.
  private var readSectors: [Int: (keyA: Range<Int>, keyB: Range<Int>, hidesKeyB: Bool)] {
    var sectors: [Int: (keyA: Range<Int>, keyB: Range<Int>, hidesKeyB: Bool)] = [:]
    guard kind == .classic, let geometry = MiFareClassicGeometry(memorySize: memory.bytes.count)
    else { return sectors }
    for sector in geometry.sectors {
      let start = geometry.trailer(ofSector: sector) * MiFareClassicGeometry.blockSize
      let trailer = start..<start + MiFareClassicGeometry.blockSize
      let (keyA, keyB) = (
        trailer.prefix(MiFareClassicKey.size), trailer.suffix(MiFareClassicKey.size)
      )
      let accessBits = memory.known(keyA.upperBound..<keyA.upperBound + 3) ?? []
      guard let conditions = MiFareClassicAccessConditions(bytes: accessBits) else { continue }
      sectors[sector] = (keyA, keyB, !conditions.isKeyBReadable)
    }
    return sectors
  }

  private func isZero(_ range: Range<Int>) -> Bool {
    memory.known(range)?.allSatisfy { $0 == 0 } ?? false
  }
}

extension MiFareClassicSectorDump {
  /// The keys of the sector, without one of zeros that stands for a key that is not in the file of a virtual card.
  ///
  /// - Parameter identifier: the card's identifier.
  func knownKeys(of identifier: [UInt8]) -> (keyA: MiFareClassicKey?, keyB: MiFareClassicKey?) {
    guard ImagedTags.haveZerosForUnknownKeys(identifier) else { return (keyA, keyB) }
    func known(_ key: MiFareClassicKey?) -> MiFareClassicKey? {
      key.flatMap { $0.bytes.contains { $0 != 0 } ? $0 : nil }
    }
    let hidesKeyB = accessConditions.map { !$0.isKeyBReadable } ?? false
    return (known(keyA), hidesKeyB ? known(keyB) : keyB)
  }
}
