/// Files of a type 4 tag over the air.
struct Type4Exchange {
  let link: TagLink

  /// The first occurrence of an application by its name.
  ///
  /// - Returns: whether there is one.
  func selectApplication(_ name: [UInt8]) throws -> Bool {
    let answer = try ISO7816Exchange.send(Type4Command.selectApplication(name), link)
    return isSelected(answer)
  }

  /// - Returns: whether there is such a file.
  func selectFile(_ identifier: UInt16, isVersion1: Bool) throws -> Bool {
    let answer = try ISO7816Exchange.send(
      Type4Command.selectFile(identifier, isVersion1: isVersion1), link)
    if isSelected(answer) { return true }
    guard answer.statusWord == Type4StatusWord.fileNotFound else {
      throw Self.refusal(answer, file: identifier)
    }
    return false
  }

  /// File control information that waits for GET RESPONSE is left where it is: nothing in it is used.
  private func isSelected(_ answer: ResponseAPDU) -> Bool {
    answer.isSuccess || answer.sw1 == Type4StatusWord.moreData
  }

  /// Part of a file, at least one byte of it.
  ///
  /// - Parameter limit: the most bytes to ask for at once; what the tag refuses lowers it.
  func read(
    _ file: UInt16, offset: Int, count: Int, limit: inout Int
  ) throws -> [UInt8] {
    let isBeyond = offset > Type4Command.maximumOffset
    while true {
      let asked = min(count, limit)
      let objectSize = min(Type4Command.dataObjectSize(asked), limit)
      let answer = try data(
        isBeyond ? .readBinaryWithDataObject(offset, objectSize) : .readBinary(offset, asked))
      if answer.isSuccess || answer.statusWord == Type4StatusWord.endOfFile {
        let content = isBeyond ? Type4Command.unwrap(answer.data) : answer.data
        guard let content, content.count <= count else {
          throw NFCError(
            .tagResponseError, "the card has sent something else than was asked for",
            place: .file(file))
        }
        guard !content.isEmpty else { throw Self.beyondEnd(answer, file: file) }
        return content
      }
      guard answer.statusWord == Type4StatusWord.wrongLength, limit > Self.smallestLimit else {
        throw Self.refusal(answer, file: file)
      }
      limit = max(Self.smallestLimit, min(asked, limit) / 2)
    }
  }

  /// Every tag gives as many bytes at once (Type 4 Tag Operation Specification 2.0, 5.1: MLe).
  private static let smallestLimit = 15

  private enum Reading {
    case readBinary(Int, Int)
    case readBinaryWithDataObject(Int, Int)

    func command(count: Int) -> APDU {
      switch self {
      case .readBinary(let offset, _): Type4Command.readBinary(offset: offset, count: count)
      case .readBinaryWithDataObject(let offset, _):
        Type4Command.readBinaryWithDataObject(offset: offset, count: count)
      }
    }

    var count: Int {
      switch self {
      case .readBinary(_, let count), .readBinaryWithDataObject(_, let count): count
      }
    }
  }

  /// Sends a reading command; asks once more with the length that the card insists on, and fetches what
  /// waits for GET RESPONSE.
  private func data(_ reading: Reading) throws -> ResponseAPDU {
    var answer = try ISO7816Exchange.send(reading.command(count: reading.count), link)
    if answer.sw1 == Type4StatusWord.wrongExpectedLength, answer.sw2 > 0 {
      answer = try ISO7816Exchange.send(reading.command(count: Int(answer.sw2)), link)
    }
    var whole = answer.data
    while answer.sw1 == Type4StatusWord.moreData, whole.count < reading.count {
      let count = answer.sw2 == 0 ? Type4Command.maximumExpectedLength : Int(answer.sw2)
      answer = try ISO7816Exchange.send(Type4Command.getResponse(count: count), link)
      guard !answer.data.isEmpty else { break }
      whole += answer.data
    }
    answer.data = whole
    return answer
  }

  /// Writes part of a file.
  ///
  /// - Parameter limit: the most data in one command; what the tag refuses lowers it.
  func update(_ file: UInt16, offset: Int, data: [UInt8], limit: inout Int) throws {
    var done = 0
    while done < data.count {
      let start = offset + done
      let isBeyond = start > Type4Command.maximumOffset
      let room =
        isBeyond ? Type4Command.dataObjectCapacity(limit - Type4Command.offsetObjectSize) : limit
      guard room > 0 else {
        throw NFCError(
          .unsupported, "the card takes too little at once for so large a file", place: .file(file))
      }
      let part = Array(data[done..<min(done + room, data.count)])
      let answer = try ISO7816Exchange.send(
        isBeyond
          ? Type4Command.updateBinaryWithDataObject(offset: start, data: part)
          : Type4Command.updateBinary(offset: start, data: part), link)
      if answer.isSuccess {
        done += part.count
      } else if answer.statusWord == Type4StatusWord.wrongLength, part.count > 1 {
        limit = min(part.count, limit) / 2
      } else {
        throw Self.refusal(answer, file: file)
      }
    }
  }

  // MARK: Errors

  private static func beyondEnd(_ answer: ResponseAPDU, file: UInt16) -> NFCError {
    NFCError(
      .malformedContent, "the file ends before its content does",
      cause: .statusWord(answer.statusWord), place: .file(file))
  }

  static func refusal(_ answer: ResponseAPDU, file: UInt16) -> NFCError {
    let cause = NFCError.Cause.statusWord(answer.statusWord)
    switch answer.statusWord {
    case Type4StatusWord.securityStatusNotSatisfied:
      return NFCError(
        .notAuthenticated, "the card asks for authentication first", cause: cause,
        place: .file(file))
    case Type4StatusWord.wrongParameters, Type4StatusWord.notEnoughMemory:
      return beyondEnd(answer, file: file)
    default:
      return NFCError(
        .tagRefused, "the card has refused the command", cause: cause, place: .file(file))
    }
  }
}
