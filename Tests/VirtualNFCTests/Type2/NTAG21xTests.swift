import NFCCore
import Testing

@testable import VirtualNFC

/// Rules of the data sheets NTAG213/215/216 rev. 3.2 and NTAG210/212 rev. 3.0.
@Suite struct NTAG21xTests {
  struct Script: Sendable, CustomTestStringConvertible {
    let name: String
    let chip: String
    let lines: String

    init(_ name: String, _ chip: String = "ntag213", _ lines: String) {
      self.name = name
      self.chip = chip
      self.lines = lines
    }

    var testDescription: String { "\(chip): \(name)" }
  }

  static let identification = [
    // GET_VERSION, table 28 and NTAG210/212 table 20.
    Script("version", "ntag210", "60 > 0004040101000B03"),
    Script("version", "ntag212", "60 > 0004040101000E03"),
    Script("version", "ntag213", "60 > 0004040201000F03"),
    Script("version", "ntag215", "60 > 0004040201001103"),
    Script("version", "ntag216", "60 > 0004040201001303"),
    // READ_SIG: the pairs of NXP's published chips.
    Script(
      "signature", "ntag213",
      """
      30 00 > 04E10C61 DA993C80 FF480000 E1101200
      3C 00 > 8B76052EE42F5567BEB53238B3E3F9950707C0DCC956B5C5EFCFDB709B2D82B3
      """),
    Script(
      "signature", "ntag215",
      "3C 00 > 6048EFD9417CD10F6B7F1818D471A7FE5B46868D2EABDC6307A1E0AAE139D8D0"),
    Script(
      "signature", "ntag216",
      "3C 00 > 660B9EEB2AACBD9755EA7769D40DACBF71A3512A7AAD5B803CD45D2D33795FDA"),
    Script("signature has one address", "ntag213", "3C 01 > N0"),
    // Factory contents, tables 6 to 8.
    Script(
      "delivery", "ntag210",
      """
      30 03 > E1100600 0300FE00 00000000 00000000
      30 10 > 040000FF 00050000 00000000 00000000
      """),
    Script("delivery", "ntag212", "30 03 > E1101000 0103900A 340300FE 00000000"),
    Script(
      "delivery", "ntag213",
      """
      30 03 > E1101200 0103A00C 340300FE 00000000
      30 28 > 000000BD 040000FF 00050000 00000000
      """),
    Script("delivery", "ntag215", "30 03 > E1103E00 0300FE00 00000000 00000000"),
    Script("delivery", "ntag216", "30 03 > E1106D00 0300FE00 00000000 00000000"),
  ]

  static let reading = [
    // READ begins anywhere and goes on with page 0 after the last.
    Script("roll over", "ntag213", "30 2B > 00000000 00000000 04E10C61 DA993C80"),
    Script("roll over", "ntag210", "30 13 > 00000000 043F71C2 D28A5980 81480000"),
    Script("roll over", "ntag216", "30 E6 > 00000000 04A78BA0 62C21B90 2B480000"),
    Script("beyond the end", "ntag210", "30 14 > N0"),
    Script("beyond the end", "ntag212", "30 29 > N0"),
    Script("beyond the end", "ntag213", "30 2D > N0"),
    Script("beyond the end", "ntag215", "30 87 > N0"),
    Script("beyond the end", "ntag216", "30 E7 > N0"),
    Script("one page", "ntag213", "3A 03 03 > E1101200"),
    Script("three pages", "ntag213", "3A 03 05 > E1101200 0103A00C 340300FE"),
    Script("to the end", "ntag213", "3A 2B 2C > 00000000 00000000"),
    Script("no roll over", "ntag213", "3A 2C 2D > N0"),
    Script("backwards", "ntag213", "3A 05 04 > N0"),
    Script("without an end", "ntag213", "3A 04 > N0"),
  ]

