import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct VicinityChipTests {
  static let uid = "838ED22A080104E0"

  static func slix2() -> VicinityReader<ICODESLIX2> { VicinityReader(ICODESLIX2()) }

  static let chips: [any VicinityChip] = [
    ICODESLIX2(), ICODESLIX(), ICODESLIXL(), ICODESLIXS(), ICODEDNA(), NTAG5Link(),
    PlainVicinityChip(.icodeSLIS), ST25DV(.st25dv64K),
    ST25DV(.st25dv16K), ST25DV(.st25dv04K), PlainVicinityChip(.st25tv02K),
    ST25TV02KC(), PlainVicinityChip(.tagItHFIPlus), PlainVicinityChip(.mb89r118),
  ]

  @Test func namesAndUIDs() {
    #expect(
      Self.chips.map(\.name) == [
        "icode-slix2", "icode-slix", "icode-slix-l", "icode-slix-s", "icode-dna",
        "ntag5-link", "icode-sli-s",
        "st25dv", "st25dv16k", "st25dv04k", "st25tv", "st25tv02kc", "tag-it", "mb89r118",
      ])
    #expect(Set(Self.chips.map(\.identifier)).count == Self.chips.count)
    let products = Self.chips.map { ISO15693Chip.tagProduct(uid: $0.identifier)?.name }
    #expect(
      products == [
        "ICODE SLIX2", "ICODE SLIX", "ICODE SLIX-L", "ICODE SLIX-S", "ICODE DNA or NTAG 5",
        "ICODE DNA or NTAG 5", "ICODE SLI-S", "ST25DV16K/64K", "ST25DV16K/64K", "ST25DV04K",
        "ST25TV512/02K", "ST25TV512C/02KC",
        "Tag-it HF-I Plus", "MB89R118",
      ])
  }

  /// Chips that are formatted on delivery begin with a container and an empty message.
  @Test(arguments: [
    (VirtualTag.icodeSLIX2(), "E14027010300FE00", 320),
    (.icodeSLIX(), "E1400D010300FE00", 112),
    (.icodeSLIXL(), "E14003000300FE00", 32),
    (.icodeSLIXS(), "E14013000300FE00", 160),
    (.icodeDNA(), "E1401F010300FE00", 256),
    (.ntag5Link(), "E14080090300FE00", 2048),
    (.icodeSLIS(), "E14013000300FE00", 160),
    (.st25dv(), "E2400001000003FF0300FE00", 8192),
    (.st25dv16K(), "E240FF010300FE00", 2048),
    (.st25dv04K(), "E1403F010300FE00", 512),
    (.st25tv(), "E1401F010300FE00", 256),
    (.tagIt(), "E1401F190300FE00", 256),
    (.mb89r118(), "E140F9090300FE00", 2000),
  ])
  func formatted(tag: VirtualTag, beginning: String, size: Int) {
    #expect(tag.memory.prefix(beginning.count / 2).hexadecimal == beginning)
    #expect(tag.memory.count == size)
    #expect(tag.modulation == .iso15693)
  }

  @Test func blankAndWithMessage() throws {
    #expect(VirtualTag.icodeSLIX2(formatted: false).memory.allSatisfy { $0 == 0 })
    let message: [UInt8] = [0xD0, 0x00, 0x00]
    let tag = try VirtualTag.icodeSLIX2(ndef: message)
    #expect(tag.memory.prefix(12).hexadecimal == "E14027010303D00000FE0000")
    #expect(
      try VirtualTag.icodeSLIX2(ndef: pattern(308)).memory[4..<8] == [0x03, 0xFF, 0x01, 0x34])
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 308)) {
      try VirtualTag.icodeSLIX2(ndef: pattern(309))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 102)) {
      try VirtualTag.icodeSLIX(ndef: pattern(103))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 8180)) {
      try VirtualTag.vicinity(.st25dv64K, ndef: pattern(8181))
    }
  }

  // MARK: Inventory

  @Test(arguments: [
    ("260100", true), ("26010403", true), ("26010402", false), ("26010883", true),
    ("260140" + uid, true), ("260140" + "828ED22A080104E0", false),
    // The chip has AFI 00, so only inventories for all families match.
    ("36010000", true), ("36014200", false), ("3601F000", false),
    // A mask longer than the UID.
    ("260141" + uid + "00", false),
  ])
  func oneSlot(request: String, answers: Bool) {
    #expect(Self.slix2().ask(request) == (answers ? "0000" + Self.uid : ""))
  }

  /// ISO/IEC 15693-3, 7.2.3: families and subfamilies.
  @Test(arguments: [
    ("00", true), ("40", true), ("02", true), ("42", true), ("50", false), ("03", false),
    ("43", false), ("52", false),
  ])
  func applicationFamily(afi: String, answers: Bool) {
    let reader = Self.slix2()
    #expect(reader.ask("022742") == "00")
    #expect(reader.ask("3601" + afi + "00") == (answers ? "0000" + Self.uid : ""))
  }

  /// The UID ends in 83: slot 3, and after a mask of four bits slot 8.
  @Test(arguments: [("060100", 3), ("06010403", 8), ("06010C830E", 8)])
  func sixteenSlots(request: String, slot: Int) throws {
    var chip = ICODESLIX2()
    let frame = try #require([UInt8](hexadecimal: request))
    #expect(chip.receive(.iso15693(frame)) == nil)
    for passed in 1..<16 {
      let answer = chip.receive(.iso15693EndOfFrame)
      #expect((answer != nil) == (passed == slot), "slot \(passed)")
    }
  }

  @Test func anotherRequestEndsTheSlots() {
    var chip = ICODESLIX2()
    #expect(chip.receive(.iso15693([0x06, 0x01, 0x00])) == nil)
    #expect(chip.receive(.iso15693([0x02, 0x20, 0x00])) != nil)
    for _ in 0..<16 { #expect(chip.receive(.iso15693EndOfFrame) == nil) }
  }

  // MARK: States

  @Test func quiet() {
    let reader = Self.slix2()
    #expect(reader.ask("2202" + Self.uid) == "")
    #expect(reader.ask("260100") == "")
    #expect(reader.ask("022000") == "")
    #expect(reader.ask("2220" + Self.uid + "00") == "00E1402701")
    #expect(reader.ask("2226" + Self.uid) == "00")
    #expect(reader.ask("022000") == "00E1402701")
    // A request that is not addressed is not executed.
    #expect(reader.ask("0202") == "")
    #expect(reader.ask("022000") == "00E1402701")
  }

  @Test func selected() {
    let reader = Self.slix2()
    #expect(reader.ask("122000") == "")
    #expect(reader.ask("2225" + Self.uid) == "00")
    #expect(reader.ask("122000") == "00E1402701")
    #expect(reader.ask("2225" + "0011223344556677") == "")
    #expect(reader.ask("122000") == "")
    #expect(reader.ask("022000") == "00E1402701")
    #expect(reader.ask("0225") == "")
    reader.restart()
    #expect(reader.ask("122000") == "")
  }

  @Test func powerEndsQuiet() {
    let reader = Self.slix2()
    #expect(reader.ask("2202" + Self.uid) == "")
    reader.restart()
    #expect(reader.ask("022000") == "00E1402701")
  }

  // MARK: Commands

  @Test(arguments: [
    ("022000", "00E1402701"), ("422000", "0000E1402701"), ("02230001", "00E14027010300FE00"),
    ("42230001", "0000E1402701000300FE00"), ("0220FF", ""), ("2220" + uid + "FF", "010F"),
    // What lies beyond the end is left out.
    ("02234E05", "000000000000000000"), ("2223" + uid + "5000", "010F"),
    ("022B", "000F" + uid + "00004F0301"), ("022C0001", "000000"), ("022C4E05", "000000"),
    ("022C5000", ""), ("222C" + uid + "5000", "010F"),
    // Unknown commands and wrong lengths are refused if they are addressed, and otherwise not answered.
    ("2224" + uid + "0000AABBCCDD", "010F"), ("02240000AABBCCDD", ""), ("2220" + uid, "010F"),
    ("0220", ""), ("2230" + uid + "0000", "010F"), ("022101AABB", ""),
    ("2221" + uid + "01AABB", "010F"), ("2220" + "0000000000000000" + "00", ""),
    // The protocol extension flag, which it does not support.
    ("0A200000", ""), ("2A20" + uid + "0000", ""),
    // Another maker's custom command.
    ("02BD02", ""), ("22BF04" + uid, "010F"),
  ])
  func answers(request: String, answer: String) {
    #expect(Self.slix2().ask(request) == answer)
  }

  @Test func writeAndLock() {
    let reader = Self.slix2()
    #expect(reader.ask("022105AABBCCDD") == "00")
    #expect(reader.ask("022205") == "00")
    #expect(reader.refusals("02210511223344") == ICODETests.refused)
    #expect(reader.refusals("022205") == ICODETests.refused)
    #expect(reader.ask("422005") == "0001AABBCCDD")
    #expect(reader.ask("022C0401") == "000001")
    #expect(reader.ask("022942") == "00")
    #expect(reader.ask("022A") == "00")
    #expect(reader.refusals("022943") == ICODETests.refused)
    #expect(reader.refusals("022A") == ICODETests.refused)
    #expect(reader.ask("0228") == "00")
    #expect(reader.refusals("022743") == ICODETests.refused)
    reader.restart()
    #expect(reader.refusals("02210511223344") == ICODETests.refused)
    #expect(reader.chip.memory[20..<24].hexadecimal == "AABBCCDD")
  }

  @Test func optionWaitsForTheEndOfFrame() throws {
    var chip = PlainVicinityChip(.tagItHFIPlus)
    let write = try #require([UInt8](hexadecimal: "422105AABBCCDD"))
    #expect(chip.receive(.iso15693EndOfFrame) == nil)
    #expect(chip.receive(.iso15693(write)) == nil)
    #expect(chip.receive(.iso15693EndOfFrame)?.checkedPayload == [0x00])
    #expect(chip.receive(.iso15693EndOfFrame) == nil)
    #expect(chip.receive(.iso15693(Array([0x02] + write.dropFirst())))?.checkedPayload == [1, 3])
    #expect(chip.receive(.iso15693([0x02, 0x22, 0x05]))?.checkedPayload == [1, 3])
  }

  @Test func brokenFramesAreNotAnswered() {
    var chip = ICODESLIX2()
    var frame = RadioFrame.iso15693([0x02, 0x20, 0x00])
    frame.bytes[0] ^= 0x20
    #expect(chip.receive(frame) == nil)
    frame = RadioFrame([0x02], modulation: .iso15693)
    #expect(chip.receive(frame) == nil)
    frame = RadioFrame.iso15693([0x02, 0x20, 0x00])
    frame.modulation = .typeB
    #expect(chip.receive(frame) == nil)
  }

  // MARK: Chips

  @Test func st25dv() {
    let reader = VicinityReader(PlainVicinityChip(.st25dv64K), command: 65536, response: 65536)
    let uid = "C7145D6B002602E0"
    #expect(reader.ask("022B") == "000B" + uid + "000026")
    #expect(reader.ask("023B3F").hasPrefix("003F" + uid + "0000FF070326"))
    #expect(reader.ask("023B04") == "0004" + uid + "FF0703")
    #expect(reader.ask("0231FF07AABBCCDD") == "00")
    #expect(reader.ask("0230FF07") == "00AABBCCDD")
    // The error for one block beyond the end differs from that for several blocks.
    #expect(reader.ask("02300008") == "0110")
    #expect(reader.ask("0233FF070100") == "010F")
    #expect(reader.ask("0233FE070100") == "0000000000AABBCCDD")
    #expect(reader.ask("0232FF07") == "00")
    #expect(reader.ask("0231FF0711223344") == "0112")
    #expect(reader.ask("023CFE070100") == "000001")
    #expect(reader.ask("02240401" + "1111111122222222") == "00")
    #expect(reader.ask("02240404" + String(repeating: "00", count: 20)) == "010F")
    #expect(reader.ask("02330000FF07").count == 2 + 2 * 8192)
  }

  @Test func slisReadsOneAtATime() {
    let reader = VicinityReader(PlainVicinityChip(.icodeSLIS))
    #expect(reader.ask("02230001") == "")
    #expect(reader.ask("2223" + "15A9623D000204E0" + "0001") == "010F")
    #expect(reader.ask("422000") == "0000E1401300")
  }

  /// A real ICODE SLIX: WRITE MULTIPLE BLOCKS at the low data rate (stackoverflow.com, question 40798116).
  @Test func slixHasNoWriteOfSeveralBlocks() {
    let reader = VicinityReader(ICODESLIX())
    let blocks = String(repeating: "31", count: 76)
    #expect(reader.ask("2024" + "9A713E2C500104E0" + "0012" + blocks) == "010F")
    #expect(reader.chip.memory.prefix(8).hexadecimal == "E1400D010300FE00")
  }

  /// Real ICODE SLI-S: a write that is refused, which is not answered without the UID (stackoverflow.com, question
  /// 17641466); a write with the option flag, which is refused at once (proxmark.org, forum, topic 7683).
  @Test func slisRefusesWithoutAReason() throws {
    let reader = VicinityReader(ICODESLIXS(.icodeSLIS, uid: nil))
    let uid = "15A9623D000204E0"
    #expect(reader.ask("02B6040010") == "00")
    #expect(reader.ask("2220" + uid + "00") == "00E1401300")
    #expect(reader.ask("022000") == "00E1401300")
    #expect(reader.ask("02210000000000") == "")
    #expect(reader.ask("2221" + uid + "0000000000") == "010F")
    #expect(reader.ask("422000") == "0000E1401300")

    let write = try #require([UInt8](hexadecimal: "6221" + uid + "0511223344"))
    #expect(reader.chip.receive(.iso15693(write))?.checkedPayload == [0x01, 0x0F])
    #expect(reader.chip.receive(.iso15693EndOfFrame) == nil)
    #expect(reader.ask("022005") == "0000000000")
    #expect(reader.ask("02210511223344") == "00")
    #expect(reader.ask("022005") == "0011223344")
  }

  @Test func fujitsuAcceptsTwoBlocks() {
    let reader = VicinityReader(PlainVicinityChip(.mb89r118))
    #expect(reader.ask("02230001").count == 2 + 32)
    #expect(reader.ask("02230002") == "010F")
    #expect(reader.ask("02240A01" + String(repeating: "AB", count: 16)) == "00")
    #expect(reader.ask("02200A") == "00" + String(repeating: "AB", count: 8))
    #expect(reader.ask("0220FA") == "0110")
  }

  // MARK: Any frames

  /// No frame traps a chip, in any state after earlier frames.
  @Test func anyFrames() {
    var generator = SplitMix64(seed: 15693)
    var answered = 0
    for chip in Self.chips {
      var chip = chip
      let size = chip.memory.count
      for round in 0..<1000 {
        var bytes = generator.bytes(upTo: 20)
        // Half of them are commands that the chip may support, some of them addressed.
        if round.isMultiple(of: 2) {
          let code = UInt8.random(in: 0x20...0x3D, using: &generator)
          let custom = UInt8.random(in: 0xA0...0xBF, using: &generator)
          bytes =
            Bool.random(using: &generator)
            ? [0x02, code] + bytes : [0x02, custom, chip.identifier[1]] + bytes
          if Bool.random(using: &generator), bytes.count > 2 {
            bytes = [0x22] + bytes[1...1] + chip.identifier.reversed() + bytes[2...]
          }
        }
        let frame = round % 7 == 0 ? RadioFrame.iso15693EndOfFrame : .iso15693(bytes)
        if chip.receive(frame)?.checkedPayload != nil { answered += 1 }
        if round % 50 == 0 {
          chip.powerOff()
          chip.powerOn()
        }
      }
      #expect(chip.memory.count == size)
    }
    #expect(answered > 300)
  }
}
