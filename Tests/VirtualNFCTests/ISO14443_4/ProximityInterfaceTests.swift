import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("ISO/IEC 14443-4 activation")
struct ProximityInterfaceTests {
  static let uid: [UInt8] = [0x08, 0x11, 0x22, 0x33]

  /// Returns an interface that is selected (type A) or declared (type B).
  static func selected(ats: [UInt8]) throws -> ProximityInterface {
    var card = ProximityInterface(typeA: uid, atqa: [0x04, 0x00], ats: ats)
    card.powerOn()
    _ = card.receive(RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7))
    let check = uid.reduce(0, ^)
    guard case .handled(let sak?) = card.receive(.typeA([0x93, 0x70] + uid + [check])) else {
      Issue.record("not selected")
      return card
    }
    #expect(sak.checkedPayload == [0x20])
    return card
  }

  private func send(_ hexadecimal: String, to card: inout ProximityInterface) throws -> String {
    let bytes = try #require([UInt8](hexadecimal: hexadecimal))
    switch card.receive(.typeA(bytes)) {
    case .handled(let answer): return answer?.checkedPayload?.hexadecimal ?? ""
    case .command(let command):
      let answer = card.respond(command)
      return try #require(answer?.checkedPayload).hexadecimal
    }
  }

  /// The card echoes commands. "" stands for silence.
  static let runs: [(ats: String, exchanges: [(sent: String, answer: String)])] = [
    // 5.6.1.2: before RATS, everything else is ignored; CID 15 is reserved; RATS is accepted once.
    (
      "0675778102 80",
      [
        ("0200", ""), ("D01100", ""), ("E0", ""), ("E05F", ""), ("E050", "067577810280"),
        ("E050", ""), ("020102", "020102"),
      ]
    ),
    // A CID is supported by default, and not without TC(1) bit 2.
    ("0120", [("E051", "0120"), ("0A0155", "0A0155"), ("0255", "")]),
    ("067577810080", [("E051", "067577810080"), ("0A0155", ""), ("0255", "0255")]),
    // 5.3: PPS with and without rates, only as the first block, with the card's CID. After a PPS that the
    // card does not support, it accepts no other (5.6.2.2).
    ("067577810280", [("E050", "067577810280"), ("D001", "D0"), ("D001", "")]),
    ("067577810280", [("E050", "067577810280"), ("D01100", "D0"), ("0255", "0255")]),
    ("067577810280", [("E052", "067577810280"), ("D01100", ""), ("D21100", "")]),
    (
      "067577810280",
      [("E050", "067577810280"), ("D0", ""), ("D011", ""), ("D01110", ""), ("D00100", "")]
    ),
    ("067577810280", [("E050", "067577810280"), ("0255", "0255"), ("D01100", "")]),
    // TA(1) without higher rates, and with the same rate in both directions only.
    ("0578807002", [("E080", "0578807002"), ("D01105", ""), ("D01100", "")]),
    ("0578917002", [("E080", "0578917002"), ("D01101", ""), ("D01104", "")]),
    // In the protocol state, HLTA is ignored; DESELECT halts the card.
    (
      "0578807002",
      [("E080", "0578807002"), ("5000", ""), ("0255", "0255"), ("C2", "C2"), ("0255", "")]
    ),
    // HLTA is accepted before RATS.
    ("0578807002", [("5000", ""), ("E080", "")]),
  ]

  @Test(arguments: runs.indices)
  func activation(_ index: Int) throws {
    let run = Self.runs[index]
    var card = try Self.selected(ats: #require([UInt8](hexadecimal: run.ats)))
    for (sent, answer) in run.exchanges {
      #expect(try send(sent, to: &card) == answer, "after \(sent)")
    }
  }

  @Test func deselectedCardWakesUpOnly() throws {
    var card = try Self.selected(ats: TypeACoding.ats)
    _ = try send("E080", to: &card)
    #expect(card.isActivated)
    // In the protocol state, a card ignores REQA (ISO/IEC 14443-3, 6.3.7).
    #expect(
      card.receive(RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7)) == .handled(nil))
    #expect(try send("0201", to: &card) == "0201")
    _ = try send("C2", to: &card)
    #expect(!card.isActivated)
    #expect(
      card.receive(RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7)) == .handled(nil))
    #expect(
      card.receive(RadioFrame([0x52], modulation: .typeA, bitsInLastByte: 7))
        == .handled(.typeA(bare: [0x04, 0x00])))
  }

  @Test func ratesChangeAfterParameterSelection() throws {
    var card = try Self.selected(ats: [0x06, 0x75, 0x77, 0x81, 0x02, 0x80])
    _ = try send("E050", to: &card)
    // DRI 1 (212 kbit/s to the card), DSI 2 (424 to the reader).
    guard case .handled(let answer?) = card.receive(.typeA([0xD0, 0x11, 0x09])) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.bitRate == 106)
    #expect(card.receive(.typeA([0x02, 0x55])) == .handled(nil))
    var frame = RadioFrame.typeA([0x02, 0x55])
    frame.bitRate = 212
    #expect(card.receive(frame) == .command([0x55]))
    #expect(card.respond([0xAA])?.bitRate == 424)
  }

  @Test func longAnswersAreChainedByTheReadersFrameSize() throws {
    for (code, size) in zip(UInt8(0)..., [16, 24, 32, 40, 48, 64, 96, 128, 256]) {
      var card = try Self.selected(ats: TypeACoding.ats)
      _ = try send("E0" + [code << 4].hexadecimal, to: &card)
      guard case .command = card.receive(.typeA([0x02, 0x01])) else {
        Issue.record("no command")
        return
      }
      #expect(card.respond([UInt8](repeating: 7, count: 300))?.bytes.count == size)
    }
  }

  @Test func typeBCardTakesItsNumber() throws {
    var card = ProximityInterface(
      typeB: [1, 2, 3, 4], applicationData: [0, 0, 0, 0], protocolInfo: TypeBCoding.protocolInfo)
    card.powerOn()
    _ = card.receive(.typeB([0x05, 0x00, 0x00]))
    #expect(
      card.receive(.typeB([0x1D, 1, 2, 3, 4, 0x00, 0x05, 0x01, 0x01])) == .handled(.typeB([0x01])))
    #expect(card.receive(.typeB([0x0A, 0x01, 0x77])) == .command([0x77]))
    #expect(card.respond([0x90, 0x00]) == .typeB([0x0A, 0x01, 0x90, 0x00]))
    #expect(card.receive(.typeB([0xBA, 0x01])) == .handled(.typeB([0x0A, 0x01, 0x90, 0x00])))
    #expect(card.receive(.typeB([0xCA, 0x01])) == .handled(.typeB([0xCA, 0x01])))
    #expect(card.receive(.typeB([0x05, 0x00, 0x00])) == .handled(nil))
    #expect(card.receive(.typeB([0x05, 0x00, 0x08])) != .handled(nil))
  }
}
