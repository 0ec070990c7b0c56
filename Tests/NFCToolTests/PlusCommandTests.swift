import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Tests of `nfc plus`.
@Suite struct PlusCommandTests {
  /// A card without applications is not one that was held badly.
  @Test(arguments: [
    "read", "write uri https://swift.org", "erase", "format", "lock --permanently", "lock --plan",
  ])
  func itIsNotAnNDEFTag(_ command: String) async throws {
    let result = try await Tool.run(
      command.split(separator: " ").map(String.init) + ["--virtual", "mifare-plus"])
    #expect(result.status == 66, "\(result.errors)")
    #expect(
      result.errors.contains("it is a MIFARE Plus, which cannot be formatted"), "\(result.errors)")
    #expect(result.errorLines.count == 1)
  }

  private static let factory = "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"
  private static let key = "1AB2C3D4E5F60718293A4B5C6D7E8F90"
  private static let data = "00112233445566778899AABBCCDDEEFF"

  /// Runs command lines on one virtual reader. Their output must not contain the key.
  private static func onCard(
    _ name: String,
    _ body: (_ nfc: (_ line: String, _ status: Int32) async throws -> Tool.Result) async throws ->
      Void
  ) async throws {
    try await Tool.with(name, subcommand: "plus", hiding: [key], hasNotes: true, body)
  }

  /// A card outside security level 1 has no NDEF, whatever the command.
  @Test(arguments: ["mifare-plus", "blank-mifare-plus"])
  func hasNoNDEF(_ name: String) async throws {
    try await Tool.with(name) { nfc in
      for line in ["read", "write text x", "write text x --append", "erase", "lock --permanently"] {
        let result = try await nfc(line.split(separator: " ").map(String.init))
        #expect(result.status == 66, "\(line): \(result.errors)")
        #expect(result.errors.contains("it is a MIFARE Plus"), "\(line): \(result.errors)")
      }
    }
  }

  /// A new card does not know the commands of level 3.
  @Test func aNewCardIsInLevelZero() async throws {
    try await Self.onCard("blank-mifare-plus") { nfc in
      let read = try await nfc("read 4 --key 1A:\(Self.factory)", 66)
      #expect(read.errors.contains("nfc plus level"))
      let incomplete = try await nfc("personalize --permanently --key master:\(Self.key)", 65)
      #expect(incomplete.errors.contains("master, configuration and level3"))
    }
  }

  @Test(arguments: ["mifare-plus", "mifare-plus-4k"]) func wholeLife(_ name: String) async throws {
    try await Self.onCard(name) { nfc in
      let a = "--key 1A:\(Self.factory)"
      _ = try await nfc("write 4 \(Self.data) \(a)", 0)
      #expect(
        try await nfc("read 4-5 \(a)", 0).output
          == "\(Self.data)\n00000000000000000000000000000000\n")
      #expect(
        try await nfc("read 4 \(a) --plain --json", 0).output
          == #"{"block":4,"data":"\#(Self.data)"}"# + "\n")
      #expect(try await nfc("value 5 --set 100 \(a)", 0).output == "100\n")
      #expect(try await nfc("value 5 --debit 30 \(a)", 0).output == "70\n")
      #expect(try await nfc("value 5 --credit 5 \(a)", 0).output == "75\n")
      #expect(try await nfc("value 5 \(a)", 0).output == "75\n")
      _ = try await nfc("value 4 \(a)", 65)
      let plan = try await nfc("change-key 1B --new-key \(Self.key) --plan \(a)", 0)
      #expect(plan.output == "key B of sector 1: a new one, not shown\n")
      #expect(
        try await nfc("change-key 1B --new-key \(Self.key) --plan --json \(a)", 0).output
          == #"{"key":"key B of sector 1","action":"a new one","secret":true}"# + "\n")
      _ = try await nfc("change-key 1B --new-key \(Self.key) --plan --key 1A:\(Self.key)", 77)
      _ = try await nfc("read 4 --key 1B:\(Self.factory)", 0)
      _ = try await nfc("change-key 1B --new-key \(Self.key) \(a)", 0)
      // The answer to a change may be lost: the same command then finds the new key.
      let own = "--new-key \(Self.key) --key 2A:\(Self.factory)"
      _ = try await nfc("change-key 2A \(own)", 0)
      _ = try await nfc("change-key 2A \(own)", 0)
      _ = try await nfc("change-key 2A \(own) --plan", 77)
      let other = "--new-key \(Self.data) --key 2A:\(Self.factory)"
      _ = try await nfc("change-key 2A \(other)", 77)
      _ = try await nfc("read 8 --key 2A:\(Self.key)", 0)
      _ = try await nfc("read 4 --key 1B:\(Self.factory)", 77)
      #expect(try await nfc("read 4 --key 1B:\(Self.key)", 0).output == "\(Self.data)\n")
      let master = "--key master:\(Self.factory)"
      _ = try await nfc("change-key configuration --new-key \(Self.key) \(master)", 0)
      _ = try await nfc("read 0,4 \(a) --key 0A:\(Self.factory)", 0)
    }
  }

  @Test(arguments: [
    ("read 4", 77, "--key 1A:HEX"), ("read 4 --key 1A:1122", 64, "16 bytes"),
    ("read 4 --key 40A:\(factory)", 64, "sector"), ("read 256", 64, "255"),
    ("write 0 \(data)", 64, "maker"), ("write 7 \(data)", 64, "--access-conditions"),
    ("write 4 0011", 64, "16 bytes"), ("value 7", 64, "no value"),
    ("value 5 --set 1 --debit 1", 64, "one of"),
    ("change-key 1C --new-key \(factory)", 64, "sector"),
    ("change-key 1A --new-key 11", 64, "16 bytes"),
    ("read 4 --key 1A:\(factory) --key 1A:\(key)", 64, "twice"),
    ("read 4 --key 1A:\(key)", 77, "key A of sector 1"),
  ])
  func refused(_ line: String, _ status: Int, _ text: String) async throws {
    try await Self.onCard("mifare-plus") { nfc in
      let result = try await nfc(line, Int32(status))
      #expect(result.errors.contains(text), "\(result.errors)")
    }
  }

  @Test func cardsWithoutEncryption() async throws {
    try await Self.onCard("mifare-plus-s") { nfc in
      let result = try await nfc("read 4 --key 1A:\(Self.factory)", 66)
      #expect(result.errors.contains("--plain"))
      _ = try await nfc("read 4 --plain --key 1A:\(Self.factory)", 0)
    }
  }

  @Test func otherTags() async throws {
    let result = try await Tool.run(
      "plus", "read", "4", "--key", "1A:\(Self.factory)", "--virtual", "classic-1k", "--timeout",
      "1")
    #expect(result.status == 66 && result.errorLines.count == 1)
  }

  @Test func report() async throws {
    let result = try await Tool.run("info", "--json", "--virtual", "mifare-plus")
    #expect(result.status == 0 && result.output.contains(#""product":"MIFARE Plus X""#))
    #expect(result.output.contains(#""family":"plus""#))
  }

  /// From level 1 to level 3, the card is read with CRYPTO1 first and with AES afterwards.
  @Test(.asking(.configurationLock)) func levels() async throws {
    try await Self.onCard("mifare-plus-sl1") { nfc in
      #expect(try await nfc("level", 0).output == "level 1\n")
      #expect(
        try await nfc("level --json --key level1:\(Self.factory)", 0).output
          .contains(#""level":1,"genuine":true"#))
      _ = try await nfc("level --key level1:\(Self.key)", 77)
      let shown = try await nfc("level 3 --plan", 0).output
      #expect(
        shown.hasPrefix("security level: 1 → 3\n") && shown.contains("permanently leave")
          && shown.contains("MIFARE Classic"))
      _ = try await nfc("level 3", 64)
      _ = try await nfc("level 3 --permanently", 77)
      _ = try await nfc("level 3 --permanently --key level3:\(Self.key)", 77)
      #expect(try await nfc("level", 0).output == "level 1\n")
      _ = try await nfc("level 3 --permanently --key level3:\(Self.factory)", 0)
      #expect(try await nfc("level", 0).output == "level 3\n")
      _ = try await nfc("read 4 --key 1A:\(Self.factory)", 0)
      _ = try await nfc("level 3 --permanently --key level3:\(Self.factory)", 66)
    }
  }

  /// A file that Flipper Zero's firmware has read with AES keys is a card with these keys.
  @Test func aFileOfFlipperZero() async throws {
    let unknown = Array(repeating: "??", count: 16).joined(separator: " ")
    let known = "00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"
    var lines = [
      "Filetype: Flipper NFC device", "Version: 4", "Device type: Mifare Plus",
      "UID: 04 51 2C 8A 3D 61 80", "ATQA: 00 44", "SAK: 20", "T0: 75", "TA(1): 77", "TB(1): 80",
      "TC(1): 02", "T1...Tk: C1 05 2F 2F 01 BC D6",
      "PICC Version: \(Array(repeating: "00", count: 28).joined(separator: " "))",
      "Card Type: Mifare Plus X", "Security Level: SL3", "Memory Size: 2K",
      "Data format version: 1",
    ]
    lines += (0..<128).map { "Block \($0): \($0 == 4 ? known : unknown)" }
    lines += (0..<32).flatMap { sector in
      ["Key A \(sector): \(sector == 1 ? known : unknown)", "Key B \(sector): \(unknown)"]
    }
    lines += ["Card Master", "Card Config", "L3 Switch", "SL1 Card Auth"].map {
      "\($0) Key: \(unknown)"
    }
    lines += (0..<4).map { "Config Block \($0): \(unknown)" }
    try await TemporaryDirectory.with { directory in
      let file = directory.appending(path: "plus.nfc")
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      let read = try await Tool.run(
        "plus", "read", "4", "--key", "1A:\(Self.data)", "--virtual", file.path)
      #expect(read.status == 0, "\(read.errors)")
      #expect(read.output.contains(Self.data))
      // A key that the file does not have is not one of delivery.
      let other = try await Tool.run(
        "plus", "read", "8", "--key", "2A:\(Self.factory)", "--virtual", file.path)
      #expect(other.status == 77, "\(other.errors)")
    }
  }

  @Test(.asking(.configurationLock)) func personalization() async throws {
    let needed = "--key master:\(Self.key) --key configuration:\(Self.key)"
    try await Self.onCard("blank-mifare-plus") { nfc in
      #expect(try await nfc("level", 0).output == "level 0\n")
      _ = try await nfc("personalize", 64)
      let shown = try await nfc("personalize --plan --permanently \(needed)", 0).output
      #expect(shown.contains("the card's master key: a new one") && shown.contains("permanently"))
      // A key is missing, so the card keeps its level.
      _ = try await nfc("personalize --permanently \(needed)", 65)
      #expect(try await nfc("level", 0).output == "level 0\n")
      _ = try await nfc("personalize --key 1A:\(Self.key)", 0)
      _ = try await nfc("personalize --permanently --key level3:\(Self.key)", 0)
      #expect(try await nfc("level", 0).output == "level 3\n")
      _ = try await nfc("read 4 --key 1A:\(Self.key)", 0)
      _ = try await nfc("personalize --key 1A:\(Self.factory)", 77)
    }
  }

  @Test(arguments: [
    ("level 2", 64, "3"), ("level --plan", 64, "level 3"), ("level --permanently", 64, "level 3"),
    ("level", 66, "not a MIFARE Plus"), ("level 3 --plan", 66, "ISO 14443-4"),
  ])
  func levelsOfAClassic(_ line: String, _ status: Int, _ text: String) async throws {
    try await Self.onCard("classic-1k") { nfc in
      let result = try await nfc(line, Int32(status))
      #expect(result.errors.contains(text), "\(result.errors)")
    }
  }
}
