/// Product codes are as in ST's NFC SDK, TagHelper, and Proxmark3, cmdhfst.c.
extension CardChip {
  static let ofSTMicroelectronics: [CardChip] = [
    st("st25ta02K", "ST25TA02K", 256, 0xE2), st("st25ta02KB", "ST25TA02KB", 256, 0xE3, signed),
    st("st25ta02KP", "ST25TA02K-P", 256, 0xA2),
    st("st25ta02KBP", "ST25TA02KB-P", 256, 0xA3, signed),
    st("st25ta02KD", "ST25TA02K-D", 256, 0xF2),
    st("st25ta02KBD", "ST25TA02KB-D", 256, 0xF3, signed),
    st("st25ta512", "ST25TA512", 64, 0xE5), st("st25ta512B", "ST25TA512B", 64, 0xE4, signed),
    st("st25ta16K", "ST25TA16K", 2048, 0xC5), st("st25ta64K", "ST25TA64K", 8192, 0xC4),
    st("m24sr02", "M24SR02", 256, 0x82, 0x8A), st("m24sr04", "M24SR04", 512, 0x86, 0x8E),
    st("m24sr16", "M24SR16", 2048, 0x85, 0x8D), st("m24sr64", "M24SR64", 8192, 0x84, 0x8C),
  ]

  /// AN5101 is for these. They do not indicate which of their maker's keys has signed them (Proxmark3, recover_pk.py:
  /// three chips of the first kind, none of the others).
  private static let signed = SignatureKeys([.st25ta02KB], mayBeOthers: true)

  private static func st(
    _ id: ChipID, _ name: String, _ size: Int, _ codes: UInt8..., keys: SignatureKeys = .none
  ) -> CardChip {
    CardChip(
      id: id, name: name, maker: "STMicroelectronics", recognition: codes.map { .productCode($0) },
      memory: .fixed(size), files: [], generation: nil, features: [.filePasswords],
      signatureKeys: keys)
  }

  private static func st(
    _ id: ChipID, _ name: String, _ size: Int, _ code: UInt8, _ keys: SignatureKeys
  ) -> CardChip {
    st(id, name, size, code, keys: keys)
  }
}
