import NFCCore
import Testing

@testable import VirtualNFC

/// What the tests of tags with type B modulation share.
protocol TypeBTesting {}

extension TypeBTesting {
  func hex(_ text: String) -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: text) else {
      Issue.record("not hexadecimal: \(text)")
      return []
    }
    return bytes
  }

  /// An exchange with CRC_B both ways, as a PN532 does it whose CRC handling is on.
  func exchange(_ chip: inout some VirtualChip, _ command: [UInt8]) -> [UInt8]? {
    guard let answer = chip.receive(.typeB(command)) else { return nil }
    #expect(answer.modulation == .typeB)
    let checked = answer.checkedPayload
    #expect(checked != nil)
    return checked
  }

  func exchange(_ chip: inout some VirtualChip, _ command: String) -> [UInt8]? {
    exchange(&chip, hex(command))
  }

  /// An exchange without checks, as a PN532 does it whose CRC handling is off.
  func bare(_ chip: inout some VirtualChip, _ command: [UInt8]) -> [UInt8]? {
    chip.receive(RadioFrame(command, modulation: .typeB))?.bytes
  }

  func fuzz(_ chip: inout some VirtualChip, seed: UInt64, commands: [[UInt8]]) {
    var random = RadioFuzz(seed: seed)
    for round in 0..<4000 {
      var command = random.bytes(Int(random.next() % 12))
      if round % 4 != 0 {
        command = commands[Int(random.next()) % commands.count] + command.prefix(round % 8)
      }
      if let answer = chip.receive(.typeB(command)) { #expect(!answer.bytes.isEmpty) }
      _ = chip.receive(RadioFrame(command, modulation: .typeB))
      _ = chip.receive(RadioFrame(command, modulation: .typeA, bitsInLastByte: 7))
      if round % 500 == 499 {
        chip.powerOff()
        chip.powerOn()
      }
    }
    chip.memory = random.bytes(Int(random.next()))
  }
}

@Suite struct SRIX4KTests: TypeBTesting {
  static let uid: [UInt8] = [0xD0, 0x02, 0x0C, 0x1F, 0x5A, 0x88, 0x13, 0x6E]

  static func powered() -> SRIX4K {
    var chip = SRIX4K(uid: uid)
    chip.powerOn()
    return chip
  }

  /// What libnfc 1.8.0 does: Initiate, Select with the Chip_ID that came, Get_UID.
  func selected() -> SRIX4K {
    var chip = Self.powered()
    let chipID = exchange(&chip, "0600")
    #expect(chipID?.count == 1)
    #expect(exchange(&chip, [0x0E] + (chipID ?? [])) == chipID)
    return chip
  }

  @Test func libnfcFindsTheUID() {
    var chip = selected()
    let answer = exchange(&chip, "0B")
    // On the air the least significant byte comes first; libnfc stores the 8 bytes as they come.
    #expect(answer?.reversed() == Self.uid)
    // Its presence check is Get_UID again.
    #expect(exchange(&chip, "0B") == answer)
  }

  @Test(arguments: [
    "0E00", "0B", "0805", "0905FFFFFFFF", "0C", "0F", "0604", "16", "06", "", "0601",
  ])
  func onlyInitiateIsHeardBeforeSelection(command: String) {
    var chip = Self.powered()
    #expect(exchange(&chip, command) == nil)
  }

  @Test func silentWithoutPowerCheckOrModulation() {
    var off = SRIX4K(uid: Self.uid)
    #expect(exchange(&off, "0600") == nil)
    var chip = Self.powered()
    #expect(bare(&chip, [0x06, 0x00, 0x00, 0x00]) == nil)
    let answers = [.typeA([0x06, 0x00]), RadioFrame([0x05], modulation: .typeB)]
      .map { chip.receive($0) }
    #expect(answers == [nil, nil])
  }

  /// Pcall16 draws a slot; the chip answers in that one, and in slot 0 at once.
  @Test func everySlotIsFound() {
    var chip = Self.powered()
    _ = exchange(&chip, "0600")
    var slots: Set<UInt8> = []
    for _ in 0..<200 {
      var answers = exchange(&chip, "0604").map { [$0] } ?? []
      for slot in UInt8(1)...15 {
        if let answer = exchange(&chip, [slot << 4 | 0x06]) {
          #expect(answer[0] & 0x0F == slot)
          answers.append(answer)
        }
      }
      #expect(answers.count == 1)
      slots.formUnion(answers.map { $0[0] & 0x0F })
    }
    #expect(slots.count == 16)
  }

  @Test func stateDiagram() {
    var chip = selected()
    let chipID = (exchange(&chip, "0C"), exchange(&chip, "0600"))
    // Reset_to_inventory has no answer; Initiate is heard again.
    #expect(chipID.0 == nil)
    #expect(chipID.1?.count == 1)
    let select = [0x0E] + (chipID.1 ?? [])
    #expect(exchange(&chip, select) == chipID.1)
    // Another chip is selected: this one waits until its own Chip_ID comes.
    #expect(exchange(&chip, [0x0E, (chipID.1?[0] ?? 0) ^ 0x55]) == nil)
    #expect(exchange(&chip, "0B") == nil)
    #expect(exchange(&chip, "0600") == nil)
    #expect(exchange(&chip, select) == chipID.1)
    // Completion: nothing but a power cycle helps.
    #expect(exchange(&chip, "0F") == nil)
    #expect(exchange(&chip, select) == nil)
    #expect(exchange(&chip, "0600") == nil)
    chip.powerOff()
    chip.powerOn()
    #expect(exchange(&chip, "0600") != nil)
  }

