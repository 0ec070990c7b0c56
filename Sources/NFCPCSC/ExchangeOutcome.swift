/// The outcome of an APDU, or of a frame in one.
enum ExchangeOutcome: Hashable {
  /// The answer, without status word and check bytes.
  case answer([UInt8])
  /// The tag has not answered.
  case noAnswer
  /// The tag's answer was broken on the way, or several arrived at once.
  case broken
  /// The reader or the tag has refused; the status word indicates which, and why, as far as it can.
  case refused(UInt16)
  /// The reader does not support the command.
  case unknown(UInt16)
  /// The bytes are not an answer to the command.
  case malformed
}

extension ExchangeOutcome {
  /// The meanings of status words in addition to those of all readers.
  typealias Meanings = [UInt16: ExchangeOutcome]

  private static let done: UInt16 = 0x9000
  private static let noAnswerWords: Set<UInt16> = [0x6400, 0x6401]
  private static let unknownWords: Set<UInt16> = [0x6800, 0x6A81, 0x6D00, 0x6E00]

  /// Reads the answer to an APDU: PC/SC part 3, 3.2.2.1; ISO/IEC 7816-4, 5.6.
  ///
  /// An ACR122U returns no bytes at all if a card does not answer or has left (pyscard issue 18).
  ///
  /// - Parameter meanings: the meanings of the maker's status words.
  init(_ answer: [UInt8], meanings: Meanings = [:]) {
    guard let (data, word) = Self.split(answer) else {
      self = answer.isEmpty ? .noAnswer : .malformed
      return
    }
    self = word == Self.done ? .answer(data) : meanings[word] ?? ExchangeOutcome(word: word)
  }

  /// Creates the meaning of a status word other than 9000.
  init(word: UInt16) {
    self =
      Self.noAnswerWords.contains(word)
      ? .noAnswer : Self.unknownWords.contains(word) ? .unknown(word) : .refused(word)
  }

  /// Returns the length of the answer, if the status word says that another one was requested (ISO/IEC 7816-4, 5.6).
  static func rightLength(in answer: [UInt8]) -> UInt8? {
    guard let (_, word) = split(answer), word & 0xFF00 == wrongLength else { return nil }
    return UInt8(word & 0xFF)
  }

  private static let wrongLength: UInt16 = 0x6C00

  /// Returns data and status word of an answer; `nil` if it is too short for one.
  static func split(_ answer: [UInt8]) -> (data: [UInt8], word: UInt16)? {
    guard answer.count >= 2 else { return nil }
    let word = UInt16(answer[answer.count - 2]) << 8 | UInt16(answer[answer.count - 1])
    return (Array(answer.dropLast(2)), word)
  }

  /// Returns the same with another answer.
  func mapAnswer(_ body: ([UInt8]) -> [UInt8]) -> ExchangeOutcome {
    if case .answer(let bytes) = self { .answer(body(bytes)) } else { self }
  }

  /// The status word with which a reader reports a failure without a reason.
  private static let failed: UInt16 = 0x6300

  /// The outcome for a command that changes the tag: if no reason is given for a failure, the tag
  /// may have carried it out, and only its answer may be lost.
  var asWriteOutcome: ExchangeOutcome { self == .refused(Self.failed) ? .noAnswer : self }
}
