/// Sends commands that need more than one exchange: ISO/IEC 7816-4, 5.3.3 and 5.3.4.
struct ISO7816Procedure {
  /// The maximum length of a command, and of an answer with its status word, on this reader.
  let maximumCommandLength: Int
  let maximumResponseLength: Int
  let exchange: (APDU) throws -> ResponseAPDU

  init(
    maximumCommandLength: Int, maximumResponseLength: Int,
    exchange: @escaping (APDU) throws -> ResponseAPDU
  ) {
    self.maximumCommandLength = maximumCommandLength
    self.maximumResponseLength = maximumResponseLength
    self.exchange = exchange
  }

  /// Creates a procedure of this package, whose reads are repeated after a lost frame.
  init(_ link: TagLink) { self.init(link, ISO7816Exchange.ask) }

  /// Creates a procedure for a command of a program, which is never repeated.
  init(ofProgram link: TagLink) { self.init(link, ISO7816Exchange.send) }

  private init(
    _ link: TagLink, _ exchange: @escaping (APDU, TagLink) throws -> ResponseAPDU
  ) {
    self.init(
      maximumCommandLength: link.capabilities.maximumCommandLength,
      maximumResponseLength: link.capabilities.maximumResponseLength
    ) { try exchange($0, link) }
  }

  private static let getResponseInstruction: UInt8 = 0xC0
  /// Bit 5 of an interindustry class byte: more of the command follows (ISO/IEC 7816-4, 5.4.1).
  private static let chainingFlag: UInt8 = 0x10
  private static let proprietaryFlag: UInt8 = 0x80
  /// Bit 7: logical channels 4 to 19 in the low four bits; without it 0 to 3 in the low two.
  private static let furtherInterindustry: UInt8 = 0x40
  private static let maximumShortData = 255
  private static let maximumShortLength = 256
  /// Header, Lc and Le of a short command.
  private static let shortOverhead = 6
  private static let statusWordSize = 2
  /// The maximum length of an answer to any command.
  private static let longestAnswer = 65_536
  /// The number of bytes that every card returns at once (NFC Forum, Type 4 Tag Operation
  /// Specification 2.0, 5.1: MLe); a card that always returns fewer is abandoned.
  static let leastAnswer = 15
  static let toleratedShortAnswers = 256

  func send(_ command: APDU, _ options: APDUOptions) throws -> ResponseAPDU {
    try command.validate()
    var parts = try parts(of: command, options)
    let isShortened = parts.last?.expectedLength != command.expectedLength
    var answer = try sendChain(parts)
    if options.contains(.expectedLengthCorrection), answer.status.sw1 == Status.wrongExpectedLength
    {
      parts[parts.count - 1].expectedLength = Self.length(answer.sw2)
      answer = try sendChain(parts)
    }
    guard options.contains(.getResponse) else { return answer }
    let limit = isShortened ? command.expectedLength ?? Self.longestAnswer : Self.longestAnswer
    return try gather(answer, of: command, limit: limit, options)
  }

  private enum Status {
    static let moreData: UInt8 = 0x61
    static let wrongExpectedLength: UInt8 = 0x6C
  }

  private static func length(_ sw2: UInt8) -> Int { sw2 == 0 ? maximumShortLength : Int(sw2) }

  // MARK: Commands

