/// READ BINARY: ISO/IEC 7816-4, 7.2.3.
extension ISO7816Procedure {
  /// What one READ BINARY asks for at first. libnfc may cut an answer of more than 244 bytes without a word.
  static let longestRead = 242
  /// The last byte that an offset data object can name.
  private static let maximumOffset = 0xFF_FFFF
  /// P1 of SELECT: an EF of the current DF (ISO/IEC 7816-4, table 39).
  private static let elementaryFile: UInt8 = 0x02
  /// P2 of SELECT: first occurrence, no answer data.
  private static let noAnswerData: UInt8 = 0x0C

  /// SELECT by file identifier, in the two ways that cards know.
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
    switch answer.status.group {
    case .success, .moreData, .warning: return
    default: throw Self.refusal(answer, file: identifier)
    }
  }

  /// Bytes of the current file.
  ///
  /// - Parameters:
  ///   - count: `nil` for all to the end.
  ///   - limit: the most to ask for at once; what the card refuses lowers it.
  func readBinary(
    file: UInt16?, offset: Int, count: Int?, limit: inout Int
  ) throws -> [UInt8] {
    guard offset >= 0, count ?? 0 >= 0, offset <= Self.maximumOffset else {
      throw NFCError(.invalidParameter, "an offset is 0 to \(Self.maximumOffset)")
    }
    let end = offset + min(count ?? .max, Self.maximumOffset + 1 - offset)
    limit = max(1, min(limit, maximumResponseLength - 2))
    var content: [UInt8] = []
    while offset + content.count < end {
      let position = offset + content.count
      let asked = min(limit, end - position)
      let answer = try readStep(position, asked)
      switch answer.status {
      case .success, .endOfFile:
        guard let part = Self.content(of: answer, at: position), part.count <= asked else {
          throw NFCError(
            .tagResponseError, "the card has sent something else than was asked for",
            place: file.map { .file($0) })
        }
        content += part
        if part.isEmpty || answer.status == .endOfFile { return content }
      case .wrongLength where limit > 1:
        limit = max(1, asked / 2)
      case .wrongParameters where !content.isEmpty:
        // The offset is the file's end.
        return content
      default:
        throw Self.refusal(answer, file: file)
      }
    }
    return content
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

  private static func refusal(_ answer: ResponseAPDU, file: UInt16?) -> NFCError {
    let needsKey = answer.status == .securityStatusNotSatisfied
    return NFCError(
      needsKey ? .notAuthenticated : .tagRefused,
      needsKey ? "the card asks for authentication first" : "the card has refused the command",
      cause: .statusWord(answer.statusWord), place: file.map { .file($0) })
  }
}
