import Testing

@testable import SwiftNFCCore

/// Commands as values: what is sent, and what their answers have to be.
@Suite struct MiFareCommandTests {
  struct Ultralight: Sendable, CustomTestStringConvertible {
    let command: UltralightCommand
    let encoded: String
    let answer: String
    /// What the answer carries.
    let content: String
    var testDescription: String { encoded }
  }

  /// NTAG213/215/216 data sheet, 10: the frames of each command; the version is table 28's. MF0ULx1 data sheet,
  /// 10.8, for INCR_CNT; MF0ICU2 data sheet, 9.5; NT3H1101/1201 data sheet, 10.7.
  static let ultralight = [
    Ultralight(
      command: .getVersion, encoded: "60", answer: "0004040201000F03",
      content: "0004040201000F03"),
    Ultralight(
      command: .read(page: 3), encoded: "3003", answer: "E11012000103A00C340300FE00000000",
      content: "E11012000103A00C340300FE00000000"),
    Ultralight(
      command: .fastRead(first: 3, last: 4), encoded: "3A0304", answer: "E11012000103A00C",
      content: "E11012000103A00C"),
    Ultralight(
      command: .write(page: 4, data: [1, 2, 3, 4]), encoded: "A20401020304", answer: "0A",
      content: ""),
    Ultralight(command: .readCounter(2), encoded: "3902", answer: "010203", content: "010203"),
    Ultralight(
      command: .incrementCounter(1, by: 0x01_0203), encoded: "A50103020100", answer: "0A",
      content: ""),
    Ultralight(
      command: .readSignature, encoded: "3C00", answer: String(repeating: "5A", count: 32),
      content: String(repeating: "5A", count: 32)),
    Ultralight(
      command: .passwordAuthenticate([0xFF, 0xFF, 0xFF, 0xFF]), encoded: "1BFFFFFFFF",
      answer: "0000", content: "0000"),
    Ultralight(
      command: .authenticate, encoded: "1A00", answer: "AF577293FD2F34CA51",
      content: "577293FD2F34CA51"),
    Ultralight(
      command: .authenticateContinued([UInt8](repeating: 0x11, count: 16)),
      encoded: "AF" + String(repeating: "11", count: 16), answer: "003B884FA07C137CE1",
      content: "3B884FA07C137CE1"),
    Ultralight(command: .sectorSelect, encoded: "C2FF", answer: "0A", content: ""),
    Ultralight(command: .sector(3), encoded: "03000000", answer: "0A", content: ""),
  ]

  @Test(arguments: ultralight) func ultralightCommands(_ test: Ultralight) throws {
    #expect(test.command.encoded.hexadecimal == test.encoded)
    let answer = try #require([UInt8](hexadecimal: test.answer))
    #expect(try test.command.answer(answer).hexadecimal == test.content)
    for broken in [Array(answer.dropLast()), answer + [0], []] {
      #expect(throws: NFCError.self) { try test.command.answer(broken) }
    }
    if test.content.count < test.answer.count {
      #expect(throws: NFCError.self) {
        try test.command.answer([answer[0] ^ 1] + answer.dropFirst())
      }
    }
  }

  @Test func aFastReadBackwardsHasNoAnswer() {
    #expect(throws: NFCError.self) {
      try UltralightCommand.fastRead(first: 9, last: 3).answer([1, 2, 3, 4])
    }
  }

  /// MF1S50YYX data sheet, 9.1: codes and operands.
  @Test(arguments: [
    (MiFareClassicCommand.authenticate(4, .a, [1, 2, 3, 4, 5, 6]), "6004010203040506"),
    (.authenticate(4, .b, [1, 2, 3, 4, 5, 6]), "6104010203040506"), (.read(4), "3004"),
    (.write(4, [UInt8](repeating: 0x5A, count: 16)), "A004" + String(repeating: "5A", count: 16)),
    (.increment(5, by: 0x01_0203), "C10503020100"), (.decrement(5, by: 1), "C00501000000"),
    (.restore(5), "C20500000000"), (.transfer(6), "B006"),
  ])
  func classicCommands(_ command: MiFareClassicCommand, _ encoded: String) throws {
    #expect(command.encoded.hexadecimal == encoded)
    let bytes = try #require([UInt8](hexadecimal: encoded))
    #expect(MiFareClassicCommand(bytes) == command)
    #expect(MiFareClassicCommand(bytes + [0]) == nil)
    for count in 0..<2 { #expect(MiFareClassicCommand(Array(bytes.prefix(count))) == nil) }
  }

  @Test func classicAnswers() throws {
    let block = [UInt8](repeating: 1, count: 16)
    #expect(try MiFareClassicCommand.read(4).answer(block) == block)
    #expect(try MiFareClassicCommand.transfer(4).answer([]) == [])
    #expect(throws: NFCError.self) { try MiFareClassicCommand.read(4).answer([0x0A]) }
    #expect(MiFareClassicCommand([0xC2, 5]) == .restore(5))
    #expect(MiFareClassicCommand([0x31, 5]) == nil)
  }
}
