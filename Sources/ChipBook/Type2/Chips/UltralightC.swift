extension Type2Chip {
  /// MF0ICU2: 48 pages, the last four of which hold a key; no GET_VERSION, no FAST_READ.
  static let ultralightC = Type2Chip(
    id: "ultralightC", typeNumber: "MF0ICU2", name: "MIFARE Ultralight C", maker: "NXP",
    source: .dataSheet("MF0ICU2 rev. 3.3"),
    recognition: .authentication,
    pages: Type2PageMap(
      (4...39, .user), (40...40, .locks), (41...41, .counter), (42...43, .configuration),
      (44...47, .key)),
    lockBits: .firstGeneration(others: [41...41, 42...42, 43...43, 44...47]), finalBits: [],
    blank: Blank(
      size: 0x12,
      // AN1303: the lock bytes in page 28h.
      controlTLVs: Blank.lockControl([0xA0, 0x10, 0x44]),
      // As delivered: read from a new card by nfcpy's tests.
      factoryContent: [
        0x02, 0x00, 0x00, 0x10, 0x00, 0x06, 0x01, 0x10, 0x11, 0xFF, 0x00, 0x00,
      ]),
    hasFastRead: false, counters: [], mirror: nil,
    access: .tripleDES(
      TripleDESSettings(firstProtectedPage: 42, readProtectionPage: 43, keyPages: 44..<48)),
    signature: .none, hasWiredSide: false, memorySize: 192,
    otherSecrets: [], model: nil,
    // It does not return its key.
    files: Files(
      flipperName: "Mifare Ultralight C", partialPageCounts: [44], mayEndWithSignature: false))
}