  /// Returns the command as it can be sent: itself, or short ones.
  private func parts(of command: APDU, _ options: APDUOptions) throws -> [APDU] {
    let isTooLong = command.encoded.count > maximumCommandLength
    let answerIsTooLong =
      command.isExtended
      && (command.expectedLength ?? 0) > maximumResponseLength - Self.statusWordSize
    guard
      (isTooLong && options.contains(.commandChaining))
        || (answerIsTooLong && options.contains(.getResponse))
    else { return [command] }
    let expectedLength = command.expectedLength.map { min($0, Self.maximumShortLength) }
    let room = min(Self.maximumShortData, maximumCommandLength - Self.shortOverhead)
    guard command.data.count > room else {
      return [Self.short(command, data: command.data, expectedLength: expectedLength)]
    }
    // Without chaining, the reader decides whether it can send the command.
    guard options.contains(.commandChaining) else { return [command] }
    guard room > 0, command.instructionClass & (Self.proprietaryFlag | Self.chainingFlag) == 0
    else {
      throw NFCError(
        .commandTooLong,
        "a command has at most \(maximumCommandLength) bytes on this reader, and class "
          + "\([command.instructionClass].hexadecimal) has no command chaining")
    }
    return stride(from: 0, to: command.data.count, by: room).map { start in
      let end = min(start + room, command.data.count)
      let isLast = end == command.data.count
      var part = Self.short(
        command, data: Array(command.data[start..<end]),
        expectedLength: isLast ? expectedLength : nil)
      if !isLast { part.instructionClass |= Self.chainingFlag }
      return part
    }
  }

  private static func short(_ command: APDU, data: [UInt8], expectedLength: Int?) -> APDU {
    APDU(
      instructionClass: command.instructionClass, instructionCode: command.instructionCode,
      p1: command.p1, p2: command.p2, data: data, expectedLength: expectedLength)
  }

  /// Returns the answer to the last part, or to the first one that the card refuses.
  private func sendChain(_ parts: [APDU]) throws -> ResponseAPDU {
    var answer = ResponseAPDU(data: [], sw1: 0x90, sw2: 0x00)
    for (index, part) in parts.enumerated() {
      answer = try exchange(part)
      guard parts.count > 1, !answer.isSuccess else { continue }
      switch answer.status {
      case .commandChainingNotSupported, .lastCommandOfChainExpected,
        .classNotSupported where index == 0:
        throw NFCError(
          .unsupported,
          "the command is longer than the reader supports, and the card does not accept "
            + "it in parts", cause: .statusWord(answer.statusWord))
      default:
        return answer
      }
    }
    return answer
  }

  // MARK: Answers

  /// Fetches the waiting data: returns the complete data, and the status word of the last answer.
  private func gather(
    _ first: ResponseAPDU, of command: APDU, limit: Int, _ options: APDUOptions
  ) throws -> ResponseAPDU {
    var answer = first
    var whole = first.data
    var shortAnswers = 0
    while answer.status.sw1 == Status.moreData, whole.count < limit {
      let asked = min(Self.length(answer.sw2), limit - whole.count)
      answer = try getResponse(command, count: asked, options)
      if answer.data.count < Self.leastAnswer { shortAnswers += 1 }
      guard !answer.data.isEmpty || answer.status.sw1 != Status.moreData,
        shortAnswers <= Self.toleratedShortAnswers,
        whole.count + answer.data.count <= Self.longestAnswer
      else {
        throw NFCError(
          .tagResponseError, "the card announces more and more data",
          cause: .statusWord(answer.statusWord))
      }
      whole += answer.data
    }
    answer.data = whole
    return answer
  }

  private func getResponse(
    _ command: APDU, count: Int, _ options: APDUOptions
  ) throws -> ResponseAPDU {
    func request(_ count: Int) -> APDU {
      APDU(
        instructionClass: Self.channel(of: command.instructionClass),
        instructionCode: Self.getResponseInstruction, p1: 0, p2: 0, expectedLength: count)
    }
    let answer = try exchange(request(count))
    guard options.contains(.expectedLengthCorrection),
      answer.status.sw1 == Status.wrongExpectedLength
    else { return answer }
    return try exchange(request(Self.length(answer.sw2)))
  }

  /// Returns a class byte with only the same logical channel.
  private static func channel(of instructionClass: UInt8) -> UInt8 {
    if instructionClass & proprietaryFlag != 0 { return 0 }
    return instructionClass & furtherInterindustry != 0
      ? instructionClass & 0x4F : instructionClass & 0x03
  }
}
