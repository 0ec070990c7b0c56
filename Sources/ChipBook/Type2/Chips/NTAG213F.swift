extension Type2Chip {
  /// NT2H1311F: an NTAG213 that signals the field on a pin.
  static let ntag213F = ntag213.sibling(
    "ntag213F", typeNumber: "NT2H1311F", name: "NTAG213F", maker: "NXP",
    source: .dataSheet("NTAG213F/216F"),
    recognition: .version([.ntag(4...4, 1, 0x0F)]), signature: .readSignature([.ntag21x]))
}
