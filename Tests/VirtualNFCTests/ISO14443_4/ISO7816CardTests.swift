import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("ISO/IEC 7816-4 card")
struct ISO7816CardTests {
  /// An applet that answers every command with the number of bytes in P1P2, or with the command's data if
  /// P1P2 is 0.
  struct Echo: VirtualApplet {
    let aid: [UInt8]
    var acceptsCommandChaining = false
    var acceptsSecureMessaging = false
    var waitingTimeExtensions: [UInt8] = []
    var memory: [UInt8] = [0xEE]

    mutating func select() -> [UInt8] { [0x6F, UInt8(aid.count)] + aid + [0x90, 0x00] }

    mutating func process(_ apdu: [UInt8]) -> [UInt8] {
      let command = CommandAPDU(apdu)
      let count = command?.parameter ?? 0
      let data = count == 0 ? command?.data ?? [] : [UInt8](repeating: 0x5A, count: count)
      return data + [0x90, 0x00]
    }
  }

  static func card(
    _ applets: [any VirtualApplet], masterFile: (any VirtualApplet)? = nil,
    quirks: ISO7816Card.Quirks = []
  ) -> ISO7816Card {
    ISO7816Card(
      name: "test",
      interface: ProximityInterface(
        typeA: [0x08, 1, 2, 3], atqa: [0x04, 0x00], ats: TypeACoding.ats),
      applets: applets, masterFile: masterFile, quirks: quirks)
  }

  static let echo = Echo(aid: [0xA0, 0x00, 0x00, 0x01, 0x01])
  static let other = Echo(aid: [0xA0, 0x00, 0x00, 0x01, 0x02])

  private func check(
    _ exchanges: [(command: String, answer: String)], on card: inout ISO7816Card
  ) throws {
    for (command, answer) in exchanges {
      let bytes = try #require([UInt8](hexadecimal: command))
      #expect(card.process(bytes).hexadecimal == answer, "after \(command)")
    }
  }

  /// An applet that unwraps commands itself receives them unchanged, including SELECT of a file; those
  /// for other applets are refused.
  @Test func secureMessagingIsTheApplets() throws {
    var secure = Self.echo
    secure.acceptsSecureMessaging = true
    var card = Self.card([secure, Self.other])
    try check(
      [
        ("0CA4020C02011E", "6882"), ("00A4040C05A000000101", "9000"),
        ("0CA40000048E02AABB00", "8E02AABB9000"), ("0CB000000497020102", "970201029000"),
        ("00A4040C05A000000102", "9000"), ("0CB000000497020102", "6882"),
      ], on: &card)
  }

  /// ISO/IEC 7816-4, 7.1.1: SELECT by DF name.
  @Test func selectsByIdentifier() throws {
    var card = Self.card([Self.echo, Self.other])
    try check(
      [
        ("00100000", "6985"),
        ("00A4040005A00000010200", "6F05A0000001029000"),
        ("00A4040005A000000101", "6F05A0000001019000"),
        // SELECT by the beginning of the name, and SELECT of the next application with the same
        // beginning.
        ("00A4040002A00000", "6F05A0000001019000"), ("00A4040202A00000", "6F05A0000001029000"),
        ("00A4040202A00000", "6A82"),
        // P2 0C: no answer data.
        ("00A4040C05A000000101", "9000"),
        // The application does not exist; the selection does not change.
        ("00A4040005A000000103", "6A82"), ("00A4040006A0000001010000", "6A82"),
        ("00A40400", "6A82"), ("00A4041005A000000101", "6A86"), ("00A4040105A000000101", "6A86"),
        ("0010000001AA", "AA9000"),
        // Logical channels and secure messaging.
        ("0110000001AA", "6881"), ("4010000001AA", "6881"), ("0C10000001AA", "6882"),
        ("00", "6700"), ("0010000002AA", "6700"),
      ], on: &card)
  }

  @Test func masterFileAcceptsCommandsWithoutApplication() throws {
    var card = Self.card([Self.echo], masterFile: Echo(aid: []))
    try check(
      [
        ("0010000001AA", "AA9000"), ("00A4040005A000000101", "6F05A0000001019000"),
        ("00A4000C023F00", "9000"), ("00A4000C", "9000"), ("00A40000023F00", "6F009000"),
      ], on: &card)
  }

  @Test func longAnswersAreFetchedInParts() throws {
    var card = Self.card([Self.echo])
    let part = String(repeating: "5A", count: 16)
    try check(
      [
        ("00A4040C05A000000101", "9000"), ("00C0000000", "6985"),
        ("0010002810", part + "6118"), ("00C0000010", part + "6108"),
        ("00C0000008", part.dropLast(16) + "9000"), ("00C0000000", "6985"),
        // Another command discards the rest.
        ("0010002810", part + "6118"), ("001000100F", part.dropLast(2) + "6101"),
        ("00C0010010", "6A86"), ("0010001010", part + "9000"), ("00C0000010", "6985"),
        // Without Le, the answer is complete.
        ("00100010", part + "9000"),
      ], on: &card)
  }

