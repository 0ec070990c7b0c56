import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// Single reports about other programs, each with its kind.
@Suite struct OtherReportTests {
  /// A phone reports another UID at each tap (adonno/tagreader#62, #69 and #145).
  @Test func aRandomUIDIsNamed() async throws {
    let phone = ["--virtual", ReportFile.path("phone-random-uid.nfc")]
    let poll = try await Tool.run(["poll", "--once", "--json"] + phone)
    #expect(poll.output.contains(#""uid":"08123456","uidKind":"random""#))
    let info = try await Tool.run(["info"] + phone)
    #expect(info.lines.count { $0.contains("random") } == 1)
    let other = try await Tool.run("poll", "--once", "--json", "--virtual", "ntag213")
    #expect(!other.output.contains("uidKind"))
  }

  @Test(arguments: [
    ("usb", "leave out --reader"), ("usb:072f:2200", "leave out --reader"),
    ("tty:USB0:pn532", "write --reader pn532_uart:/dev/ttyUSB0"),
    ("tty:S0:pn532", "write --reader pn532_uart:/dev/ttyS0"),
    ("tty:AMA0", "write --reader pn532_uart:/dev/ttyAMA0"),
    ("tty:ACM1:arygon", "write --reader arygon:/dev/ttyACM1"),
    ("tty", "write --reader pn532_uart:/dev/ttyUSB0"),
    (
      "com:COM3",
      "COM3 is a port of Windows; for a PN532 on a serial line write --reader pn532_uart:"
    ),
    ("com", "write --reader pn532_uart:/dev/ttyUSB0"),
    ("COM3", "COM3 is a port of Windows"), ("com12:115200", "COM12 is a port of Windows"),
    ("udp", "nfc virtual"),
    ("udp:localhost:54321", "nfc virtual"),
    ("/dev/serial/by-id/usb-x-if00", "write --reader pn532_uart:/dev/serial/by-id/usb-x-if00"),
    ("ACS ACR122U PICC Interface 00 00", "write --reader 'pcsc:ACS ACR122U PICC Interface 00 00'"),
    (
      "0: ACS ACR122U PICC Interface 00 00",
      "write --reader 'pcsc:ACS ACR122U PICC Interface 00 00'"
    ),
    ("Reader 1: X [CCID] (1) 00 00", "write --reader 'pcsc:X [CCID] (1) 00 00'"),
  ])
  func namesOfOtherPrograms(name: String, advice: String) {
    let given = AddressAdvice.advice(for: name)
    #expect(given?.contains(advice) == true, "\(given ?? "nothing")")
  }

