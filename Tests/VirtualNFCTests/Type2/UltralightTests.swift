import NFCCore
import Testing

@testable import VirtualNFC

/// Rules of the data sheets MF0ICU1 rev. 3.9, NTAG203 rev. 3.0, MF0ICU2 rev. 3.3, MF0ULx1 rev. 3.3
/// and NT3H1101/NT3H1201 rev. 3.3.
@Suite struct UltralightTests {
  typealias Script = NTAG21xTests.Script

  static let ultralight = [
    Script(
      "formatted", "ultralight",
      """
      30 00 > 0458A377 61B72080 76480000 E1100600
      30 04 > 0300FE00 00000000 00000000 00000000
      """),
    Script("roll over", "ultralight", "30 0F > 00000000 0458A377 61B72080 76480000"),
    Script("beyond the end", "ultralight", "30 10 > N0"),
    Script("write beyond the end", "ultralight", "A2 10 00000000 > N0"),
    Script("the UID", "ultralight", "A2 01 00000000 > N0"),
    Script(
      "COMPATIBILITY_WRITE", "ultralight",
      """
      A0 0F > A
      AABBCCDD000000000000000000000000 > A
      30 0F > AABBCCDD 0458A377 61B72080 76480000
      """),
    Script("GET_VERSION", "ultralight", "60 > -"),
    Script("FAST_READ", "ultralight", "3A 00 01 > -"),
    Script("AUTHENTICATE", "ultralight", "1A 00 > -"),
  ]

  static let ntag203 = [
    // Table 7.
    Script(
      "delivery", "ntag203",
      """
      30 03 > E1101200 0103A010 440300FE 00000000
      30 26 > 00000000 00000000 00000000 00000000
      """),
    Script("roll over", "ntag203", "30 29 > 00000000 04925E40 C31A2780 7E480000"),
    Script("beyond the end", "ntag203", "30 2A > N0"),
    Script("write beyond the end", "ntag203", "A2 2A 00000000 > N0"),
    Script("GET_VERSION", "ntag203", "60 > N0"),
    Script("FAST_READ", "ntag203", "3A 00 01 > N0"),
    // Section 8.6.
    Script(
      "counter", "ntag203",
      """
      A2 29 00000000 > A
      A2 29 F0FF0000 > A
      field
      A2 29 0E000000 > A
      field
      A2 29 00000000 > A
      30 29 > FEFF0000 04925E40 C31A2780 7E480000
      A2 29 02000000 > N0
      field
      A2 29 01000000 > A
      field
      A2 29 01000000 > N0
      field
      30 29 > FFFF0000 04925E40 C31A2780 7E480000
      A2 29 00000000 > A
      """),
    Script(
      "counter takes steps up to 000F", "ntag203",
      """
      A2 29 01000000 > A
      A2 29 0F000000 > A
      A2 29 10000000 > N0
      select
      A2 29 01010000 > N0
      select
      30 29 > 10000000 04925E40 C31A2780 7E480000
      """),
  ]

