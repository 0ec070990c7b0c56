extension Type2Chip {
  /// MF0ICU1: 16 pages, no GET_VERSION, no FAST_READ.
  static let ultralight = Type2Chip(
    id: "ultralight", typeNumber: "MF0ICU1", name: "MIFARE Ultralight", maker: "NXP",
    source: .dataSheet("MF0ICU1 rev. 3.9"),
    recognition: .identifier(maker: ChipMaker.nxp),
    pages: Type2PageMap((4...15, .user)),
    lockBits: .static, finalBits: [],
    // Page 4 on delivery (MF0ICU1 data sheet, 7.5).
    blank: Blank(size: 0x06, controlTLVs: [], factoryContent: [0xFF, 0xFF, 0xFF, 0xFF]),
    hasFastRead: false, counters: [], mirror: nil, access: .none, signature: .none,
    hasWiredSide: false,
    memorySize: 64,
    otherSecrets: [], model: nil,
    files: Files(
      flipperName: "Mifare Ultralight", partialPageCounts: [], mayEndWithSignature: false))
}
