extension Type2Chip.Blank {
  private static let lockControlTag: UInt8 = 0x01

  /// Returns a lock control TLV: position, number of bits, page control (NFC Forum Type 2 Tag,
  /// 4.4.1).
  static func lockControl(_ value: [UInt8]) -> [UInt8] {
    [lockControlTag, UInt8(clamping: value.count)] + value
  }
}
