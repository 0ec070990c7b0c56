import Foundation
import TestSupport
import Testing
import VirtualNFC

/// NDEF commands on a MIFARE Classic whose application directory or NFC sectors have keys of their own
/// (RfidResearchGroup/proxmark3#2252).
@Suite struct ClassicOwnKeysTests {
  private static let key = "A8844B0BCA06"
  private static let keyBytes: [UInt8] = [0xA8, 0x84, 0x4B, 0x0B, 0xCA, 0x06]
  private static let other: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66]

  private static let commands: [[String]] = [
    ["read"], ["write", "text", "hi", "--verify"],
    ["write", "uri", "https://b.example", "--append"],
    ["erase"], ["lock", "--plan"], ["format"], ["info"], ["dump", "-"],
  ]

  @Test(
    arguments: ["classic-own-mad-key.mfd", "classic-own-ndef-key.mfd"], commands)
  func everyCommandTakesTheKey(file: String, command: [String]) async throws {
    let card = ["--virtual", ReportFile.path(file)]
    let result = try await Tool.run(command + ["--key", Self.key] + card)
    #expect(result.status == 0, "\(result.errors)")
    if command == ["read"] { #expect(result.output == "https://a.example\n") }
    if command == ["info"] { #expect(result.output.contains("https://a.example")) }
    // Without the key, nothing is done with a card on a reader. Those in a file are used.
    guard !["dump", "info"].contains(command[0]) else { return }
    try await Tool.with(ReportFile.path(file)) { nfc async throws in
      let refused = try await nfc(command)
      #expect(refused.status == 77)
      #expect(refused.errors.contains("--key"), "\(refused.errors)")
    }
    if command == ["read"] {
      #expect(try await Tool.run(command + card).output == "https://a.example\n")
    }
  }

  /// Runs `body` with the path of a card, a virtual one of which some trailers were changed.
  private static func withCard(
    _ chip: String, link: String, _ change: (inout [UInt8]) -> Void,
    _ body: (_ path: String, _ folder: URL) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "card.mfd").path
      try await Tool.with(chip) { nfc async throws in
        #expect(try await nfc(["write", "uri", link]).status == 0)
        let result = try await nfc(["dump", path])
        #expect(result.status == 0, "\(result.errors)")
      }
      var bytes = Array(try Data(contentsOf: URL(filePath: path)))
      change(&bytes)
      try Data(bytes).write(to: URL(filePath: path))
      try await body(path, folder)
    }
  }

  private static func trailer(ofSector sector: Int) -> Int {
    (sector < 32 ? sector * 4 + 3 : 128 + (sector - 32) * 16 + 15) * 16
  }

  private static func set(
    _ key: [UInt8], inSectors sectors: some Sequence<Int>, isKeyB: Bool = false,
    access: [UInt8]? = nil, of bytes: inout [UInt8]
  ) {
    for sector in sectors {
      let start = trailer(ofSector: sector)
      bytes.replaceSubrange(start + (isKeyB ? 10 : 0)..<start + (isKeyB ? 16 : 6), with: key)
      if let access { bytes.replaceSubrange(start + 6..<start + 9, with: access) }
    }
  }

  @Test func keysComeFromFilesAndTheEnvironment() async throws {
    let card = ["--virtual", ReportFile.path("classic-own-ndef-key.mfd")]
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "my.keys").path
      try Data("# mine\n\(Self.key.lowercased()) # NDEF\n".utf8).write(to: URL(filePath: file))
      for (options, environment, status) in [
        (["--keys", file], [:], 0), ([], ["NFC_KEYS": "FFFFFFFFFFFF, \(Self.key)"], 0),
        ([], ["NFC_KEYS": "0:00112233445566778899AABBCCDDEEFF \(Self.key)"], 0),
        (["--keys", file, "--no-default-keys"], [:], 77),
        (["--keys", file, "--key", "A0A1A2A3A4A5", "--no-default-keys"], [:], 0),
        (["--no-default-keys"], ["NFC_KEYS": "A0A1A2A3A4A5,\(Self.key)"], 0),
        ([], ["NFC_KEYS": "A8844B"], 64),
      ] as [([String], [String: String], Int32)] {
        let result = try await Tool.run(["read"] + options + card, environment: environment)
        #expect(result.status == status, "\(options) \(environment): \(result.errors)")
        if status == 0 { #expect(result.output == "https://a.example\n") }
        #expect(!result.errors.uppercased().contains(Self.key))
      }
    }
  }

  /// The second half of a 4K card has a directory of its own, in sector 16.
  @Test func theSecondDirectoryHasAKey() async throws {
    let link = "https://a.example/" + String(repeating: "x", count: 1500)
    try await Self.withCard("classic-4k", link: link) { bytes in
      Self.set(Self.keyBytes, inSectors: [16], of: &bytes)
    } _: { path, _ in
      let read = try await Tool.run("read", "--key", Self.key, "--virtual", path)
      #expect(read.output == link + "\n", "\(read.errors)")
      try await Tool.with(path) { nfc async throws in
        let refused = try await nfc(["read"])
        #expect(refused.status == 77)
        #expect(refused.errors.contains("sector 16") && refused.errors.contains("--key"))
      }
    }
    try await Self.withCard("classic-4k", link: "https://a.example") { bytes in
      Self.set(Self.keyBytes, inSectors: [16], of: &bytes)
    } _: { path, _ in
      try await Tool.with(path) { nfc async throws in
        let read = try await nfc(["read"])
        #expect(read.output == "https://a.example\n", "what the first directory has needs no other")
      }
    }
  }

  /// Each sector may have another key.
  @Test func sectorsHaveDifferentKeys() async throws {
    let link = "https://a.example/" + String(repeating: "x", count: 120)
    try await Self.withCard("classic-1k", link: link) { bytes in
      Self.set(Self.keyBytes, inSectors: [0, 2], of: &bytes)
      Self.set(Self.other, inSectors: [1, 3], of: &bytes)
    } _: { path, _ in
      let keys = ["--key", Self.key, "--key", "112233445566", "--virtual", path]
      #expect(try await Tool.run(["read"] + keys).output == link + "\n")
      for command in [["write", "text", String(repeating: "y", count: 300)], ["erase"]] {
        let result = try await Tool.run(command + ["--verify"] + keys)
        #expect(result.status == 0, "\(result.errors)")
      }
      try await Tool.with(path) { nfc async throws in
        #expect(try await nfc(["read", "--key", Self.key]).status == 77)
      }
    }
  }

  /// Of this card, only key B is known, and only key B may write (access condition 100).
  @Test func keyBReadsAndWrites() async throws {
    try await Self.withCard("classic-1k", link: "https://a.example") { bytes in
      Self.set(Self.other, inSectors: 0..<16, of: &bytes)
      Self.set(Self.keyBytes, inSectors: 0..<16, isKeyB: true, of: &bytes)
      Self.set(
        Self.keyBytes, inSectors: 1..<16, isKeyB: true, access: [0x78, 0x77, 0x88], of: &bytes)
    } _: { path, _ in
      try await Tool.with(path) { nfc async throws in
        let read = try await nfc(["read", "--key", Self.key])
        #expect(read.output == "https://a.example\n", "\(read.errors)")
        let write = try await nfc(["write", "text", "hi", "--verify", "--key", Self.key])
        #expect(write.status == 0, "\(write.errors)")
        // A lock writes key A again, which is not known.
        let lock = try await nfc(["lock", "--plan", "--key", Self.key])
        #expect(lock.status == 77)
        let both = ["--key", Self.key, "--key", "112233445566"]
        #expect(try await nfc(["lock", "--plan"] + both).status == 0)
        // With key A, the message can be read only. What the tag has already is not written.
        let withA = try await nfc(["write", "text", "ho", "--key", "112233445566"])
        #expect(withA.status == 77)
        #expect(withA.errors.contains("key B"), "\(withA.errors)")
      }
    }
  }

  /// A blank card with a key of its own is formatted with it, and has the public keys then.
  @Test func aBlankCardWithItsOwnKeyIsFormatted() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let path = folder.appending(path: "card.mfd").path
      #expect(try await Tool.run("dump", path, "--virtual", "blank-classic-1k").status == 0)
      var bytes = Array(try Data(contentsOf: URL(filePath: path)))
      Self.set(Self.keyBytes, inSectors: 0..<16, of: &bytes)
      try Data(bytes).write(to: URL(filePath: path))
      try await Tool.with(path) { nfc async throws in
        #expect(try await nfc(["format"]).status == 77)
        let format = try await nfc(["format", "--key", Self.key])
        #expect(format.status == 0, "\(format.errors)")
        #expect(try await nfc(["write", "text", "hi"]).status == 0)
        #expect(try await nfc(["read"]).output == "hi (en)\n")
      }
    }
  }

  @Test(.asking(.accessBits)) func aLockKeepsTheKeysOfTheCard() async throws {
    let key = ["--key", Self.key]
    let path = ReportFile.path("classic-own-ndef-key.mfd")
    let result = try await Tool.run(["lock", "--permanently", "--virtual", path] + key)
    #expect(result.status == 0, "\(result.errors)")
  }

  /// A password is for an NTAG, and a key of four bytes is one.
  @Test func otherTagsHaveOtherKeys() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      #expect(try await nfc(["protect", "--password", "11223344", "--read"]).status == 0)
      #expect(try await nfc(["read", "--key", "11223344"]).status == 0)
      let wrong = try await nfc(["read", "--key", Self.key])
      #expect(wrong.status == 64)
    }
    let felica = try await Tool.run("read", "--key", Self.key, "--virtual", "felica-lite-s")
    #expect(felica.status == 64)
    // A file of keys may be for other tags.
    try await TemporaryDirectory.with { folder async throws in
      let file = folder.appending(path: "my.keys").path
      try Data("\(Self.key)\n".utf8).write(to: URL(filePath: file))
      let read = try await Tool.run("read", "--keys", file, "--virtual", "felica-lite-s")
      #expect(read.status == 0, "\(read.errors)")
    }
  }
}
