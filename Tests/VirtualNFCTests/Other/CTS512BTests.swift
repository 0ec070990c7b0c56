import Testing

@testable import VirtualNFC

@Suite struct CTS512BTests: TypeBTesting {
  static let serialNumber: [UInt8] = [0x02, 0x60, 0x08, 0x28]

  /// The commands of libnfc 1.8.0: REQT, SELECT for any ticket, READ of word 4. It combines the lower
  /// half, product code, fab code and the upper half, and prints the number in both orders.
  @Test func libnfcFindsTheSerialNumber() {
    var chip = CTS512B(serialNumber: Self.serialNumber)
    #expect(exchange(&chip, "10") == hex("601C"))
    let low = exchange(&chip, "9FFFFF")
    #expect(low?.count == 2)
    let high = exchange(&chip, "C4")
    let uid = (low ?? []) + (high ?? [])
    #expect(uid.reversed() == Self.serialNumber)
    // Its presence check is SELECT by the lower half.
    #expect(exchange(&chip, [0x9F] + (low ?? [])) == low)
  }

  @Test(arguments: ["C4", "9F0000", "9F2809", "9FFF", "1000", "", "05", "E4"])
  func silentBeforeSelection(command: String) {
    var chip = CTS512B(serialNumber: Self.serialNumber)
    #expect(exchange(&chip, command) == nil)
  }

  @Test func everyWordIsRead() {
    var chip = CTS512B(serialNumber: Self.serialNumber)
    chip.memory = (0..<64).map { UInt8($0) }
    #expect(exchange(&chip, "9FFFFF") == hex("2808"))
    for word in UInt8(0)..<32 {
      #expect(exchange(&chip, [0xC0 | word]) == [2 * word, 2 * word + 1])
    }
    #expect(exchange(&chip, "C400") == nil)
    chip.powerOff()
    #expect(exchange(&chip, "C0") == nil)
    #expect(chip.memory.count == 64)
  }

  /// Proxmark3, cmdhf14b.c: product code 50 is a CTS256B, of 16 words.
  @Test func aCTS256BHasHalfTheWords() {
    var chip = CTS512B(serialNumber: Self.serialNumber, productCode: 0x50, fabCode: 0x1C)
    #expect(exchange(&chip, "10") == hex("501C"))
    #expect(exchange(&chip, "9FFFFF") == hex("2808"))
    #expect(exchange(&chip, "CF") == hex("0000"))
    #expect(exchange(&chip, "D0") == nil)
    #expect(chip.memory.count == 32)
  }

  @Test func anotherSelectionPutsItAside() {
    var chip = CTS512B(serialNumber: Self.serialNumber)
    #expect(exchange(&chip, "9F2808") != nil)
    #expect(exchange(&chip, "9F2908") == nil)
    #expect(exchange(&chip, "C4") == nil)
  }

  @Test func anyFrameIsSurvived() {
    var chip = CTS512B(serialNumber: Self.serialNumber)
    fuzz(&chip, seed: 5, commands: ["10", "9F", "9FFFFF", "C0", "DF"].map(hex))
  }
}