  static let ultralightC = [
    // Table 13; the key is never read: section 7.5.7.
    Script(
      "formatted", "ultralight-c",
      """
      30 03 > E1101200 0103A010 440300FE 00000000
      30 28 > 00000000 00000000 30000000 00000000
      30 2B > 00000000 042D8425 F6531E80 3B480000
      30 2C > N0
      """),
    Script("write beyond the end", "ultralight-c", "A2 30 00000000 > N0"),
    Script("GET_VERSION", "ultralight-c", "60 > N0"),
    Script("FAST_READ", "ultralight-c", "3A 00 01 > N0"),
    // Figure 8.
    Script(
      "one-time bits", "ultralight-c",
      """
      A2 03 FFFC0507 > A
      A2 03 FF003980 > A
      30 03 > FFFC3F87 0103A010 440300FE 00000000
      """),
    // Section 7.5.11: the low four bits count, the rest is ignored.
    Script(
      "counter", "ultralight-c",
      """
      A2 29 34120000 > A
      field
      A2 29 F1FFFFFF > A
      field
      30 29 > 35120000 30000000 00000000 042D8425
      """),
    Script(
      "counter at its end", "ultralight-c",
      """
      A2 29 FEFF0000 > A
      field
      A2 29 02000000 > N0
      field
      A2 29 01000000 > A
      field
      A2 29 01000000 > N0
      field
      A2 29 00000000 > A
      30 29 > FFFF0000 30000000 00000000 042D8425
      """),
    Script(
      "AUTH0 and AUTH1 protect reading", "ultralight-c",
      """
      A2 2A 06000000 > A
      A2 05 01020304 > A
      reselect
      30 05 > 01020304 042D8425 F6531E80 3B480000
      30 06 > N0
      select
      A2 06 00000000 > N0
      """),
    Script(
      "AUTH1 leaves reading free", "ultralight-c",
      """
      A2 2A 06000000 > A
      A2 2B 01000000 > A
      reselect
      30 06 > 00000000 00000000 00000000 00000000
      30 2B > 01000000 042D8425 F6531E80 3B480000
      A0 06 > N0
      """),
    Script(
      "second half without the first", "ultralight-c", "AF 00112233445566778899AABBCCDDEEFF > N0"),
    Script("wrong argument", "ultralight-c", "1A 01 > N0"),
  ]

  static let ultralightEV1 = [
    Script("version", "ultralight-ev1", "60 > 0004030101000B03"),
    Script("version", "ultralight-ev1-128", "60 > 0004030101000E03"),
    Script(
      "signature", "ultralight-ev1",
      "3C 00 > CEA2EB0B3C95D0844A95B824A7553703B3702378033BF0987899DB70151A19E7"),
    Script(
      "signature", "ultralight-ev1-128",
      "3C 00 > A561506723D422D29ED9F93E60D20B9ED1E05CC1BF81DA19FE500CA0B81CC0ED"),
    Script(
      "formatted", "ultralight-ev1",
      """
      30 03 > E1100600 0300FE00 00000000 00000000
      30 10 > 000000FF 00050000 00000000 00000000
      """),
    Script(
      "formatted", "ultralight-ev1-128",
      """
      30 03 > E1101000 0300FE00 00000000 00000000
      3A 24 28 > 000000BD 000000FF 00050000 00000000 00000000
      """),
    Script("roll over", "ultralight-ev1", "30 13 > 00000000 04C12865 5A373080 DD480000"),
    Script("beyond the end", "ultralight-ev1", "30 14 > N0"),
    Script("beyond the end", "ultralight-ev1-128", "30 29 > N0"),
    // Section 10.7 and on: counters.
    Script(
      "counters", "ultralight-ev1",
      """
      39 00 > 000000
      A5 00 01000000 > A
      A5 00 000001FF > A
      39 00 > 010001
      A5 02 FFFFFF00 > A
      39 02 > FFFFFF
      A5 02 00000000 > A
      A5 02 01000000 > N4
      field
      39 02 > FFFFFF
      39 01 > 000000
      39 00 > 010001
      39 03 > N0
      """),
    Script("increment of no counter", "ultralight-ev1", "A5 03 01000000 > N0"),
    Script("short increment", "ultralight-ev1", "A5 00 010000 > N0"),
    Script("tearing", "ultralight-ev1", "3E 00 > BD\n3E 01 > BD\n3E 02 > BD\n3E 03 > N0"),
    Script(
      "VCSL", "ultralight-ev1",
      """
      4B 000102030405060708090A0B0C0D0E0F 00000000 > 05
      4B 000102030405060708090A0B0C0D0E0F 000000 > N0
      """),
    Script(
      "password", "ultralight-ev1",
      """
      A2 10 00000008 > A
      A2 11 81050000 > A
      A2 12 01020304 > A
      A2 13 0A0B0000 > A
      field
      30 08 > N0
      select
      30 07 > 00000000 04C12865 5A373080 DD480000
      1B FFFFFFFF > N0
      select
      1B 01020304 > 0A0B
      3A 10 13 > 00000008 81050000 00000000 00000000
      A2 08 01020304 > A
      reselect
      1B FFFFFFFF > N0
      select
      1B FFFFFFFF > N4
      select
      1B 01020304 > N4
      """),
    Script(
      "lock of the configuration", "ultralight-ev1-128",
      """
      A2 26 40050000 > A
      field
      A2 26 00050000 > N0
      select
      A2 25 00000000 > N0
      select
      A2 27 00000000 > A
      1B 00000000 > 0000
      """),
  ]

