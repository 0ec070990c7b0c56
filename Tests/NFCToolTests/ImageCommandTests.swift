import Foundation
import NFC
import TagImages
import Testing
import VirtualNFC

/// Tests of `nfc dump`, `restore`, `diff`, `copy`, `convert` and `decode`.
@Suite struct ImageCommandTests {
  @Test(arguments: [
    ("ntag216", 924), ("classic-1k", 1024), ("icode-slix2", 320), ("felica-lite-s", 240),
    ("topaz96", 120), ("topaz512", 512), ("st25dv04k", 512), ("ultralight", 64),
  ])
  func dumpsEveryMemory(_ name: String, _ size: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin").path
      let result = try await Tool.run("dump", file, "--json", "--virtual", name)
      #expect(result.status == 0)
      #expect(result.output.contains(#""saved":\#(size),"#))
      #expect(try Data(contentsOf: URL(filePath: file)).count == size)
      let same = try await Tool.run("diff", file, "-", "--virtual", name)
      #expect(same.status == 0)
      #expect(same.output == "")
      let text = directory.appending(path: "tag.eml").path
      #expect(try await Tool.run("convert", file, text).status == 0)
      #expect(try await Tool.run("diff", text, file).status == 0)
    }
  }

  @Test(arguments: ["tmoney", "barcode", "mifare-plus"])
  func refusesWhatHasNoMIFAREMemory(_ name: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin").path
      let result = try await Tool.run("mifare", "dump", file, "--virtual", name, "--timeout", "1")
      #expect(result.status == 66)
      #expect(result.errorLines.count == 1)
      #expect(!FileManager.default.fileExists(atPath: file))
    }
  }

  @Test(arguments: ["card.xyz", "card", "card.", ".bin"])
  func refusesAnUnknownExtension(_ name: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: name).path
      for command in [["dump", file], ["mifare", "dump", file]] {
        let result = try await Tool.run(command + ["--virtual", "ntag213"])
        #expect(result.status == 64)
        #expect(result.errorLines.count == 1)
        #expect(result.errors.contains(".bin, .mfd, .eml, .json, .nfc, .mct"))
      }
    }
  }

  /// The extension names the format, for a tag as well as for a file. Under an unknown extension, the content has to
  /// show that it is of a tag.
  @Test func aVirtualTagNeedsAKnownExtension() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin").path
      #expect(try await Tool.run("dump", file, "--virtual", "ntag213").status == 0)
      let bytes = try Data(contentsOf: URL(filePath: file))
      let odd = directory.appending(path: "odd.xyz")
      let text = directory.appending(path: "flipper.txt")
      let plain = directory.appending(path: "plain")
      try Data(bytes).write(to: odd)
      #expect(try await Tool.run("info", "--virtual", odd.path).status == 0)
      for content in [bytes.dropLast(), Data("nonsense\n".utf8), Data()] {
        try Data(content).write(to: odd)
        for command in ["info", "read", "poll --once", "restore \(file)"] {
          let result = try await Tool.run(
            command.split(separator: " ").map(String.init) + ["--virtual", odd.path])
          #expect(result.status == 64)
          #expect(result.output == "")
          #expect(result.errorLines.count == 1)
          #expect(result.errors.contains("odd.xyz: its extension names no format of images"))
          #expect(result.errors.contains(".bin, .mfd, .eml, .json, .nfc, .mct"))
          #expect(!result.errors.contains("nothing was written"))
        }
      }
      // Without an extension, a file may be text whose format is unambiguous, or plain bytes.
      #expect(try await Tool.run("convert", file, text.path + ".nfc").status == 0)
      try FileManager.default.moveItem(atPath: text.path + ".nfc", toPath: text.path)
      try bytes.write(to: plain)
      for path in [text.path, plain.path] {
        let result = try await Tool.run("info", "--json", "--virtual", path)
        #expect(result.status == 0)
        #expect(result.output.contains("NTAG213"))
      }
      try bytes.dropLast().write(to: plain)
      let broken = try await Tool.run("info", "--virtual", plain.path)
      #expect(broken.status == 65)
      #expect(
        broken.errors.contains("images are .bin, .mfd, .eml, .json, .nfc, .mct, .picopass files"))
    }
  }

  @Test func restoresBlocks() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin").path
      #expect(try await Tool.run("dump", file, "--virtual", "felica-lite-s").status == 0)
      var bytes = try Data(contentsOf: URL(filePath: file))
      bytes.replaceSubrange(80..<96, with: Data(repeating: 0x5A, count: 16))
      try bytes.write(to: URL(filePath: file))
      try await Tool.with("felica-lite-s") { nfc async throws in
        let plan = try await nfc(["restore", file, "--plan"])
        #expect(plan.status == 0)
        #expect(
          plan.output
            == "block 5: \(String(repeating: "0", count: 32)) → \(String(repeating: "5A", count: 16))\n"
        )
        #expect(try await nfc(["diff", "-", file]).status == 1)
        #expect(try await nfc(["restore", file]).status == 0)
        #expect(try await nfc(["diff", "-", file]).status == 0)
      }
      let wrong = try await Tool.run("restore", file, "--virtual", "icode-slix2")
      #expect(wrong.status == 65)
    }
  }

  /// What is written to a counter cannot be taken back: ICODE SLIX2 counts in block 79, FeliCa Lite and Lite-S
  /// can only decrease the numbers in REG.
  @Test(arguments: [("icode-slix2", 79, 4), ("felica-lite", 14, 16), ("felica-lite-s", 14, 16)])
  func aCounterIsNeverRestored(tag: String, block: Int, size: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin").path
      #expect(try await Tool.run("dump", file, "--virtual", tag).status == 0)
      var bytes = try Data(contentsOf: URL(filePath: file))
      bytes.replaceSubrange(block * size..<block * size + 4, with: [1, 0, 0, 0])
      try bytes.write(to: URL(filePath: file))
      for arguments in [["--plan"], []] {
        let result = try await Tool.run(["restore", file, "--virtual", tag] + arguments)
        #expect(result.status == 0)
        #expect(!result.output.contains("→"), "\(result.output)")
        #expect(
          (result.output + result.errors).contains("a counter is never written"),
          "\(result.output)\(result.errors)")
      }
    }
  }

  @Test func aPlanShowsEachChange() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin").path
      try await Tool.with("ntag213") { nfc async throws in
        #expect(try await nfc(["dump", file]).status == 0)
        #expect(try await nfc(["write", "text", "hi"]).status == 0)
        let plan = try await nfc(["restore", file, "--plan"])
        #expect(plan.lines.contains("page 5: 340309D1 → 340300FE"))
        let difference = try await nfc(["diff", file, "-"])
        #expect(difference.status == 1)
        #expect(difference.lines.contains("page 5: 340300FE → 340309D1"))
        #expect(try await nfc(["restore", file]).status == 0)
        #expect(try await nfc(["read"]).output == "no message\n")
      }
    }
  }

  @Test func differentKindsCannotBeCompared() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let a = directory.appending(path: "a.bin").path
      let b = directory.appending(path: "b.bin").path
      #expect(try await Tool.run("dump", a, "--virtual", "ntag213").status == 0)
      #expect(try await Tool.run("dump", b, "--virtual", "classic-1k").status == 0)
      let result = try await Tool.run("diff", a, b)
      #expect(result.status == 65)
      #expect(result.errorLines.count == 1)
      #expect(try await Tool.run("diff", a, b + "x.bin").status == 66)
      #expect(try await Tool.run("diff", "-", "-").status == 64)
    }
  }

  @Test func copiesToTheNextTag() async throws {
    // The tags are those of the command, in the order of its line.
    let other = try await RunningTool([
      "copy", "--json", "--virtual", "ntag213", "--virtual", "ntag215",
    ]).end()
    #expect(other.status == 0)
    #expect(other.output.contains(#""copied":"the NDEF message""#))
    #expect(other.output.contains(#""leftBehind":["UID""#))
    let alone = try await Tool.run("copy", "--timeout", "0.3", "--virtual", "ntag213")
    #expect(alone.status == 66)
    #expect(alone.errorLines.count == 1)
  }

  /// A name with a dot is that of a file, and none of a tag.
  @Test(arguments: [("missing.nfc", Int32(66)), ("./missing", 66), ("ntag2l3", 64)])
  func virtualTagsThatAreNotThere(_ name: String, _ status: Int32) async throws {
    let result = try await Tool.run("poll", "--once", "--virtual", name)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  /// The first virtual tag is the one that is read, whichever a search finds first.
  @Test(arguments: [
    ["ntag213", "ntag215"], ["ntag215", "ntag213"], ["felica-lite-s", "ntag213"],
    ["ntag213", "classic-1k"],
  ])
  func copiesInTheOrderOfTheCommandLine(_ tags: [String]) async throws {
    let uids = try tags.map { try VirtualTag.named($0).identifier.hexadecimal }
    // The tags are those of the command itself, not of the tests.
    let command = ["copy", "--json"] + tags.flatMap { ["--virtual", $0] }
    let result = try await RunningTool(command).end()
    #expect(result.status == 0, "\(result.errors)")
    let expected = #""uid":"\#(uids[1])","from":"\#(uids[0])""#
    #expect(result.output.contains(expected), "\(result.output)")
  }

  @Test func decodesWithoutAReader() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let raw = directory.appending(path: "message.ndef").path
      let image = directory.appending(path: "tag.bin").path
      #expect(try await Tool.run("encode", "text", "hi", "--output", raw).status == 0)
      #expect(try await Tool.run("decode", raw).output == "hi (en)\n")
      let json = try await Tool.run("decode", raw, "--json")
      #expect(json.output.hasPrefix(#"{"length":9,"records":[{"tnf":"wellKnown","type":"T""#))
      try await Tool.with("ntag213") { nfc async throws in
        #expect(try await nfc(["write", "raw", raw]).status == 0)
        #expect(try await nfc(["dump", image]).status == 0)
      }
      #expect(try await Tool.run("decode", image).output == "hi (en)\n")
      try Data("[{\"uri\":\"https://a.example\"}]".utf8).write(to: URL(filePath: raw))
      #expect(try await Tool.run("decode", raw).output == "https://a.example\n")
      try Data("[{\"uri\":1}]".utf8).write(to: URL(filePath: raw))
      let wrong = try await Tool.run("decode", raw)
      #expect(wrong.status == 65)
      #expect(wrong.errors.contains("line 1"))
      #expect(try await Tool.run("decode", "/nowhere").status == 66)
    }
  }

  /// Files follow the umask, as those of other programs do, except those that may hold a key or password, or what only a
  /// password shows.
  @Test func onlyFilesWithSecretsAreForTheOwnerAlone() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let result = try await Tool.shell(
        #"""
        set -e; umask 022; cd "$FOLDER"
        "$NFC" dump public.bin --force --virtual ntag213 2>notes
        "$NFC" dump public.nfc --virtual desfire
        "$NFC" dump secret.mfd --virtual classic-1k
        "$NFC" convert public.bin public.eml 2>notes
        "$NFC" convert secret.mfd secret.eml 2>notes
        "$NFC" dump secret.bin --password FFFFFFFF --virtual ntag216 2>notes
        "$NFC" convert secret.bin secret-copy.eml 2>notes
        "$NFC" read --raw public-message.ndef --virtual ntag213
        "$NFC" encode text hi --output public-text.ndef
        "$NFC" encode wifi Guests --password "correct horse" --output secret-wifi.ndef
        "$NFC" read --virtual ntag213 --record secret-session.jsonl
        umask 077; "$NFC" dump secret-umask.bin --virtual ntag213 2>notes
        stat -c '%a %n' public* secret*
        """#, environment: ["FOLDER": directory.path])
      let lines = result.lines.filter { $0.contains(".") }
      #expect(lines.count == 12, "\(result.output)\(result.errors)")
      for line in lines {
        #expect(line.hasPrefix(line.contains("public") ? "644 " : "600 "), "\(line)")
      }
    }
  }

  /// A file with secrets that replaces one that others could read is for the owner alone, too.
  @Test func existingFilesWithSecretsAreForTheOwnerAlone() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let result = try await Tool.shell(
        #"""
        set -e; umask 022; cd "$FOLDER"
        for name in public.bin secret.mfd secret.ndef secret.jsonl secret.pcap secret.txt; do
          echo REPLACED > $name; chmod 664 $name
        done
        "$NFC" dump public.bin --force --virtual ntag213 2>notes
        "$NFC" dump secret.mfd --virtual classic-1k --record secret.jsonl --pcap secret.pcap --force
        "$NFC" encode wifi Guests --password "correct horse" --output secret.ndef --force
        "$NFC" doctor --report secret.txt --force >notes || true
        grep -l REPLACED public* secret* || true
        stat -c '%a %n' public* secret*
        """#, environment: ["FOLDER": directory.path])
      #expect(
        result.lines == [
          "664 public.bin", "600 secret.jsonl", "600 secret.mfd", "600 secret.ndef",
          "600 secret.pcap", "600 secret.txt",
        ], "\(result.output)\(result.errors)")
    }
  }

  /// A dump says what of a passport it does not have.
  @Test func theDumpOfAPassportIsNotTakenForAll() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "passport.nfc").path
      let result = try await Tool.run("dump", file, "--virtual", "emrtd")
      #expect(result.status == 0)
      #expect(result.errorLines.count == 1)
      #expect(
        result.errors.contains(
          "does not hold: the data of the passport or identity card (ICAO 9303)"),
        "\(result.errors)")
      // A tag that has nothing else is saved as before.
      let other = try await Tool.run("dump", file, "--force", "--virtual", "type4")
      #expect(other.status == 0 && other.errors == "", "\(other.errors)")
    }
  }

  /// Image files have no ISO names. The application that NXP prescribes for NDEF has those that NXP prescribes.
  @Test func theImageOfADESFireIsAnNDEFTag() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.nfc")
      try await Tool.with("desfire") { nfc async throws in
        #expect(try await nfc(["write", "text", "hi"]).status == 0)
        #expect(try await nfc(["dump", file.path]).status == 0)
      }
      try await Tool.with([.image(Self.flipperImage(file))]) { nfc async throws in
        #expect(try await nfc(["read"]).output == "hi (en)\n")
        #expect(try await nfc(["write", "uri", "https://a.example", "--verify"]).status == 0)
        #expect(try await nfc(["read"]).output == "https://a.example\n")
        #expect(try await nfc(["diff", file.path, "-"]).status == 1)
      }
      // Not the application for NDEF: another number, a container of another version, a backup file.
      let text = try String(contentsOf: file, encoding: .utf8)
      let numbered = text.replacing("Application 010000", with: "Application 020000")
        .replacing("Application IDs: 01 00 00", with: "Application IDs: 02 00 00")
      for other in [
        numbered, text.replacing(": 00 0F 20 00", with: ": 00 0F 40 00"),
        text.replacing("File 1 Type: 00", with: "File 1 Type: 01"),
      ] {
        #expect(other != text)
        try Data(other.utf8).write(to: file)
        try await Tool.with([.image(Self.flipperImage(file))]) { nfc async throws in
          #expect(try await nfc(["read"]).status == 66)
        }
      }
    }
  }

  private static func flipperImage(_ file: URL) throws -> TagImage {
    try ImageFormat.flipper.decode(Array(try Data(contentsOf: file)))
  }

  private static let header = "Filetype: Flipper NFC device\nVersion: 4\n"

  /// Writes a file, and runs `nfc decode` with it.
  private static func decode(_ name: String, _ content: [UInt8]) async throws -> Tool.Result {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: name)
      try Data(content).write(to: file)
      return try await Tool.run("decode", file.path)
    }
  }

  /// The content of a tag that requires a password is in its image.
  @Test(arguments: ["ntag216", "ultralight-ev1", "ultralight-c", "ultralight-aes"])
  func decodesTheImageOfAProtectedTag(_ tag: String) async throws {
    let password =
      tag.hasSuffix("-c") || tag.hasSuffix("aes")
      ? "000102030405060708090A0B0C0D0E0F" : "11223344"
    try await TemporaryDirectory.with { directory async throws in
      let image = directory.appending(path: "tag.nfc").path
      try await Tool.with(tag) { nfc async throws in
        #expect(try await nfc(["write", "text", "hi"]).status == 0)
        #expect(
          try await nfc(["protect", "--password", password, "--from", "4", "--read"]).status == 0)
        #expect(try await nfc(["read"]).status == 77)
        #expect(try await nfc(["dump", image, "--password", password]).status == 0)
      }
      let result = try await Tool.run("decode", image)
      #expect(result.output == "hi (en)\n", "\(result.errors)")
    }
  }

  /// A file with an identity only is no tag that has moved, and none is waited for.
  @Test(arguments: [
    "UID\nUID: 04 85 92 8A A0 61 81\nATQA: 00 44\nSAK: 00\n",
    "ISO14443-3A\nUID: 34 19 6D 41 14 56 E6\nATQA: 00 44\nSAK: 00\n",
    "ISO14443-3B\nUID: 30 1D B3 28\nApplication data: 00 12 34 FF\nProtocol info: 11 81 E1\n",
    "ISO15693-3\nUID: E0 07 80 A1 B2 C3 D4 E5\n",
  ])
  func anIdentityHoldsNoNDEF(_ device: String) async throws {
    let text = Self.header + "Device type: " + device
    let result = try await Self.decode("tag.nfc", Array(text.utf8))
    #expect(result.status == 66)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.hasSuffix("tag.nfc holds no NDEF\n"))
  }

  /// `decode` never writes, and recognizes an image by its first line, as `--virtual` does.
  @Test func saysWhatAFileIs() async throws {
    let message = try await Self.decode("m.ndef", [0xD6, 0x00, 0x00])
    #expect(message.status == 65)
    #expect(!message.errors.contains("written"))
    let json = try await Self.decode("m.json", Array("[{\"uri\":1}]".utf8))
    #expect(json.status == 65)
    #expect(!json.errors.contains("written"))
    let zeros = String(repeating: "0", count: 32) + "\n"
    let sector = "+Sector: 1\n" + String(repeating: zeros, count: 4)
    let dump = try await Self.decode("dump.txt", Array(sector.utf8))
    #expect(dump.status == 66, "\(dump.errors)")
    #expect(dump.errors.contains("holds no NDEF"))
    try await TemporaryDirectory.with { directory async throws in
      let text = directory.appending(path: "dump.txt")
      try Data(sector.utf8).write(to: text)
      let out = directory.appending(path: "dump.mct").path
      #expect(try await Tool.run("convert", text.path, out).status == 0)
      try Data("hello".utf8).write(to: text)
      #expect(try await Tool.run("convert", text.path, out).status == 64)
    }
  }
}
