/// What came of an APDU, or of a frame in one.
enum ExchangeOutcome: Hashable {
  /// What was answered, without status word and check.
  case answer([UInt8])
  /// The tag has not answered.
  case noAnswer
  /// The tag's answer was broken on the way, or several came at once.
  case broken
  /// The reader or the tag has refused; the status word indicates which, and why, as far as it can.
  case refused(UInt16)
  /// The reader does not support the command.
  case unknown(UInt16)
  /// The bytes are not an answer to the command.
  case malformed
}

extension ExchangeOutcome {
  /// What status words mean in addition to those that all readers have.
  typealias Meanings = [UInt16: ExchangeOutcome]

  private static let done: UInt16 = 0x9000
  private static let noAnswerWords: Set<UInt16> = [0x6400, 0x6401]
  private static let unknownWords: Set<UInt16> = [0x6800, 0x6A81, 0x6D00, 0x6E00]

  /// Reads the answer to an APDU: PC/SC part 3, 3.2.2.1; ISO/IEC 7816-4, 5.6.
  ///
  /// No bytes at all are how an ACR122U says that a card is mute or has gone (pyscard issue 18).
  ///
  /// - Parameter meanings: of status words of the reader's maker.
  init(_ answer: [UInt8], meanings: Meanings = [:]) {
    guard let (data, word) = Self.split(answer) else {
      self = answer.isEmpty ? .noAnswer : .malformed
      return
    }
    self = word == Self.done ? .answer(data) : meanings[word] ?? ExchangeOutcome(word: word)
  }

  /// What a status word other than 9000 means.
  init(word: UInt16) {
    self =
      Self.noAnswerWords.contains(word)
      ? .noAnswer : Self.unknownWords.contains(word) ? .unknown(word) : .refused(word)
  }

  /// Data and status word of an answer; `nil` if it is too short for one.
  static func split(_ answer: [UInt8]) -> (data: [UInt8], word: UInt16)? {
    guard answer.count >= 2 else { return nil }
    let word = UInt16(answer[answer.count - 2]) << 8 | UInt16(answer[answer.count - 1])
    return (Array(answer.dropLast(2)), word)
  }

  /// Returns the same with another answer.
  func mapAnswer(_ body: ([UInt8]) -> [UInt8]) -> ExchangeOutcome {
    if case .answer(let bytes) = self { .answer(body(bytes)) } else { self }
  }

  /// The status word by which a reader tells that something has failed, and not what.
  private static let failed: UInt16 = 0x6300

  /// The same of a command that changes the tag: where no reason is told for a failure, the tag may
  /// have carried it out and only its answer be lost.
  var ofChange: ExchangeOutcome { self == .refused(Self.failed) ? .noAnswer : self }
}
