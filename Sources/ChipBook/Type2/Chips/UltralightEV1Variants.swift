extension Type2Chip {
  /// MF0UL1001: a forerunner of MF0UL11. Seen in the field; its memory is in no public data sheet.
  static let ultralightEV1Early = unmapped(
    "ultralightEV1Early", "MF0UL1001", "MIFARE Ultralight EV1", .ultralight(1...1, 0, 0x0B),
    signature: .presumed([.ultralightEV1]))

  /// MF0UL31 and MF0ULH31: more memory than the data sheet's two.
  static let ultralightEV1With31 = unmapped(
    "ultralightEV1With31", "MF0UL31", "MIFARE Ultralight EV1", .ultralight(1...2, 1, 0x11),
    signature: .presumed([.ultralightEV1]))

  /// MF0UL51.
  static let ultralightEV1With51 = unmapped(
    "ultralightEV1With51", "MF0UL51", "MIFARE Ultralight EV1", .ultralight(1...2, 1, 0x13),
    signature: .presumed([.ultralightEV1]))

  /// A chip of NXP that answers GET_VERSION in this way, and whose pages are not public: NDEF is
  /// read and written according to the tag's own memory; nothing is dumped, protected or formatted.
  static func unmapped(
    _ id: ChipID, _ typeNumber: String, _ name: String, _ version: Version,
    access: AccessControl = .none, signature: Signature, memorySize: Int? = nil,
    otherSecrets: [ClosedRange<Int>] = []
  ) -> Type2Chip {
    Type2Chip(
      id: id, typeNumber: typeNumber, name: name, maker: "NXP",
      source: .observed("GET_VERSION of chips in the field"), recognition: .version([version]),
      pages: nil, lockBits: nil, finalBits: [], blank: nil, hasFastRead: false, counters: [],
      mirror: nil,
      access: access, signature: signature, hasWiredSide: false,
      memorySize: memorySize, otherSecrets: otherSecrets, model: nil, files: nil)
  }
}
