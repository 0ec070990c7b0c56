extension Type2Chip {
  /// NT2H1611: 231 pages.
  static let ntag216 = Type2Chip(
    id: "ntag216", typeNumber: "NT2H1611", name: "NTAG216", maker: "NXP",
    source: .dataSheet("NTAG213/215/216 rev. 3.2"),
    recognition: .version([.ntag(2...2, 1, 0x13)]),
    pages: Type2PageMap(
      (4...225, .user), (226...226, .locks), (227...228, .configuration),
      (229...230, .secret)),
    lockBits: .dynamic(page: 226, pagesPerBit: 16, last: 225),
    finalBits: [PasswordSettings.configurationLock(inPage: 228)],
    blank: Blank(size: 0x6D, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [2], mirror: .uidAndCounter,
    access: .password(
      PasswordSettings(
        firstPage: 227, hasConfigurationLock: true, hasProtectedCounter: true)),
    signature: .readSignature([.ntag21x]), hasWiredSide: false, memorySize: 924,
    otherSecrets: [], model: nil,
    files: Files(flipperName: "NTAG216", partialPageCounts: [], mayEndWithSignature: false))
}
