/// The answer to reset that a reader makes up for a tag without one of its own (PC/SC part 3,
/// 3.1.3.2.3).
struct StorageCardATR: Hashable {
  // 3B 8F 80 01, category 80, length 4F 0C, RID of the PC/SC workgroup.
  private static let prefix: [UInt8] = [
    0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06,
  ]
  /// ISO/IEC 15693, parts 1 to 4.
  private static let vicinity: ClosedRange<UInt8> = 0x09...0x0C
  /// iCLASS and PicoPass, which speak another protocol in the same modulation.
  private static let picoPass: ClosedRange<UInt16> = 0x0017...0x0020

  let standard: UInt8
  let cardName: UInt16

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 15, bytes.starts(with: Self.prefix) else { return nil }
    standard = bytes[12]
    cardName = UInt16(bytes[13]) << 8 | UInt16(bytes[14])
  }

  var isVicinity: Bool {
    Self.vicinity.contains(standard) && !Self.picoPass.contains(cardName)
  }
}
