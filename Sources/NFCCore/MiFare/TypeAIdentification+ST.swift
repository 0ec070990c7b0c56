extension TypeAIdentification {
  private static let stMicroelectronics: UInt8 = 0x02
  private static let uidLength = 7

  /// ST's type 4 chips by the second byte of the UID, which is the product code (ST25TA02K data
  /// sheet, 3.1.4; the codes as in ST's NFC SDK, TagHelper, and Proxmark3, cmdhfst.c).
  private static let st25ta: [UInt8: (id: ChipID, name: String, memorySize: Int)] = [
    0xE2: (.st25ta02K, "ST25TA02K", 256), 0xE3: (.st25ta02KB, "ST25TA02KB", 256),
    0xA2: (.st25ta02KP, "ST25TA02K-P", 256),
    0xA3: (.st25ta02KBP, "ST25TA02KB-P", 256), 0xF2: (.st25ta02KD, "ST25TA02K-D", 256),
    0xF3: (.st25ta02KBD, "ST25TA02KB-D", 256),
    0xE5: (.st25ta512, "ST25TA512", 64), 0xE4: (.st25ta512B, "ST25TA512B", 64),
    0xC5: (.st25ta16K, "ST25TA16K", 2048),
    0xC4: (.st25ta64K, "ST25TA64K", 8192), 0x82: (.m24sr02, "M24SR02", 256),
    0x8A: (.m24sr02, "M24SR02", 256),
    0x86: (.m24sr04, "M24SR04", 512), 0x8E: (.m24sr04, "M24SR04", 512),
    0x85: (.m24sr16, "M24SR16", 2048),
    0x8D: (.m24sr16, "M24SR16", 2048), 0x84: (.m24sr64, "M24SR64", 8192),
    0x8C: (.m24sr64, "M24SR64", 8192),
  ]

  /// Returns a type 4 chip of ST; `nil` for any other UID.
  static func st25ta(uid: [UInt8]) -> TagProduct? {
    guard uid.count == uidLength, uid[0] == stMicroelectronics, let chip = st25ta[uid[1]] else {
      return nil
    }
    return TagProduct(
      chip.id, name: chip.name, maker: "STMicroelectronics", memorySize: chip.memorySize)
  }
}
