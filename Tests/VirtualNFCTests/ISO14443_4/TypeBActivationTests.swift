import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("ISO/IEC 14443-3 type B activation")
struct TypeBActivationTests {
  static let atqb = "50" + "11223344" + "20A1B2C1" + "F38171"

  static func card(slot: Int = 1, state: String = "") -> TypeBActivation {
    TypeBActivation(
      pupi: [0x11, 0x22, 0x33, 0x44], applicationData: [0x20, 0xA1, 0xB2, 0xC1],
      protocolInfo: [0xF3, 0x81, 0x71], slot: slot)
  }

  private func send(_ hexadecimal: String, to card: inout TypeBActivation) throws -> String {
    let bytes = try #require([UInt8](hexadecimal: hexadecimal))
    switch card.receive(.typeB(bytes)) {
    case .handled(let answer): return answer?.checkedPayload?.hexadecimal ?? ""
    case .command(let payload): return "command " + payload.hexadecimal
    }
  }

  /// Sequences of frames and answers, "" for silence, with the clauses of ISO/IEC 14443-3.
  static let runs: [[(sent: String, answer: String)]] = [
    // 7.7 and 7.10: REQB, ATTRIB with CID 1 and 64 byte frames; all further frames are commands.
    [
      ("050000", atqb), ("1D1122334400050101", "01"), ("050000", "command 050000"),
      ("0A01", "command 0A01"),
    ],
    // 7.12: HLTB, after which only WUPB is accepted.
    [
      ("050000", atqb), ("5011223344", "00"), ("050000", ""), ("1D1122334400080100", ""),
      ("050008", atqb), ("1D1122334400080100", "00"),
    ],
    // 7.7.3: application families.
    [("052000", atqb), ("050000", atqb), ("053000", ""), ("1D1122334400080100", "")],
    [("052100", ""), ("050100", ""), ("052000", atqb)],
    // 7.7.4: reserved numbers of slots; extended ATQB is not supported, so its request changes nothing.
    [("050005", ""), ("050007", ""), ("050010", atqb)],
    // Commands for another card, and commands before ATQB.
    [
      ("1D1122334400080100", ""), ("5011223344", ""), ("050000", atqb),
      ("1D1122334500080100", ""), ("5011223345", ""), ("1D112233440008", ""),
      ("501122334400", ""), ("0500", ""), ("05", ""), ("1D1122334400080100", "00"),
    ],
    // 7.10.4: the protocol info contains the bit rates 212 and 424 in both directions, but not 848.
    [("050000", atqb), ("1D11223344008801 00", "")],
    [("050000", atqb), ("1D1122334400A80100", "00")],
    [("050000", atqb), ("1D1122334400F80100", "")],
    // With a request for answers of higher layers (7.10.8), of which the card has none.
    [("050000", atqb), ("1D1122334400080100AABB", "00")],
  ]

  @Test(arguments: runs.indices)
  func answers(_ index: Int) throws {
    var card = Self.card()
    card.powerOn()
    for (sent, answer) in Self.runs[index] {
      #expect(try send(sent, to: &card) == answer, "after \(sent)")
    }
  }

  @Test func slotsAreRequestedByMarkers() throws {
    var card = Self.card(slot: 3)
    card.powerOn()
    #expect(try send("050002", to: &card) == "")
    #expect(card.state == .readyRequested)
    #expect(try send("15", to: &card) == "")
    #expect(try send("25", to: &card) == Self.atqb)
    #expect(card.state == .readyDeclared)
    // With only two slots, the third does not exist, so the card uses the first.
    card.powerOn()
    #expect(try send("050001", to: &card) == Self.atqb)
  }

  @Test func attributesAreKept() throws {
    var card = Self.card()
    card.powerOn()
    _ = try send("050000", to: &card)
    _ = try send("1D1122334400A5010E", to: &card)
    #expect(
      card.attributes
        == .init(cid: 14, frameSizeCode: 5, bitRateToCard: 424, bitRateToReader: 424))
    card.halt()
    #expect(card.state == .halt && card.attributes == nil)
    card.powerOff()
    #expect(try send("050008", to: &card) == "")
  }

  @Test func brokenFramesAreIgnored() {
    var card = Self.card()
    card.powerOn()
    var frame = RadioFrame.typeB([0x05, 0x00, 0x00])
    frame.bytes[4] ^= 1
    #expect(card.receive(frame) == .handled(nil))
    #expect(card.receive(.typeA([0x05, 0x00, 0x00])) == .handled(nil))
    #expect(card.receive(RadioFrame([], modulation: .typeB)) == .handled(nil))
    #expect(card.state == .idle)
  }

  @Test func noFrameTraps() {
    var generator = SplitMix64(seed: 0xB)
    var card = Self.card(slot: 2)
    for _ in 0..<3000 {
      if Int.random(in: 0..<20, using: &generator) == 0 { card.powerOn() }
      var bytes = generator.bytes(upTo: 12)
      let codes: [UInt8] = [0x05, 0x15, 0x1D, 0x50]
      if let first = codes.randomElement(using: &generator), !bytes.isEmpty {
        bytes[0] = first
      }
      _ = card.receive(.typeB(bytes))
    }
    card.powerOff()
    #expect(card.state == .powerOff)
  }
}
