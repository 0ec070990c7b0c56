import SwiftNFCCore

/// The objects of a transparent session: PC/SC part 3, supplement 2.02.
enum TransparentSession {
  // FF C2 00 and the kind of command.
  private static let header: [UInt8] = [0xFF, 0xC2, 0x00]
  private static let manage: UInt8 = 0x00
  private static let exchange: UInt8 = 0x01
  private static let switchProtocol: UInt8 = 0x02

  // Objects of "manage session".
  private static let start: [UInt8] = [0x81, 0x00]
  private static let end: [UInt8] = [0x82, 0x00]
  private static let fieldOff: [UInt8] = [0x83, 0x00]
  private static let fieldOn: [UInt8] = [0x84, 0x00]
  /// Standard and layer.
  private static let protocolObject: [UInt8] = [0x8F, 0x02]
  /// How long an answer is waited for: microseconds, least significant byte first.
  private static let timer: [UInt8] = [0x5F, 0x46, 0x04]
  private static let transceive: UInt8 = 0x95

  // Objects of answers.
  private static let status: UInt8 = 0xC0
  private static let lastBits: UInt8 = 0x92
  private static let acknowledgeBits: UInt8 = 4
  private static let receptionStatus: UInt8 = 0x96
  private static let answer: UInt8 = 0x97
  private static let statusDone: UInt16 = 0x9000
  /// CRC, collision, parity, framing.
  private static let anyErrorBit: UInt8 = 0x0F

  static let startCommand = command(manage, start)
  /// An exchange that sends nothing to the tag: a second to wait for an answer.
  static let timerCommand = command(exchange, timer + [0x40, 0x42, 0x0F, 0x00])
  static let endCommand = command(manage, end)
  static let fieldOffCommand = command(manage, fieldOff)
  static let fieldOnCommand = command(manage, fieldOn)

  /// The standard of the frames. Layer 3: activated, and the reader adds the check bytes.
  enum Standard: Hashable {
    /// ISO/IEC 14443 type A. Frames to which the reader adds check bytes are known from an
    /// ACR1552U; the form of an acknowledge of four bits is not known.
    case typeA
    /// ISO/IEC 15693.
    case vicinity
    /// FeliCa, which has no layers; known from a Sony RC-S300.
    case feliCa

    fileprivate var value: [UInt8] {
      switch self {
      case .typeA: [0x00, 0x03]
      case .vicinity: [0x02, 0x03]
      case .feliCa: [0x03, 0x00]
      }
    }
  }

  static func switchCommand(to standard: Standard) -> [UInt8] {
    command(switchProtocol, protocolObject + standard.value)
  }

  /// Lc is one byte; the timer and the header of the frame's object are subtracted.
  static let maximumCommandLength = 255 - 7 - 3
  /// 256 bytes of an answer, minus its objects and the status word.
  static let maximumResponseLength = 241

  private static func command(_ parameter: UInt8, _ objects: [UInt8]) -> [UInt8] {
    header + [parameter, UInt8(truncatingIfNeeded: objects.count)] + objects + [0x00]
  }

  private static let longestTimeout = Duration.seconds(60)

  /// Returns the command for a frame to the tag, flags first and without check bytes, with the time
  /// limit for its answer.
  ///
  /// - Parameter frame: at most ``maximumCommandLength`` bytes.
  static func exchangeCommand(_ frame: [UInt8], timeout: Duration) -> [UInt8] {
    let (seconds, attoseconds) = min(max(timeout, .zero), longestTimeout).components
    let microseconds = UInt32(
      clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    let time = (0..<4).map { UInt8(truncatingIfNeeded: microseconds >> ($0 * 8)) }
    let count = UInt8(truncatingIfNeeded: frame.count)
    let length: [UInt8] = frame.count < 0x80 ? [count] : [0x81, count]
    return command(exchange, timer + time + [transceive] + length + frame)
  }

  /// Returns whether all objects were carried out: what stands before the status word of the APDU
  /// says so, and nothing else.
  static func isDone(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    var words: [[UInt8]] = []
    while let object = nextObject(&rest) {
      if object.tag == status { words.append(Array(object.value.dropFirst())) }
    }
    return rest.isEmpty && !words.isEmpty
      && words.allSatisfy { $0 == [UInt8(statusDone >> 8), UInt8(statusDone & 0xFF)] }
  }

  /// Reads the objects before the status word of the APDU. Any bytes give an outcome.
  static func outcome(_ bytes: [UInt8]) -> ExchangeOutcome {
    var rest = bytes[...]
    var frame: [UInt8]?
    var isBroken = false
    var isAcknowledge = false
    var hasStatus = false
    while let object = nextObject(&rest) {
      switch object.tag {
      case status:
        guard object.value.count == 3 else { return .malformed }
        hasStatus = true
        let word = UInt16(object.value[1]) << 8 | UInt16(object.value[2])
        if word != statusDone { return ExchangeOutcome(word: word) }
      case receptionStatus:
        isBroken = (object.value.first ?? 0) & anyErrorBit != 0
      case lastBits:
        isAcknowledge = object.value.first == acknowledgeBits
      case answer: frame = object.value
      default: break
      }
    }
    guard rest.isEmpty, hasStatus else { return .malformed }
    guard let frame else { return isBroken ? .broken : .noAnswer }
    // Four bits have no check that could be right.
    if isBroken, !isAcknowledge || frame.count != 1 { return .broken }
    return .answer(frame)
  }

  private static func nextObject(_ rest: inout ArraySlice<UInt8>) -> (tag: UInt8, value: [UInt8])? {
    guard let tag = rest.first else { return nil }
    var index = rest.startIndex + 1
    // A tag of two bytes, none of which is needed: an ACM1252U-Y3 adds the card's ATR with 5F51 (reference manual 1.03,
    // 5.2.3.5).
    if tag & 0x1F == 0x1F { index += 1 }
    guard index < rest.endIndex else { return nil }
    var length = Int(rest[index])
    index += 1
    if length > 0x80 {
      let count = length & 0x7F
      guard count <= 2, rest.endIndex - index >= count else { return nil }
      length = rest[index..<(index + count)].reduce(0) { $0 << 8 | Int($1) }
      index += count
    } else if length == 0x80 {
      return nil
    }
    guard rest.endIndex - index >= length else { return nil }
    let value = Array(rest[index..<(index + length)])
    rest = rest[(index + length)...]
    return (tag, value)
  }
}
