extension Type2Chip {
  /// NT2H1511: 135 pages.
  static let ntag215 = Type2Chip(
    id: "ntag215", typeNumber: "NT2H1511", name: "NTAG215", maker: "NXP",
    source: .dataSheet("NTAG213/215/216 rev. 3.2"),
    recognition: .version([.ntag(2...2, 1, 0x11)]),
    pages: Type2PageMap(
      (4...129, .user), (130...130, .locks), (131...132, .configuration),
      (133...134, .secret)),
    lockBits: .dynamic(page: 130, pagesPerBit: 16, last: 129),
    finalBits: [PasswordSettings.configurationLock(inPage: 132)],
    blank: Blank(size: 0x3E, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [2], mirror: .uidAndCounter,
    access: .password(
      PasswordSettings(
        firstPage: 131, hasConfigurationLock: true, hasProtectedCounter: true)),
    signature: .readSignature([.ntag21x]), hasWiredSide: false, memorySize: 540,
    otherSecrets: [], model: nil,
    // TagMo stores it without PWD and PACK (HiddenRamblings/TagMo, NfcByte.kt, TAG_DATA_SIZE 532) and with the
    // signature (SIGNATURE 21C), pyamiibo without its configuration (520 bytes).
    files: Files(flipperName: "NTAG215", partialPageCounts: [133, 130], mayEndWithSignature: true))
}
