import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Tests of `--record` and `--replay`. A command prints the same with a recording as with the reader.
@Suite struct RecordingTests {
  /// A tag and the words of a command.
  struct Procedure: Sendable, CustomTestStringConvertible {
    let tag: String
    let words: [String]
    var status: Int32 = 0

    init(_ tag: String, _ words: String, status: Int32 = 0) {
      self.tag = tag
      self.words = words.split(separator: " ").map(String.init)
      self.status = status
    }

    var testDescription: String { "\(tag): \(words.joined(separator: " "))" }
  }

  static let procedures: [Procedure] = [
    Procedure("ntag215", "read --json"), Procedure("ntag216", "info --memory"),
    Procedure("ntag216", "info --json"),
    Procedure("ntag215", "write uri https://swift.org --verify"), Procedure("ntag213", "erase"),
    Procedure("blank-ntag213", "format"), Procedure("ntag215", "lock --permanently"),
    Procedure("ntag213", "protect --password 11223344"),
    Procedure("ntag213", "protect --password 11223344 --pack 5E6F"),
    Procedure("ultralight-ev1", "protect --password 11223344 --pack 5E6F --read"),
    Procedure("ntag215", "mifare dump OUT"),
    Procedure("ultralight-c", "info --json"), Procedure("ultralight-ev1", "mifare send 60 3004"),
    Procedure("ntag213", "mifare send 3CFF", status: 74),
    Procedure("classic-1k", "read"), Procedure("classic-1k", "info"),
    Procedure("classic-1k", "mifare dump OUT"), Procedure("classic-4k", "write text hello"),
    Procedure("classic-1k", "mifare read 1 --key FFFFFFFFFFFF"),
    Procedure("desfire", "info --json"), Procedure("type4", "read --json"),
    Procedure("type4", "write text hello"), Procedure("type4b", "info"),
    Procedure("type4", "apdu 00A4040007D276000085010100 00A4000C02E103"),
    Procedure("type4", "apdu 00B00000FF --aid A0000000000000", status: 66),
    Procedure("emrtd", "info"), Procedure("tmoney", "info --json"),
    Procedure("felica-lite-s", "felica info"), Procedure("suica", "felica read --all"),
    Procedure("suica", "info"), Procedure("felica-lite-s", "write uri https://swift.org"),
    Procedure("felica-lite-s", "felica write --service 0009 5 00112233445566778899AABBCCDDEEFF"),
    Procedure("icode-slix2", "iso15693 info"), Procedure("icode-slix2", "iso15693 read --json"),
    Procedure("st25dv", "iso15693 write 5 01020304"), Procedure("icode-slix2", "info --json"),
    Procedure("icode-slix2", "write uri https://swift.org"),
    Procedure("icode-slix2", "iso15693 send 022B"),
    Procedure("topaz512", "read"), Procedure("topaz96", "info --json"),
    Procedure("ntag213", "felica info --timeout 1", status: 66),
    Procedure("ntag213", "readers --json"), Procedure("ntag213", "poll --once"),
    Procedure("ntag213", "poll --timeout 1"), Procedure("blank-desfire", "poll --timeout 1"),
  ]

  /// Returns a text without the times, which always differ.
  private static func timeless(_ text: String) -> String {
    text.replacing(/^ *\d+\.\d+ */.anchorsMatchLineEndings(), with: "")
  }

