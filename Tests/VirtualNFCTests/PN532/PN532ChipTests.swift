import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Commands to the chip and its answers, without a serial line.
@Suite struct PN532ChipTests {
  private typealias Bench = PN532Bench

  static let answers: [(String, String?)] = [
    ("02", "0332010607"), ("0200", nil),
    ("00006C69626E6663", "01006C69626E6663"), ("0001", "0100"), ("0002", "0100"), ("0003", nil),
    ("04", "0500000080"), ("1401", "15"), ("140114", "15"), ("1405", nil), ("14", nil),
    // The time-out of a virtual card is required.
    ("1402", nil), ("140214", "15"), ("1404", "15"),
    ("1214", "13"), ("12", nil), ("320101", "33"), ("320100", "33"), ("3202FF0A", nil),
    ("3202000B0A", "33"), ("3205FF01FF", "33"), ("3299", nil),
    ("0663026303", "070000"), ("0663", nil), ("0863028063038F", "09"), ("08630280", "09"),
    ("086302", nil), ("1008", "11"), ("1009", nil), ("16F0", "1700"), ("16F001", "1700"),
    // No target is selected.
    ("4001", "4127"), ("40013004", "4127"), ("4400", "4500"), ("4401", "4527"), ("5200", "5300"),
    ("5401", "5527"), ("423004", "4301"), ("5600010200", "5701"), ("5601010200", "5701"),
    ("5602010200", nil), ("500100", "5127"), ("4E010000", "4F27"), ("4E010003", nil),
    ("0C", "0D3F0600"), ("0004", nil), ("000401", "0180"), ("60FF0143", nil), ("60010108", nil),
    ("86", "8725"), ("8600", nil), ("8A", "8B0000"), ("8C00", nil),
    ("", nil), ("7E", nil), ("FF", nil), ("4A", nil), ("4A0300", nil), ("4A0107", nil),
    ("4A010004A1", nil), ("4A0101", nil), ("60FF01", nil), ("60000100", nil),
  ]

  @Test(arguments: answers) func answersWithoutATag(_ command: String, _ answer: String?) {
    var bench = Bench()
    #expect(bench.send(command) == answer)
  }

  @Test func listsAndReadsATypeATag() {
    var bench = Bench(.ntag213(uid: [4, 0x51, 0x2C, 0x8A, 0x3D, 0x61, 0x80]))
    #expect(bench.send("4A0100") == "4B010100440007" + "04512C8A3D6180")
    #expect(bench.send("40013003")?.hasPrefix("4100E1101200") == true)
    // InDataExchange does not accept commands that the firmware does not support.
    #expect(bench.send("400160") == nil)
    #expect(bench.send("4260") == "4300" + "0004040201000F03")
    // A NAK: a format error in InDataExchange, a broken check in InCommunicateThru.
    #expect(bench.send("4001A2000000FFFF") == "4113")
    #expect(bench.send("40013003") == "4101")
    #expect(bench.send("4A01008804512C8A3D6180")?.hasPrefix("4B01") == true)
    #expect(bench.send("42FF") == "4302")
    // Without the receiver's check, the answer is the four bits and their number.
    #expect(bench.send("4A01008804512C8A3D6180")?.hasPrefix("4B01") == true)
    #expect(bench.send("08630300") == "09")
    #expect(bench.send("42FF") == "430000")
    #expect(bench.send("06633C") == "0714")
  }

  @Test func aHaltedTagNeedsItsUIDOrANewCarrier() {
    var bench = Bench(.ntag213(uid: [4, 1, 2, 3, 4, 5, 6]))
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    #expect(bench.send("4400") == "4500")
    #expect(bench.send("4A0100") == "4B00")
    #expect(bench.send("4A01008804010203040506")?.hasPrefix("4B01") == true)
    #expect(bench.send("4400") == "4500")
    #expect(bench.send("320100") == "33")
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
  }

  @Test func twoTargetsAreSelectedInTurn() {
    var bench = Bench(.ntag213(uid: [4, 1, 1, 1, 1, 1, 1]), .ntag216(uid: [4, 2, 2, 2, 2, 2, 2]))
    #expect(bench.send("4A0200")?.hasPrefix("4B02") == true)
    let first = bench.send("40013000")
    let second = bench.send("40023000")
    #expect(first != second)
    #expect(bench.send("5401") == "5500")
    #expect(bench.send("40013000") == first)
    #expect(bench.send("4402") == "4500")
    #expect(bench.send("40023000") == second)
    #expect(bench.send("5201") == "5300")
    #expect(bench.send("40013000") == "4127")
  }

