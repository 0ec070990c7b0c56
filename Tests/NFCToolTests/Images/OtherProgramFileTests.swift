import Foundation
import TestSupport
import Testing

/// Files that their own program reads: memories, keys, and names.
@Suite struct OtherProgramFileTests {
  private static let hello = "hello (en)\n"

  /// No key is needed for what a file has.
  @Test(arguments: [
    ("classic-key-a-zero.mfd", hello), ("classic.dump", hello), ("type5-304.bin", hello),
    ("classic-1k-key-a-unknown.mfd", "https://example.org/classic-1k\n"),
    ("classic-1k-no-keys.mct", "https://example.org/classic-1k\n"),
    ("message.bin", "https://example.org\n"), ("classic-own-mad-key.mfd", "https://a.example\n"),
    ("classic-own-ndef-key.mfd", "https://a.example\n"),
  ])
  func decodes(_ name: String, _ message: String) async throws {
    let result = try await CaseFile.run("decode", "@\(name)")
    #expect(result.output == message && result.status == 0, "\(result.errors)")
  }

  @Test func theNameOfPlainBytesDoesNotMatter() async throws {
    try await TemporaryDirectory.with { directory async throws in
      for name in ["card.raw", "card.img", "card.mfc", "card.dmp", "card"] {
        let file = directory.appending(path: name)
        try Data(try CaseFile.bytes("classic.dump")).write(to: file)
        #expect(try await Tool.run("decode", file.path).output == Self.hello, "\(name)")
        #expect(try await Tool.run("info", "--virtual", file.path).status == 0, "\(name)")
        let copy = directory.appending(path: "copy.nfc").path
        #expect(try await Tool.run("convert", "--force", file.path, copy).status == 0, "\(name)")
        #expect(try await Tool.run("diff", file.path, copy).status == 0, "\(name)")
      }
      let other = directory.appending(path: "notes.txt")
      try Data("These are notes.\n".utf8).write(to: other)
      for command in [["info", "--virtual"], ["diff", other.path], ["convert"]] {
        let rest = command == ["convert"] ? [other.path, "/tmp/never.nfc"] : [other.path]
        #expect(try await Tool.run(command + rest).status == 64, "\(command)")
      }
    }
  }