  @Test(arguments: [
    // Block, writes, what is read then. Data sheet 4.1: OTP bits only go from 1 to 0.
    ("00", ["FFFF00FF", "0FFFFFFF"], "0FFF00FF"),
    ("04", ["00000000", "FFFFFFFF"], "00000000"),
    // 4.2: counters only go down, least significant byte first.
    ("05", ["FDFFFFFF", "FEFFFFFF"], "FDFFFFFF"),
    ("05", ["FFFFFFFF"], "FEFFFFFF"),
    ("06", ["00FFFFFF", "FFFEFFFF", "FFFFFF00"], "FFFFFF00"),
    // 4.3: EEPROM.
    ("07", ["01020304", "FFFEFDFC"], "FFFEFDFC"),
    ("7F", ["01020304"], "01020304"),
  ])
  func writing(block: String, writes: [String], result: String) {
    var chip = selected()
    for data in writes { #expect(exchange(&chip, "09" + block + data) == nil) }
    #expect(exchange(&chip, "08" + block) == hex(result))
  }

  /// 4.2: when bits 31 to 21 of counter 6 change, blocks 0 to 4 can be written anew until the chip is
  /// selected or powered again.
  @Test func counter6ReloadsTheOTPArea() {
    var chip = selected()
    _ = exchange(&chip, "090000000000")
    _ = exchange(&chip, "0906FFFFDFFF")
    _ = exchange(&chip, "090012345678")
    #expect(exchange(&chip, "0800") == hex("12345678"))
    _ = exchange(&chip, "0900FFFFFFFF")
    #expect(exchange(&chip, "0800") == hex("FFFFFFFF"))
    chip.powerOff()
    chip.powerOn()
    let chipID = exchange(&chip, "0600") ?? []
    _ = exchange(&chip, [0x0E] + chipID)
    _ = exchange(&chip, "090000FFFFFF")
    _ = exchange(&chip, "0900FFFFFFFF")
    #expect(exchange(&chip, "0800") == hex("00FFFFFF"))
    // Bits below 21 do not reload.
    _ = exchange(&chip, "0906FFFFC1FF")
    _ = exchange(&chip, "0900FFFFFFFF")
    #expect(exchange(&chip, "0800") == hex("00FFFFFF"))
  }

  /// 4.4.1: bit 24 locks blocks 7 and 8, bit 25 block 9, … bit 31 block 15; for good.
  @Test(arguments: [(0, [7, 8]), (1, [9]), (2, [10]), (6, [14]), (7, [15])])
  func otpLockRegister(bit: Int, locked: [Int]) {
    var chip = selected()
    _ = exchange(&chip, hex("09FFFFFFFF") + [~(1 << UInt8(bit))])
    _ = exchange(&chip, "09FFFFFFFFFF")
    #expect(exchange(&chip, "08FF")?.last == ~(1 << UInt8(bit)))
    for block in 7...16 {
      _ = exchange(&chip, [0x09, UInt8(block), 1, 2, 3, 4])
      let data = exchange(&chip, [0x08, UInt8(block)])
      #expect(data == (locked.contains(block) ? hex("FFFFFFFF") : [1, 2, 3, 4]))
    }
  }

  @Test(arguments: ["0880", "08FE", "08", "080000", "0B00", "0A010203040506", "0907FFFFFF"])
  func unknownIsSilent(command: String) {
    var chip = selected()
    #expect(exchange(&chip, command) == nil)
    #expect(exchange(&chip, "0B") != nil)
  }

  @Test func memory() {
    var chip = Self.powered()
    #expect(chip.memory.count == 129 * 4)
    let dump = (0..<(129 * 4)).map { UInt8($0 % 251) }
    chip.memory = dump
    #expect(chip.memory == dump)
    chip.memory = [1, 2, 3, 4, 5]
    #expect(chip.memory == [1, 2, 3, 4] + dump.dropFirst(4))
  }

  @Test func anyFrameIsSurvived() {
    var chip = selected()
    fuzz(
      &chip, seed: 4,
      commands: ["0600", "0604", "16", "0E", "08", "09", "0B", "0C"].map(hex))
  }
}

@Suite struct CTS512BTests: TypeBTesting {
  static let serialNumber: [UInt8] = [0x02, 0x60, 0x08, 0x28]

  /// What libnfc 1.8.0 does: REQT, SELECT for any ticket, READ of word 4; it puts together the lower
  /// half, product code, fab code, the upper half, and prints the number both ways.
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

@Suite struct CalypsoBPrimeTests: TypeBTesting {
  static let div: [UInt8] = [0x1C, 0x8A, 0x52, 0xF7]

  /// How libnfc 1.8.0 reads REPGEN: skip an address, 07, DIV, version, then by its bits a
  /// configuration and an ATR of the rest.
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
    // T0 says TB1 and TC1 (60) and 15 historical bytes.
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
