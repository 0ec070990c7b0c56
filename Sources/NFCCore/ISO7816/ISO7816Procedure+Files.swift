/// Files without records: ISO/IEC 7816-4, 7.1.1, 7.2.3 and 7.2.5.
extension ISO7816Procedure {
  /// The number of bytes that one READ BINARY requests at first. libnfc may silently cut off an
  /// answer of more than 244 bytes.
  static let longestRead = 242
  /// P1 of SELECT: an EF of the current DF (ISO/IEC 7816-4, table 39).
  private static let elementaryFile: UInt8 = 0x02
  /// P2 of SELECT: first occurrence, no answer data.
  private static let noAnswerData: UInt8 = 0x0C

  // MARK: Selecting

  /// Sends SELECT by file identifier, in the two forms that cards support.
  func selectFile(_ identifier: UInt16) throws {
    let first = Type4Command.selectFile(identifier, isVersion1: false)
    var answer = try send(first, .automatic)
    let isOtherForm: [StatusWord] = [
      .incorrectParameters, .functionNotSupported, .wrongParameters, .incorrectData,
    ]
    if isOtherForm.contains(answer.status) {
      answer = try send(
        APDU(
          instructionClass: first.instructionClass, instructionCode: first.instructionCode,
          p1: Self.elementaryFile, p2: Self.noAnswerData, data: first.data), .automatic)
    }
    guard Self.isSelected(answer) else { throw Self.refusal(answer, file: identifier) }
  }

  /// Sends an unchanged SELECT: one exchange. File control information that waits for GET RESPONSE
  /// is not fetched.
  ///
  /// - Returns: whether the file or application exists.
  func select(_ command: APDU, file: UInt16? = nil) throws -> Bool {
    let answer = try send(command, .raw)
    if Self.isSelected(answer) { return true }
    // For applications, any refusal means that there is none with this name.
    guard file == nil || answer.status == .fileNotFound else {
      throw Self.refusal(answer, file: file)
    }
    return false
  }

  static func isSelected(_ answer: ResponseAPDU) -> Bool {
    switch answer.status.group {
    case .success, .moreData, .warning: true
    case .executionError, .checkingError, .proprietary: false
    }
  }

  // MARK: Reading

  /// Reads bytes of the current file.
  ///
  /// - Parameters:
  ///   - count: `nil` for all to the end.
  ///   - limit: the maximum number of bytes per request; a refusal of the card lowers it. A refusal
  ///     at the end of the file says nothing about the next one, and does not.
  func readBinary(
    file: UInt16?, offset: Int, count: Int?, limit: inout Int
  ) throws -> [UInt8] {
    guard offset >= 0, count ?? 0 >= 0, offset <= Type4Command.maximumObjectOffset else {
      throw NFCError(
        .invalidParameter, "an offset is 0 to \(Type4Command.maximumObjectOffset)")
    }
    let end = offset + min(count ?? .max, Type4Command.maximumObjectOffset + 1 - offset)
    var reading = BinaryReading(limit: max(1, min(limit, maximumResponseLength - 2)))
    var content: [UInt8] = []
    var shortAnswers = 0
    defer { limit = reading.limit(fileReaches: offset + content.count) }
    while offset + content.count < end {
      let position = offset + content.count
      let part: BinaryPart
      do {
        part = try readPart(
          file: file, offset: position, count: end - position, reading: &reading)
      } catch let error as NFCError
        where error.cause == .statusWord(StatusWord.wrongParameters.rawValue) && !content.isEmpty
      {
        // The offset is the file's end.
        return content
      }
      content += part.bytes
      if part.bytes.isEmpty || part.isEnd { return content }
      if part.bytes.count < Self.leastAnswer { shortAnswers += 1 }
      guard shortAnswers <= Self.toleratedShortAnswers else {
        throw NFCError(
          .tagResponseError, "the card returns its file in too many small parts",
          place: file.map { .file($0) })
      }
    }
    return content
  }

  /// What one READ BINARY has brought.
  struct BinaryPart {
    var bytes: [UInt8]
    /// The card says that the file ends here.
    var isEnd: Bool
  }

