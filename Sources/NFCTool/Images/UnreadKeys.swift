import NFC
import TagImages

/// Keys of a MIFARE Classic that were not read. A card never gives out key A, nor key B if the access bits hide it.
extension TagImage {
  /// Marks keys of zeros as unknown: most programs write zeros in place of a key that was not read.
  ///
  /// - Returns: the keys by sector, with their verb.
  @discardableResult
  mutating func forgetUnreadKeys() -> [Int: String] {
    var unread: [Int: String] = [:]
    guard kind == .classic, let geometry = MiFareClassicGeometry(memorySize: memory.bytes.count)
    else { return unread }
    for sector in geometry.sectors {
      let start = geometry.trailer(ofSector: sector) * MiFareClassicGeometry.blockSize
      let trailer = start..<start + MiFareClassicGeometry.blockSize
      let (keyA, keyB) = (
        trailer.prefix(MiFareClassicKey.size), trailer.suffix(MiFareClassicKey.size)
      )
      // A sector of zeros was not read at all.
      let accessBits = memory.known(keyA.upperBound..<keyA.upperBound + 3) ?? []
      guard let conditions = MiFareClassicAccessConditions(bytes: accessBits) else { continue }
      var names: [String] = []
      if isZero(keyA) {
        memory.markUnknown(keyA)
        names.append("key A")
      }
      if !conditions.isKeyBReadable, isZero(keyB) {
        memory.markUnknown(keyB)
        names.append("key B")
      }
      guard !names.isEmpty else { continue }
      unread[sector] = names.joined(separator: " and ") + (names.count == 1 ? " is" : " are")
    }
    return unread
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
