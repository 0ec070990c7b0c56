import NFCCore

/// `FF FE 04`: frames to the tag as they are, flags first, on SpringCard's readers (docs.springcard.com,
/// SpringCore, ENCAPSULATE). The reader adds and verifies the check.
struct SpringCardEncapsulation: VicinityDialect {
  let uid: [UInt8]

  // P1: ISO/IEC 15693, UID and header as given. P2: the reader's own time-out.
  private static let header: [UInt8] = [0xFF, 0xFE, 0x04, 0x00]
  private static let trailer: UInt8 = 0x00

  let commandPath = CommandPath.encapsulation

  func carry(_ frame: [UInt8], by transmit: Transmit) throws -> ExchangeOutcome? {
    guard let count = UInt8(exactly: frame.count) else { return nil }
    return Self.outcome(try transmit(Self.header + [count] + frame + [Self.trailer]))
  }

  // The reader's error numbers after 6F (SpringProx API, springprox_errno.h).
  private static let done: UInt16 = 0x9000
  private static let mute: Set<UInt16> = [0x6F01, 0x6F03, 0x6400, 0x6401]
  /// Check, parity, bits, bytes, framing, collision.
  private static let broken: Set<UInt16> = [0x6F02, 0x6F05, 0x6F0B, 0x6F0C, 0x6F15, 0x6F18]

  /// What came of a frame: any bytes give an outcome.
  static func outcome(_ answer: [UInt8]) -> ExchangeOutcome {
    guard let (data, word) = ExchangeOutcome.split(answer) else { return .malformed }
    if mute.contains(word) { return .noAnswer }
    if broken.contains(word) { return .broken }
    guard word == done else { return .refused(word) }
    return data.isEmpty ? .malformed : .answer(data)
  }
}
