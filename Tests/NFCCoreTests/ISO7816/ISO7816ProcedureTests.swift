import Testing

@testable import SwiftNFCCore

/// Commands that take several exchanges, with a card whose answers are specified.
@Suite struct ISO7816ProcedureTests {
  /// Answers in turn, and keeps what it was sent.
  final class Card {
    var answers: [String]
    var commands: [String] = []

    init(_ answers: [String]) { self.answers = answers }

    func procedure(maximumCommandLength: Int = 262) -> ISO7816Procedure {
      ISO7816Procedure(
        maximumCommandLength: maximumCommandLength, maximumResponseLength: 262
      ) { command in
        self.commands.append(command.description)
        guard !self.answers.isEmpty else { throw NFCError(.tagResponseError, "no more answers") }
        return try ResponseAPDU([UInt8](hexadecimal: self.answers.removeFirst()) ?? [])
      }
    }
  }

  static func command(data: Int, expected: Int?, instructionClass: UInt8 = 0) -> APDU {
    APDU(
      instructionClass: instructionClass, instructionCode: 0xDB, p1: 0x3F, p2: 0xFF,
      data: [UInt8](repeating: 0xAA, count: data), expectedLength: expected)
  }

  @Test(
    arguments: [
      (0x9000, StatusWord.Group.success, "9000 (success)"),
      (0x6110, .moreData, "6110 (16 more bytes)"), (0x6100, .moreData, "6100 (256 more bytes)"),
      (0x6282, .warning, "6282 (end of file before the expected length)"),
      (0x63C2, .warning, "63C2 (counter at 2)"), (0x6581, .executionError, "6581 (memory failure)"),
      (0x6A82, .checkingError, "6A82 (file or application not found)"),
      (0x6C20, .checkingError, "6C20 (wrong expected length, 32 is right)"),
      (0x6F12, .checkingError, "6F12"), (0x91AE, .proprietary, "91AE"),
    ] as [(UInt16, StatusWord.Group, String)])
  func statusWords(_ value: UInt16, _ group: StatusWord.Group, _ text: String) {
    #expect(StatusWord(rawValue: value).group == group)
    #expect(StatusWord(rawValue: value).description == text)
  }

