extension Type2Chip {
  /// NT2L1011 and NT2H1011: 20 pages.
  static let ntag210 = Type2Chip(
    id: "ntag210", typeNumber: "NT2L1011", name: "NTAG210", maker: "NXP",
    source: .dataSheet("NTAG210/212 rev. 3.0"),
    recognition: .version([.ntag(1...2, 1, 0x0B)]),
    pages: Type2PageMap((4...15, .user), (16...17, .configuration), (18...19, .secret)),
    lockBits: .static,
    finalBits: [PasswordSettings.configurationLock(inPage: 17)],
    blank: Blank(size: 0x06, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [], mirror: .uid,
    access: .password(
      PasswordSettings(firstPage: 16, hasConfigurationLock: true, hasProtectedCounter: false)),
    signature: .presumed([.ntag21x, .ntag210]), hasWiredSide: false, memorySize: 80,
    otherSecrets: [], model: nil,
    files: Files(
      flipperName: "Mifare Ultralight 11", partialPageCounts: [], mayEndWithSignature: false))
}