  @Test func quirks() throws {
    var card = Self.card([Self.echo], quirks: .answersByGetResponse)
    try check(
      [
        ("00A4040005A00000010100", "6107"), ("00C0000007", "6F05A0000001019000"),
        ("0010000002AABB", "6102"), ("00C0000000", "AABB9000"), ("0010000302", "5A5A6101"),
        ("00C0000001", "5A9000"),
      ], on: &card)
    card = Self.card([Self.echo], quirks: .insistsOnExactLength)
    try check(
      [
        ("00A4040C05A000000101", "9000"), ("0010000304", "6C03"), ("0010000302", "6C03"),
        ("0010000303", "5A5A5A9000"), ("0010000300", "5A5A5A9000"),
      ], on: &card)
  }

  /// ISO/IEC 7816-4, 5.3.3.
  @Test func commandChaining() throws {
    var chaining = Self.echo
    chaining.acceptsCommandChaining = true
    var card = Self.card([chaining, Self.other])
    try check(
      [
        ("00A4040C05A000000101", "9000"), ("1010000002AABB", "9000"), ("1010000001CC", "9000"),
        ("0010000001DD00", "AABBCCDD9000"), ("0010000001DD", "DD9000"),
        ("1010000001AA", "9000"), ("0011000001BB", "6883"), ("0010000001CC", "CC9000"),
        ("00A4040C05A000000102", "9000"), ("1010000001AA", "6884"),
      ], on: &card)
  }

  @Test func blocksAndExtensions() throws {
    var slow = Self.echo
    slow.waitingTimeExtensions = [1, 2]
    var reader = CardReader(Self.card([slow]))
    try reader.activate(frameSizeCode: 0)
    #expect(reader.answer == TypeACoding.ats)
    #expect(try reader.send("00A4040005A00000010100") == "6F05A0000001019000")
    // The frames are the command and the two answers to S(WTX).
    #expect(reader.frames == 3)
    #expect(try reader.send("00100100").count == 2 * 258)
    // After DESELECT, the card has no selected application.
    #expect(try reader.transmit([0xC2]) == [0xC2])
    try reader.activate()
    #expect(try reader.send("00100100") == "6985")
  }

  @Test(arguments: [false, true])
  func type4TagsAreReadThroughBlocks(isTypeB: Bool) throws {
    let tag =
      isTypeB
      ? try VirtualTag.type4B(ndef: [0xD0, 0x00, 0x00]) : try .type4(ndef: [0xD0, 0x00, 0x00])
    #expect(tag.name == (isTypeB ? "type4b" : "type4"))
    let answers = try tag.withChip(ISO7816Card.self) { card in
      var reader = CardReader(card)
      try reader.activate(frameSizeCode: 5)
      return try [
        Type4ApplicationTests.selectApplication, "00A4000C02E103", "00B000000F",
        "00A4000C02E104", "00B00000FB",
      ].map { try reader.send($0) }
    }
    #expect(
      try #require(answers) == [
        "9000", "9000", "000F2000FB00F60406E104080000009000", "9000",
        "0003D00000" + String(repeating: "00", count: 0xFB - 5) + "9000",
      ])
  }

  /// A different layer below must not change the result: MLe and MLc fill a frame of 256 bytes.
  @Test func oneFrameHoldsMLeAndMLc() throws {
    let tag = VirtualTag.type4()
    let frames = try tag.withChip(ISO7816Card.self) { card in
      var reader = CardReader(card)
      try reader.activate(frameSizeCode: 8)
      _ = try reader.send(Type4ApplicationTests.selectApplication)
      _ = try reader.send("00A4000C02E104")
      _ = try reader.send("00D60000F6" + String(repeating: "00", count: 0xF6))
      _ = try reader.send("00B00000FB")
      return reader.frames
    }
    #expect(frames == 4)
  }

  @Test func blankCardsHaveNoApplication() throws {
    for tag in [VirtualTag.type4(formatted: false), .type4B(formatted: false)] {
      let answer = try tag.withChip(ISO7816Card.self) { card in
        var reader = CardReader(card)
        try reader.activate()
        return try reader.send(Type4ApplicationTests.selectApplication)
      }
      #expect(answer == "6A82")
      #expect(tag.memory.isEmpty)
    }
  }

  @Test func memoriesFollowEachOther() {
    var card = Self.card([Self.echo, Self.other], masterFile: Echo(aid: [], memory: [1, 2]))
    #expect(card.memory == [1, 2, 0xEE, 0xEE])
    card.memory = [3, 4, 5, 6]
    #expect(card.memory == [3, 4, 5, 6])
  }

  @Test func noCommandTraps() throws {
    var generator = SplitMix64(seed: 0x7816)
    var chaining = Self.echo
    chaining.acceptsCommandChaining = true
    var card = Self.card([chaining, Type4Application()], quirks: .answersByGetResponse)
    for _ in 0..<3000 {
      let head: [UInt8] =
        [[0x00, 0xA4, 0x04], [0x10], [0x00, 0xC0], [0x00], []].randomElement(using: &generator)
        ?? []
      #expect(card.process(head + generator.bytes(upTo: 16)).count >= 2)
    }
    card.powerOff()
  }
}
