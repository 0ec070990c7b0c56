import NFC

/// Finds out whether a tag has left that its UID does not distinguish from the next one.
struct TagDeparture {
  /// The number of searches in a row that find no such tag once it has left. A search can miss a tag.
  private static let limit = 2

  private var misses = 0

  /// Takes note of what a search has found.
  ///
  /// - Returns: whether every tag has left without a lasting UID.
  mutating func isComplete(_ found: [DetectedTag]) -> Bool {
    misses = found.contains { !$0.hasLastingUID } ? 0 : misses + 1
    return misses >= Self.limit
  }
}

extension DetectedTag {
  /// Whether the UID is reported and stays the same. A card can draw a new one at each power-on, which every search
  /// is for a tag; what such a card is like, ``ISO14443ATarget/hasRandomUID`` says. A card of type B does not say it.
  var hasLastingUID: Bool { !identifier.isEmpty && !hasRandomUID }

  /// The first bytes of an NFCID2 that a device draws for each activation (ECMA-340, NFCID2).
  private static let randomNFCID2: [UInt8] = [0x01, 0xFE]

  /// Whether the tag says that its UID is another one each time.
  var hasRandomUID: Bool {
    switch technology {
    case .iso14443a: ISO14443ATarget.isRandom(uid: identifier)
    case .feliCa: identifier.starts(with: Self.randomNFCID2)
    default: false
    }
  }
}