  /// A PC/SC reader may report no UID. Here, a recording of another reader has lost it.
  @Test(arguments: ["type4", "type4b"]) func showsATagWithoutAUID(_ tag: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      for (words, status, expected) in [
        (["poll", "--once", "--json"], 0, #""uid":"""#), (["poll", "--once"], 0, "no UID"),
        (["read", "--json"], 0, #"{"uid":"","status":"readWrite""#), (["info"], 0, "smart card"),
        // It looks for the next tag then, which the recording does not have.
        (
          ["write", "text", "hello", "--each", "--count", "1"], nil,
          "-  no UID  failed: the reader does not report its UID"
        ),
      ] as [([String], Int32?, String)] {
        let result = try await Tool.run(words + ["--record", file, "--virtual", tag])
        #expect(result.status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let uid = try #require(text.firstMatch(of: /"(?:uid|pupi)":"([0-9A-F]+)"/)?.1)
        try text.replacing(uid, with: "").write(toFile: file, atomically: true, encoding: .utf8)
        let played = try await Tool.run(
          words + ["--replay", file, "--replay-any-order", "--timeout", "2"])
        if let status { #expect(played.status == status, "\(words): \(played.errors)") }
        #expect(played.status != 0 || status == 0)
        #expect(played.output.contains(expected), "\(words)")
        try FileManager.default.removeItem(atPath: file)
      }
    }
  }

  @Test(arguments: procedures)
  func everyProcedurePlaysBack(_ procedure: Procedure) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      func words(_ name: String) -> [String] {
        procedure.words.map { $0 == "OUT" ? directory.appending(path: name).path : $0 }
      }
      let recorded = try await Tool.run(
        ["--virtual", procedure.tag] + words("dump.bin") + ["--record", file])
      #expect(recorded.status == procedure.status)
      // A command that writes a file names it in its output, so the replay uses the same name.
      let replayed = try await Tool.run(["--force", "--replay", file] + words("dump.bin"))
      #expect(Self.timeless(replayed.output) == Self.timeless(recorded.output))
      #expect(replayed.errors == recorded.errors)
      #expect(replayed.status == recorded.status)
    }
  }