  static let writing = [
    Script(
      "write and read back", "ntag213",
      """
      A2 27 DEADBEEF > A
      3A 27 27 > DEADBEEF
      """),
    Script("the UID", "ntag213", "A2 00 00000000 > N0"),
    Script("the UID", "ntag213", "A2 01 00000000 > N0"),
    Script("beyond the end", "ntag213", "A2 2D 00000000 > N0"),
    Script("three bytes", "ntag213", "A2 05 000000 > N0"),
    Script("five bytes", "ntag213", "A2 05 0000000000 > N0"),
    // Bits of page 3 can be set only; bytes 0 and 1 of page 2 do not change.
    Script(
      "one-time bits", "ntag213",
      """
      A2 03 0000120F > A
      A2 03 00000000 > A
      30 02 > FF480000 E110120F 0103A00C 340300FE
      """),
    Script(
      "internal bytes", "ntag213",
      """
      A2 02 FFFF0000 > A
      3A 02 02 > FF480000
      """),
    Script(
      "dynamic lock bytes keep BD", "ntag213",
      """
      A2 28 00000000 > A
      3A 28 28 > 000000BD
      A2 28 FFFFFFFF > A
      3A 28 28 > FF0F3FBD
      """),
    Script(
      "COMPATIBILITY_WRITE takes four bytes of sixteen", "ntag213",
      """
      A0 06 > A
      0102030405060708090A0B0C0D0E0F10 > A
      3A 06 07 > 01020304 00000000
      """),
    Script("COMPATIBILITY_WRITE to the UID", "ntag213", "A0 01 > N0"),
    Script("COMPATIBILITY_WRITE beyond the end", "ntag213", "A0 2D > N0"),
    Script(
      "COMPATIBILITY_WRITE with too few data", "ntag213",
      """
      A0 06 > A
      01020304 > N0
      30 06 > -
      select
      3A 06 06 > 00000000
      """),
    Script(
      "COMPATIBILITY_WRITE takes HLTA for data", "ntag213",
      """
      A0 06 > A
      50 00 > N0
      select
      30 06 > 00000000 00000000 00000000 00000000
      """),
    Script(
      "COMPATIBILITY_WRITE takes GET_VERSION for data", "ntag213",
      """
      A0 06 > A
      60 > N0
      """),
  ]

  static let refusals = [
    // After a NAK the chip is in IDLE: mute until REQA.
    Script(
      "mute after a NAK", "ntag213",
      """
      30 FF > N0
      30 00 > -
      60 > -
      request
      60 > 0004040201000F03
      """),
    Script(
      "in HALT after a NAK if it came from there", "ntag213",
      """
      halt
      30 00 > -
      select
      30 FF > N0
      30 00 > -
      select
      60 > 0004040201000F03
      """),
    Script("a byte too many", "ntag213", "60 00 > N0"),
    Script("unknown command", "ntag213", "61 > N0"),
    Script("nothing but a check", "ntag213", " > N0"),
    Script("AUTHENTICATE of Ultralight C", "ntag213", "1A 00 > N0"),
    Script("SECTOR_SELECT", "ntag213", "C2 FF > N0"),
    Script("INCR_CNT of Ultralight EV1", "ntag213", "A5 00 01000000 > N0"),
    Script("counter of a chip without one", "ntag210", "39 02 > N0"),
    Script("counter of a chip without one", "ntag212", "39 02 > N0"),
  ]

  static let counting = [
    Script("READ_CNT while disabled", "ntag213", "39 02 > N0"),
    Script(
      "counts once in each field", "ntag213",
      """
      A2 2A 10050000 > A
      reselect
      39 02 > 000000
      30 04 > …00
      39 02 > 010000
      3A 04 05 > …FE
      30 04 > …00
      39 02 > 010000
      reselect
      30 04 > …00
      39 02 > 010000
      field
      39 02 > 010000
      3A 04 05 > …FE
      39 02 > 020000
      """),
    Script(
      "a refused READ does not count", "ntag213",
      """
      A2 2A 10050000 > A
      field
      30 FF > N0
      select
      39 02 > 000000
      """),
    Script(
      "other counters do not exist", "ntag213",
      """
      A2 2A 10050000 > A
      field
      39 00 > N0
      """),
    Script(
      "protected by the password", "ntag213",
      """
      A2 2A 18050000 > A
      field
      39 02 > N0
      select
      1B FFFFFFFF > 0000
      39 02 > 000000
      reselect
      39 02 > N0
      """),
  ]