  /// The keys of a card are in its file, or in a file of their own.
  @Test(arguments: [
    [], ["--keys", "@classic-other-keys-key.bin"], ["--keys", "@cache.keys"],
    ["--keys", "@classic-other-keys.nfc"],
  ])
  func opensSectors(_ options: [String]) async throws {
    let result = try await Tool.run(
      (["info", "--json", "--virtual", "@classic-other-keys.nfc"] + options).map {
        $0.hasPrefix("@") ? CaseFile.path(String($0.dropFirst())) : $0
      })
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.output.contains(#""error""#))
    #expect(!result.output.contains("510062007300"))
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "again.nfc").path
      let dump = try await CaseFile.run("dump", file, "--virtual", "@classic-other-keys.nfc")
      #expect(dump.status == 0, "\(dump.errors)")
      #expect(try await CaseFile.run("diff", "@classic-other-keys.nfc", file).status == 0)
    }
  }

  @Test func aFileOfKeysIsNoImage() async throws {
    let cases = [
      ("classic-other-keys-key.bin", "192 bytes are the size of a key file of a MIFARE Classic 1K"),
      ("dictionary.nfc", "these are keys, one per line"),
      ("cache.keys", "keys of a MIFARE Classic"),
    ]
    for (name, reason) in cases {
      for arguments in [
        ["convert", CaseFile.path(name), "/tmp/never.json"],
        ["info", "--virtual", CaseFile.path(name)],
      ] {
        let result = try await Tool.run(arguments)
        #expect(result.status == 65 && result.errors.contains(reason), "\(result.errors)")
        #expect(result.errors.contains("--keys"))
      }
    }
    let forced = try await CaseFile.run(
      "convert", "@classic-other-keys-key.bin", "/tmp/never.json", "--iso15693")
    #expect(forced.status == 65)
  }

  /// The extension of a list names no format.
  @Test func aFileOfKeysIsNoMessage() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "many.dic")
      try Data("# door\nA0A1A2A3A4A5\nB0B1B2B3B4B5\n".utf8).write(to: file)
      for arguments in [
        ["decode", file.path], ["write", "raw", file.path, "--virtual", "ntag213"],
      ] {
        let result = try await Tool.run(arguments)
        #expect(result.status == 65)
        #expect(
          result.errors.contains("these are keys, one per line: use them with --keys"),
          "\(result.errors)")
      }
    }
  }

  @Test func readsFilesOfKeys() async throws {
    let classic = try await CaseFile.run(
      "mifare", "read", "0", "0", "--keys", "@bom.keys", "--virtual", "classic-1k")
    #expect(!classic.errors.contains("line 1"), "\(classic.errors)")
    let ultralight = try await CaseFile.run(
      "info", "--virtual", "ultralight-c", "--keys", "@ultralight-c.dic")
    #expect(ultralight.status == 0, "\(ultralight.errors)")
    let dictionary = try await CaseFile.run(
      "info", "--virtual", "classic-1k", "--keys", "@dictionary.nfc")
    #expect(dictionary.status == 0, "\(dictionary.errors)")
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "many.dic")
      try Data("00112233445566778899AABBCCDDEEFF\n49454D4B41455242214E4143554F5946 # NXP\n".utf8)
        .write(to: file)
      let result = try await Tool.run("info", "--virtual", "ultralight-c", "--keys", file.path)
      #expect(result.status == 0, "\(result.errors)")
      try Data("0011223344\n".utf8).write(to: file)
      let wrong = try await Tool.run("info", "--virtual", "ultralight-c", "--keys", file.path)
      #expect(wrong.status == 65 && wrong.errors.contains("line 1"))
    }
  }

  /// Flipper Zero reads up to 510 pages, also those behind the last page of the chip whose version it has.
  @Test(arguments: [136, 142, 144, 200])
  func readsPagesBehindTheLastOfTheChip(pageCount: Int) async throws {
    let path = CaseFile.path("ntag215-143-pages.nfc")
    var lines = try String(contentsOfFile: path, encoding: .utf8)
      .split(whereSeparator: \.isNewline).map(String.init)
    let counts = ["Pages total: 143", "Pages read: 143"]
    for index in lines.indices where counts.contains(lines[index]) {
      lines[index] = lines[index].replacingOccurrences(of: "143", with: "\(pageCount)")
    }
    lines.removeAll { line in
      (130..<143).contains { $0 >= pageCount && line.hasPrefix("Page \($0):") }
    }
    lines += (143..<256).filter { $0 < pageCount }.map { "Page \($0): 00 00 00 00" }
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "pages.nfc")
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      for command in [["decode", file.path], ["read", "--virtual", file.path]] {
        let result = try await Tool.run(command)
        #expect(result.status == 0 && result.output == "hello (en)\n", "\(result.errors)")
      }
      #expect(try await Tool.run("info", "--virtual", file.path).status == 0)
    }
  }

  @Test func keepsAllPages() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "o.bin")
      for (name, size) in [("st25tn01k.json", 256), ("ultralight-aes.json", 224)] {
        #expect(try await CaseFile.run("convert", "--force", "@\(name)", file.path).status == 0)
        #expect(try Data(contentsOf: file).count == size, "\(name)")
        #expect(try await CaseFile.run("info", "--virtual", "@\(name)").status == 0)
      }
      // A signature stands after the pages of an NTAG215.
      let info = try await CaseFile.run(
        "info", "--json", "--virtual", "@ntag215-143-pages.nfc")
      #expect(info.output.contains(#""originality":"genuine""#), "\(info.errors)")
      #expect(
        try await CaseFile.run("convert", "--force", "@ntag215-143-pages.nfc", file.path).status
          == 0)
      #expect(try await CaseFile.run("diff", "@ntag215-143-pages.nfc", file.path).status == 0)
      #expect(try await CaseFile.run("decode", "@ntag215-143-pages.nfc").status != 65)
      let text = directory.appending(path: "o.nfc")
      for name in ["ntag215-133-pages.nfc", "133.bin"] {
        let source = directory.appending(path: name)
        if name.hasSuffix("bin") {
          try Data(contentsOf: file).prefix(532).write(to: source)
        } else {
          try FileManager.default.copyItem(atPath: CaseFile.path(name), toPath: source.path)
        }
        #expect(try await Tool.run("convert", "--force", source.path, text.path).status == 0)
        let lines = try String(contentsOf: text, encoding: .utf8)
        #expect(lines.contains("Pages total: 135\nPages read: 133\n"), "\(name)")
      }
    }
  }

  @Test func commentsAreIgnored() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "o.nfc").path
      let result = try await CaseFile.run("convert", "@comments.mct", file)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try await Tool.run("decode", file).output == Self.hello)
    }
  }
}