  @Test func aDumpIsTheSameWithSecrets() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      let (first, second) = (
        directory.appending(path: "first.bin"), directory.appending(path: "second.bin")
      )
      let recorded = try await Tool.run(
        "--virtual", "classic-1k", "mifare", "dump", first.path, "--record", file,
        "--with-secrets")
      #expect(recorded.status == 0)
      let replayed = try await Tool.run("--replay", file, "mifare", "dump", second.path)
      #expect(replayed.status == 0)
      #expect(try Data(contentsOf: first) == Data(contentsOf: second))
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(!text.contains("**"))
      #expect(text.contains("FFFFFFFFFFFF"))
    }
  }

  /// An authentication in which both sides use random numbers, and the commands after it, can be replayed
  /// from a recording with secrets.
  @Test(arguments: [
    Procedure("desfire", "desfire write --app 000001 --file 1 00 --key 0:0000000000000000"),
    Procedure("desfire-ev3", "desfire write --app 000001 --file 1 00 --key 0:0000000000000000"),
    Procedure("mifare-plus", "plus read 4-6 --key 1A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"),
    Procedure("ultralight-c", "dump OUT --password 49454D4B41455242214E4143554F5946"),
    Procedure(
      "ntag424",
      "sun setup https://a.example/?p={picc}&c={mac} --key 0:00000000000000000000000000000000"),
  ])
  func proofsPlayBackWithSecrets(_ procedure: Procedure) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      let words = procedure.words.map {
        $0 == "OUT" ? directory.appending(path: "out.bin").path : $0
      }
      let recorded = try await Tool.run(
        ["--virtual", procedure.tag, "--record", file, "--with-secrets"] + words)
      #expect(recorded.status == 0, "\(recorded.errors)")
      #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#""call":"random""#))
      let replayed = try await Tool.run(["--force", "--replay", file] + words)
      #expect(replayed.status == 0)
      #expect(replayed.output == recorded.output)
      #expect(replayed.errors == recorded.errors)
      // Without the secrets, no random numbers are recorded.
      let masked = try await Tool.run(
        ["--force", "--virtual", procedure.tag, "--record", file] + words)
      #expect(masked.status == 0)
      #expect(!(try String(contentsOfFile: file, encoding: .utf8).contains(#""call":"random""#)))
    }
  }

  /// A masked proof fails, and what a command then does is not in the recording. The message names the cause.
  @Test(arguments: [
    Procedure(
      "ntag424",
      "sun setup https://a.example/?p={picc}&c={mac} --new-key 0:1AB2C3D4E5F60718293A4B5C6D7E8F90"),
    Procedure("mifare-plus-sl1", "plus level --key level1:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"),
    Procedure("mifare-plus", "plus read 4 --key 1A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"),
    Procedure("icode-dna", "iso15693 prove --key 0:00000000000000000000000000000000"),
  ])
  func maskedProofsAreTheCause(_ procedure: Procedure) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      let recorded = try await Tool.run(
        ["--virtual", procedure.tag, "--record", file] + procedure.words)
      #expect(recorded.status == 0, "\(recorded.errors)")
      let replayed = try await Tool.run(["--replay", file] + procedure.words)
      #expect(replayed.status == 65 && replayed.errors.contains("--with-secrets"))
    }
  }

  @Test(arguments: [
    Procedure("ntag213", "protect --password 1A2B3C4D --pack 5E6F"),
    Procedure("classic-1k", "mifare dump OUT --key 1A2B3C4D5E6F"),
    Procedure("classic-1k", "mifare read 1 --key 1A2B3C4D5E6F"),
    Procedure("ntag213", "mifare send 1B1A2B3C4D"),
    Procedure("desfire", "apdu 9071000002000000 90C4000008001A2B3C4D5E6F00"),
    Procedure("type4", "apdu 00200001041A2B3C4D"),
    Procedure("icode-slix2", "iso15693 send 22B304838ED22A080104E0041A2B3C4D"),
  ])
  func secretsAreMasked(_ procedure: Procedure) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      let capture = directory.appending(path: "session.pcapng")
      let words = procedure.words.map {
        $0 == "OUT" ? directory.appending(path: "dump.bin").path : $0
      }
      _ = try await Tool.run(
        ["--virtual", procedure.tag] + words + ["--record", file, "--pcap", capture.path])
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("**"))
      #expect(!text.contains("1A2B3C4D"))
      #expect(!text.contains("5E6F"))
      let secret = Data([0x1A, 0x2B, 0x3C, 0x4D])
      #expect(try Data(contentsOf: capture).firstRange(of: secret) == nil)
    }
  }

  /// If a command is not in the recording, the error names the line, whatever the command is.
  @Test(arguments: [
    (["mifare", "send", "3005"], 4), (["mifare", "send", "3004", "3006"], 4),
    (["felica", "info"], 2), (["info"], 4),
  ])
  func aCommandThatIsNotThere(_ words: [String], _ line: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      _ = try await Tool.run(
        "--virtual", "ntag213", "mifare", "send", "3004", "--record", file)
      // The lines are the reader, the search, the activation of the tag, and the command.
      let count = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count
      #expect(count == 4)
      let result = try await Tool.run(["--replay", file] + words)
      #expect(result.status == 65)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.hasPrefix("nfc: "))
      #expect(result.errors.contains("line \(line)"))
    }
  }

  @Test func anyOrderFindsACommandWhereverItStands() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      let words = ["mifare", "send"]
      let recorded = try await Tool.run(
        ["--virtual", "ntag213", "--record", file] + words + ["3000", "3004", "3008"])
      let inOrder = try await Tool.run(["--replay", file] + words + ["3008", "3000"])
      #expect(inOrder.status == 65)
      let anyOrder = try await Tool.run(
        ["--replay", file, "--replay-any-order"] + words + ["3008", "3000"])
      #expect(anyOrder.status == 0)
      #expect(anyOrder.lines == [recorded.lines[2], recorded.lines[0]])
      let unknown = try await Tool.run(
        ["--replay", file, "--replay-any-order"] + words + ["300C"])
      #expect(unknown.status == 65)
    }
  }

  @Test(arguments: [
    ("", 65, "line 1"), ("no recording\n", 65, "line 1"), ("{}\n", 65, "this is not a recording"),
    (#"{"format":"nfc recording","version":2}"# + "\n", 65, "version 2"),
    (#"{"format":"nfc recording","version":1}"# + "\n", 65, "\"name\" is missing"),
  ])
  func whatIsNotARecording(_ text: String, _ status: Int32, _ reason: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl")
      try text.write(to: file, atomically: true, encoding: .utf8)
      let result = try await Tool.run("--replay", file.path, "read")
      #expect(result.status == status)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains(reason))
    }
  }

  /// Without the key, there is no valid answer for other random numbers, and the error names the line with
  /// the tag's proof. A key that was wrong in the recording is wrong again.
  @Test(arguments: [
    ("desfire", "desfire write --app 000001 --file 1 00 --key 0:0000000000000000", 65),
    ("desfire", "desfire write --app 000001 --file 1 00 --key 0:0102030405060708", 77),
    ("ultralight-c", "dump OUT --password 49454D4B41455242214E4143554F5946", 65),
  ])
  func aProofByRandomNumbers(_ tag: String, _ words: String, _ status: Int32) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      let words = words.split(separator: " ").map {
        $0 == "OUT" ? directory.appending(path: "out.bin").path : String($0)
      }
      let recorded = try await Tool.run(["--virtual", tag, "--record", file] + words)
      #expect(recorded.status == (status == 65 ? 0 : status))
      let replayed = try await Tool.run(["--force", "--replay", file] + words)
      #expect(replayed.status == status)
      #expect(replayed.errorLines.count == 1)
      #expect(
        replayed.errors.contains("of the recording has the tag's proof of a key") == (status == 65))
    }
  }

  /// A command without its own end continues for as long as it was recorded.
  @Test func theEndOfARecordingThatWasInterrupted() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl").path
      let recorded = try await Tool.run(
        ["--virtual", "ntag213", "poll", "--record", file], interruptedAfter: 1)
      #expect(recorded.status == 130)
      let replayed = try await Tool.run("--replay", file, "poll")
      #expect(replayed.status == 65)
      #expect(Self.timeless(replayed.output) == Self.timeless(recorded.output))
    }
  }

  @Test func aRecordingThatIsNotThere() async throws {
    let result = try await Tool.run("--replay", "/nowhere/session.jsonl", "read")
    #expect(result.status == 66)
    #expect(result.errorLines.count == 1)
  }

  /// No command is sent to the tag if the exchanges cannot be recorded.
  @Test(arguments: [("/nowhere/session.jsonl", Int32(66)), ("/dev/full", 74)])
  func aFileThatCannotBeWritten(_ path: String, _ status: Int32) async throws {
    for option in ["--record", "--pcap"] {
      let result = try await Tool.run("--virtual", "ntag213", "readers", option, path)
      #expect(result.status == status)
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains(path))
    }
  }

  /// A file that ends in the middle of a line is replayed up to that line.
  @Test func aRecordingThatWasCutOff() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl")
      _ = try await Tool.run("--virtual", "ntag213", "read", "--record", file.path)
      let text = try String(contentsOf: file, encoding: .utf8)
      let lines = text.split(separator: "\n")
      let cut = String(text.dropLast(40))
      try cut.write(to: file, atomically: true, encoding: .utf8)
      let result = try await Tool.run("--replay", file.path, "read")
      #expect(result.status == 65)
      #expect(result.errors.contains("ends at line \(lines.count - 1)"))
      // An incomplete line in the middle of the file is a separate error.
      let broken = "\(lines[0])\n\(lines[1].dropLast(10))\n\(lines[2])\n"
      try broken.write(to: file, atomically: true, encoding: .utf8)
      let second = try await Tool.run("--replay", file.path, "read")
      #expect(second.status == 65)
      #expect(second.errors.contains("line 2"))
    }
  }

  @Test func whatIsKeptOfAKilledCommand() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "session.jsonl")
      let running = try RunningTool(["--virtual", "ntag213", "poll", "--record", file.path])
      _ = try await running.waitForLines(1)
      running.interrupt(SIGKILL)
      _ = try await running.end()
      let result = try await Tool.run("--replay", file.path, "poll", "--once")
      #expect(result.status == 0)
      #expect(result.lines.count == 1)
    }
  }

  /// The recording does not contain a UID, and can be replayed as before.
  @Test(arguments: [
    Procedure("ntag216", "info --json"), Procedure("ntag213", "mifare send 3000"),
    Procedure("classic-1k", "mifare read 0"), Procedure("classic-4k", "info --json"),
    Procedure("felica-lite-s", "info --json"), Procedure("suica", "felica info --json"),
    Procedure("icode-slix2", "info --json"), Procedure("st25dv", "iso15693 info --json"),
    Procedure("type4b", "info --json"), Procedure("desfire", "info --json"),
    Procedure("topaz512", "info --json"),
  ])
  func anonymizedRecordingsPlayBack(_ procedure: Procedure) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let (file, anonymous) = (
        directory.appending(path: "session.jsonl").path, directory.appending(path: "anonymous").path
      )
      _ = try await Tool.run(["--virtual", procedure.tag] + procedure.words + ["--record", file])
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let pattern = /"(?:uid|idm|pupi)":"([0-9A-F]+)"/
      let uid = try String(#require(text.firstMatch(of: pattern)).1)
      let result = try await Tool.run("recording", "anonymize", file, anonymous)
      #expect(result.status == 0)
      #expect(result.output.isEmpty)
      let replaced = try String(contentsOfFile: anonymous, encoding: .utf8)
      let bytes = stride(from: 0, to: uid.count, by: 2).map { uid.dropFirst($0).prefix(2) }
      for form in [bytes.joined(), bytes.reversed().joined(), bytes.suffix(4).joined()] {
        #expect(!replaced.contains(form))
      }
      let lengths = { (text: String) in text.split(separator: "\n").map(\.count) }
      #expect(lengths(replaced) == lengths(text))
      let newUID = try String(#require(replaced.firstMatch(of: pattern)).1)
      #expect(newUID.prefix(2) == uid.prefix(2))
      let replayed = try await Tool.run(["--replay", anonymous] + procedure.words)
      #expect(replayed.status == 0)
      #expect(!replayed.output.contains(uid))
      if replayed.output.contains("\"uid\"") { #expect(replayed.output.contains(newUID)) }
    }
  }

  /// A recording that was made with a PC/SC reader and a real daemon can be replayed without them.
  @Test(arguments: ["icode-slix2", "type4", "ntag215"])
  func aRecordingFromAPCSCReader(_ name: String) async throws {
    let field = VirtualField()
    field.place(try VirtualTag.named(name))
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let client = try VirtualPCSCClient(VirtualPCSCReader(field), port: daemon.port)
    defer { client.close() }
    try await TemporaryDirectory.with { directory async throws in
      for words in [
        ["info", "--json"], ["write", "uri", "https://swift.org"], ["read", "--json"],
      ] {
        let file = directory.appending(path: "\(words[0]).jsonl").path
        let recorded = try await daemon.nfc(arguments: words + ["--record", file])
        #expect(recorded.status == 0, "\(recorded.errors)")
        let replayed = try await Tool.run(["--replay", file] + words)
        #expect(replayed.output == recorded.output)
        #expect(replayed.errors == recorded.errors)
        #expect(replayed.status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("\"name\":\"Virtual ACR1552 PICC 00 00\""))
      }
    }
  }

  @Test func contentIsReplaced() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let (file, anonymous) = (
        directory.appending(path: "session.jsonl").path, directory.appending(path: "anonymous").path
      )
      try await Tool.with("ntag215") { nfc async throws in
        #expect(try await nfc(["write", "text", "Nobody knows"]).status == 0)
        #expect(try await nfc(["read", "--record", file]).status == 0)
      }
      let result = try await Tool.run("recording", "anonymize", file, anonymous, "--content")
      #expect(result.status == 0)
      let replayed = try await Tool.run("--replay", anonymous, "read", "--json")
      #expect(replayed.status == 0)
      #expect(replayed.output.contains("\"text\":\"xxxxxxxxxxxx\""))
    }
  }

  @Test func whatCannotBeAnonymized() async throws {
    let missing = try await Tool.run("recording", "anonymize", "/nowhere/in", "/nowhere/out")
    #expect(missing.status == 66)
    let broken = try await Tool.run("recording", "anonymize", "/etc/hostname", "/nowhere/out")
    #expect(broken.status == 65)
  }

  @Test(arguments: [
    ["--replay", "x", "--virtual", "ntag213", "read"], ["--replay-any-order", "read"],
    ["--with-secrets", "read"], ["--record", "x", "--pcap", "x", "read"],
  ])
  func optionsThatDoNotGoTogether(_ words: [String]) async throws {
    let result = try await Tool.run(words)
    #expect(result.status == 64)
  }
}