  static let ntagI2C = [
    Script("version", "ntag-i2c-1k", "60 > 0004040502011303"),
    Script("version", "ntag-i2c-2k", "60 > 0004040502011503"),
    Script(
      "delivery", "ntag-i2c-1k",
      """
      30 00 > 045A13B2 D8408100 44000000 E1106D00
      30 04 > 0300FE00 00000000 00000000 00000000
      30 E8 > 0100F848 08010000 00000000 00000000
      """),
    Script("delivery", "ntag-i2c-2k", "30 03 > E110EA00 0300FE00 00000000 00000000"),
    Script("zeros where there is no memory", "ntag-i2c-1k", "30 E1 > …000000000000"),
    Script("no memory", "ntag-i2c-1k", "30 E3 > N0"),
    Script("no memory", "ntag-i2c-1k", "30 EA > N0"),
    Script("no memory", "ntag-i2c-1k", "A2 E3 00000000 > N0"),
    Script("no memory", "ntag-i2c-2k", "C2 FF > A\n02000000 > N0"),
    Script("FAST_READ", "ntag-i2c-1k", "3A 03 04 > E1106D00 0300FE00"),
    Script("FAST_READ ends where there is no memory", "ntag-i2c-1k", "3A E2 E3 > N0"),
    Script(
      "session registers", "ntag-i2c-1k",
      """
      C2 FF > A
      03000000 > -
      30 F8 > 0100F848 08010100 00000000 00000000
      A2 F8 00000000 > N0
      select
      30 03 > E1106D00 0300FE00 00000000 00000000
      """),
    Script(
      "sectors of the 1K", "ntag-i2c-1k",
      """
      C2 FF > A
      01000000 > N0
      30 00 > -
      """),
    Script(
      "sectors of the 2K", "ntag-i2c-2k",
      """
      A2 FF 01020304 > A
      C2 FF > A
      01000000 > -
      A2 00 05060708 > A
      3A 00 00 > 05060708
      30 E8 > 0100F848 08010000 00000000 00000000
      30 E1 > N0
      select
      3A FF FF > 01020304
      """),
    // 32 pages a bit: bit 7 locks F0 to 10F, bit 14 locks 1D0 to 1DF.
    Script(
      "lock bits of the 2K", "ntag-i2c-2k",
      """
      C2 FF > A
      01000000 > -
      A2 E0 80400000 > A
      A2 10 00000000 > A
      A2 0F 00000000 > N0
      select
      A2 EF 00000000 > A
      A2 F0 00000000 > N0
      select
      C2 FF > A
      01000000 > -
      A2 CF 00000000 > A
      A2 D0 00000000 > N0
      """),
    Script("SECTOR_SELECT without FF", "ntag-i2c-1k", "C2 00 > N0"),
    Script("short sector", "ntag-i2c-1k", "C2 FF > A\n03 > N0"),
    Script("COMPATIBILITY_WRITE", "ntag-i2c-1k", "A0 04 > N0"),
    Script(
      "REG_LOCK", "ntag-i2c-1k",
      """
      A2 E9 08010100 > A
      A2 E9 08010000 > N0
      select
      A2 E8 00000000 > N0
      """),
  ]

