extension TagImage {
  /// Sizes in bytes of the memories of ISO/IEC 15693 chips, as their data sheets have them: 8 blocks of 4 bytes
  /// (ICODE SLI-L, Tag-it HF-I Standard), 16 (ST25TV512), 28 (ICODE SLI), 40 (SLI-S), 64 (LRI2K, Tag-it HF-I Plus,
  /// ICODE DNA), 80 (ICODE SLIX2), 128 (ST25DV04K), 512 and 2048 (ST25DV16K and 64K, M24LR), and 250 blocks of 8
  /// bytes (MB89R118).
  private static let vicinitySizes: Set<Int> = [
    32, 64, 112, 160, 256, 320, 512, 2000, 2048, 8192,
  ]

  /// Whether nothing in a file shows which kind of tag it is of: plain bytes that no other kind has are treated as
  /// the memory of an ISO/IEC 15693 tag, and no known one has this size.
  package var isOfUncertainKind: Bool {
    kind == .iso15693 && uid == nil && !Self.vicinitySizes.contains(memory.bytes.count)
      && !startsWithContainer
  }

  /// Whether something in a file shows of which kind of tag it is, apart from its size: what is not of another kind is
  /// treated as the memory of an ISO/IEC 15693 tag.
  package var isRecognized: Bool {
    switch kind {
    case .iso15693: uid != nil || startsWithContainer
    // Files without system blocks have nothing but their size.
    case .feliCaLite: uid != nil
    default: true
    }
  }

  /// Whether a Type 5 Tag's capability container is at the beginning (Type 5 Tag 1.0, 4.3).
  private var startsWithContainer: Bool {
    let bytes = memory.bytes
    return bytes.count > 1 && [0xE1, 0xE2].contains(bytes[0]) && bytes[1] & 0xF0 == 0x40
  }
}
