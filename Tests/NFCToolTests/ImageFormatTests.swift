import Foundation
import TagImages
import Testing

/// Tests of the image formats with the commands `dump`, `convert`, `diff` and `restore`, and with `--virtual
/// FILE`.
@Suite struct ImageFormatTests {
  /// A tag and the formats that support it.
  struct Case: CustomTestStringConvertible, Sendable {
    let tag: String
    let formats: [String]

    init(_ tag: String, _ formats: String) {
      self.tag = tag
      self.formats = formats.split(separator: " ").map(String.init)
    }

    /// Whether the tag's memory does not contain its UID.
    var needsIdentity: Bool {
      ["icode", "mb89", "tag-it", "felica"].contains { tag.hasPrefix($0) }
    }

    var testDescription: String { tag }
  }

  private static let all = ["bin", "mfd", "eml", "json", "nfc", "mct"]

  /// A saved tag can be used as a tag again. That tag is equal to the first one, and is saved in the same
  /// way.
  @Test(arguments: [
    Case("ultralight", "bin mfd eml json nfc"), Case("ultralight-c", "bin mfd eml json nfc"),
    Case("ultralight-ev1", "bin mfd eml json nfc"), Case("ntag203", "bin mfd eml json nfc"),
    Case("ntag210", "bin mfd eml json nfc"), Case("ntag216", "bin mfd eml json nfc"),
    Case("ntag-i2c-2k", "bin mfd eml nfc"), Case("classic-mini", "bin mfd eml json nfc mct"),
    Case("classic-4k", "bin mfd eml json nfc mct"), Case("icode-slix2", "bin mfd eml json nfc"),
    Case("mb89r118", "bin mfd eml json nfc"), Case("tag-it", "bin mfd eml json nfc"),
    Case("felica-lite", "bin mfd eml nfc"), Case("felica-lite-s", "bin mfd eml nfc"),
    Case("suica", "nfc"), Case("type3", "nfc"), Case("desfire", "nfc"), Case("desfire-ev3", "nfc"),
    Case("type4", "nfc"), Case("type4b", "nfc"), Case("ntag413", "nfc"), Case("st25ta", "nfc"),
    Case("emrtd", "nfc"), Case("ntag-i2c-plus-1k", "bin mfd eml json nfc"),
    Case("ntag-i2c-plus-2k", "bin mfd eml nfc"),
    Case("topaz96", "bin mfd eml json"), Case("topaz512", "bin mfd eml"),
  ])
  func savesAndIsATagAgain(_ test: Case) async throws {
    try await TemporaryDirectory.with { directory async throws in
      for format in Self.all {
        let file = directory.appending(path: "tag.\(format)").path
        let dump = try await Tool.run("dump", file, "--virtual", test.tag)
        guard test.formats.contains(format) else {
          #expect(dump.status == 65)
          #expect(dump.errorLines.count == 1)
          for other in test.formats { #expect(dump.errors.contains(".\(other)")) }
          #expect(!FileManager.default.fileExists(atPath: file))
          continue
        }
        #expect(dump.status == 0)
        #expect(dump.output == "")
        #expect(dump.errorLines.count <= 1)
        let same = try await Tool.run("diff", file, "-", "--virtual", test.tag)
        #expect(same.status == 0)
        #expect(same.output == "")
        let again = directory.appending(path: "again.\(format)").path
        #expect(try await Tool.run("dump", again, "--virtual", file).status == 0)
        #expect(FileManager.default.contentsEqual(atPath: file, andPath: again))
        // The image is converted to the next format that supports the tag.
        let index = test.formats.firstIndex(of: format) ?? 0
        let other = test.formats[(index + 1) % test.formats.count]
        let copy = directory.appending(path: "copy.\(other)").path
        let converted = try await Tool.run("convert", file, copy)
        if test.needsIdentity, ["bin", "mfd", "eml"].contains(format),
          ["json", "nfc"].contains(other)
        {
          // Plain bytes do not contain a UID, which Flipper's files require.
          if other == "nfc" { #expect(converted.status == 65) }
          continue
        }
        #expect(converted.status == 0)
        #expect(try await Tool.run("diff", copy, file).status == 0)
      }
    }
  }

  /// The keys of a MIFARE Classic 1K are no memory of any tag, also where one is named.
  @Test func aFileOfKeysIsNamed() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card-key.bin")
      let copy = directory.appending(path: "card.eml")
      try Data((0..<192).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }).write(to: file)
      for command in [
        ["convert", file.path, copy.path], ["convert", file.path, copy.path, "--iso15693"],
        ["info", "--virtual", file.path],
      ] {
        let result = try await Tool.run(command)
        #expect(result.status == 65)
        #expect(
          result.errors.contains("192 bytes are the size of a key file of a MIFARE Classic 1K"),
          "\(result.errors)")
        #expect(result.errors.contains("use it with --keys"))
        #expect(result.errorLines.count == 1)
      }
      #expect(!FileManager.default.fileExists(atPath: copy.path))
    }
  }

  /// A number of bytes that no tag has is not taken for a tag's memory.
  @Test(arguments: [12, 100, 200, 1028])
  func bytesOfNoTagAreRefused(_ size: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "odd.bin")
      let copy = directory.appending(path: "odd.eml")
      try Data((0..<size).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }).write(to: file)
      for command in [["convert", file.path, copy.path], ["info", "--virtual", file.path]] {
        let result = try await Tool.run(command)
        #expect(result.status == 65)
        #expect(result.errors.contains("odd.bin has \(size) bytes"), "\(result.errors)")
        #expect(result.errors.contains(command[0] == "convert" ? "--iso15693" : ".json or .nfc"))
        #expect(result.errorLines.count == 1)
      }
      #expect(!FileManager.default.fileExists(atPath: copy.path))
      let named = try await Tool.run("convert", file.path, copy.path, "--iso15693")
      #expect(named.status == 0, "\(named.errors)")
      let text = try String(contentsOf: copy, encoding: .utf8)
      #expect(text.split(separator: "\n").count == size / 4)
    }
  }

  /// The capability container of a Type 5 Tag shows the kind, whatever the size.
  @Test func aContainerShowsTheKind() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "odd.bin")
      let bytes: [UInt8] =
        [0xE1, 0x40, 0x0B, 0x00, 0x03, 0x05, 0xD1, 0x01, 0x01, 0x55, 0x00, 0xFE]
        + [UInt8](repeating: 0, count: 88)
      try Data(bytes).write(to: file)
      let result = try await Tool.run(
        "convert", file.path, directory.appending(path: "odd.eml").path)
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test func whatIsLostIsOneLine() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let full = directory.appending(path: "tag.nfc").path
      let plain = directory.appending(path: "tag.eml").path
      #expect(try await Tool.run("dump", full, "--virtual", "ntag215").errors == "")
      let converted = try await Tool.run("convert", full, plain)
      #expect(converted.status == 0)
      #expect(converted.output == "")
      #expect(converted.errorLines.count == 1)
      #expect(converted.errors.contains("does not hold: version, signature"))
      let text = try String(contentsOfFile: plain, encoding: .utf8)
      #expect(text.split(separator: "\n").count == 135)
      #expect(text.split(separator: "\n").allSatisfy { $0.count == 8 })
      // The UID and the signature are those of the file.
      let info = try await Tool.run("info", "--json", "--virtual", full)
      #expect(info.output.contains("04DB0BDA993C80"))
      #expect(info.output.contains("6048EFD9417CD10F"))
    }
  }

  @Test(arguments: ["json", "nfc", "mct", "eml", "bin"])
  func malformedFilesAreRefused(_ format: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.\(format)").path
      let other = directory.appending(path: "other.bin").path
      try Data((format == "bin" ? "" : "nonsense: \n").utf8).write(to: URL(filePath: file))
      for command in [
        ["convert", file, other], ["info", "--virtual", file], ["diff", file, file],
        ["restore", file, "--virtual", "ntag213"],
      ] {
        let result = try await Tool.run(command)
        #expect(result.status == 65)
        #expect(result.output == "")
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains(format == "bin" ? "offset 0" : "line 1"))
      }
      #expect(!FileManager.default.fileExists(atPath: other))
    }
  }

  /// Comparisons and plans do not show keys or passwords.
  @Test func secretsAreMasked() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.nfc").path
      #expect(try await Tool.run("dump", file, "--virtual", "ntag213").status == 0)
      var text = try String(contentsOfFile: file, encoding: .utf8)
      text = text.replacing("Page 43: 00 00 00 00", with: "Page 43: 5E C2 E7 77")
      text = text.replacing("Page 10: 00 00 00 00", with: "Page 10: 01 02 03 04")
      try Data(text.utf8).write(to: URL(filePath: file))
      for json in [[], ["--json"]] {
        let plan = try await Tool.run(
          ["restore", file, "--plan", "--include-password", "--virtual", "ntag213"] + json)
        #expect(plan.status == 0)
        #expect(plan.output.contains("01020304"))
        #expect(plan.output.contains("43"))
        #expect(!plan.output.contains("5EC2E777"))
      }
      let card = directory.appending(path: "card.mct").path
      let changed = directory.appending(path: "changed.mct").path
      #expect(try await Tool.run("dump", card, "--virtual", "blank-classic-1k").status == 0)
      let keys = try String(contentsOfFile: card, encoding: .utf8)
        .replacing("FFFFFFFFFFFFFF078069FFFFFFFFFFFF", with: "5EC2E7777777FF078069FFFFFFFFFFFF")
      try Data(keys.utf8).write(to: URL(filePath: changed))
      let difference = try await Tool.run("diff", card, changed)
      #expect(difference.status == 1)
      #expect(difference.lines.count == 16)
      #expect(
        difference.lines.first
          == "block 3: ************FF078069************ → ############FF078069************")
    }
  }

  /// Bytes that a file does not contain are not changed on the card.
  @Test func unknownBytesAreNotWritten() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.nfc").path
      #expect(try await Tool.run("dump", file, "--virtual", "blank-classic-1k").status == 0)
      var lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      let unknown = Array(repeating: "??", count: 16).joined(separator: " ")
      for (index, line) in lines.enumerated() {
        // Key B of sector 1 and all bytes of sector 2 are unknown.
        if line.hasPrefix("Block 7:") {
          lines[index] = "Block 7: FF FF FF FF FF FF FF 07 80 69 ?? ?? ?? ?? ?? ??"
        }
        if line.hasPrefix("Block 5:") {
          lines[index] = "Block 5: 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10"
        }
        for block in 8..<12 where line.hasPrefix("Block \(block):") {
          lines[index] = Substring("Block \(block): \(unknown)")
        }
      }
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
      try await Tool.with("blank-classic-1k") { nfc async throws in
        let plan = try await nfc(["restore", file, "--plan"])
        #expect(plan.status == 0)
        #expect(
          plan.output
            == "block 5: 00000000000000000000000000000000 → 0102030405060708090A0B0C0D0E0F10\n"
            + "sector 1: leave out, key B is not in the file, the card's stays\n")
        #expect(try await nfc(["restore", file]).status == 0)
        #expect(try await nfc(["diff", file, "-"]).status == 0)
      }
      // As a tag, the keys of sector 2 are unknown.
      let partial = directory.appending(path: "partial.nfc").path
      #expect(try await Tool.run("dump", partial, "--virtual", file).status == 77)
      #expect(!FileManager.default.fileExists(atPath: partial))
      let dump = try await Tool.run("dump", partial, "--partial", "--virtual", file)
      #expect(dump.status == 0)
      let text = try String(contentsOfFile: partial, encoding: .utf8)
      #expect(text.contains("Block 9: \(unknown)\n"))
      #expect(!text.contains("Block 4: \(unknown)\n"))
    }
  }

  @Test func restoresATopaz() async throws {
    try await TemporaryDirectory.with { directory async throws in
      for name in ["topaz96", "topaz512"] {
        let file = directory.appending(path: "\(name).bin").path
        try await Tool.with(name) { nfc async throws in
          #expect(try await nfc(["write", "text", "first"]).status == 0)
          #expect(try await nfc(["dump", file]).status == 0)
          let long = String(repeating: "second ", count: name == "topaz512" ? 30 : 8)
          #expect(try await nfc(["write", "text", long]).status == 0)
          #expect(try await nfc(["diff", file, "-"]).status == 1)
          #expect(try await nfc(["restore", file]).status == 0)
          #expect(try await nfc(["read"]).output == "first (en)\n")
          #expect(try await nfc(["diff", file, "-"]).status == 0)
        }
      }
    }
  }

  /// Files that everybody may write are restored, and the others are named.
  @Test func restoresFilesOfADESFire() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.nfc").path
      try await Tool.with("desfire") { nfc async throws in
        #expect(try await nfc(["write", "uri", "https://a.example"]).status == 0)
        #expect(try await nfc(["dump", file]).status == 0)
        #expect(try await nfc(["write", "uri", "https://another.example/with/a/path"]).status == 0)
        let difference = try await nfc(["diff", file, "-"])
        #expect(difference.status == 1)
        #expect(difference.lines.count == 1)
        #expect(difference.output.hasPrefix("application 000001 file 2: "))
        let plan = try await nfc(["restore", file, "--plan"])
        #expect(
          plan.output.hasPrefix("application 000001 file 2 from byte 1: 20D1011C5504616E6F"))
        #expect(plan.output.contains(" → 0ED1010A5504612E6578616D706C6500"))
        #expect(try await nfc(["restore", file]).status == 0)
        #expect(try await nfc(["read"]).output == "https://a.example\n")
        #expect(try await nfc(["diff", file, "-"]).status == 0)
      }
      let changed = try String(contentsOfFile: file, encoding: .utf8)
        .replacing("File 1: 00 0F", with: "File 1: 00 0E")
      try Data(changed.utf8).write(to: URL(filePath: file))
      let refused = try await Tool.run("restore", file, "--virtual", "desfire")
      #expect(refused.status == 77)
      #expect(refused.errors.contains("file 1"))
    }
  }

  /// If a file requires a key, the other files are saved only on request.
  @Test func whatNeedsAKeyIsNamed() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.nfc").path
      #expect(try await Tool.run("dump", file, "--virtual", "desfire").status == 0)
      let closed = try String(contentsOfFile: file, encoding: .utf8).replacing(
        "File 2 Access Rights: E0 EE", with: "File 2 Access Rights: 00 00")
      try Data(closed.utf8).write(to: URL(filePath: file))
      let again = directory.appending(path: "again.nfc").path
      let refused = try await Tool.run("dump", again, "--virtual", file)
      #expect(refused.status == 77)
      #expect(refused.errorLines.count == 1)
      #expect(refused.errors.contains("file 2 of application 000001 needs a key"))
      #expect(!FileManager.default.fileExists(atPath: again))
      #expect(try await Tool.run("dump", again, "--partial", "--virtual", file).status == 0)
      #expect(!(try String(contentsOfFile: again, encoding: .utf8)).contains("File 2: "))
    }
  }

  /// A file that contains only an identity is a tag with that identity.
  @Test(arguments: [
    ("ISO14443-3A", "UID: 04 48 6A 32 33 58 80\nATQA: 00 44\nSAK: 01", "04486A32335880"),
    (
      "ISO14443-4A", "UID: 34 19 6D 41\nATQA: 00 04\nSAK: 20\nATS: 06 75 77 81 02 80", "34196D41"
    ),
    (
      "ISO14443-4B", "UID: 01 02 03 04\nApplication data: 05 06 07 08\nProtocol info: 00 51 71",
      "01020304"
    ),
  ])
  func anIdentityIsATag(_ device: String, _ lines: String, _ uid: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.nfc").path
      let text = "Filetype: Flipper NFC device\nVersion: 4\nDevice type: \(device)\n\(lines)\n"
      try Data(text.utf8).write(to: URL(filePath: file))
      let poll = try await Tool.run("poll", "--once", "--json", "--virtual", file)
      #expect(poll.status == 0)
      #expect(poll.output.contains("\"uid\":\"\(uid)\""))
      let copy = directory.appending(path: "copy.nfc").path
      #expect(try await Tool.run("convert", file, copy).status == 0)
      #expect(try await Tool.run("diff", file, copy).status == 0)
      let plain = directory.appending(path: "copy.bin").path
      #expect(try await Tool.run("convert", file, plain).status == 65)
    }
  }

  /// An image of another kind is refused before anything is written.
  @Test func anImageOfAnotherKindIsRefused() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.nfc").path
      #expect(try await Tool.run("dump", file, "--virtual", "icode-slix2").status == 0)
      for tag in ["ntag213", "classic-mini", "felica-lite-s"] {
        let result = try await Tool.run("restore", file, "--virtual", tag)
        #expect(result.status == 65)
        #expect(result.errorLines.count == 1)
        #expect(try await Tool.run("diff", file, "-", "--virtual", tag).status == 65)
      }
    }
  }

  @Test func decodesTheMessageOfEveryFormat() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let names = ["ntag213.nfc", "ntag213.json", "classic-1k.mct", "icode-slix2.json"]
      for name in names {
        let file = directory.appending(path: name).path
        let tag = String(name.prefix { $0 != "." })
        let plain = directory.appending(path: "plain.bin").path
        if tag == "icode-slix2" {
          #expect(try await Tool.run("dump", file, "--virtual", tag).status == 0)
          #expect(try await Tool.run("decode", file).output == "no message\n")
          continue
        }
        try await Tool.with(tag) { nfc async throws in
          #expect(try await nfc(["write", "uri", "https://a.example"]).status == 0)
          #expect(try await nfc(["dump", file]).status == 0)
          #expect(try await nfc(["dump", plain, "--force"]).status == 0)
        }
        #expect(try await Tool.run("decode", file).output == "https://a.example\n")
        #expect(try await Tool.run("diff", file, plain).status == 0)
      }
    }
  }
}
