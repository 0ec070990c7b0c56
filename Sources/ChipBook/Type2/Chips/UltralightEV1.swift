extension Type2Chip {
  /// MF0UL11 and MF0ULH11: 20 pages.
  static let ultralightEV1 = Type2Chip(
    id: "ultralightEV1", typeNumber: "MF0UL11", name: "MIFARE Ultralight EV1", maker: "NXP",
    source: .dataSheet("MF0ULx1 rev. 3.3"),
    recognition: .version([.ultralight(1...3, 1, 0x0B)]),
    pages: Type2PageMap((4...15, .user), (16...17, .configuration), (18...19, .secret)),
    lockBits: .static,
    finalBits: [PasswordSettings.configurationLock(inPage: 17)],
    blank: Blank(size: 0x06, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [0, 1, 2], mirror: nil,
    access: .password(
      PasswordSettings(firstPage: 16, hasConfigurationLock: true, hasProtectedCounter: false)),
    signature: .readSignature([.ultralightEV1]), hasWiredSide: false, memorySize: 80,
    otherSecrets: [], model: nil,
    files: Files(
      flipperName: "Mifare Ultralight 11", partialPageCounts: [], mayEndWithSignature: false))

  /// MF0UL21 and MF0ULH21: 41 pages.
  static let ultralightEV1Large = Type2Chip(
    id: "ultralightEV1Large", typeNumber: "MF0UL21", name: "MIFARE Ultralight EV1", maker: "NXP",
    source: .dataSheet("MF0ULx1 rev. 3.3"),
    recognition: .version([.ultralight(1...2, 1, 0x0E)]),
    pages: Type2PageMap(
      (4...35, .user), (36...36, .locks), (37...38, .configuration), (39...40, .secret)),
    lockBits: .dynamic(page: 36, pagesPerBit: 2, last: 35),
    finalBits: [PasswordSettings.configurationLock(inPage: 38)],
    blank: Blank(
      size: 0x10, controlTLVs: Blank.lockControl([0x90, 0x0A, 0x34]), factoryContent: []),
    hasFastRead: true, counters: [0, 1, 2], mirror: nil,
    access: .password(
      PasswordSettings(firstPage: 37, hasConfigurationLock: true, hasProtectedCounter: false)),
    signature: .readSignature([.ultralightEV1]), hasWiredSide: false, memorySize: 164,
    otherSecrets: [], model: nil,
    files: Files(
      flipperName: "Mifare Ultralight 21", partialPageCounts: [], mayEndWithSignature: false))
}
