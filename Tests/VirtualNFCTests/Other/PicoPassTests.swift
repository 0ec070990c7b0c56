import Testing

@testable import VirtualNFC

@Suite struct PicoPassTests: TypeBTesting {
  static let csn: [UInt8] = [0xE0, 0x12, 0xFF, 0xF7, 0x00, 0x5B, 0x2D, 0x61]

  /// From published traces of readers: READ of blocks 1 and 5.
  @Test(arguments: [("01", "FA22"), ("05", "DE64")])
  func check(address: String, check: String) {
    #expect(PicoPass.check(hex(address)) == hex(check))
  }

  /// What libnfc 1.8.0 does, with the CRC of the PN532 off: ACTALL, for which it expects nothing;
  /// IDENTIFY, 10 bytes; SELECT with the first 8 of them, 10 bytes; the serial number turned round.
  func selected() -> PicoPass {
    var chip = PicoPass(csn: Self.csn)
    chip.powerOn()
    #expect(bare(&chip, [0x0A]) == nil)
    let identified = bare(&chip, [0x0C])
    #expect(identified?.count == 10)
    let answer = bare(&chip, [0x81] + (identified ?? []).prefix(8))
    #expect(answer?.count == 10)
    #expect((answer ?? []).prefix(8).reversed() == Self.csn)
    return chip
  }

  @Test func libnfcFindsTheSerialNumber() {
    var chip = selected()
    // Its presence check is ACTALL and IDENTIFY again.
    #expect(bare(&chip, [0x0A]) == nil)
    #expect(bare(&chip, [0x0C])?.count == 10)
  }

  @Test func answersCarryTheChipsCheck() {
    var chip = PicoPass(csn: Self.csn)
    chip.powerOn()
    _ = bare(&chip, [0x0A])
    let answer = bare(&chip, [0x0C]) ?? []
    #expect(PicoPass.check(Array(answer.prefix(8))) == Array(answer.suffix(2)))
    // CSN 61 2D 5B 00 F7 FF 12 E0 on the air, turned by three bits.
    #expect(answer.prefix(8) == hex("AC650BE0FE5F023C")[...])
  }

  @Test func readsWhatNeedsNoKey() {
    var chip = selected()
    #expect(bare(&chip, hex("0C01FA22"))?.prefix(8) == hex("12FFFFFF7F1FFF3C")[...])
    #expect(bare(&chip, hex("0C05DE64"))?.count == 10)
    let readKey = [0x0C, 0x03] + PicoPass.check([0x03])
    #expect(bare(&chip, readKey)?.prefix(8) == [UInt8](repeating: 0xFF, count: 8)[...])
    // An application block, a block that is not there, a wrong check.
    #expect(bare(&chip, [0x0C, 0x06] + PicoPass.check([0x06])) == nil)
    #expect(bare(&chip, [0x0C, 0xFF] + PicoPass.check([0xFF])) == nil)
    #expect(bare(&chip, hex("0C01FA23")) == nil)
  }

  @Test func orderMatters() {
    var chip = PicoPass(csn: Self.csn)
    #expect(bare(&chip, [0x0C]) == nil)
    chip.powerOn()
    #expect(bare(&chip, [0x0C]) == nil)
    #expect(bare(&chip, hex("0C01FA22")) == nil)
    _ = bare(&chip, [0x0A])
    // Another card's number.
    #expect(bare(&chip, [0x81] + Self.csn) == nil)
    #expect(bare(&chip, [0x0C]) == nil)
    chip = selected()
    // After HALT only a power cycle helps here.
    #expect(bare(&chip, [0x00]) == nil)
    _ = bare(&chip, [0x0A])
    #expect(bare(&chip, [0x0C]) == nil)
  }

  @Test func memoryKeepsTheSerialNumber() {
    var chip = PicoPass(csn: Self.csn)
    chip.memory = [UInt8](repeating: 1, count: 256)
    #expect(chip.memory.count == 256)
    #expect(chip.memory.prefix(8).reversed() == Self.csn)
    #expect(Array(chip.memory.dropFirst(8)) == [UInt8](repeating: 1, count: 248))
  }

  @Test func anyFrameIsSurvived() {
    var chip = PicoPass(csn: Self.csn)
    chip.powerOn()
    fuzz(&chip, seed: 7, commands: ["0A", "0C", "81", "0C01FA22"].map(hex))
  }
}
