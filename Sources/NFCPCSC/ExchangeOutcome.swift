import NFCCore

/// What came of an exchange with a tag, as far as the reader tells it.
enum ExchangeOutcome: Hashable {
  /// The tag's answer; of an ISO/IEC 15693 tag, flags first.
  case answer([UInt8])
  case noAnswer
  /// The answer was broken on the way, or several came at once.
  case broken
  /// The reader has not done it: its status word.
  case refused(UInt16)
  /// The bytes are no answer to what was sent.
  case malformed
}

extension ExchangeOutcome {
  private static let done: UInt16 = 0x9000

  /// Data and status word of an answer; `nil` if it is too short for one.
  static func split(_ answer: [UInt8]) -> (data: [UInt8], word: UInt16)? {
    guard answer.count >= 2 else { return nil }
    let word = UInt16(answer[answer.count - 2]) << 8 | UInt16(answer[answer.count - 1])
    return (Array(answer.dropLast(2)), word)
  }

  /// What an answer without the tag's flags says of an ISO/IEC 15693 tag. The tag's error code is lost
  /// on the way, so this is as close as can be: PC/SC part 3, 3.2.2.1, and ISO/IEC 7816-4, 5.6.
  init(vicinityAnswer answer: [UInt8]) {
    guard let (data, word) = Self.split(answer) else {
      self = .malformed
      return
    }
    self =
      switch word {
      case Self.done: .answer(ISO15693Response(payload: data).encoded)
      case 0x6400, 0x6401: .noAnswer
      case 0x6282, 0x6A82: .refusal(.blockNotAvailable)
      case 0x6981, 0x6982, 0x6986: .refusal(.locked)
      case 0x6A81, 0x6D00: .refusal(.commandNotSupported)
      case 0x6300: .refusal(.unknown)
      default: .refused(word)
      }
  }

  /// What the tag would have answered if it had refused.
  static func refusal(_ code: ISO15693ErrorCode) -> ExchangeOutcome {
    .answer(ISO15693Response(code).encoded)
  }
}
