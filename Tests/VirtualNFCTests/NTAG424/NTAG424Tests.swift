import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// The rules of the NT4H2421Gx data sheet.
@Suite struct NTAG424Tests {
  private static let zeroKey = NTAG424Reader.zeroKey

  private func check(_ exchanges: [(String, String)], _ reader: inout NTAG424Reader) {
    for (command, answer) in exchanges {
      #expect(reader.raw(command) == answer.filter { $0 != " " }, "\(command)")
    }
  }

  /// Tables 5, 8, 13, 22 to 24, 8.2.3.2.
  @Test func fromTheFactory() {
    var reader = NTAG424Reader(selected: false)
    check(
      [
        ("9060000000", "04040230001105 91AF"), ("90AF000000", "04040201021105 91AF"),
        ("90AF000000", "0463474AA26A80 BA3464A0101812 9100"), ("90AF000000", "911C"),
        // The chip itself is selected: no files, and other keys.
        ("90F5000001 02 00", "919D"), ("9071000002 0000 00", "9140"),
        ("9071000002 0100 00", "919D"), ("00B0000001", "6985"), ("00B0840001", "6A82"),
        ("00A4040007D2760000850102", "6A82"), ("00A4040007D276000085010100", "9000"),
        ("00A4000C02E103", "9000"),
        (
          "00B0000020",
          "001720010000FF0406E104010000000506E10500808283 000000000000000000 9000"
        ),
        ("00A4000C02E104", "9000"), ("00B0000002", "0000 9000"), ("00B000FE10", "0000 9000"),
        ("00B0010000", "6A86"), ("00D6000003 0001D0", "9000"), ("00B0840003", "0001D0 9000"),
        ("00B0850001", "6982"), ("00D6850001AA", "6982"), ("00B0A40001", "6A86"),
        ("00B09F0001", "6A82"), ("00D684FE03 000000", "6700"), ("00D6000000", "6700"),
        ("00A4000C02E110", "9000"), ("00B0000001", "6985"), ("00A4020C02E105", "9000"),
        ("00A4020C02E106", "6A82"), ("00A4050C02E105", "6A86"), ("00A4000D02E105", "6A86"),
        ("00A4000C03E10500", "6A87"), ("00A4000C", "9000"), ("00A4000C02E104", "6A82"),
        ("00A4010C02E110", "9000"), ("00CA000000", "6D00"), ("80B0000001", "6E00"),
        ("60", "6700"), ("0060000000", "6D00"), ("9060000100", "6A86"), ("90BD000000", "911C"),
        ("90F5000001 01 00", "0000 00E0 200000 9100"),
        ("90F5000001 02 00", "0000 E0EE 000100 9100"),
        ("90F5000001 03 00", "0003 3023 800000 9100"), ("90F5000001 04 00", "91F0"),
        ("90F5000001 22 00", "919E"), ("90F5000000", "917E"),
        ("90AD000007 02000000030000 00", "0001D0 9100"),
        ("90AD000007 02FF0000020000 00", "919E"), ("90AD000006 020000000300 00", "917E"),
        ("90AD000007 03000000000000 00", "91AE"),
        ("908D000009 02000000020000 0000 00", "9100"),
        ("908D000009 02FF0000020000 0000 00", "91BE"),
        ("908D000008 02000000020000 00 00", "917E"), ("908D000007 02000000000000 00", "917E"),
        ("908D000008 01000000010000 00 00", "91AE"),
        ("9064000001 00 00", "00 9100"), ("9064000001 05 00", "9140"),
        ("9064000001 10 00", "919E"), ("9051000000", "91AE"), ("90F6000001 02 00", "919D"),
        ("905F000004 0200E0EE 00", "91AE"), ("90C4000001 00 00", "91AE"),
        ("905C000001 00 00", "91AE"), ("903C000001 01 00", "919E"), ("903C000000", "917E"),
        ("9077000001 00 00", "919D"), ("9071000001 00 00", "917E"), ("9071000002 0500 00", "9140"),
        ("9071000002 4000 00", "919E"), ("9071000002 0001 00", "917E"),
      ], &reader)
    #expect(reader.raw("903C0000010000").hasSuffix("BF08" + "9190"))
  }

