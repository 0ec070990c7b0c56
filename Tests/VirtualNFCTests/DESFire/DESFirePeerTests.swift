import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// What other libraries' tests show of real cards, and the virtual ones did otherwise.
@Suite struct DESFirePeerTests {
  private static func bytes(_ digits: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: digits.filter { $0 != " " }))
  }

  /// The first step of libfreefare's `test_mifare_desfire` and of its tests of EV1 cards.
  @Test(arguments: [DESFireModel.ev1, .ev2, .ev3], ["FF00", "FF40", "FF80"])
  func anApplicationMayHaveNoKeys(_ model: DESFireModel, _ settings: String) throws {
    var card = DESFire(model, formatted: false)
    card.powerOn()
    #expect(card.process(try Self.bytes("CA AAAAAA \(settings)")) == [0x00])
    #expect(card.process(try Self.bytes("5A AAAAAA")) == [0x00])
    // There is nothing to authenticate with, and nothing that traps.
    for command in ["0A00", "1A00", "AA00", "6400", "45", "6F", "DF01", "CD010000000A0000", "7000"]
    {
      #expect(card.process(try Self.bytes(command)).first != nil, "\(command)")
    }
    #expect(card.process(try Self.bytes("5A 000000")) == [0x00])
    #expect(card.process(try Self.bytes("CA BBBBBB 0F0F")) == [0x9E])
    #expect(card.process(try Self.bytes("DA AAAAAA")).first != nil)
  }

  /// PERMISSION_ERROR on cards, for a new record and, where there is the command, a changed one.
  @Test(arguments: [DESFireModel.ev1, .ev2, .ev3], ["C1", "C0"])
  func nothingIsWrittenAfterClearing(_ model: DESFireModel, _ creation: String) throws {
    var card = DESFire(model, formatted: false)
    card.powerOn()
    for command in [
      "CA BBBBBB 0F01", "5A BBBBBB", "\(creation) 01 00 EEEE 190000 040000",
      "3B 01 000000 040000 30313233", "C7", "EB 01",
    ] {
      #expect(card.process(try Self.bytes(command)) == [0x00], "\(command)")
    }
    #expect(card.process(try Self.bytes("3B 01 000000 040000 30313233")) == [0x9D])
    #expect(card.process(try Self.bytes("C7")) == [0x00])
    #expect(card.process(try Self.bytes("3B 01 000000 040000 30313233")) == [0x00])
  }

  /// After the same refused write, libfreefare authenticates an EV1 card again, and goes on with the first generation.
  @Test(arguments: [(UInt8(0x0A), true), (0x1A, false)])
  func aSessionOfTheFirstGenerationOutlivesAnError(_ code: UInt8, _ outlives: Bool) throws {
    var card = DESFire(.ev1, formatted: false)
    card.powerOn()
    for command in ["CA BBBBBB 0F01", "5A BBBBBB", "CB 01 00 0000 040000"] {
      #expect(card.process(try Self.bytes(command)) == [0x00], "\(command)")
    }
    var reader = DESFireReader(card)
    #expect(reader.send(try Self.bytes("5A BBBBBB")).status == 0x00)
    try reader.authenticate(code, 0, .zero(.des))
    // A file that does not exist.
    #expect(reader.card.process(try Self.bytes("F5 09")) == [0xF0])
    let answer = reader.card.process(try Self.bytes("BD 01 000000 000000"))
    #expect(answer.first == (outlives ? 0x00 : 0xAE))
  }

  @Test(arguments: [
    (DESFireModel.ev3, [48, 48, 48, 48, 48, 48, 48]), (.ev2, [59, 59, 59, 59, 59, 41]),
    (.ev1, [59, 59, 59, 59, 59, 41]),
  ])
  func framesOfAnEV3(_ model: DESFireModel, _ expected: [Int]) throws {
    for settings in ["00", "01", "03"] {
      var card = DESFire(model, formatted: false)
      card.powerOn()
      for command in ["CA BBBBBB 0F81", "5A BBBBBB", "CD 01 \(settings) 0000 480100"] {
        #expect(card.process(try Self.bytes(command)) == [0x00], "\(command)")
      }
      var reader = DESFireReader(card)
      #expect(reader.send(try Self.bytes("5A BBBBBB")).status == 0x00)
      try reader.authenticate(0xAA, 0, .zero(.aes))
      var answer = reader.card.process(try Self.bytes("BD 01 000000 480100"))
      var sizes = [answer.count - 1]
      while answer.first == 0xAF, sizes.count < 20 {
        answer = reader.card.process([0xAF])
        sizes.append(answer.count - 1)
      }
      #expect(answer.first == 0x00)
      #expect(sizes == expected, "\(settings)")
    }
  }
}