  static let passwords = [
    Script("as delivered", "ntag216", "1B FFFFFFFF > 0000"),
    Script(
      "wrong password", "ntag216",
      """
      1B 00000000 > N0
      1B FFFFFFFF > -
      select
      1B FFFFFFFF > 0000
      """),
    Script("too short", "ntag216", "1B FFFFFF > N0"),
    Script(
      "password and acknowledge read as zeros", "ntag216",
      """
      A2 E5 01020304 > A
      A2 E6 AABB0000 > A
      1B 01020304 > AABB
      3A E5 E6 > 00000000 00000000
      """),
    // AUTH0 counts from the next selection on: traces of an NTAG215.
    Script(
      "protects writing", "ntag215",
      """
      A2 83 04000010 > A
      A2 10 01020304 > A
      reselect
      A2 0F 01020304 > A
      30 10 > 01020304 00000000 00000000 00000000
      A2 10 05060708 > N0
      select
      A0 10 > N0
      select
      1B FFFFFFFF > 0000
      A2 10 05060708 > A
      3A 10 10 > 05060708
      reselect
      A2 10 01020304 > N0
      """),
    Script(
      "protects reading, and READ rolls over before the protected page", "ntag215",
      """
      A2 83 04000006 > A
      A2 84 80050000 > A
      30 06 > 00000000 00000000 00000000 00000000
      reselect
      30 05 > 00000000 04DB0B5C DA993C80 FF480000
      30 06 > N0
      select
      3A 00 06 > N0
      select
      3A 05 05 > 00000000
      1B FFFFFFFF > 0000
      30 05 > 00000000 00000000 00000000 00000000
      3A 83 84 > 04000006 80050000
      """),
    Script(
      "protects even page 0", "ntag215",
      """
      A2 83 04000000 > A
      A2 84 80050000 > A
      field
      30 00 > N0
      select
      60 > 0004040201001103
      1B FFFFFFFF > 0000
      30 00 > …00
      """),
    Script(
      "HLTA and errors end the authentication", "ntag215",
      """
      A2 83 04000010 > A
      field
      1B FFFFFFFF > 0000
      A2 10 01020304 > A
      30 FF > N0
      select
      A2 10 01020304 > N0
      """),
    // AUTHLIM, section 8.8.2: two may fail, the third failure locks for ever.
    Script(
      "limit of wrong passwords", "ntag215",
      """
      A2 83 04000010 > A
      A2 84 02050000 > A
      field
      1B 00000000 > N0
      select
      1B 00000000 > N0
      field
      1B FFFFFFFF > 0000
      reselect
      1B 00000000 > N0
      select
      1B 00000000 > N0
      select
      1B 00000000 > N4
      select
      1B FFFFFFFF > N4
      field
      1B FFFFFFFF > N4
      select
      A2 10 00000000 > N0
      select
      A2 0F 00000000 > A
      """),
    Script(
      "no limit", "ntag215",
      (0..<20).map { _ in "1B 00000000 > N0\nselect\n" }.joined() + "1B FFFFFFFF > 0000"),
    // CFGLCK counts from the next power-up on, and spares PWD and PACK: section 8.5.7.
    Script(
      "lock of the configuration", "ntag215",
      """
      A2 84 40050000 > A
      A2 83 040000FE > A
      reselect
      A2 83 040000FF > A
      field
      A2 83 040000FE > N0
      select
      A2 84 00050000 > N0
      select
      3A 83 84 > 040000FF 40050000
      A2 85 01020304 > A
      A2 86 05060000 > A
      1B 01020304 > 0506
      """),
  ]

  static let mirrors = [
    // Section 8.7: 14 digits of UID from byte 1 of page 0C on.
    Script(
      "UID", "ntag213",
      """
      A2 29 54000CFF > A
      30 0C > 00303445 31304344 41393933 43383000
      3A 0F 0F > 43383000
      """),
    Script(
      "counter", "ntag213",
      """
      A2 2A 10050000 > A
      A2 29 840004FF > A
      field
      30 04 > 30303030 303100FE 00000000 00000000
      """),
    Script(
      "both", "ntag213",
      """
      A2 2A 10050000 > A
      A2 29 F40004FF > A
      field
      30 04 > 0103A030 34453130 43444139 39334338
      30 08 > 30783030 30303031 00000000 00000000
      """),
    Script(
      "counter disabled", "ntag213",
      """
      A2 29 840004FF > A
      30 04 > 0103A00C 340300FE 00000000 00000000
      """),
    Script(
      "counter under the password", "ntag213",
      """
      A2 2A 18050000 > A
      A2 29 840004FF > A
      field
      30 04 > 0103A00C 340300FE 00000000 00000000
      1B FFFFFFFF > 0000
      30 04 > 30303030 303100FE 00000000 00000000
      """),
    Script(
      "off up to page 3", "ntag213",
      """
      A2 29 440003FF > A
      30 03 > E1101200 0103A00C 340300FE 00000000
      """),
    Script(
      "ends in the last user page", "ntag213",
      """
      A2 29 640024FF > A
      30 24 > 00003034 45313043 44413939 33433830
      """),
    Script(
      "would leave the user memory", "ntag213",
      """
      A2 29 740024FF > A
      30 24 > 00000000 00000000 00000000 00000000
      """),
    // NTAG210/212: a page alone switches it on.
    Script(
      "small chips", "ntag210",
      """
      A2 10 000008FF > A
      30 08 > 30343346 37314432 38413539 38300000
      """),
  ]