  /// NXP AN12196, 5.6, 5.8.1 and 5.10: session keys, commands and answers.
  @Test func publishedSessions() throws {
    var session = NTAG424Session(
      key: Self.zeroKey, number: 0, reader: hex("13C5DB8A5930439FC3DEF9A4C675360F"),
      chip: decrypted("A04C124213C186F22399D33AC2A30215"), transaction: hex("9D00C4DF"), counter: 0)
    let link =
      "0051D1014D550463686F6F73652E75726C2E636F6D2F6E7461673432343F653D"
      + "3030303030303030303030303030303030303030303030303030303030303030"
      + "26633D30303030303030303030303030303030"
    let data = hex(link) + [UInt8](repeating: 0, count: 128 - hex(link).count)
    let sent = hex(
      "02000000800000421C73A27D827658AF481FDFF20A5025B559D0E3"
        + "AA21E58D347F343CFFC768BFE596C706BC00F2176781D4B0242642A0FF5A42C4"
        + "61AAF894D9A1284B8C76BCFA658ACD40555D362E08DB15CF421B51283F9064BC"
        + "BE20E96CAE545B407C9D651A3315B27373772E5DA2367D2064AE054AF996C6F1"
        + "F669170FA88CE8C4E3A4A7BBBEF0FD971FF532C3A802AF745660F2B4D1D9A8499661EBF3")
    let plain = try session.unprotect(0x8D, sent, headerSize: 7, .encrypted)
    #expect(plain == hex("02000000800000") + data)
    #expect(session.protect([], .operationOK, .encrypted) == hex("FC222E5F7A542452"))

    var other = NTAG424Session(
      key: Self.zeroKey, number: 3, reader: hex("B98F4C50CF1C2E084FD150E33992B048"),
      chip: decrypted("B875CEB0E66A6C5CD00898DC371F92D1"), transaction: hex("7614281A"), counter: 0)
    let second = hex("030000000A00006B5E6804909962FC4E3FF5522CF0F8436C0C53315B9C73AA")
    #expect(
      try other.unprotect(0x8D, second, headerSize: 7, .encrypted)
        == hex("030000000A0000 0102030405060708090A"))
    #expect(other.protect([], .operationOK, .encrypted) == hex("C26D236E4A7C046D"))
    // A repeated command is refused.
    #expect(throws: NTAG424Status.integrityError) {
      try other.unprotect(0x8D, second, headerSize: 7, .encrypted)
    }
  }

  private func decrypted(_ text: String) -> [UInt8] {
    let cipher = DESFireCipher(kind: .aes, key: Self.zeroKey)
    return cipher.decrypt(hex(text), vector: cipher.zeroVector)
  }

  @Test func secureMessaging() {
    var reader = NTAG424Reader()
    #expect(reader.authenticate(0) == 0x00)
    #expect(reader.send(0xF5, [0x02], full: false).data == hex("0000E0EE000100"))
    #expect(reader.send(0x51, [], full: true).data == reader.chip.identifier)
    #expect(reader.send(0x64, [0x03], full: false).data == [0x00])
    let signature = reader.send(0x3C, [0x00], full: true)
    #expect(signature.status == 0x90)
    #expect(signature.data.count == 56)
    // Plain commands are counted, too: the NDEF file has free access.
    #expect(reader.raw("908D000009 02000000020000 0003 00".filter { $0 != " " }) == "9100")
    reader.counter += 1
    #expect(reader.authenticate(3, isFirst: false) == 0x00)
    let write = hex("03000000020000")
    #expect(reader.send(0x8D, write, [0xCA, 0xFE], full: true).status == 0x00)
    #expect(reader.send(0xAD, write, full: true).data == [0xCA, 0xFE])
    // APDUs of class 00 can access files only without authentication.
    #expect(reader.raw("00B0840001") == "6982")
    // Key 3 cannot change what key 0 can.
    #expect(reader.changeKey(1, to: hex("00112233445566778899AABBCCDDEEFF")) == 0xAE)
    // The refusal has ended the session.
    #expect(reader.send(0xF5, [0x02], full: false).status == 0x7E)
  }

  /// Each of these ends the session (9.1.9).
  @Test(arguments: [0, 1, 2, 3])
  func whatIsNotTheReadersIsRefused(_ kind: Int) {
    var reader = NTAG424Reader()
    reader.authenticate(3)
    let write = hex("03000000020000")
    #expect(reader.send(0x8D, write, [0x01, 0x02], full: true).status == 0x00)
    let before = reader.chip
    switch kind {
    case 0:  // A command that is sent again.
      reader.counter -= 1
      #expect(reader.send(0x8D, write, [0x03, 0x04], full: true).status == 0x1E)
    case 1:  // One that was left out.
      reader.counter += 1
      #expect(reader.send(0x8D, write, [0x03, 0x04], full: true).status == 0x1E)
    case 2:  // Without a MAC.
      #expect(reader.native(0x8D, write + [0x03, 0x04]).status == 0x7E)
    default:  // Not encrypted.
      #expect(reader.send(0x8D, write, [0x03, 0x04], full: false).status == 0x1E)
    }
    #expect(reader.chip.memory == before.memory)
    #expect(reader.native(0xAD, hex("03000000000000")).status == 0xAE)
  }

  @Test func keysAreChanged() {
    var reader = NTAG424Reader()
    let (first, master) = (
      hex("F3847D627727ED3BC9C4CC050489B966"), hex("5004BF991F408672B1EF00F08F9E8647")
    )
    // NXP AN12196, 5.16.1: the check over the new key.
    #expect(DESFireCipher.checksum(first) == hex("789DFADC"))
    reader.authenticate(0)
    #expect(reader.changeKey(2, from: master, to: first) == 0x1E)
    #expect(reader.chip.keys == Array(repeating: Self.zeroKey, count: 5))
    reader.authenticate(0)
    #expect(reader.changeKey(2, to: first, version: 7) == 0x00)
    #expect(reader.changeKey(5, to: first) == 0x40)
    reader.authenticate(0)
    #expect(reader.changeKey(0, to: master, version: 9) == 0x00)
    #expect(reader.chip.keyVersions == [9, 0, 7, 0, 0])
    // The session belonged to the old key.
    #expect(reader.send(0xF5, [0x02], full: false).status != 0x00)
    #expect(reader.authenticate(0) == 0xAE)
    #expect(reader.chip.failedAuthentications == [1, 0, 0, 0, 0])
    #expect(reader.authenticate(0, master) == 0x00)
    #expect(reader.chip.failedAuthentications == [0, 0, 0, 0, 0])
    #expect(reader.authenticate(2, first) == 0x00)
  }

  /// 9: a key with too many failed authentications, and a delay.
  @Test func wrongKeysAreCounted() {
    var reader = NTAG424Reader()
    reader.authenticate(0)
    // A limit of three; each success decreases the count by one.
    #expect(reader.send(0x5C, [0x0A], hex("0103000100"), full: true).status == 0x00)
    let wrong = [UInt8](repeating: 1, count: 16)
    for _ in 0..<3 { #expect(reader.authenticate(1, wrong) == 0xAE) }
    #expect(reader.authenticate(1) == 0x9D)
    reader.authenticate(0)
    #expect(reader.changeKey(1, to: wrong) == 0x00)
    #expect(reader.authenticate(1, wrong) == 0x00)
    reader.chip.pendingDelays = 2
    #expect(reader.authenticate(0) == 0xAD)
    #expect(reader.authenticate(0) == 0xAD)
    #expect(reader.authenticate(0) == 0x00)
  }

  @Test(arguments: [
    ("00", "00", 0x00), ("00", "02", 0x00), ("00", "01", 0x9E), ("00", "0000", 0x7E),
    ("04", "0400", 0x00), ("05", "00000000000000000102", 0x00),
    ("05", "000000000200000000", 0x7E),
    ("05", "00000000020000000000", 0x00), ("0A", "0000000000", 0x00), ("0A", "0100000000", 0x9E),
    ("0B", "01", 0x00), ("01", "00", 0x9E),
  ])
  func configuration(option: String, value: String, status: UInt8) {
    var reader = NTAG424Reader()
    reader.authenticate(0)
    #expect(reader.send(0x5C, hex(option), hex(value), full: true).status == status)
  }

  /// Table 50: a different identifier at each activation, and the UID only after an authentication.
  @Test func randomIdentifier() {
    var reader = NTAG424Reader()
    reader.authenticate(0)
    #expect(reader.send(0x5C, [0x00], [0x02], full: true).status == 0x00)
    reader.chip.powerOff()
    reader.chip.powerOn()
    _ = reader.raw("00A4040C07D276000085010100")
    for command in ["9060000000", "90AF000000"] { _ = reader.raw(command) }
    #expect(reader.raw("90AF000000").hasPrefix("00000000000000"))
    reader.authenticate(4)
    #expect(reader.send(0x51, [], full: true).data == hex("0463474AA26A80"))
  }
}
