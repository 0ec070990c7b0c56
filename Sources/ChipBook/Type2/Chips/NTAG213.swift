extension Type2Chip {
  /// NT2H1311: 45 pages.
  static let ntag213 = Type2Chip(
    id: "ntag213", typeNumber: "NT2H1311", name: "NTAG213", maker: "NXP",
    source: .dataSheet("NTAG213/215/216 rev. 3.2"),
    recognition: .version([.ntag(2...2, 1, 0x0F)]),
    pages: Type2PageMap(
      (4...39, .user), (40...40, .locks), (41...42, .configuration),
      (43...44, .secret)),
    lockBits: .dynamic(page: 40, pagesPerBit: 2, last: 39),
    finalBits: [PasswordSettings.configurationLock(inPage: 42)],
    blank: Blank(
      size: 0x12, controlTLVs: Blank.lockControl([0xA0, 0x0C, 0x34]), factoryContent: []),
    hasFastRead: true, counters: [2], mirror: .uidAndCounter,
    access: .password(
      PasswordSettings(
        firstPage: 41, hasConfigurationLock: true, hasProtectedCounter: true)),
    signature: .readSignature([.ntag21x]), hasWiredSide: false, memorySize: 180,
    otherSecrets: [], model: nil,
    files: Files(flipperName: "NTAG213", partialPageCounts: [], mayEndWithSignature: false))
}