  @Test func longCommandGoesInParts() throws {
    let card = Card(["9000", "9000", "AB9000"])
    let answer = try card.procedure().send(Self.command(data: 600, expected: 16), .automatic)
    #expect(answer.description == "AB 9000")
    #expect(
      card.commands.map { String($0.prefix(10)) } == ["10DB3FFFFF", "10DB3FFFFF", "00DB3FFF5A"])
    #expect(card.commands.last?.suffix(2) == "10")
  }

  @Test(arguments: ["6884", "6883", "6E00"]) func chainingRefused(_ status: String) {
    let card = Card([status])
    let error = #expect(throws: NFCError.self) {
      try card.procedure().send(Self.command(data: 300, expected: nil), .automatic)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains(status) == true)
    #expect(card.commands.count == 1)
  }

  @Test func chainStopsAtARefusal() throws {
    let card = Card(["9000", "6982"])
    let answer = try card.procedure().send(Self.command(data: 900, expected: nil), .automatic)
    #expect(answer.status == .securityStatusNotSatisfied)
    #expect(card.commands.count == 2)
  }

  @Test func proprietaryClassIsNotChained() {
    let card = Card([])
    let error = #expect(throws: NFCError.self) {
      try card.procedure().send(
        Self.command(data: 300, expected: nil, instructionClass: 0x80), .automatic)
    }
    #expect(error?.code == .commandTooLong)
    #expect(card.commands.isEmpty)
  }

  @Test func longAnswerIsGathered() throws {
    let card = Card(["01026103", "03046101", "059000"])
    let answer = try card.procedure().send(Self.command(data: 1, expected: 256), .automatic)
    #expect(answer.description == "0102030405 9000")
    #expect(card.commands.dropFirst() == ["00C0000003", "00C0000001"])
  }

  /// The logical channel stays; nothing else of the class does.
  @Test(arguments: [
    (0x00, "00"), (0x02, "02"), (0x0D, "01"), (0x45, "45"), (0x63, "43"), (0x90, "00"),
  ])
  func classOfGetResponse(_ instructionClass: Int, _ expected: String) throws {
    let card = Card(["6101", "059000"])
    _ = try card.procedure().send(
      Self.command(data: 1, expected: 256, instructionClass: UInt8(instructionClass)), .automatic)
    #expect(card.commands.last?.hasPrefix(expected) == true)
  }

  @Test func wrongLengthIsRepeatedOnce() throws {
    var card = Card(["6C03", "0102039000"])
    #expect(
      try card.procedure().send(Self.command(data: 0, expected: 16), .automatic).description
        == "010203 9000")
    #expect(card.commands.last == "00DB3FFF03")
    card = Card(["6C03", "6C04"])
    #expect(
      try card.procedure().send(Self.command(data: 0, expected: 16), .automatic).statusWord
        == 0x6C04)
    #expect(card.commands.count == 2)
  }

  @Test(arguments: ["6110", "6C03", "6884"]) func rawIsOneExchange(_ status: String) throws {
    let card = Card([status])
    let answer = try card.procedure().send(Self.command(data: 1, expected: 16), .raw)
    #expect(answer.description == status)
    #expect(card.commands.count == 1)
  }

  /// Nₑ 300 becomes 256 and the rest by GET RESPONSE; no more is fetched than was asked for.
  @Test func extendedLengthIsConverted() throws {
    let part = String(repeating: "11", count: 256)
    let card = Card([part + "6180", String(repeating: "22", count: 44) + "6154"])
    let answer = try card.procedure().send(Self.command(data: 2, expected: 300), .automatic)
    #expect(answer.data.count == 300)
    #expect(card.commands == ["00DB3FFF02AAAA00", "00C000002C"])
  }

  @Test func endlessAnswerEnds() {
    let card = Card(["6110", "6110"])
    let error = #expect(throws: NFCError.self) {
      try card.procedure().send(Self.command(data: 1, expected: 256), .automatic)
    }
    #expect(error?.code == .tagResponseError)
  }

  @Test func applicationsInOrder() throws {
    let card = Card(["6A82", "6F009000"])
    let selected = try card.procedure().selectApplication(of: [
      "A0000002471001", "D2760000850101", "D4100000030001",
    ])
    #expect(selected.aid == "D2760000850101")
    #expect(card.commands.count == 2)
  }

  @Test func noApplication() {
    let card = Card(["6A82", "6999"])
    let error = #expect(throws: NFCError.self) {
      try card.procedure().selectApplication(of: ["A0000002471001", "D2760000850101"])
    }
    #expect(error?.code == .wrongTag)
    #expect(
      error?.reason == "no application answers to A0000002471001: 6A82 (file or application not "
        + "found), D2760000850101: 6999")
    #expect(throws: NFCError.self) { try card.procedure().selectApplication(of: []) }
  }

  @Test func readBinaryStepsDown() throws {
    let card = Card(["6700", "6700", String(repeating: "33", count: 60) + "9000", "449000", "6B00"])
    var limit = ISO7816Procedure.longestRead
    let data = try card.procedure().readBinary(file: nil, offset: 0, count: nil, limit: &limit)
    #expect(data.count == 61)
    // What was refused lay beyond the file's end, and says nothing of the card.
    #expect(limit == ISO7816Procedure.longestRead)
    #expect(
      card.commands == ["00B00000F2", "00B0000079", "00B000003C", "00B0003C3C", "00B0003D3C"])
  }

  @Test func readBinaryEndsWithTheFile() throws {
    let card = Card(["01026282"])
    var limit = 242
    #expect(
      try card.procedure().readBinary(file: nil, offset: 0, count: 100, limit: &limit) == [1, 2])
  }

  /// Beyond 7FFF the offset stands in a data object (ISO/IEC 7816-4, 7.2.3).
  @Test func readBinaryBeyond7FFF() throws {
    let card = Card(["530201029000"])
    var limit = 242
    #expect(
      try card.procedure().readBinary(file: nil, offset: 0x8000, count: 2, limit: &limit) == [1, 2])
    #expect(card.commands == ["00B100000554030080 0004".filter { $0 != " " }])
  }

  @Test(arguments: [
    ("6982", NFCError.Code.notAuthenticated), ("6B00", .tagRefused), ("6986", .tagRefused),
  ])
  func readBinaryRefused(_ status: String, _ code: NFCError.Code) {
    let card = Card([status])
    var limit = 242
    let error = #expect(throws: NFCError.self) {
      try card.procedure().readBinary(file: 0xE104, offset: 0, count: 4, limit: &limit)
    }
    #expect(error?.code == code)
    #expect(error?.place == .file(0xE104))
  }

  /// A card that answers 6700 to whatever reaches beyond the file's end, and gives 242 bytes at once.
  private func files(_ sizes: [Int], largest: Int = 242) -> (
    procedure: ISO7816Procedure, next: () -> Void, count: () -> Int
  ) {
    var sizes = sizes
    var count = 0
    let procedure = ISO7816Procedure(maximumCommandLength: 262, maximumResponseLength: 262) {
      command in
      count += 1
      let offset = Int(command.p1) << 8 | Int(command.p2)
      let asked = command.expectedLength ?? 0
      guard let size = sizes.first, offset < size else {
        return ResponseAPDU(data: [], sw1: 0x6B, sw2: 0x00)
      }
      guard offset + asked <= size, asked <= largest else {
        return ResponseAPDU(data: [], sw1: 0x67, sw2: 0x00)
      }
      return ResponseAPDU(data: [UInt8](repeating: 7, count: asked), sw1: 0x90, sw2: 0x00)
    }
    return (procedure, { sizes.removeFirst() }, { count })
  }

  /// The end of a short file does not slow down the reading of the next one.
  @Test func theEndOfAFileIsNotTheCardsLimit() throws {
    let card = files([100, 10_000])
    var limit = ISO7816Procedure.longestRead
    #expect(
      try card.procedure.readBinary(file: nil, offset: 0, count: nil, limit: &limit).count == 100)
    #expect(limit == 242)
    card.next()
    let before = card.count()
    #expect(
      try card.procedure.readBinary(file: nil, offset: 0, count: 10_000, limit: &limit).count
        == 10_000)
    #expect(card.count() - before == 42)
  }

  @Test func theCardsLimitIsRemembered() throws {
    let card = files([10_000], largest: 100)
    var limit = ISO7816Procedure.longestRead
    _ = try card.procedure.readBinary(file: nil, offset: 0, count: 1000, limit: &limit)
    #expect((50...100).contains(limit))
    let before = card.count()
    _ = try card.procedure.readBinary(file: nil, offset: 0, count: 1000, limit: &limit)
    #expect(card.count() - before <= 20)
  }

  @Test func endlessSmallPartsEnd() {
    var count = 0
    let drip = ISO7816Procedure(maximumCommandLength: 262, maximumResponseLength: 262) { command in
      count += 1
      let isGetResponse = command.instructionCode == 0xC0
      return ResponseAPDU(data: [1], sw1: isGetResponse ? 0x61 : 0x90, sw2: isGetResponse ? 1 : 0)
    }
    var limit = 242
    let error = #expect(throws: NFCError.self) {
      try drip.readBinary(file: 0xE104, offset: 0, count: nil, limit: &limit)
    }
    #expect(error?.code == .tagResponseError && error?.place == .file(0xE104))
    #expect(count < 300)
    count = 0
    let waiting = ISO7816Procedure(maximumCommandLength: 262, maximumResponseLength: 262) { _ in
      count += 1
      return ResponseAPDU(data: [1], sw1: 0x61, sw2: 1)
    }
    #expect(throws: NFCError.self) {
      try waiting.send(Self.command(data: 0, expected: 256), .automatic)
    }
    #expect(count < 300)
  }

  /// What is changed after a command was made goes out in the form that it then needs.
  @Test func aChangedCommandStaysWellFormed() throws {
    var command = APDU(instructionClass: 0, instructionCode: 0xD6, p1: 0, p2: 0, data: [1])
    command.data = [UInt8](repeating: 9, count: 300)
    #expect(command.isExtended)
    #expect(command.encoded.count == 7 + 300)
    #expect(APDU(command.encoded) == APDU(command.encoded).map { _ in command.asExtended })
    command.data = []
    command.expectedLength = 300
    #expect(command.encoded.hexadecimal == "00D6000000012C")
    command.expectedLength = 256
    #expect(command.encoded.hexadecimal == "00D6000000")
    command.isExtended = true
    #expect(command.encoded.hexadecimal == "00D60000000100")
  }
}

extension APDU {
  /// The same command as it is read back: asked for as an extended one.
  fileprivate var asExtended: APDU {
    var command = self
    command.isExtended = true
    return command
  }
}
