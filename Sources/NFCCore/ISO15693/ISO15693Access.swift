/// Procedures with one vicinity tag: each uses the fewest exchanges that tag and reader grant, and
/// what a tag has refused once is not asked again.
///
/// All are synchronous and throw ``NFCError`` with the block as its place.
struct ISO15693Access {
  let link: ISO15693Link
  /// What is known of the tag, to be kept as long as it is the same.
  var knowledge: ISO15693Knowledge

  init(_ link: ISO15693Link, knowledge: ISO15693Knowledge) {
    self.link = link
    self.knowledge = knowledge
  }

  /// How often an exchange without effect on the tag is repeated (NFC Forum Type 5 Tag 1.0, 5.6).
  static let retries = 2
  /// Flags and error code, or flags and a little: what an answer without blocks has at most.
  static let shortAnswer = 2
  /// Block numbers have 16 bits.
  static let largestBlockCount = 0x1_0000
  /// Above it, a number needs two bytes.
  static let largestNarrowNumber = 0xFF
  static let largestNarrowCount = 0x100

  // MARK: Requests

  func request(
    _ command: ISO15693Command, adding flags: ISO15693RequestFlags = []
  ) -> ISO15693Request {
    ISO15693Request(command, flags: flags.union(.highDataRate), uid: knowledge.uid)
  }

  /// Sends a command as it is and gives what follows the flags of the answer; nothing for a command
  /// that has no answer.
  ///
  /// A write-alike command gets the option flag if the tag is known to need it.
  func send(_ command: ISO15693Command, adding flags: ISO15693RequestFlags = []) throws -> [UInt8] {
    var flags = flags
    if command.isWriteAlike, knowledge.needsWriteOption == true { flags.insert(.option) }
    do {
      return try link.exchange(
        request(command, adding: flags), answerLength: ISO15693Block.maximumSize, place: nil)
    } catch let error as NFCError where error.isSilence && command.hasNoAnswer {
      return []
    }
  }

  /// Runs an exchange that changes nothing, again if it was broken on the way.
  func repeating<Result>(silence: Bool, _ body: () throws -> Result) throws -> Result {
    var left = Self.retries
    while true {
      do {
        return try body()
      } catch let error as NFCError
        where left > 0 && (error.isTransmissionError || silence && error.isSilence)
      {
        left -= 1
      }
    }
  }

  // MARK: Block numbers

  /// Refuses what the tag does not have, before anything is sent.
  func check(_ range: Range<Int>) throws {
    guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= Self.largestBlockCount else {
      throw NFCError(
        .invalidParameter,
        range.isEmpty ? "no block is asked for" : "block numbers go from 0 to 65535")
    }
    if let count = knowledge.blockCount, range.upperBound > count {
      throw NFCError(
        .invalidParameter, "the tag has blocks 0 to \(count - 1)",
        place: .block(max(range.lowerBound, count)))
    }
  }

  /// The same, and asks a tag for its size that has not told it yet, unless it is of a kind that
  /// has all these blocks.
  mutating func checkExistence(_ range: Range<Int>) throws {
    try check(range)
    guard range.upperBound > knowledge.likelyBlockCount ?? 0 else { return }
    try askCount()
    try check(range)
  }

  /// A command for one block in the form that the tag takes for its number.
  func numbered(
    _ number: Int, _ wide: ISO15693Knowledge.WideNumbers?,
    narrow: (UInt16) -> ISO15693Command, extended: (UInt16) -> ISO15693Command
  ) -> (ISO15693Command, ISO15693RequestFlags) {
    let value = UInt16(truncatingIfNeeded: number)
    switch wide {
    case .protocolExtension: return (narrow(value), .protocolExtension)
    case .extendedCommands, nil:
      return (number > Self.largestNarrowNumber ? extended(value) : narrow(value), [])
    }
  }

  /// A command for several blocks in the form that the tag takes for their numbers.
  func numbered(
    _ numbers: Range<Int>, narrow: (ISO15693BlockRange) -> ISO15693Command,
    extended: (ISO15693BlockRange) -> ISO15693Command
  ) throws -> (ISO15693Command, ISO15693RequestFlags) {
    guard let range = ISO15693BlockRange(first: numbers.lowerBound, count: numbers.count) else {
      throw NFCError(.invalidParameter, "block numbers go from 0 to 65535")
    }
    switch knowledge.wideNumbers {
    case .protocolExtension: return (narrow(range), .protocolExtension)
    case .extendedCommands, nil:
      let isWide = numbers.upperBound > Self.largestNarrowNumber + 1
      return (isWide ? extended(range) : narrow(range), [])
    }
  }

  /// Where a command that begins at a number must end, for its form.
  func formEnd(from number: Int, to end: Int) -> Int {
    switch knowledge.wideNumbers {
    case .protocolExtension: return min(end, number + Self.largestNarrowCount)
    case .extendedCommands: return end
    // It is not known how larger numbers are sent: one block tells.
    case nil:
      return number > Self.largestNarrowNumber
        ? number + 1 : min(end, Self.largestNarrowNumber + 1)
    }
  }
}