  @Test(
    arguments: identification + reading + writing + refusals + counting + passwords + mirrors)
  func rule(_ script: Script) throws {
    var bench = try Type2Bench(named: script.chip)
    bench.run(script.lines, script.testDescription)
  }

  /// Section 9.3: code 1 for a wrong check or parity; what has no whole bytes is no frame at all.
  @Test(arguments: [
    ("wrong CRC", RadioFrame.typeA(bare: [0x30, 0x00, 0x00, 0x00]), "N1"),
    ("no CRC", .typeA(bare: [0x60]), "N1"),
    ("nothing", .typeA(bare: []), "N1"),
    ("anticollision", .typeA(bare: [0x93, 0x20]), "N1"),
    (
      "parity",
      RadioFrame(
        [0x60] + CyclicRedundancyCheck.a([0x60]), modulation: .typeA, parity: [false, true, true]),
      "N1"
    ),
    ("a nibble", .typeA(bare: [0x0A], bitsInLastByte: 4), "-"),
    ("REQA", .typeA(bare: [0x26], bitsInLastByte: 7), "-"),
  ])
  func brokenFrames(name: String, frame: RadioFrame, answer: String) throws {
    for chip in Type2Chips.all {
      var bench = try Type2Bench(named: chip.name)
      #expect(Type2Bench.text(bench.chip.receive(frame)) == answer, "\(chip.name)")
      bench.run("30 00 > -\nrequest\n30 00 > …00")
    }
  }

  @Test func counterStaysAtItsEnd() {
    var chip = NTAG21x(.ntag216)
    chip.counter = 0xFFFFFE
    var bench = Type2Bench(chip)
    bench.run(
      """
      A2 E4 10050000 > A
      field
      30 04 > …00
      39 02 > FFFFFF
      field
      30 04 > …00
      39 02 > FFFFFF
      """)
  }

  @Test(arguments: [
    (NTAG21x.Product.ntag210, 80, 46), (.ntag212, 164, 121), (.ntag213, 180, 137),
    (.ntag215, 540, 492), (.ntag216, 924, 868),
  ])
  func sizes(product: NTAG21x.Product, bytes: Int, capacity: Int) throws {
    let longest = [UInt8](repeating: 0xA5, count: capacity)
    #expect(NTAG21x(product).memory.count == bytes)
    let chip = try NTAG21x(product, ndef: longest)
    #expect(chip.memory.count == bytes)
    #expect(chip.memory.suffix(16).prefix(4) == [0x04, 0x00, 0x00, 0xFF])
    #expect(throws: VirtualTagError.messageTooLarge(capacity: capacity)) {
      try NTAG21x(product, ndef: longest + [0xA5])
    }
  }

  @Test func messages() throws {
    let short = try NTAG21x(.ntag213, ndef: [0xD0, 0x00, 0x00]).memory
    #expect(short[16..<27].hexadecimal == "0103A00C340303D00000FE")
    let long = try NTAG21x(.ntag216, ndef: [UInt8](repeating: 1, count: 255)).memory
    #expect(long[16..<21].hexadecimal == "03FF00FF01")
    #expect(long[16 + 4 + 255] == 0xFE)
  }

  @Test func programmingMachine() {
    var chip = NTAG21x(.ntag213)
    let before = chip.memory
    #expect(before[(0x2B * 4)...].hexadecimal == "FFFFFFFF00000000")
    chip.memory = [UInt8](repeating: 0x77, count: 2000)
    #expect(chip.memory == before.prefix(9) + [UInt8](repeating: 0x77, count: 171))
    chip.memory = [1, 2, 3]
    #expect(chip.memory.prefix(9) == before.prefix(9))
  }

  @Test func dumps() throws {
    var source = NTAG21x(.ntag215, uid: [4, 1, 2, 3, 5, 6, 7])
    source.memory = source.memory.prefix(16) + [9, 9, 9, 9]
    let copy = try #require(NTAG21x(.ntag215, dump: source.memory))
    #expect(copy.identifier == source.identifier)
    #expect(copy.memory == source.memory)
    #expect(NTAG21x(.ntag216, dump: source.memory) == nil)
    #expect(NTAG21x(.ntag215, dump: []) == nil)
  }

  @Test func signaturesOfOtherUIDsDiffer() {
    let first = NTAG21x(.ntag215, uid: [4, 1, 2, 3, 5, 6, 7]).signature
    let second = NTAG21x(.ntag215, uid: [4, 1, 2, 3, 5, 6, 8]).signature
    #expect(first.count == 32 && second.count == 32 && first != second)
    #expect(first == NTAG21x(.ntag216, uid: [4, 1, 2, 3, 5, 6, 7]).signature)
  }
}