  @Test(arguments: ultralight + ntag203 + ultralightC + ultralightEV1 + ntagI2C)
  func rule(_ script: Script) throws {
    var bench = try Type2Bench(named: script.chip)
    bench.run(script.lines, script.testDescription)
  }

  // MARK: Ultralight C's authentication

  /// MF0ICU2 rev. 3.3, section 7.5.6; OpenSSL's command line tool gives the same three cryptograms.
  @Test func authenticationExample() {
    var chip = MIFAREUltralightC()
    chip.nextRandomNumber = [UInt8](hexadecimal: "51E764602678DF2B")
    var bench = Type2Bench(chip)
    bench.run(
      """
      1A 00 > AF577293FD2F34CA51
      AF 0A638559FC7737F9F15D7862EBBE967A > 003B884FA07C137CE1
      """)
    #expect((bench.chip as? MIFAREUltralightC)?.isAuthenticated == true)
    bench.run("30 FF > N0")
    #expect((bench.chip as? MIFAREUltralightC)?.isAuthenticated == false)
  }

  @Test(arguments: [
    ("a wrong number", "AF 0A638559FC7737F9F15D7862EBBE967B"),
    ("a byte too few", "AF 0A638559FC7737F9F15D7862EBBE96"),
    ("another first byte", "AE 0A638559FC7737F9F15D7862EBBE967A"),
    ("another command", "30 00"),
  ])
  func authenticationRefused(name: String, command: String) {
    var chip = MIFAREUltralightC()
    chip.nextRandomNumber = [UInt8](hexadecimal: "51E764602678DF2B")
    var bench = Type2Bench(chip)
    bench.run(
      """
      1A 00 > AF577293FD2F34CA51
      \(command) > N0
      30 00 > -
      select
      30 03 > E1101200 0103A010 440300FE 00000000
      """, name)
  }

