import NFC

extension DetectedTag {
  /// Whether the UID is reported and stays the same. A card can draw a new one at each power-on, which every search
  /// is for a tag; what such a card is like, ``ISO14443ATarget/hasRandomUID`` says. A card of type B does not say it.
  package var hasLastingUID: Bool { !identifier.isEmpty && !hasRandomUID }

  /// The first bytes of an NFCID2 that a device draws for each activation (ECMA-340, NFCID2).
  private static let randomNFCID2: [UInt8] = [0x01, 0xFE]

  /// Whether the tag says that its UID is another one each time.
  package var hasRandomUID: Bool {
    switch technology {
    case .iso14443a: ISO14443ATarget.isRandom(uid: identifier)
    case .feliCa: identifier.starts(with: Self.randomNFCID2)
    default: false
    }
  }
}