  /// One READ BINARY, or several if the card refuses this many bytes.
  func readPart(
    file: UInt16?, offset: Int, count: Int, reading: inout BinaryReading
  ) throws -> BinaryPart {
    while true {
      let asked = min(reading.limit, count)
      let answer = try readStep(offset, asked)
      switch answer.status {
      case .success, .endOfFile:
        guard let bytes = Self.content(of: answer, at: offset), bytes.count <= asked else {
          throw NFCError(
            .tagResponseError, "the card returned something other than what was requested",
            place: file.map { .file($0) })
        }
        reading.wasGranted(asked)
        return BinaryPart(bytes: bytes, isEnd: answer.status == .endOfFile)
      case .wrongLength where reading.canAskForLess(than: asked):
        reading.wasRefused(asked, at: offset)
      default:
        throw Self.refusal(answer, file: file)
      }
    }
  }

  private func readStep(_ offset: Int, _ count: Int) throws -> ResponseAPDU {
    guard offset > Type4Command.maximumOffset else {
      return try send(Type4Command.readBinary(offset: offset, count: count), .automatic)
    }
    let size = min(
      Type4Command.dataObjectSize(count), maximumResponseLength - 2,
      Type4Command.maximumExpectedLength)
    return try send(
      Type4Command.readBinaryWithDataObject(offset: offset, count: size), .automatic)
  }

  private static func content(of answer: ResponseAPDU, at offset: Int) -> [UInt8]? {
    guard offset > Type4Command.maximumOffset, !answer.data.isEmpty else { return answer.data }
    return Type4Command.unwrap(answer.data)
  }

  // MARK: Writing

  /// Sends UPDATE BINARY for the current file.
  ///
  /// - Parameter limit: the maximum number of data bytes in one command; a refusal of the card
  ///   lowers it.
  func updateBinary(file: UInt16, offset: Int, data: [UInt8], limit: inout Int) throws {
    var done = 0
    while done < data.count {
      let start = offset + done
      let isBeyond = start > Type4Command.maximumOffset
      let room =
        isBeyond ? Type4Command.dataObjectCapacity(limit - Type4Command.offsetObjectSize) : limit
      guard room > 0 else {
        throw NFCError(
          .unsupported, "the card accepts too few bytes at once for a file of this size",
          place: .file(file))
      }
      let part = Array(data[done..<min(done + room, data.count)])
      let answer = try send(
        isBeyond
          ? Type4Command.updateBinaryWithDataObject(offset: start, data: part)
          : Type4Command.updateBinary(offset: start, data: part), .raw)
      if answer.isSuccess {
        done += part.count
      } else if answer.status == .wrongLength, part.count > 1 {
        limit = min(part.count, limit) / 2
      } else {
        throw Self.refusal(answer, file: file)
      }
    }
  }

  // MARK: Errors

  static func refusal(_ answer: ResponseAPDU, file: UInt16?) -> NFCError {
    let needsKey = answer.status == .securityStatusNotSatisfied
    return NFCError(
      needsKey ? .notAuthenticated : .tagRefused,
      needsKey ? "the card requires authentication first" : "the card has refused the command",
      cause: .statusWord(answer.statusWord), place: file.map { .file($0) })
  }
}

/// The number of bytes per request while a file is read, and the meaning of the card's refusals.
///
/// Some cards refuse a READ BINARY that exceeds the file with the same status word as one that
/// requests more than they can return.
struct BinaryReading: Hashable, Sendable {
  /// The maximum number of bytes per request.
  private(set) var limit: Int
  /// The minimum number of bytes per request.
  let smallest: Int
  private let first: Int
  private var granted = 0
  private var refusals: [Refusal] = []

  private struct Refusal: Hashable {
    var asked: Int
    /// Where the answer would have ended.
    var end: Int
  }

  init(limit: Int, smallest: Int = 1) {
    self.limit = limit
    self.smallest = smallest
    first = limit
  }

  func canAskForLess(than asked: Int) -> Bool { asked > smallest }

  mutating func wasGranted(_ asked: Int) { granted = max(granted, asked) }

  mutating func wasRefused(_ asked: Int, at offset: Int) {
    refusals.append(Refusal(asked: asked, end: offset + asked))
    // Every Type 4 tag returns this many.
    let least = asked > ISO7816Procedure.leastAnswer ? ISO7816Procedure.leastAnswer : 1
    limit = max(smallest, least, asked / 2)
  }

  /// Returns the limit to remember, when the file is known to have bytes up to `end`: a refusal
  /// within it means that the request was too long for the card.
  func limit(fileReaches end: Int) -> Int {
    guard let refused = refusals.filter({ $0.end <= end }).map(\.asked).min() else { return first }
    return max(smallest, min(refused - 1, max(granted, limit)))
  }
}
