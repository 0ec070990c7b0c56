extension TypeAIdentification {
  private static let stMicroelectronics: UInt8 = 0x02
  private static let uidLength = 7

  /// ST's type 4 chips by the second byte of the UID, which is the product code (ST25TA02K data
  /// sheet, 3.1.4; the codes as in ST's NFC SDK, TagHelper, and Proxmark3, cmdhfst.c).
  private static let st25ta: [UInt8: (name: String, chip: ChipID, memorySize: Int)] = [
    0xE2: ("ST25TA02K", .st25ta, 256), 0xE3: ("ST25TA02KB", .st25taSigned, 256),
    0xA2: ("ST25TA02K-P", .st25ta, 256),
    0xA3: ("ST25TA02KB-P", .st25taSigned, 256), 0xF2: ("ST25TA02K-D", .st25ta, 256),
    0xF3: ("ST25TA02KB-D", .st25taSigned, 256),
    0xE5: ("ST25TA512", .st25ta, 64), 0xE4: ("ST25TA512B", .st25taSigned, 64),
    0xC5: ("ST25TA16K", .st25ta, 2048),
    0xC4: ("ST25TA64K", .st25ta, 8192), 0x82: ("M24SR02", .m24sr, 256),
    0x8A: ("M24SR02", .m24sr, 256),
    0x86: ("M24SR04", .m24sr, 512), 0x8E: ("M24SR04", .m24sr, 512), 0x85: ("M24SR16", .m24sr, 2048),
    0x8D: ("M24SR16", .m24sr, 2048), 0x84: ("M24SR64", .m24sr, 8192),
    0x8C: ("M24SR64", .m24sr, 8192),
  ]

  /// Returns a type 4 chip of ST; `nil` for any other UID.
  static func st25ta(uid: [UInt8]) -> TagProduct? {
    guard uid.count == uidLength, uid[0] == stMicroelectronics, let chip = st25ta[uid[1]] else {
      return nil
    }
    return TagProduct(
      name: chip.name, maker: "STMicroelectronics", chip: chip.chip, memorySize: chip.memorySize)
  }
}
