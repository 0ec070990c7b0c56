import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests each byte of the commands whose parameters the firmware checks, and of its reports.
///
/// UM0701-02 is the manual. libnfc (chips/pn53x.h, pn53x.c), nfcpy (pn532.py) and taichunmin's pn532.js,
/// which paraphrases the manual command by command, confirm it.
@Suite struct PN532ParameterTests {
  private func hexadecimal(_ bytes: UInt8...) -> String { bytes.hexadecimal }

  // MARK: SAMConfiguration, 7.2.10

  /// Mode, time-out, IRQ. The time-out is required only for a virtual card (02).
  @Test func modesOfTheSAM() {
    for mode in UInt8.min...UInt8.max {
      let isMode = (0x01...0x04).contains(mode)
      var bench = PN532Bench()
      #expect(
        bench.send(hexadecimal(0x14, mode)) == (isMode && mode != 0x02 ? "15" : nil), "\(mode)")
      #expect(bench.send(hexadecimal(0x14, mode, 0x14)) == (isMode ? "15" : nil), "\(mode)")
      #expect(bench.send(hexadecimal(0x14, mode, 0x14, 0x01)) == (isMode ? "15" : nil), "\(mode)")
    }
    var bench = PN532Bench()
    #expect(bench.send("1401140100") == nil)
  }

  /// A refused command leaves the chip in LowVbat mode (AN10609_3).
  @Test(arguments: [
    ("1402", false), ("1400", false), ("1405", false), ("140214", true), ("1401", true),
  ])
  func aModeThatIsRefusedIsNotSet(_ command: String, _ isSet: Bool) {
    var bench = PN532Bench(.ntag213())
    bench.chip.powerUp()
    _ = bench.hears("55550000")
    #expect(bench.send(command) == (isSet ? "15" : nil))
    #expect((bench.send("4A0100") != nil) == isSet)
  }

  // MARK: GetGeneralStatus, 7.2.3

  /// Error, presence of another field, number of targets, four bytes for each, SAM status. The last is
  /// 80h, as in the answer in the ACR122U's application programming interface (2.04, 5.5.2).
  @Test func theGeneralStatus() throws {
    func status(_ search: String, _ tags: VirtualTag...) throws -> [UInt8] {
      var bench = PN532Bench()
      for tag in tags { bench.field.place(tag) }
      #expect(bench.send(search)?.hasPrefix("4B") == true)
      return try #require(bench.send("04").flatMap { [UInt8](hexadecimal: $0) })
    }
    #expect(try status("4A0100") == [0x05, 0x00, 0x00, 0x00, 0x80])
    // Number, rate from the card, rate to it, type: 00h for 106 kbit/s, type A or B.
    #expect(
      try status("4A0100", .ntag213()) == [0x05, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x80])
    #expect(
      try status("4A010300", .type4B())
        == [0x05, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00, 0x80])
    // 212 and 424 kbit/s, FeliCa.
    #expect(
      try status("4A010100FFFF0000", .suica())
        == [0x05, 0x00, 0x00, 0x01, 0x01, 0x01, 0x01, 0x10, 0x80])
    #expect(
      try status("4A010200FFFF0000", .suica())
        == [0x05, 0x00, 0x00, 0x01, 0x01, 0x02, 0x02, 0x10, 0x80])
    // Innovision Jewel.
    #expect(
      try status("4A0104", .topaz96()) == [0x05, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x02, 0x80])
    #expect(
      try status(
        "4A0200", .ntag213(uid: [4, 1, 1, 1, 1, 1, 1]), .ntag216(uid: [4, 2, 2, 2, 2, 2, 2]))
        == [0x05, 0x00, 0x00, 0x02] + [0x01, 0x00, 0x00, 0x00] + [0x02, 0x00, 0x00, 0x00] + [0x80])
  }

  /// The first byte is the error of the previous exchange.
  @Test func theLastError() {
    var bench = PN532Bench(.ntag213())
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    #expect(bench.send("40013003")?.hasPrefix("4100") == true)
    #expect(bench.send("04") == "0500" + "00" + "01" + "01000000" + "80")
    bench.field.removeAll()
    #expect(bench.send("40013003") == "4101")
    #expect(bench.send("04") == "0501" + "00" + "01" + "01000000" + "80")
  }

  // MARK: InATR and InJumpForDEP, 7.3.6 and 7.3.3

  /// Without a target, nothing can be requested: code 27h of table 15, with any number and any optional
  /// parts.
  @Test func attributesOfNoTarget() {
    for number in UInt8.min...UInt8.max {
      var bench = PN532Bench()
      #expect(bench.send(hexadecimal(0x50, number, 0x00)) == "5127", "\(number)")
    }
    var bench = PN532Bench()
    #expect(bench.send("5001") == nil && bench.send("50") == nil)
  }

  /// MxRtyATR, item 5 of 7.3.1: FFh is endless in active mode. In passive mode, the chip always tries two
  /// more times.
  @Test func howLongAPeerIsAskedFor() {
    for rate in UInt8.min...UInt8.max {
      for (mode, retries, answer) in [
        (UInt8(0x00), UInt8(0xFF), "5701"), (0x00, 0x02, "5701"), (0x01, 0x02, "5701"),
        (0x01, 0xFF, "pending"),
      ] {
        var bench = PN532Bench()
        #expect(bench.send(hexadecimal(0x32, 0x05, retries, 0x01, 0x02)) == "33")
        #expect(
          bench.send(hexadecimal(0x56, mode, rate, 0x00)) == (rate <= 2 ? answer : nil),
          "\(mode) \(rate) \(retries)")
      }
    }
    for mode in UInt8(2)...UInt8.max {
      var bench = PN532Bench()
      #expect(bench.send(hexadecimal(0x56, mode, 0x00, 0x00)) == nil, "\(mode)")
    }
  }

  // MARK: InAutoPoll, 7.3.13

  /// The sixteen types that libnfc lists too (`pn53x_target_type`); bit 3 and all else is reserved.
  private static let types: Set<UInt8> = [
    0x00, 0x01, 0x02, 0x03, 0x04, 0x10, 0x11, 0x12, 0x20, 0x23, 0x40, 0x41, 0x42, 0x80, 0x81, 0x82,
  ]

  @Test func typesOfTargets() {
    for type in UInt8.min...UInt8.max {
      var bench = PN532Bench()
      let answer = bench.send(hexadecimal(0x60, 0x01, 0x01, type))
      #expect((answer != nil) == Self.types.contains(type), "\(type)")
      // The same after another type.
      let second = bench.send(hexadecimal(0x60, 0x01, 0x01, 0x00, type))
      #expect((second != nil) == Self.types.contains(type), "\(type)")
    }
  }

  /// A number of polls that is not 0, a period of 1 to 15 times 150 ms, one to fifteen types.
  @Test func pollsAndPeriods() {
    for byte in UInt8.min...UInt8.max {
      var bench = PN532Bench()
      #expect((bench.send(hexadecimal(0x60, byte, 0x01, 0x00)) != nil) == (byte != 0), "\(byte)")
      #expect(
        (bench.send(hexadecimal(0x60, 0x01, byte, 0x00)) != nil) == (1...15).contains(byte),
        "\(byte)")
    }
    for count in 0...17 {
      var bench = PN532Bench()
      let command = [0x60, 0x01, 0x01] + [UInt8](repeating: 0x00, count: count)
      #expect((bench.send(command.hexadecimal) != nil) == (1...15).contains(count), "\(count)")
    }
  }

  /// A tag is reported under the requested type.
  @Test func aTagIsReportedUnderTheTypeThatFindsIt() {
    let finds: [(VirtualTag, Set<UInt8>)] = [
      (.ntag213(), [0x00, 0x10]), (.type4(), [0x00, 0x10, 0x20]), (.type4B(), [0x03, 0x23]),
      (.suica(), [0x01, 0x02, 0x11, 0x12]), (.topaz96(), [0x04]),
    ]
    for (tag, expected) in finds {
      for type in Self.types.sorted() {
        var bench = PN532Bench()
        bench.field.place(tag)
        let answer = bench.send(hexadecimal(0x60, 0x01, 0x01, type)) ?? ""
        #expect(
          answer.hasPrefix("6101" + hexadecimal(type)) == expected.contains(type),
          "\(tag.name) \(type): \(answer)")
        bench.field.removeAll()
      }
    }
  }
}
