extension Type2Chip {
  /// NT3H1101: one sector, and the session registers in sector 3, which the wired side shares.
  static let ntagI2C1K = Type2Chip(
    id: "ntagI2C1K", typeNumber: "NT3H1101", name: "NTAG I2C 1K", maker: "NXP",
    source: .dataSheet("NT3H1101/1201 rev. 3.3"),
    recognition: .version(i2cVersions(storageSize: 0x13)),
    pages: Type2PageMap((4...0xE1, .user), (0xE2...0xE2, .locks), (0xE8...0xE9, .configuration)),
    lockBits: .dynamic(page: 0xE2, pagesPerBit: 16, last: 0xE1),
    finalBits: [registerLock(inPage: 0xE9)],
    blank: Blank(size: 0x6D, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [], mirror: nil, access: .none, signature: .none,
    hasWiredSide: true,
    memorySize: 936,
    otherSecrets: [], model: nil,
    files: Files(flipperName: "NTAG I2C 1K", partialPageCounts: [], mayEndWithSignature: false))

  /// NT3H1201: sectors 0 and 1, counted through.
  static let ntagI2C2K = Type2Chip(
    id: "ntagI2C2K", typeNumber: "NT3H1201", name: "NTAG I2C 2K", maker: "NXP",
    source: .dataSheet("NT3H1101/1201 rev. 3.3"),
    recognition: .version(i2cVersions(storageSize: 0x15)),
    pages: Type2PageMap(
      (4...0x1DF, .user), (0x1E0...0x1E0, .locks), (0x1E8...0x1E9, .configuration)),
    lockBits: .dynamic(page: 0x1E0, pagesPerBit: 32, last: 0x1DF),
    finalBits: [registerLock(inPage: 0x1E9)],
    blank: Blank(size: 0xEA, controlTLVs: [], factoryContent: []),
    hasFastRead: true, counters: [], mirror: nil, access: .none, signature: .none,
    hasWiredSide: true,
    memorySize: 1960,
    otherSecrets: [], model: nil,
    files: Files(flipperName: "NTAG I2C 2K", partialPageCounts: [], mayEndWithSignature: false))

  /// Versions 1.x, 2.0 and 2.1; from 2.2 on it is plus (NT3H1101/1201 and NT3H2111/2211 data sheets, 10.1; NXP's
  /// demonstration program for the versions between).
  private static func i2cVersions(storageSize: UInt8) -> [Version] {
    [.ntag(5...5, 2, minors: 0...1, storageSize), .ntag(5...5, 1, minors: 0...0xFF, storageSize)]
  }

  /// REG_LOCK: bit 0 closes the registers to the reader, bit 1 to the wired side (NT3H1101/1201 data sheet, table
  /// 13).
  static func registerLock(inPage page: Int) -> FinalBits {
    FinalBits(page: page, byte: 2, mask: 0x03)
  }
}
