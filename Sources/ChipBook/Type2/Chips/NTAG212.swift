extension Type2Chip {
  /// NT2L1211 and NT2H1211: 41 pages.
  static let ntag212 = Type2Chip(
    id: "ntag212", typeNumber: "NT2L1211", name: "NTAG212", maker: "NXP",
    source: .dataSheet("NTAG210/212 rev. 3.0"),
    recognition: .version([.ntag(1...2, 1, 0x0E)]),
    pages: Type2PageMap(
      (4...35, .user), (36...36, .locks), (37...38, .configuration),
      (39...40, .secret)),
    lockBits: .dynamic(page: 36, pagesPerBit: 2, last: 35),
    finalBits: [PasswordSettings.configurationLock(inPage: 38)],
    blank: Blank(
      size: 0x10, controlTLVs: Blank.lockControl([0x90, 0x0A, 0x34]), factoryContent: []),
    hasFastRead: true, counters: [], mirror: .uid,
    access: .password(
      PasswordSettings(
        firstPage: 37, hasConfigurationLock: true, hasProtectedCounter: false)),
    signature: .presumed([.ntag21x, .ntag210]), hasWiredSide: false, memorySize: 164,
    otherSecrets: [], model: nil,
    files: Files(
      flipperName: "Mifare Ultralight 21", partialPageCounts: [], mayEndWithSignature: false))
}
