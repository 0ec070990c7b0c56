import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Rules of the data sheets MF0ICU1 rev. 3.9, NTAG203 rev. 3.0, MF0ICU2 rev. 3.3, MF0ULx1 rev. 3.3
/// and NT3H1101/NT3H1201 rev. 3.3.
@Suite struct UltralightTests {
  @Test(arguments: ultralight + ntag203 + ultralightC + ultralightEV1 + ntagI2C)
  func rule(_ script: Type2Script) throws {
    var bench = try Type2Bench(named: script.chip)
    bench.run(script.lines, script.testDescription)
  }

  // MARK: Ultralight C's authentication

  /// MF0ICU2 rev. 3.3, section 7.5.6; OpenSSL's command line tool returns the same three cryptograms.
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
    // Section 7.5.7: Key1 = 0001020304050607, Key2 = 08090A0B0C0D0E0F, written in reverse byte order.
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
