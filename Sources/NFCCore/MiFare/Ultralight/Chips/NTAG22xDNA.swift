extension Type2Chip {
  /// NTAG 223 DNA.
  static let ntag223DNA = unmapped(
    .ntag223DNA, "NT2H2331", "NTAG 223 DNA", .ntag(2...2, 4, 0x0F), access: .aes(nil),
    signature: .readSignature([.ntag223DNA]))

  /// NTAG 223 DNA StatusDetect.
  static let ntag223DNAStatusDetect = unmapped(
    .ntag223DNAStatusDetect, "NT2H2331S", "NTAG 223 DNA StatusDetect", .ntag(8...8, 4, 0x0F),
    access: .aes(nil),
    signature: .readSignature([.ntag223DNA]))

  /// NTAG 224 DNA.
  static let ntag224DNA = unmapped(
    .ntag224DNA, "NT2H2421", "NTAG 224 DNA", .ntag(2...2, 5, 0x10), access: .aes(nil),
    signature: .readSignature([.ntag223DNA]))

  /// NTAG 224 DNA StatusDetect.
  static let ntag224DNAStatusDetect = unmapped(
    .ntag224DNAStatusDetect, "NT2H2421S", "NTAG 224 DNA StatusDetect", .ntag(8...8, 5, 0x10),
    access: .aes(nil),
    signature: .readSignature([.ntag223DNA]))
}
