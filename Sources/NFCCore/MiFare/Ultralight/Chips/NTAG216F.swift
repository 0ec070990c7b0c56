extension Type2Chip {
  /// NT2H1611F: an NTAG216 that signals the field on a pin.
  static let ntag216F = Type2Chip(
    typeNumber: "NT2H1611F", name: "NTAG216F", maker: "NXP",
    source: .dataSheet("NTAG213F/216F"),
    recognition: .version([.ntag(4...4, 1, 0x13)]),
    pages: Type2PageMap(
      (4...225, .user), (226...226, .locks), (227...228, .configuration),
      (229...230, .secret)),
    lockBits: .dynamic(page: 226, pagesPerBit: 16, last: 225),
    finalBits: [PasswordSettings.configurationLock(inPage: 228)],
    blank: Blank(size: 0x6D, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [2],
    access: .password(
      PasswordSettings(
        firstPage: 227, hasConfigurationLock: true, hasProtectedCounter: true)),
    signature: .readSignature([.ntag21x]), hasWiredSide: false, memorySize: 924)
}
