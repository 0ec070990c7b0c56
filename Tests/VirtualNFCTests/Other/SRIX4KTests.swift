import Testing

@testable import VirtualNFC

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

  /// 4.2: when bits 31 to 21 of counter 6 change, blocks 0 to 4 can be written again until the chip is
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

  /// 4.4.1: bit 24 locks blocks 7 and 8, bit 25 block 9, … bit 31 block 15; permanently.
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

  /// OTP_Lock_Reg of an SRI512 and an SRT512 has a bit for each block, counters included; that of an SRIX512 is as an
  /// SRIX4K's.
  @Test(arguments: [
    (0x06, 2, 5, [5]), (0x06, 2, 7, [7]), (0x06, 3, 0, [8]), (0x0C, 3, 7, [15]),
    (0x04, 2, 7, []), (0x04, 3, 0, [7, 8]),
  ])
  func otpLockRegisterOfSmallChips(code: UInt8, byte: Int, bit: Int, locked: [Int]) {
    var chip = SRIX4K(uid: [0xD0, 0x02, code << 2] + Self.uid.dropFirst(3), blockCount: 16)
    chip.powerOn()
    let chipID = exchange(&chip, "0600") ?? []
    #expect(exchange(&chip, [0x0E] + chipID) == chipID)
    var system: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    system[byte] = ~(1 << UInt8(bit))
    let before = chip.irreversibleState
    _ = exchange(&chip, hex("09FF") + system)
    #expect(chip.irreversibleState.changes(since: before).isEmpty == locked.isEmpty)
    for block in 5...15 {
      let old = exchange(&chip, [0x08, UInt8(block)])
      _ = exchange(&chip, [0x09, UInt8(block), 1, 2, 3, 4])
      let data = exchange(&chip, [0x08, UInt8(block)])
      #expect(data == (locked.contains(block) ? old : [1, 2, 3, 4]), "\(block)")
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
