extension Type2Chip {
  /// NT2H1611F: an NTAG216 that signals the field on a pin.
  static let ntag216F = ntag216.sibling(
    "ntag216F", typeNumber: "NT2H1611F", name: "NTAG216F", maker: "NXP",
    source: .dataSheet("NTAG213F/216F"),
    recognition: .version([.ntag(4...4, 1, 0x13)]), signature: .readSignature([.ntag21x]))
}
