extension Type2Chip {
  /// MF0UN: 40 or 48 bytes for the user; the data sheet's numbers tell the two apart by no version byte.
  static let ultralightNano = Type2Chip(
    typeNumber: "MF0UN", name: "MIFARE Ultralight Nano", maker: "NXP",
    source: .observed("GET_VERSION of chips in the field"),
    recognition: .version([.ultralight(1...2, 2, 0x0B), .ultralight(1...2, 3, 0x0B)]),
    pages: nil, lockBits: nil, finalBits: [], blank: nil, hasFastRead: false, counters: [],
    access: .none, signature: .readSignature([]), hasWiredSide: false,
    memorySize: nil)
}
