extension TypeAIdentification {
  private static let stMicroelectronics: UInt8 = 0x02
  private static let uidLength = 7

  /// ST's type 4 chips by the second byte of the UID, which is the product code (ST25TA02K data
  /// sheet, 3.1.4; the codes as in ST's NFC SDK, TagHelper, and Proxmark3, cmdhfst.c).
  private static let st25ta: [UInt8: (name: String, memorySize: Int)] = [
    0xE2: ("ST25TA02K", 256), 0xE3: ("ST25TA02KB", 256), 0xA2: ("ST25TA02K-P", 256),
    0xA3: ("ST25TA02KB-P", 256), 0xF2: ("ST25TA02K-D", 256), 0xF3: ("ST25TA02KB-D", 256),
    0xE5: ("ST25TA512", 64), 0xE4: ("ST25TA512B", 64), 0xC5: ("ST25TA16K", 2048),
    0xC4: ("ST25TA64K", 8192), 0x82: ("M24SR02", 256), 0x8A: ("M24SR02", 256),
    0x86: ("M24SR04", 512), 0x8E: ("M24SR04", 512), 0x85: ("M24SR16", 2048),
    0x8D: ("M24SR16", 2048), 0x84: ("M24SR64", 8192), 0x8C: ("M24SR64", 8192),
  ]

  /// Returns a type 4 chip of ST; `nil` for any other UID.
  static func st25ta(uid: [UInt8]) -> TagProduct? {
    guard uid.count == uidLength, uid[0] == stMicroelectronics, let chip = st25ta[uid[1]] else {
      return nil
    }
    return TagProduct(name: chip.name, maker: "STMicroelectronics", memorySize: chip.memorySize)
  }
}
