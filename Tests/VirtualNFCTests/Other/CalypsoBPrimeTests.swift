import Testing

@testable import VirtualNFC

@Suite struct CalypsoBPrimeTests: TypeBTesting {
  static let div: [UInt8] = [0x1C, 0x8A, 0x52, 0xF7]

  /// libnfc 1.8.0 parses REPGEN as follows: it skips an address and 07, and reads DIV, the version and,
  /// depending on its bits, a configuration and an ATR.
  @Test func libnfcFindsTheDIV() throws {
    var chip = CalypsoBPrime(div: Self.div)
    chip.powerOn()
    let answer = try #require(exchange(&chip, "010B3F80"))
    #expect(answer[1] == 0x07)
    #expect(Array(answer[2..<6]) == Self.div)
    #expect(answer[6] & 0x80 != 0)
    #expect(answer[7] & 0x40 != 0)
    #expect(answer.count - 8 == chip.atr.count)
    #expect(Array(answer[8...]) == chip.atr)
    // The buffer in nfc_iso14443bi_info.
    #expect(chip.atr.count <= 33)
    // T0 indicates TB1 and TC1 (60) and 15 historical bytes.
    #expect(chip.atr.count == 2 + 2 + 15)
    // ATTRIB is the first six bytes of the answer with 0F in the second; so is the presence check,
    // which needs at least one byte back.
    let attrib = [answer[0], 0x0F] + answer[2..<6]
    #expect(attrib == [0x01, 0x0F] + Self.div)
    #expect(exchange(&chip, attrib)?.isEmpty == false)
    #expect(exchange(&chip, attrib)?.isEmpty == false)
  }

  @Test(arguments: ["010B3F00", "010B", "010F1C8A52F6", "010F", "", "050000", "01040A00A4080004"])
  func everythingElseIsSilence(command: String) {
    var chip = CalypsoBPrime(div: Self.div)
    chip.powerOn()
    #expect(exchange(&chip, command) == nil)
  }

  @Test func silentWithoutPower() {
    var chip = CalypsoBPrime(div: Self.div)
    #expect(exchange(&chip, "010B3F80") == nil)
    chip.powerOn()
    #expect(exchange(&chip, "010B3F80") != nil)
    chip.powerOff()
    #expect(exchange(&chip, "010B3F80") == nil)
  }

  @Test func anyFrameIsSurvived() {
    var chip = CalypsoBPrime(div: Self.div)
    chip.powerOn()
    fuzz(&chip, seed: 6, commands: ["010B3F80", "010F", "010F1C8A52F7"].map(hex))
  }
}