  @Test func findsEveryTechnology() throws {
    var bench = Bench(.suica(), .type4B(), .topaz96())
    #expect(bench.send("4A010100FFFF0100")?.hasPrefix("4B01011401" + "01010612B41C7D2A") == true)
    #expect(bench.send("4A010200FFFF0000")?.hasPrefix("4B01011201") == true)
    #expect(bench.send("4A010300")?.hasPrefix("4B010150503C9A17") == true)
    #expect(bench.send("4A0104") == "4B01010C00" + "8A5C032E")
  }

  @Test func autoPollNamesTheKind() throws {
    var bench = Bench(.type4())
    #expect(bench.send("600101201023")?.hasPrefix("610120") == true)
    bench.field.removeAll()
    #expect(bench.send("600101102023") == "pending")
  }

  /// A poll for MIFARE cards activates a card with ISO/IEC 14443-4 without RATS, so no ATS is reported (man page of
  /// nfc-poll).
  @Test func autoPollForMIFAREFindsEveryTypeACard() throws {
    var bench = Bench(.desfire())
    let identifier = bench.field.tags[0].identifier.hexadecimal
    #expect(bench.send("60010110") == "6101100C" + "0103442007" + identifier)
    var other = Bench(.desfire())
    #expect(other.send("60010120")?.contains("2007" + identifier + "0675") == true)
  }

  /// PollNr, types and units of 150 ms, as in a log of `60 14 02` with six types that ended after 36 s.
  @Test func autoPollTakesTheTimeOfAllItsPolls() throws {
    var bench = Bench()
    let command: [UInt8] = [0x60, 0x14, 0x02, 0x20, 0x10, 0x03, 0x11, 0x12, 0x04]
    guard case .pending(let waiting) = bench.chip.execute(command) else {
      Issue.record("the poll ended")
      return
    }
    #expect(waiting.attempts == 240)
    #expect(waiting.period == .milliseconds(150))
  }

  /// `FF` as the answer stands for the frame of a syntax error. This frame is from libnfc's issue 671.
  @Test func onlyPollingSearchesForFeliCa() throws {
    var bench = Bench(.suica())
    #expect(bench.send("4A01018040CE662F") == nil)
    #expect(bench.send("4A010100FFFF0100")?.hasPrefix("4B01") == true)
  }

  @Test func theRegulationTestTransmitsUntilTheNextCommand() throws {
    var bench = Bench()
    #expect(bench.send("5800") == "pending")
    #expect(bench.field.isPowered)
    #expect(bench.send("58") == nil)
    #expect(bench.send("02") == "0332010607")
  }

  @Test func aSearchWithoutEndWaitsForATag() throws {
    var bench = Bench()
    #expect(bench.send("3205FFFFFF") == "33")
    guard case .pending(var waiting) = bench.chip.execute([0x4A, 0x01, 0x00]) else {
      Issue.record("the search ended")
      return
    }
    #expect(bench.chip.proceed(&waiting) == nil)
    bench.field.place(.ntag213())
    #expect(bench.chip.proceed(&waiting)?.starts(with: [0x4B, 0x01]) == true)
  }

  @Test func anyCommandIsAnswered() throws {
    var generator = SplitMix64(seed: 2026)
    var bench = Bench(
      .ntag213(), .classic1K(), .type4(), .type4B(), .suica(), .topaz512(),
      .iClass())
    var errors = 0
    let codes: [UInt8] = [0x40, 0x42, 0x44, 0x4A, 0x52, 0x54, 0x60, 0x06, 0x08, 0x32, 0x12]
    for _ in 0..<4000 {
      var command = generator.bytes(upTo: 20)
      if let code = codes.randomElement(using: &generator) { command.insert(code, at: 0) }
      if case .syntaxError = bench.chip.execute(command) { errors += 1 }
    }
    #expect(errors > 500)
    #expect(bench.send("02") == "0332010607")
  }
}
