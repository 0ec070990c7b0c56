import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("ISO/IEC 14443-4 block protocol, card side")
struct BlockProtocolTests {
  /// One exchange: the reader's block and the card's answer ("" for silence). A complete command is
  /// answered with the scenario's next answer.
  struct Exchange: Sendable {
    let sent: String
    let answer: String

    init(_ sent: String, _ answer: String) {
      self.sent = sent
      self.answer = answer
    }
  }

  struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    var cid: UInt8?
    /// FSD; 16 leaves 13 bytes of information in a block.
    var frameSize = 16
    /// The commands that must reach the application, with its answers.
    var commands: [(command: String, answer: String)] = []
    var extensions: [UInt8] = []
    let exchanges: [Exchange]

    var testDescription: String { name }
  }

  /// The scenarios of ISO/IEC 14443-4, annex B, from the card's point of view: a block that is lost on
  /// the way to the card does not appear; one that is lost on the way back does.
  static let scenarios: [Scenario] = [
    Scenario(
      name: "exchange of I-blocks", commands: [("01", "A1"), ("02", "A2"), ("03", "A3")],
      exchanges: [.init("0201", "02A1"), .init("0302", "03A2"), .init("0203", "02A3")]),
    Scenario(
      name: "request for waiting time extension", commands: [("01", "A1"), ("02", "A2")],
      extensions: [5],
      exchanges: [
        .init("0201", "F205"), .init("F205", "02A1"), .init("0302", "F205"), .init("F205", "03A2"),
      ]),
    Scenario(
      name: "DESELECT", commands: [("01", "A1")],
      exchanges: [.init("0201", "02A1"), .init("C2", "C2")]),
    Scenario(
      name: "the reader chains", commands: [("010203", "A1"), ("04", "A2")],
      exchanges: [
        .init("1201", "A2"), .init("1302", "A3"), .init("0203", "02A1"), .init("0304", "03A2"),
      ]),
    Scenario(
      name: "the card chains",
      commands: [("01", "000102030405060708090A0B0C0D0E0F101112131415161718191A1B"), ("02", "A2")],
      exchanges: [
        .init("0201", "12000102030405060708090A0B0C"), .init("A3", "130D0E0F10111213141516171819"),
        .init("A2", "021A1B"), .init("0302", "03A2"),
      ]),
    Scenario(
      name: "the first I-block is lost: R(NAK) asks", commands: [("01", "A1")],
      exchanges: [.init("B2", "A3"), .init("0201", "02A1")]),
    Scenario(
      name: "the answer is lost", commands: [("01", "A1"), ("02", "A2")],
      exchanges: [.init("0201", "02A1"), .init("B2", "02A1"), .init("0302", "03A2")]),
    Scenario(
      name: "the answer is lost, and the R(NAK) once", commands: [("01", "A1")],
      exchanges: [.init("0201", "02A1"), .init("B2", "02A1"), .init("B2", "02A1")]),
    Scenario(
      name: "a later I-block is lost", commands: [("01", "A1"), ("02", "A2")],
      exchanges: [.init("0201", "02A1"), .init("B3", "A2"), .init("0302", "03A2")]),
    Scenario(
      name: "the request for time is lost", commands: [("01", "A1")], extensions: [1],
      exchanges: [.init("0201", "F201"), .init("B2", "F201"), .init("F201", "02A1")]),
    Scenario(
      name: "the reader chains, an acknowledge is lost", commands: [("0102", "A1")],
      exchanges: [.init("1201", "A2"), .init("B2", "A2"), .init("0302", "03A1")]),
    Scenario(
      name: "the reader chains, a block is lost", commands: [("010203", "A1")],
      exchanges: [
        .init("1201", "A2"), .init("B3", "A2"), .init("1302", "A3"), .init("0203", "02A1"),
      ]),
    Scenario(
      name: "the card chains, a block is lost on the way back",
      commands: [("01", "000102030405060708090A0B0C0D")],
      exchanges: [
        .init("0201", "12000102030405060708090A0B0C"), .init("A3", "030D"), .init("A3", "030D"),
      ]),
    Scenario(
      name: "the card chains, the first block is lost",
      commands: [("01", "000102030405060708090A0B0C0D")],
      exchanges: [
        .init("0201", "12000102030405060708090A0B0C"),
        .init("B2", "12000102030405060708090A0B0C"), .init("A3", "030D"),
      ]),
    Scenario(
      name: "several extensions, one after the other", commands: [("01", "A1")],
      extensions: [3, 59, 0, 60],
      exchanges: [
        .init("0201", "F203"), .init("F23B", ""), .init("F203", "F23B"), .init("F23B", "02A1"),
        .init("F23B", ""),
      ]),
    Scenario(
      name: "a command instead of the answer to a request for time",
      commands: [("01", "A1"), ("02", "A2")], extensions: [1],
      exchanges: [.init("0201", "F201"), .init("0302", "F201"), .init("F201", "03A2")]),
    Scenario(
      name: "presence: R(NAK) and the empty I-block", commands: [("01", "A1")],
      exchanges: [
        .init("B2", "A3"), .init("02", "02"), .init("B2", "02"), .init("B3", "A2"),
        .init("0301", "03A1"), .init("B2", "A3"),
      ]),
    Scenario(
      name: "no block at all", commands: [("01", "A1")],
      exchanges: [
        .init("", ""), .init("00", ""), .init("E050", ""), .init("5000", ""), .init("2201", ""),
        .init("A6", ""), .init("A200", ""), .init("C200", ""), .init("C3", ""), .init("F2", ""),
        .init("F205", ""), .init("D2", ""), .init("E2", ""), .init("FF", ""), .init("A2", ""),
        .init("B3", ""), .init("0201", "02A1"),
      ]),
    Scenario(
      name: "a node address is refused", commands: [("01", "A1")],
      exchanges: [.init("060001", ""), .init("0201", "02A1")]),
    Scenario(
      name: "a frame longer than FSC is refused", commands: [("000102030405060708090A0B0C", "A1")],
      exchanges: [
        .init("02000102030405060708090A0B0C0D", ""), .init("02000102030405060708090A0B0C", "02A1"),
      ]),
    Scenario(
      name: "CID 1: blocks with it are for this card", cid: 1, commands: [("01", "A1")],
      exchanges: [
        .init("0201", ""), .init("0A0201", ""), .init("0A", ""), .init("0A4101", ""),
        .init("0A0101", "0A01A1"), .init("B2", ""),
        .init("BA01", "0A01A1"),
        .init("BB01", "AA01"), .init("C2", ""), .init("CA01", "CA01"),
      ]),
    Scenario(
      name: "CID 0: blocks with it and without any", cid: 0,
      commands: [("01", "A1"), ("02", "A2")], extensions: [2],
      exchanges: [
        .init("0A0001", "FA0002"), .init("FA0002", "0A00A1"), .init("0302", "F202"),
        .init("F202", "03A2"), .init("CA00", "CA00"),
      ]),
    Scenario(
      name: "CID takes a byte of each block", cid: 3,
      commands: [("01", "000102030405060708090A0B0C")],
      exchanges: [
        .init("0A0301", "1A03000102030405060708090A0B"), .init("AB03", "0B030C"),
      ]),
    Scenario(
      name: "no CID support: blocks with one are for another card", commands: [("01", "A1")],
      exchanges: [.init("0A0001", ""), .init("BA00", ""), .init("CA00", ""), .init("0201", "02A1")]),
  ]

  @Test(arguments: scenarios)
  func exchangesAsInAnnexB(_ scenario: Scenario) throws {
    var card = BlockProtocol(
      frameSizeOfReader: scenario.frameSize, frameSizeOfCard: 16, cid: scenario.cid)
    var commands = scenario.commands[...]
    for exchange in scenario.exchanges {
      let sent = try #require([UInt8](hexadecimal: exchange.sent))
      var answer: [UInt8] = []
      switch card.receive(sent) {
      case .silence: break
      case .answer(let block), .deselected(let block): answer = block
      case .command(let command):
        let expected = try #require(commands.first)
        commands = commands.dropFirst()
        #expect(command.hexadecimal == expected.command)
        answer = card.respond(
          try #require([UInt8](hexadecimal: expected.answer)),
          waitingTimeExtensions: scenario.extensions)
      }
      #expect(answer.hexadecimal == exchange.answer, "after \(exchange.sent)")
    }
    #expect(commands.isEmpty)
  }

  /// ISO/IEC 14443-4, table 1; codes above 8 as in the first edition.
  @Test(arguments: [
    (0, 16), (1, 24), (2, 32), (3, 40), (4, 48), (5, 64), (6, 96), (7, 128), (8, 256), (9, 256),
    (15, 256), (255, 256),
  ])
  func frameSizes(code: UInt8, size: Int) {
    #expect(BlockProtocol.frameSize(code: code) == size)
  }

  @Test func deselectIsDistinguished() {
    var card = BlockProtocol(frameSizeOfReader: 64, frameSizeOfCard: 64, cid: nil)
    #expect(card.receive([0xC2]) == .deselected([0xC2]))
  }

  @Test func chainLongerThanAnyCommandIsDropped() {
    var card = BlockProtocol(frameSizeOfReader: 256, frameSizeOfCard: 256, cid: nil)
    var number: UInt8 = 0
    var accepted = 0
    for _ in 0..<300 {
      if case .silence = card.receive([0x12 | number] + [UInt8](repeating: 0, count: 253)) { break }
      accepted += 1
      number ^= 1
    }
    // The longest extended APDU has 4 + 3 + 65535 + 2 bytes, in blocks of 253.
    #expect(accepted == 65544 / 253)
  }

  @Test func noBlockTraps() {
    var generator = SplitMix64(seed: 0x1444_3004)
    for round: UInt8 in 0..<16 {
      var card = BlockProtocol(
        frameSizeOfReader: Int(round) * 8, frameSizeOfCard: 32, cid: round < 15 ? round : nil)
      for _ in 0..<400 {
        var block = generator.bytes(upTo: 34)
        if Bool.random(using: &generator), !block.isEmpty {
          block[0] =
            [0x02, 0x03, 0x12, 0x0A, 0xA2, 0xA3, 0xB2, 0xBA, 0xF2, 0xC2]
            .randomElement(using: &generator) ?? 0
        }
        if case .command = card.receive(block) {
          let answer = card.respond(
            generator.bytes(upTo: 100), waitingTimeExtensions: generator.bytes(upTo: 2))
          #expect(answer.count + 2 <= max(16, Int(round) * 8))
        }
      }
    }
  }
}
