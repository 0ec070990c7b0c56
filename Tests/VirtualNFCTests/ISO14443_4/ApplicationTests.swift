import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("Transit and travel document cards")
struct ApplicationTests {
  private func check(_ exchanges: [(command: String, answer: String)], on tag: VirtualTag) throws {
    _ = try tag.withChip(ISO7816Card.self) { card in
      var reader = CardReader(card)
      try reader.activate()
      for (command, answer) in exchanges {
        #expect(try reader.send(command) == answer, "after \(command)")
      }
    }
  }

  /// The layout of the purse information is KS X 6924's, as public readers parse it.
  @Test func transitCard() throws {
    let purse =
      "00100108" + "1010001234567890" + "0000000001" + "2024010220340101" + "0100" + "0007A120"
      + "0001" + "0007A120" + "0000" + "0000000000000000"
    let record =
      "012C0000303400000005000004E2" + String(repeating: "00", count: 32)
    #expect(purse.count == 2 * 47)
    try check(
      [
        ("904C000004", "6985"),
        ("00A4040007D410000003000100", "6F31B02F" + purse + "9000"),
        ("00A4040007D4100000030001", "6F31B02F" + purse + "9000"),
        ("904C000004", "000030349000"), ("904C010004", "6A86"), ("904C000001", "6700"),
        ("904C0000", "6700"), ("00B201242E", record + "9000"), ("00B2012400", record + "9000"),
        ("00B2012410", "6C2E"), ("00B203242E", "6A83"), ("00B200242E", "6A83"),
        ("00B2012C2E", "6A82"), ("00B201252E", "6A81"), ("9078000010", "6D00"),
        ("0084000008", "6D00"), ("8050000000", "6E00"),
      ], on: .tMoney())
    let tag = VirtualTag.tMoney(application: TransitApplication(cardNumber: [1], balance: 256))
    #expect(tag.memory == [0, 0, 1, 0])
    tag.memory = [0, 0, 2]
    tag.memory = [0, 0, 2, 1]
    try check(
      [("00A4040C07D4100000030001", "9000"), ("904C000004", "000002019000")], on: tag)
  }

  /// ICAO Doc 9303-10, 3.6 and 4; EF.CardAccess is the example of Doc 9303-11, appendix G.1.
  @Test func travelDocument() throws {
    let cardAccess = "31143012060A04007F0007020204020202010202010D"
    try check(
      [
        ("00B0000008", "6986"), ("00A4020C02011C", "9000"), ("00B0000000", cardAccess + "9000"),
        ("00B0000008", cardAccess.prefix(16) + "9000"),
        ("00B0000820", cardAccess.dropFirst(16) + "6282"), ("00B0001601", "6B00"),
        ("00A4020C02011D", "6A82"), ("00A4020002011C", "6A86"), ("00A4020C01", "6A87"),
        ("00D6000001AA", "6D00"), ("80B0000000", "6E00"),
        ("00A4040C07A0000002471001", "9000"),
        // In the application, everything is closed, and EF.CardAccess does not exist.
        ("00A4020C02011E", "6982"), ("00A4020C020101", "6982"), ("00A4020C02011C", "6A82"),
        ("00B0000004", "6982"), ("00B09E0004", "6982"), ("00B0810004", "6982"),
        ("00B09C0004", "6A82"), ("00A4000C020101", "6A86"), ("0082000028", "6985"),
        ("0084000004", "6700"), ("0084010008", "6A86"), ("0022C1A400", "6D00"),
        // Selects the master file again, by its identifier and without one.
        ("00A4000C023F00", "9000"), ("00B0000004", "6986"), ("00B09C0000", cardAccess + "9000"),
        ("00B0000002", "31149000"), ("00B0DC0000", "6A86"), ("00B0810000", "6A82"),
        ("00A4040007A000000247100100", "9000"), ("00A4000C", "9000"),
        ("00B09C0104", "143012069000"),
      ], on: .emrtd())
  }

  @Test func challengesAreSeeded() throws {
    func challenges(_ seed: UInt64) throws -> [[UInt8]] {
      var application = TravelDocumentApplication(
        "L898902C<369080619406236", files: [:], random: RandomNumbers(seed: seed))
      _ = application.select()
      return (0..<3).map { _ in application.process([0x00, 0x84, 0x00, 0x00, 0x08]) }
    }
    let first = try challenges(1)
    #expect(first.allSatisfy { $0.count == 10 && $0.suffix(2) == [0x90, 0x00] })
    #expect(Set(first).count == 3)
    #expect(try challenges(1) == first)
    #expect(try challenges(2) != first)
  }

  @Test func cardsDiffer() throws {
    let tags = [VirtualTag.type4(), .type4B(), .tMoney(), .emrtd()]
    #expect(Set(tags.map(\.identifier)).count == tags.count)
    #expect(tags.map(\.name) == ["type4", "type4b", "tmoney", "emrtd"])
    #expect(tags.map(\.modulation) == [.typeA, .typeB, .typeA, .typeA])
  }
}
