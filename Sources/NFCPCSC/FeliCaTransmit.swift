/// `FF 00 00 00` with a FeliCa frame, on readers of ACS without a PN532 (ACM1252U-Y3, reference manual 1.03, 5.2.6;
/// ACR3x, reference manual 1.03, 9.2.9). The reader adds and verifies the check.
enum FeliCaTransmit {
  private static let header: [UInt8] = [0xFF, 0x00, 0x00, 0x00]

  /// LEN is part of the frame, and Lc is one byte.
  static let maximumLength = 255

  /// Returns the APDU for a frame, its length first; `nil` if it is too long.
  static func command(for frame: [UInt8]) -> [UInt8]? {
    UInt8(exactly: frame.count).map { header + [$0] + frame }
  }

  /// The operation has failed: a card that does not answer, because one that refuses says so in its status flags.
  private static let meanings: ExchangeOutcome.Meanings = [0x6300: .noAnswer]

  static func outcome(_ answer: [UInt8]) -> ExchangeOutcome {
    let outcome = ExchangeOutcome(answer, meanings: meanings)
    guard case .answer(let frame) = outcome else { return outcome }
    return frame.first == UInt8(exactly: frame.count) ? outcome : .malformed
  }
}
