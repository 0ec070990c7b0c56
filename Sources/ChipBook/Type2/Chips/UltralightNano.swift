extension Type2Chip {
  /// MF0UN: user memory of 40 or 48 bytes; according to the data sheet, no version byte
  /// distinguishes the two.
  static let ultralightNano = Type2Chip(
    id: "ultralightNano", typeNumber: "MF0UN", name: "MIFARE Ultralight Nano", maker: "NXP",
    source: .observed("GET_VERSION of chips in the field"),
    recognition: .version([.ultralight(1...2, 2, 0x0B), .ultralight(1...2, 3, 0x0B)]),
    pages: nil, lockBits: nil, finalBits: [], blank: nil, hasFastRead: false, counters: [],
    mirror: nil,
    access: .none, signature: .presumed([.ultralightEV1, .ntag21x]), hasWiredSide: false,
    memorySize: nil,
    otherSecrets: [], model: nil, files: nil)
}
