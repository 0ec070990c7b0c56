extension Type2Chip {
  /// NT3H2111: AUTH0, ACCESS, password and acknowledge after the lock bits, PT_I2C, then the registers. Session
  /// registers (EC, ED) and SRAM (F0 to FF) are not memory.
  static let ntagI2CPlus1K = Type2Chip(
    id: "ntagI2CPlus1K", typeNumber: "NT3H2111", name: "NTAG I2C plus 1K", maker: "NXP",
    source: .dataSheet("NT3H2111/2211 rev. 3.5"),
    recognition: .version([.ntag(5...5, 2, minors: 2...0xFF, 0x13)]),
    pages: Type2PageMap(
      (4...0xE1, .user), (0xE2...0xE2, .locks), (0xE3...0xE4, .configuration),
      (0xE5...0xE6, .secret), (0xE7...0xE9, .configuration)),
    lockBits: .dynamic(page: 0xE2, pagesPerBit: 16, last: 0xE1),
    finalBits: [registerLock(inPage: 0xE9)],
    blank: Blank(size: 0x6D, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [], mirror: nil,
    access: .password(
      PasswordSettings(firstPage: 0xE3, hasConfigurationLock: false, hasProtectedCounter: false)),
    signature: .presumed([.ntag21x]), hasWiredSide: true, memorySize: 936,
    otherSecrets: [], model: nil,
    files: Files(flipperName: "NTAG I2C Plus 1K", partialPageCounts: [], mayEndWithSignature: false)
  )

  /// NT3H2211: as NT3H2111, and 256 more pages for the user in sector 1, which the lock bits do not reach.
  static let ntagI2CPlus2K = Type2Chip(
    id: "ntagI2CPlus2K", typeNumber: "NT3H2211", name: "NTAG I2C plus 2K", maker: "NXP",
    source: .dataSheet("NT3H2111/2211 rev. 3.5"),
    recognition: .version([.ntag(5...5, 2, minors: 2...0xFF, 0x15)]),
    pages: Type2PageMap(
      (4...0xE1, .user), (0xE2...0xE2, .locks), (0xE3...0xE4, .configuration),
      (0xE5...0xE6, .secret), (0xE7...0xE9, .configuration), (0x100...0x1FF, .user)),
    lockBits: .dynamic(page: 0xE2, pagesPerBit: 16, last: 0xE1),
    finalBits: [registerLock(inPage: 0xE9)],
    blank: Blank(size: 0x6D, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [], mirror: nil,
    access: .password(
      PasswordSettings(firstPage: 0xE3, hasConfigurationLock: false, hasProtectedCounter: false)),
    signature: .presumed([.ntag21x]), hasWiredSide: true, memorySize: 2048,
    otherSecrets: [], model: nil,
    files: Files(flipperName: "NTAG I2C Plus 2K", partialPageCounts: [], mayEndWithSignature: false)
  )
}
