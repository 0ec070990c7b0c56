/// `FF FE`: frames to the tag as they are, on SpringCard's readers (docs.springcard.com, SpringCore,
/// ENCAPSULATE). The reader adds and verifies the check.
enum Encapsulation {
  private static let header: [UInt8] = [0xFF, 0xFE]
  /// P2: the reader's own time-out. Of its codes for others only that of 848 etu is known.
  private static let ownTimeout: UInt8 = 0x00
  private static let expectedLength: UInt8 = 0x00

  /// SLOT CONTROL: the reader stops and resumes asking a card whether it is still there, which ends
  /// what the card was doing (docs.springcard.com, SpringCore, SLOT CONTROL).
  static let suspendTracking: [UInt8] = [0xFF, 0xFB, 0x01, 0x00, 0x00]
  static let resumeTracking: [UInt8] = [0xFF, 0xFB, 0x00, 0x00, 0x00]

  /// The standard of the frame: P1.
  enum Standard: UInt8 {
    /// Type A at 106 kbit/s.
    case typeA = 0x01
    /// ISO/IEC 15693, with flags and UID unchanged.
    case vicinity = 0x04
    /// FeliCa at 212 kbit/s, the frame's length first.
    case feliCa = 0x07
  }

  /// Lc is one byte; 256 bytes less the status word: more is not known to get through.
  static let maximumCommandLength = 255
  static let maximumResponseLength = 254

  /// Returns the APDU for a frame without check; `nil` if it is too long.
  static func command(_ frame: [UInt8], of standard: Standard) -> [UInt8]? {
    guard let count = UInt8(exactly: frame.count) else { return nil }
    return header + [standard.rawValue, ownTimeout, count] + frame + [expectedLength]
  }

  /// The reader's error numbers after 6F (SpringProx API, springprox_errno.h): mute; check, parity,
  /// bits, bytes, framing, collision.
  static let meanings: ExchangeOutcome.Meanings = [
    0x6F01: .noAnswer, 0x6F03: .noAnswer, 0x6F02: .broken, 0x6F05: .broken, 0x6F0B: .broken,
    0x6F0C: .broken, 0x6F15: .broken, 0x6F18: .broken,
  ]
}
