extension Type2Chip {
  /// NTAG210µ. Its data sheet was not available: nothing is assumed about its pages.
  static let ntag210Micro = unmapped(
    "ntag210Micro", "NT2L1001", "NTAG210µ",
    .ntag(1...2, 2, 0x0B), signature: .presumed([.ntag21x, .ultralightEV1]))

  /// NTAG213C: made for one customer's brush heads.
  static let ntag213C = unmapped(
    "ntag213C", "NT2H1311C", "NTAG213C", .ntag(2...2, 1, minors: 1...1, 0x0F),
    signature: .presumed([.ntag21x]))

  /// NT2H1411: reports the storage size of an NTAG215, but is not one.
  static let nt2h1411 = unmapped(
    "nt2h1411", "NT2H1411", "NTAG NT2H1411", .ntag(2...2, 1, minors: 1...1, 0x11),
    signature: .presumed([.ntag21x]))

  /// NTAG215F.
  static let ntag215F = unmapped(
    "ntag215F", "NT2H1511F", "NTAG215F", .ntag(4...4, 1, 0x11), signature: .presumed([.ntag21x]))

  /// NTAG213 TT: an NTAG213 that notices when it is opened.
  static let ntag213TT = unmapped(
    "ntag213TT", "NT2H1311TT", "NTAG213 TT", .ntag(2...2, 3, 0x0F),
    signature: .readSignature([.ntag21x]))
}
