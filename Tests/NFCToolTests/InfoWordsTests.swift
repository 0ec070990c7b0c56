import Foundation
import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// What `nfc info` says in words about the activation of a card, its applications and its directory.
@Suite struct InfoWordsTests {
  /// An application with one answer to its selection.
  private struct Applet: VirtualApplet {
    let aid: [UInt8]
    var answer: [UInt8] = []

    mutating func select() -> [UInt8] { answer + [0x90, 0x00] }
    mutating func process(_ apdu: [UInt8]) -> [UInt8] { [0x6D, 0x00] }
  }

  private static func info(_ card: ISO7816Card) async throws -> [String] {
    var lines: [String] = []
    try await Tool.with([VirtualTag(card)]) { nfc async throws in
      let result = try await nfc(["info"])
      #expect(result.status == 0)
      lines = result.lines
    }
    return lines
  }

  /// Returns the values of a row, with the following rows that have the same name.
  private static func values(_ name: String, _ lines: [String]) -> [String] {
    guard let first = lines.firstIndex(where: { $0.hasPrefix(name + "  ") }) else { return [] }
    let more = lines[(first + 1)...].prefix { $0.hasPrefix("    ") }
    return ([String(lines[first].dropFirst(name.count))] + more).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  // MARK: Activation

  /// The answers to select of a DESFire EV3 behind a relay and of a security key, whose fields public reports of
  /// NXP TagInfo give in the same numbers (gentilkiwi/kpn532; a report about a Feitian K13), and one without
  /// interface bytes, for which ISO/IEC 14443-4, 5.2, has defaults.
  @Test(arguments: [
    (
      "067533920380",
      [
        "frame size": "64 bytes at most", "bit rates": "106, 212, 424 kbit/s",
        "answers within": "154.7 ms", "ready after": "1.2 ms",
        "protocol options": "card number (CID), node address (NAD)",
      ]
    ),
    (
      "1278F7B10241373030354347203234325231",
      [
        "frame size": "256 bytes at most",
        "bit rates": "106, 212, 424, 848 kbit/s, the same both ways",
        "answers within": "618.6 ms", "ready after": "0.6 ms",
        "protocol options": "card number (CID)", "historical text": "A7005CG 242R1",
      ]
    ),
    (
      "0205",
      [
        "frame size": "64 bytes at most", "bit rates": "106 kbit/s", "answers within": "4.8 ms",
        "protocol options": "card number (CID)",
      ]
    ),
    (
      "0578138000",
      [
        "frame size": "256 bytes at most",
        "bit rates": "106, 212, 424 kbit/s to the card, 106, 212 kbit/s from it",
        "answers within": "77.3 ms", "protocol options": "none",
      ]
    ),
  ])
  func theAnswerToSelectIsInWords(_ ats: String, _ rows: [String: String]) async throws {
    let ats = try #require([UInt8](hexadecimal: ats))
    let card = ISO7816Card(
      name: "card",
      interface: ProximityInterface(
        typeA: [0x08, 0x31, 0x22, 0x73], atqa: [0x04, 0x00], ats: ats),
      applets: [])
    let lines = try await Self.info(card)
    for (name, value) in rows { #expect(Self.values(name, lines) == [value]) }
    for name in ["ready after", "historical text"] where rows[name] == nil {
      #expect(Self.values(name, lines).isEmpty)
    }
    #expect(Self.values("UID kind", lines) == ["random, another one each time"])
  }

  @Test(arguments: [
    ("1B0EC4A2", "4 bytes, other cards may have the same"), ("27A1B2C3D4E5F6", nil),
  ])
  func aShortUIDIsNotUnique(_ uid: String, _ words: String?) async throws {
    let uid = try #require([UInt8](hexadecimal: uid))
    let lines = try await Self.info(ISO7816Card(name: "card", uid: uid, applets: []))
    #expect(Self.values("UID kind", lines) == (words.map { [$0] } ?? []))
    // The maker is only in a UID of 7 bytes.
    #expect(Self.values("maker", lines) == (words == nil ? ["Yubico"] : []))
  }

  /// ISO/IEC 14443-3, 7.9.4: only 106 kbit/s, 256 bytes, FWI 7, CID.
  @Test func theAnswerOfTypeBIsInWords() async throws {
    let lines = try await Tool.run("info", "--virtual", "type4b").lines
    #expect(Self.values("frame size", lines) == ["256 bytes at most"])
    #expect(Self.values("bit rates", lines) == ["106 kbit/s"])
    #expect(Self.values("answers within", lines) == ["38.7 ms"])
    #expect(Self.values("protocol options", lines) == ["card number (CID)"])
  }

  // MARK: Payment cards

  private static let environment: [UInt8] = Array("2PAY.SYS.DDF01".utf8)

  /// Returns a data object with a short length.
  private static func object(_ tag: [UInt8], _ value: [UInt8]) -> [UInt8] {
    tag + [UInt8(truncatingIfNeeded: value.count)] + value
  }

  /// An environment with a Mastercard, and an application of a system that is not known.
  private static let listing: [UInt8] = {
    let first = object(
      [0x61],
      object([0x4F], [0xA0, 0, 0, 0, 0x04, 0x10, 0x10]) + object([0x50], Array("DEBIT".utf8))
        + object([0x87], [0x01]) + object([0x9F, 0x2A], [0x02]))
    let second = object(
      [0x61],
      object([0x4F], [0xF0, 0x11, 0x22, 0x33, 0x44]) + object([0x50], Array("Canteen".utf8)))
    return object(
      [0x6F],
      object([0x84], environment) + object([0xA5], object([0xBF, 0x0C], first + second)))
  }()

  @Test func aPaymentCardNamesItsSystems() async throws {
    let card = ISO7816Card(
      name: "card", uid: [0x08, 0x31, 0x22, 0x73],
      applets: [Applet(aid: Self.environment, answer: Self.listing)])
    let lines = try await Self.info(card)
    #expect(
      Self.values("application", lines) == [
        "payment card (EMV)", "Mastercard (DEBIT), A0000000041010", "Canteen, F011223344",
      ])
    try await Tool.with([VirtualTag(card)]) { nfc async throws in
      let json = try await nfc(["info", "--json"])
      #expect(
        json.output.contains(
          #""applications":[{"aid":"325041592E5359532E4444463031","name":"payment card (EMV)"},"#
            + #"{"aid":"A0000000041010","name":"Mastercard"},"#
            + #"{"aid":"F011223344","name":"Canteen"}]"#))
    }
  }

  /// An answer that ends early, or whose lengths are wrong, lists what is complete.
  @Test func brokenListingsAreRead() {
    let whole = PaymentApplication.all(in: Self.listing)
    #expect(whole.map(\.name) == ["Mastercard", "Canteen"])
    for count in 0..<Self.listing.count {
      #expect(PaymentApplication.all(in: Array(Self.listing.prefix(count))).isEmpty)
      var changed = Self.listing
      changed[count] ^= 0xFF
      #expect(PaymentApplication.all(in: changed).count <= 2)
    }
    let deep = (0..<40).reduce(Self.listing) { inner, _ in
      [0x6F, 0x81, UInt8(truncatingIfNeeded: inner.count)] + inner
    }
    #expect(PaymentApplication.all(in: deep).isEmpty)
    #expect(PaymentApplication.all(in: [0x9F, 0xFF]).isEmpty)
  }

  // MARK: DESFire

  @Test(arguments: [
    ("desfire-ev3", ["version 3.0"], "week 18 of 2012"),
    ("desfire-ev2", ["version 2.0"], "week 18 of 2012"),
    // Only the hexadecimal digits of a chip that is not a DESFire are known to mean something.
    ("ntag424", ["version 30.0"], nil), ("ntag413", ["version 10.0"], nil),
  ])
  func versionsAreInWords(_ name: String, _ hardware: [String], _ made: String?) async throws {
    let lines = try await Tool.run("info", "--virtual", name).lines
    #expect(Self.values("hardware", lines) == hardware)
    #expect(Self.values("made", lines).count == 1)
    if let made { #expect(Self.values("made", lines) == [made]) }
    let json = try await Tool.run("info", "--json", "--virtual", name)
    #expect(json.output.contains(#""version":"04"#))
  }

  @Test func applicationsAndFilesAreInWords() async throws {
    try await Tool.with("blank-desfire") { nfc async throws in
      for line in [
        "create-app F21190 --keys 2 --crypto aes --settings 0B",
        "create-app 123456 --keys 1 --crypto des",
        "create-app 654321 --keys 1 --crypto des --settings 09",
      ] {
        let arguments = ["desfire"] + line.split(separator: " ").map(String.init)
        #expect(try await nfc(arguments).status == 0)
      }
      let result = try await nfc(["info"])
      #expect(
        Self.values("application F21190", result.lines) == [
          "Clipper (San Francisco), 2 keys (AES), creates with the master key"
        ])
      #expect(Self.values("application 123456", result.lines) == ["1 key (DES)"])
      #expect(
        Self.values("application 654321", result.lines) == ["settings only with a key"])
      let json = try await nfc(["info", "--json"])
      #expect(json.output.contains(#"{"aid":"F21190","name":"Clipper (San Francisco)","keys":"#))
    }
    let lines = try await Tool.run("info", "--virtual", "desfire").lines
    #expect(
      Self.values("  file 1", lines) == [
        "15 bytes of data, plain; read: everyone, write: key 0, both: key 0, change: key 0"
      ])
  }

