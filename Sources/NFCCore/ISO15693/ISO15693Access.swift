/// Procedures with one vicinity tag: each uses the fewest exchanges that tag and reader allow, and
/// does not repeat requests that the tag has refused.
///
/// All are synchronous and throw ``NFCError`` with the block as its place.
struct ISO15693Access {
  let link: ISO15693Link
  /// The facts about the tag, which remain valid as long as it is the same.
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

  /// Returns a command addressed to the tag; an inventory, and a command for the selected tag, has
  /// no UID.
  func request(
    _ command: ISO15693Command, adding flags: ISO15693RequestFlags = []
  ) -> ISO15693Request {
    let isAddressed = !command.isInventory && flags.isDisjoint(with: [.select, .inventory])
    return ISO15693Request(
      command, flags: flags.union(.highDataRate), uid: isAddressed ? knowledge.uid : nil)
  }

  /// Sends an unchanged command and returns the answer, which is not a refusal; an empty one for a
  /// command without an answer.
  ///
  /// A write-alike command gets the option flag if the tag is known to need it.
  ///
  /// - Throws: before anything is sent, `commandTooLong` if the answer is known to be too long for
  ///   the reader, `unsupported` for commands that the reader cannot send.
  func send(
    _ command: ISO15693Command, adding flags: ISO15693RequestFlags = []
  ) throws -> ISO15693Response {
    try link.checkRequest(command, flags)
    var flags = flags
    if command.isWriteAlike, knowledge.needsWriteOption == true { flags.insert(.option) }
    let length = try answerLength(command, flags)
    do {
      return try link.respond(
        to: request(command, adding: flags), answerLength: length, place: nil)
    } catch let error as NFCError where error.isSilence && command.hasNoAnswer {
      return ISO15693Response()
    }
  }

  /// Returns the number of bytes that can follow the flags of an answer.
  private func answerLength(
    _ command: ISO15693Command, _ flags: ISO15693RequestFlags
  ) throws -> Int {
    let largest = link.maximumResponseLength - 1
    switch command {
    case .readMultipleBlocks(let range), .fastReadMultipleBlocks(let range),
      .extendedReadMultipleBlocks(let range), .extendedFastReadMultipleBlocks(let range):
      guard let size = knowledge.likelyBlockSize else {
        return min(range.count * ISO15693Block.maximumSize, largest)
      }
      let length = range.count * (flags.contains(.option) ? size + 1 : size)
      guard length <= largest else {
        throw NFCError(
          .commandTooLong, "\(range.count) blocks do not fit in an answer on this reader")
      }
      return length
    case .getMultipleBlockSecurityStatus(let range),
      .extendedGetMultipleBlockSecurityStatus(let range):
      guard range.count <= largest else {
        throw NFCError(
          .commandTooLong, "the status of \(range.count) blocks does not fit in an answer")
      }
      return range.count
    case .authenticate, .keyUpdate, .readBuffer, .custom, .other: return largest
    default: return ISO15693Block.maximumSize
    }
  }

  /// Runs an exchange that changes nothing, again if it was broken on the way.
  func repeating<Result>(silence: Bool, _ body: () throws -> Result) throws -> Result {
    let losses: FrameLoss = silence ? .any : .visible
    var left = Self.retries
    while true {
      do {
        return try body()
      } catch let error as NFCError
        where left > 0 && losses.includes(error)
      {
        left -= 1
      }
    }
  }

  // MARK: Block numbers

  /// The number of blocks, as the tag has reported it. If the reader cannot ask a tag that would
  /// report it, its kind's number is used instead.
  private var blockCount: Int? {
    let hasInformation = knowledge.product?.traits.hasSystemInformation ?? true
    return link.supportsOnlyBlockAccess && hasInformation
      ? knowledge.likelyBlockCount : knowledge.blockCount
  }

  /// Refuses blocks that the tag does not have, before anything is sent.
  func check(_ range: Range<Int>) throws {
    guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= Self.largestBlockCount else {
      throw NFCError(
        .invalidParameter,
        range.isEmpty ? "no block is requested" : "block numbers go from 0 to 65535")
    }
    if let count = blockCount, range.upperBound > count {
      throw NFCError(
        .invalidParameter, "the tag has blocks 0 to \(count - 1)",
        place: .block(max(range.lowerBound, count)))
    }
  }

  /// Refuses blocks that the tag does not have, asking a tag for its unknown size unless its kind
  /// has all these blocks.
  mutating func checkExistence(_ range: Range<Int>) throws {
    try check(range)
    guard range.upperBound > knowledge.likelyBlockCount ?? 0 else { return }
    try askCount()
    try check(range)
  }

  /// Returns a command for one block in the form that the tag requires for its number.
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

  /// Returns a command for several blocks in the form that the tag requires for their numbers.
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

  /// Returns the end of the blocks for one command that begins at a number, depending on its form.
  func formEnd(from number: Int, to end: Int) -> Int {
    switch knowledge.wideNumbers {
    case .protocolExtension: return min(end, number + Self.largestNarrowCount)
    case .extendedCommands: return end
    // It is not known how larger numbers are sent: one block shows it.
    case nil:
      return number > Self.largestNarrowNumber
        ? number + 1 : min(end, Self.largestNarrowNumber + 1)
    }
  }
}
