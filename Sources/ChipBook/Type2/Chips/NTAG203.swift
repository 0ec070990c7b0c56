extension Type2Chip {
  /// NT2H0301: 42 pages, no GET_VERSION, no FAST_READ.
  static let ntag203 = Type2Chip(
    id: "ntag203", typeNumber: "NT2H0301", name: "NTAG203", maker: "NXP",
    source: .dataSheet("NTAG203 rev. 3.0"),
    // MF0ICU1, which has the same commands, ends before this page.
    recognition: .lastPage(0x29, maker: ChipMaker.nxp),
    pages: Type2PageMap((4...39, .user), (40...40, .locks), (41...41, .counter)),
    lockBits: .firstGeneration(others: [41...41]), finalBits: [],
    blank: Blank(
      size: 0x12, controlTLVs: Blank.lockControl([0xA0, 0x10, 0x44]), factoryContent: []),
    hasFastRead: false, counters: [], mirror: nil, access: .none, signature: .none,
    hasWiredSide: false,
    memorySize: 168,
    otherSecrets: [], model: nil,
    files: Files(flipperName: "NTAG203", partialPageCounts: [], mayEndWithSignature: false))
}