  /// A bus and a device in three digits are libnfc's, too.
  @Test(arguments: ["usb:001:004", "pn532_uart:/dev/ttyUSB0"])
  func namesThatAreRight(name: String) { #expect(AddressAdvice.advice(for: name) == nil) }

  /// The address of most sensors is random (nordicsemi/Android-DFU-Library#20).
  @Test func aBluetoothAddressHasAType() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "b.ndef").path
      let address = ["bluetooth", "C0:11:22:33:44:55", "--name", "Sensor", "--output", file]
      #expect(try await Tool.run(["encode"] + address + ["--le", "--random"]).status == 0)
      let json = try await Tool.run("decode", file, "--json")
      #expect(json.output.contains(#""addressType":"random""#))
      #expect(
        try await Tool.run("decode", file).output
          == "Bluetooth LE Sensor (C0:11:22:33:44:55, random)\n")
      #expect(try await Tool.run(["encode"] + address + ["--le", "--force"]).status == 0)
      #expect(try await Tool.run("decode", file, "--json").output.contains(#""public""#))
      #expect(try await Tool.run(["encode"] + address + ["--random"]).status == 64)
    }
  }

  /// Phones make the contact from N (nextcloud/contacts#458).
  @Test(arguments: [
    (["--name", "Ada Lovelace"], "N:Lovelace;Ada;;;", "FN:Ada Lovelace"),
    (["--name", "Lovelace, Ada"], "N:Lovelace;Ada;;;", "FN:Lovelace\\, Ada"),
    (["--name", "de la Cruz,Juan"], "N:de la Cruz;Juan;;;", "FN:de la Cruz\\,Juan"),
    (["--name", "Lovelace, Ph.D."], "N:Lovelace\\, Ph.D.;;;;", "FN:Lovelace\\, Ph.D."),
    (["--name", "Madonna"], "N:Madonna;;;;", "FN:Madonna"),
    (["--name", "Juan de la Cruz"], "N:Juan de la Cruz;;;;", "FN:Juan de la Cruz"),
    (["--given", "Juan", "--family", "de la Cruz"], "N:de la Cruz;Juan;;;", "FN:Juan de la Cruz"),
    (["--given", "Ada"], "N:;Ada;;;", "FN:Ada"),
    (["--name", "Countess", "--given", "A;da", "--family", "L"], "N:L;A\\;da;;;", "FN:Countess"),
  ])
  func namesHaveParts(options: [String], structured: String, shown: String) async throws {
    let card = try await Tool.run(["encode", "contact"] + options + ["--output", "-"])
    #expect(card.output.contains("\r\n\(structured)\r\n\(shown)\r\n"), "\(card.errors)")
  }

  @Test func namesComeFromATable() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let table = folder.appending(path: "people.csv").path
      try Data("First,Last\nAda,King Lovelace\n".utf8).write(to: URL(filePath: table))
      try await Tool.with("ntag215") { nfc async throws in
        let written = try await nfc([
          "write", "contact", "--given", "{First}", "--family", "{Last}", "--each", "--from", table,
        ])
        #expect(written.status == 0, "\(written.errors)")
        #expect(try await nfc(["read", "--json"]).output.contains(#"["King Lovelace","Ada""#))
      }
    }
  }

  /// A link whose code byte was left out (Stack Overflow 65250922).
  @Test func aLinkWithoutItsCodeIsRefused() async throws {
    let file = ReportFile.path("uri-without-code.ndef")
    let reason = "the URI's code 68 is reserved; the scheme stands in the payload"
    #expect(try await Tool.run("decode", file).output.contains("malformed: \(reason)"))
    #expect(try await Tool.run("decode", file, "--json").output.contains(#""error":"\#(reason)"#))
    let refused = try await Tool.run("write", "raw", file, "--virtual", "ntag213")
    #expect(refused.status == 65 && refused.errors.contains("--as-is"))
    let insisted = try await Tool.run("write", "raw", file, "--as-is", "--virtual", "ntag213")
    #expect(insisted.status == 0)
  }

  /// File data come out encrypted, in hexadecimal: any bytes (johnnyb/ntag424-java#9).
  @Test(arguments: ["19.05.2024 12:22:33#1234", "Küche, 2. Stock", "a b"])
  func fileDataAreAnyBytes(data: String) async throws {
    let result = try await Tool.run(
      "sun", "setup", "https://a.example/?p={picc}&e={enc:64}&c={mac}", "--key",
      "0:00000000000000000000000000000000", "--file-data", data, "--verify", "--virtual", "ntag424")
    #expect(result.status == 0)
    #expect(result.errorLines.count == 1 && result.errors.contains("characters that no link has"))
  }

  /// Proxmark3 writes the length before a command (RfidResearchGroup/proxmark3#442).
  @Test func aLengthBeforeACommandIsNamed() async throws {
    let result = try await Tool.run("felica", "send", "0600FFFF0100", "--virtual", "felica-lite-s")
    #expect(result.status == 74)
    #expect(result.errors.contains("leave out this first byte"), "\(result.errors)")
    let advice = try await Tool.run("felica", "send", "00FFFF0100", "--virtual", "felica-lite-s")
    #expect(advice.status == 0)
  }

  /// A tag that does not report its size is read until it refuses (NXPNFCLinux/linux_libnfc-nci#75).
  @Test(arguments: [28, 16, 5, 256], [true, false])
  func aTagWithoutASize(count: Int, refuses: Bool) async throws {
    let field = VirtualField()
    field.place(VirtualTag(SizelessChip(count: count, refuses: refuses)))
    let virtual = VirtualPCSCReader(field)
    let reader = try await Reader.open(over: { virtual.service() })
    let tags = try await reader.tagsInField()
    guard case .iso15693(let tag) = try #require(tags.first) else {
      Issue.record("\(tags)")
      return
    }
    try await tag.connect()
    let content = try await VicinityReading(tag).read(.everything)
    #expect(content.image.memory.unitCount == count)
    #expect(content.missing == nil)
    #expect(content.remark?.contains("has given \(count) blocks") == true)
    await reader.close()
  }
}

/// A vicinity chip of an unknown maker that does not report how many blocks it has.
private struct SizelessChip: VirtualChip {
  private static let uid: [UInt8] = [0xE0, 0xFF, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06]

  let count: Int
  /// Whether it answers a request for a block that it does not have.
  let refuses: Bool

  var name: String { "sizeless" }
  var identifier: [UInt8] { Self.uid }
  var modulation: RadioFrame.Modulation { .iso15693 }
  var memory: [UInt8] = []

  init(count: Int, refuses: Bool) {
    self.count = count
    self.refuses = refuses
  }

  mutating func powerOff() {}

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard let request = frame.checkedPayload, request.count > 1 else { return nil }
    if ISO15693RequestFlags(rawValue: request[0]).contains(.inventory) {
      return .iso15693([0x00, 0x00] + Self.uid.reversed())
    }
    let isAddressed = request[0] & 0x20 != 0
    let parameters = Array(request.dropFirst(isAddressed ? 10 : 2))
    switch (request[1], parameters.count) {
    case (0x2B, _): return .iso15693([0x00, 0x00] + Self.uid.reversed())
    case (0x20, 1): return blocks(Int(parameters[0]), 1)
    case (0x23, 2): return blocks(Int(parameters[0]), Int(parameters[1]) + 1)
    default: return .iso15693([0x01, 0x01])
    }
  }

  private func blocks(_ first: Int, _ number: Int) -> RadioFrame? {
    guard first + number <= count else { return refuses ? .iso15693([0x01, 0x10]) : nil }
    return .iso15693([0x00] + (first..<first + number).flatMap { [UInt8($0), 0, 0, 1] })
  }
}