  // MARK: MIFARE Classic

  @Test func theDirectoryNamesApplications() async throws {
    #expect(
      Self.values("directory", try await Tool.run("info", "--virtual", "classic-4k").lines) == [
        "sectors 1-15: NDEF", "sectors 17-39: NDEF",
      ])
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.mfd")
      try #require(try await Tool.run("dump", file.path, "--virtual", "classic-1k").status == 0)
      var bytes = try [UInt8](Data(contentsOf: file))
      typealias Identifier = MiFareApplicationDirectory.ApplicationIdentifier
      var content = try MiFareApplicationDirectory(Array(bytes[16..<48]), part: .first)
      content.identifiers = Array(repeating: .free, count: 15)
      content.identifiers[0] = Identifier(functionCluster: 0x18, applicationCode: 0x37)
      content.identifiers[2] = Identifier(functionCluster: 0x18, applicationCode: 0x37)
      content.identifiers[1] = Identifier(functionCluster: 0x00, applicationCode: 0x04)
      content.identifiers[3] = Identifier(functionCluster: 0xD3, applicationCode: 0x01)
      bytes.replaceSubrange(16..<48, with: content.bytes)
      try Data(bytes).write(to: file)
      let result = try await Tool.run("info", "--virtual", file.path)
      #expect(
        Self.values("directory", result.lines) == [
          "sectors 1, 3: city transport, 1837", "sector 2: the card's holder",
          "sector 4: an unknown kind of application, D301",
        ])
      #expect(
        Self.values("layout", result.lines) == ["sectors 0-15: 3 blocks of 16 bytes and a trailer"])
      let json = try await Tool.run("info", "--json", "--virtual", file.path)
      #expect(
        json.output.contains(
          #""directory":[{"sectors":[1,3],"aid":"1837","name":"city transport, 1837"}"#))

      bytes[16] ^= 1
      try Data(bytes).write(to: file)
      let broken = try await Tool.run("info", "--virtual", file.path)
      #expect(broken.status == 0)
      #expect(Self.values("directory", broken.lines) == ["of sector 0: invalid checksum"])
    }
    #expect(
      Self.values("directory", try await Tool.run("info", "--virtual", "blank-classic-1k").lines)
        .isEmpty)
  }

  /// A published pair of UID and signature (Proxmark3, recover_pk.py), the same signature with another UID, and a card
  /// without one.
  @Test(arguments: [
    ("524374E2", true, true), ("524374E3", true, false), ("524374E2", false, false),
  ])
  func theSignatureOfAnEV1IsVerified(
    _ uid: String, _ isSigned: Bool, _ isGenuine: Bool
  ) async throws {
    let digits = "F8758CE30A58553A9985C458FB9C7D340FCFB04847B928A0667939272BC58B5E"
    let identifier = try #require([UInt8](hexadecimal: uid))
    let signature = try #require([UInt8](hexadecimal: digits))
    var card = MIFAREClassic(.oneK, uid: identifier)
    if isSigned { card.signature = signature }
    try await Tool.with([VirtualTag(card)]) { nfc async throws in
      let result = try await nfc(["info"])
      #expect(result.status == 0)
      #expect(result.errors == "")
      #expect(
        Self.values("originality", result.lines)
          == [
            isGenuine
              ? "genuine, by the maker's signature"
              : isSigned
                ? "unknown: no key that is known here verifies the signature"
                : "unknown: no signature that could be checked"
          ])
      #expect(Self.values("signature", result.lines) == (isSigned ? [digits] : []))
      #expect(
        Self.values("generation", result.lines) == (isGenuine ? ["MIFARE Classic EV1"] : []))
      // The sectors are read as before.
      #expect(Self.values("sector 0", result.lines).count == 1)
      #expect(Self.values("sectors 1-15", result.lines).count == 1)
      #expect(try await nfc(["read"]).status == 0)
    }
  }

  // MARK: The table

  @Test(arguments: [("ntag213", "50 pF"), ("ultralight-ev1", "17 pF"), ("ultralight", nil)])
  func theCapacitanceIsReported(_ name: String, _ value: String?) async throws {
    let lines = try await Tool.run("info", "--virtual", name).lines
    #expect(Self.values("capacitance", lines) == (value.map { [$0] } ?? []))
  }

  @Test func longValuesBreakBetweenWords() {
    #expect(FactTable.lines("one two three", room: nil) == ["one two three"])
    #expect(FactTable.lines("one two three", room: 8) == ["one two", "three"])
    #expect(FactTable.lines("0123456789 two", room: 4) == ["0123456789", "two"])
    #expect(FactTable.lines("", room: 4) == [""])
  }
}
