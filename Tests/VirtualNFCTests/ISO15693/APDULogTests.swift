import Testing
import VirtualNFC

@Suite struct APDULogTests {
  @Test(arguments: [
    ("FFB0000704", "FFB0000704"),
    ("FF82000006FFFFFFFFFFFF", "FF82000006" + "************"),
    // SET PASSWORD in a transparent session, and in the pass-through commands.
    (
      "FFC20001115F460458E40000950802B3041011223344" + "00",
      "FFC20001115F460458E40000950802B304" + "************"
    ),
    ("FFFB000007B4040211223344", "FFFB000007B404" + "**********"),
    ("FFFC000007B4040211223344" + "00", "FFFC000007B404" + "************"),
    ("FFF6B30006040111223344" + "00", "FFF6B3000604" + "************"),
    // In a frame that SpringCard's readers send unchanged.
    ("FFFE04000802B3041011223344" + "00", "FFFE04000802B304" + "************"),
    // DESTROY and ENABLE PRIVACY contain a password.
    (
      "FFC20001105F460458E40000950702BA0411223344" + "00",
      "FFC20001105F460458E40000950702BA04" + "**********"
    ),
    ("FFFB000006B90411223344", "FFFB000006B904" + "********"),
    // ST's Present Password.
    ("FFFB00000BB302001122334455667788", "FFFB00000BB302" + "******************"),
    // A write of a block.
    ("FFFB00000621040A0B0C0D", "FFFB00000621040A0B0C0D"), ("FF", "FF"), ("", ""),
  ])
  func masks(command: String, text: String) throws {
    let bytes = try #require([UInt8](hexadecimal: command))
    var log = APDULog()
    #expect(log.line(.command(bytes)) == "host  > " + text)
  }

  @Test func answers() {
    var log = APDULog()
    #expect(log.line(.reply([0x01, 0x90, 0x00])) == "host  < 019000")
    #expect(log.line(.carrier(true)) == "radio   carrier on")
    #expect(log.line(.collided(bit: 1)) == nil)
  }

  /// A conversation: commands and answers alternate.
  struct Conversation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let lines: [(bytes: String, text: String)]

    init(_ testDescription: String, _ lines: [(String, String)]) {
      self.testDescription = testDescription
      self.lines = lines.map { (bytes: $0.0, text: $0.1) }
    }
  }

  private static func stars(_ count: Int) -> String { String(repeating: "**", count: count) }

  static let conversations = [
    Conversation(
      "password and acknowledge of an NTAG in a transparent session",
      [
        ("FFC20002048F02000300", "FFC20002048F02000300"),
        ("C0030090008F01009000", "C0030090008F01009000"),
        (
          "FFC200010E5F460440420F0095051B1122334400",
          "FFC200010E5F460440420F0095051B" + stars(4) + "00"
        ),
        ("C00300900092010097027788" + "9000", "C003009000920100" + "9702" + stars(2) + "9000"),
      ]),
    Conversation(
      "key page of an Ultralight C in a transparent session",
      [
        (
          "FFC200010F5F460440420F009506A22C1122334400",
          "FFC200010F5F460440420F009506A22C" + stars(4) + "00"
        )
      ]),
    Conversation(
      "password and acknowledge through an ACR122U",
      [
        ("FF00000007D4421B11223344", "FF00000007D4421B" + stars(4)),
        ("D5430077889000", "D54300" + stars(2) + "9000"),
      ]),
    Conversation(
      "password and acknowledge through Identiv's frames, with the check of the answer",
      [
        ("FFEF0000051B11223344", "FFEF0000051B" + stars(4)),
        ("77885B5F", stars(4)),
        ("FFEF00000160", "FFEF00000160"),
        ("00040402010011030123", "00040402010011030123"),
      ]),
    Conversation(
      "password and acknowledge through frames of ACS's readers",
      [("FF000000051B11223344", "FF000000051B" + stars(4)), ("77889000", stars(2) + "9000")]),
    Conversation(
      "password through SpringCard's ENCAPSULATE",
      [("FFFE0100051B1122334400", "FFFE0100051B" + stars(4) + "00")]),
    Conversation(
      "key page and ordinary page of a storage card",
      [
        ("FFD6002C0411223344", "FFD6002C04" + stars(4)), ("9000", "9000"),
        ("FFD600080411223344", "FFD600080411223344"),
      ]),
    Conversation(
      "sector trailers of a storage card",
      [
        ("FF860000050100046000", "FF860000050100046000"), ("9000", "9000"),
        (
          "FFD6000710" + "A1A2A3A4A5A6" + "FF078069" + "B1B2B3B4B5B6",
          "FFD6000710" + stars(6) + "FF078069" + stars(6)
        ),
        ("9000", "9000"), ("FFB0000710", "FFB0000710"),
        (
          "000000000000" + "FF078069" + "B1B2B3B4B5B6" + "9000",
          stars(6) + "FF078069" + stars(6) + "9000"
        ),
      ]),
    Conversation(
      "authentication of a DESFire",
      [
        ("90AA0000010000", "90AA0000010000"),
        ("00112233445566778899AABBCCDDEEFF91AF", stars(16) + "91AF"),
        ("90AF0000021122" + "00", "90AF000002" + stars(3)),
      ]),
    Conversation(
      "VERIFY", [("0020000104112233" + "44", "0020000104" + stars(4))]),
  ]

  @Test(arguments: conversations) func masksWhatACardReceives(_ conversation: Conversation) throws {
    var log = APDULog()
    for (index, line) in conversation.lines.enumerated() {
      let bytes = try #require([UInt8](hexadecimal: line.bytes))
      let event: TraceEvent = index.isMultiple(of: 2) ? .command(bytes) : .reply(bytes)
      let text = log.line(event)
      #expect(text?.dropFirst(8) == line.text[...], "\(text ?? "nothing")")
    }
  }

  /// Any bytes have a line of their length.
  @Test func anyBytes() {
    var generator = SystemRandomNumberGenerator()
    var log = APDULog()
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        [0xFF, 0xC2, 0x00, 0x01, 0x95, 0x97, 0x81, 0x82, 0xFE, 0xD4, 0x42].randomElement(
          using: &generator) ?? UInt8.random(in: 0...255, using: &generator)
      }
      if !bytes.isEmpty, Bool.random(using: &generator) { bytes[0] = 0xFF }
      #expect(log.line(.command(bytes))?.count == 8 + 2 * bytes.count)
      #expect(log.line(.reply(bytes))?.count == 8 + 2 * bytes.count)
    }
  }
}