  /// Authenticates as a reader would.
  static func authenticate(_ bench: inout Type2Bench, key: String) throws -> String {
    let key = try #require([UInt8](hexadecimal: key))
    let first = try #require([UInt8](hexadecimal: bench.send([0x1A, 0x00])))
    try #require(first.count == 9)
    let cryptogram = Array(first.dropFirst())
    let number = try #require(
      TwoKeyTripleDES.decrypt(
        cryptogram, key: key, initialValue: [UInt8](repeating: 0, count: 8)))
    let token = try #require(
      TwoKeyTripleDES.encrypt(
        Array("Swift on".utf8) + number.dropFirst() + number.prefix(1), key: key,
        initialValue: cryptogram))
    return bench.send([0xAF] + token)
  }

  @Test func keyChange() throws {
    // Section 7.5.7: Key1 = 0001020304050607, Key2 = 08090A0B0C0D0E0F, written byte by byte
    // backwards.
    var bench = Type2Bench(MIFAREUltralightC())
    bench.run(
      """
      A2 2C 07060504 > A
      A2 2D 03020100 > A
      A2 2E 0F0E0D0C > A
      A2 2F 0B0A0908 > A
      A2 2A 04000000 > A
      """)
    // "A re-programmed authentication key is only valid … after a RF reset or a re-activation."
    let old = "49454D4B41455242214E4143554F5946"
    #expect(try Self.authenticate(&bench, key: old).hasPrefix("00"))
    bench.run("A2 04 01020304 > A\nreselect\nA2 04 00000000 > N0\nselect\n30 04 > N0\nselect")
    #expect(try Self.authenticate(&bench, key: old) == "N0")
    bench.run("select")
    let new = "000102030405060708090A0B0C0D0E0F"
    #expect(try Self.authenticate(&bench, key: new).hasPrefix("00"))
    bench.run(
      """
      30 04 > 01020304 440300FE 00000000 00000000
      30 2B > 00000000 042D8425 F6531E80 3B480000
      A2 2A 30000000 > A
      30 2C > N0
      """)
    #expect(bench.chip.memory[(0x2C * 4)...].hexadecimal == "07060504030201000F0E0D0C0B0A0908")
  }

  @Test func challengesDiffer() {
    var bench = Type2Bench(MIFAREUltralightC())
    let first = bench.send("1A 00")
    bench.run("reselect")
    let second = bench.send("1A 00")
    #expect(first != second && first.count == 18 && second.count == 18)
  }

  // MARK: Making them

  @Test func asDelivered() {
    let blank = MIFAREUltralight(formatted: false).memory
    #expect(blank[8...].hexadecimal.hasPrefix("76480000" + "00000000" + "FFFFFFFF" + "00000000"))
    #expect(MIFAREUltralightC(formatted: false).memory[12..<20].allSatisfy { $0 == 0 })
    #expect(
      MIFAREUltralightEV1(.mf0ul11, formatted: false).memory[12..<64].allSatisfy { $0 == 0 })
    #expect(MIFAREUltralightC().memory.suffix(16).elementsEqual("BREAKMEIFYOUCAN!".utf8))
  }

  @Test func capacities() throws {
    func message(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xEE, count: count) }
    #expect(try MIFAREUltralight(ndef: message(46)).memory.hexadecimal.hasSuffix("EEEE"))
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 46)) {
      try MIFAREUltralight(ndef: message(47))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 137)) {
      try NTAG203(ndef: message(138))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 137)) {
      try MIFAREUltralightC(ndef: message(138))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 126)) {
      try MIFAREUltralightEV1(.mf0ul21, ndef: message(127))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 868)) {
      try NTAGI2C(.nt3h1101, ndef: message(869))
    }
    #expect(throws: VirtualTagError.messageTooLarge(capacity: 1868)) {
      try NTAGI2C(.nt3h1201, ndef: message(1869))
    }
  }

  @Test func tags() throws {
    let tags: [VirtualTag] = [
      .ntag203(), .ntag210(), .ntag212(), .ntag213(), .ntag215(), .ntag216(), .ultralight(),
      .ultralightC(), .ultralightEV1(), .ultralightEV1With128Bytes(), .ntagI2C1K(), .ntagI2C2K(),
    ]
    #expect(
      tags.map(\.name) == [
        "ntag203", "ntag210", "ntag212", "ntag213", "ntag215", "ntag216", "ultralight",
        "ultralight-c", "ultralight-ev1", "ultralight-ev1-128", "ntag-i2c-1k", "ntag-i2c-2k",
      ])
    #expect(Set(tags.map(\.identifier)).count == tags.count)
    #expect(tags.allSatisfy { $0.identifier.count == 7 && $0.identifier[0] == 0x04 })
    let tag = try VirtualTag.ntag215(uid: [4, 1, 2, 3, 5, 6, 7], ndef: [0xD0, 0x00, 0x00])
    #expect(tag.identifier == [4, 1, 2, 3, 5, 6, 7])
    #expect(tag.memory[16..<22].hexadecimal == "0303D00000FE")
  }

  @Test func dumps() throws {
    let c = try #require(MIFAREUltralightC(dump: Array(MIFAREUltralightC().memory.prefix(176))))
    #expect(c.memory == MIFAREUltralightC().memory)
    #expect(MIFAREUltralightEV1(dump: MIFAREUltralightEV1(.mf0ul21).memory)?.product == .mf0ul21)
    #expect(MIFAREUltralight(dump: MIFAREUltralight().memory)?.memory == MIFAREUltralight().memory)
    #expect(NTAG203(dump: NTAG203().memory)?.memory == NTAG203().memory)
    #expect(NTAG203(dump: [1, 2, 3]) == nil && MIFAREUltralight(dump: []) == nil)
    #expect(MIFAREUltralightC(dump: []) == nil && MIFAREUltralightEV1(dump: []) == nil)
  }
}
