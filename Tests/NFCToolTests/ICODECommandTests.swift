import Foundation
import NFC
import TestSupport
import Testing

@testable import VirtualNFC

/// Tests of `nfc iso15693 prove`, `privacy`, `destroy` and `set-password`.
@Suite(.asking(.destruction)) struct ICODECommandTests {
  private static let zeros = String(repeating: "00", count: 16)
  private static let secret = "5DA3917CE2465DA3917CE2465DA3917C"

  private func run(
    _ line: String, on tag: String, environment: [String: String] = [:]
  ) async throws -> Tool.Result {
    try await Tool.run(
      ["iso15693"] + line.split(separator: " ").map(String.init) + ["--virtual", tag],
      environment: environment)
  }

  // MARK: prove

  @Test func proves() async throws {
    let quiet = try await run("prove --key 0:\(Self.zeros)", on: "icode-dna")
    #expect(quiet.status == 0 && quiet.output == "" && quiet.errors == "")
    let json = try await run("prove --key 0:\(Self.zeros) --json", on: "icode-dna")
    #expect(json.lines == [#"{"uid":"E0040118009B5FEE","keys":[0],"proved":true}"#])
    let environment = try await run(
      "prove", on: "icode-dna", environment: ["NFC_KEYS": "0:\(Self.zeros)"])
    #expect(environment.status == 0)
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "keys")
      try Data("# of the batch\n0:\(Self.zeros)\n".utf8).write(to: file)
      #expect(try await run("prove --keys \(file.path)", on: "icode-dna").status == 0)
    }
  }

  /// Wrong and inactive keys are not proved; other tags and readers have no such command.
  @Test(arguments: [
    ("prove --key 0:\(secret)", "icode-dna", 77, "does not prove"),
    ("prove --key 1:\(zeros)", "icode-dna", 77, "active"),
    ("prove --key 0:\(zeros) --key 0:\(secret)", "icode-dna", 64, "twice"),
    ("prove --key 0:\(zeros) --key 1:\(secret)", "icode-dna", 77, "active"),
    ("prove --key 0:\(zeros)", "blank-icode-dna", 77, "active"),
    ("prove --key 0:\(zeros)", "icode-slix2", 66, "AES"),
    ("prove --key 0:\(zeros)", "st25dv", 66, "ICODE"),
    ("prove --key 0:\(zeros)", "ntag215", 69, "ISO 15693"),
    ("prove", "icode-dna", 64, "--key"), ("prove --key 4:\(zeros)", "icode-dna", 64, "0 to 3"),
    ("prove --key \(zeros)", "icode-dna", 64, "like 0:"),
    ("prove --key 0:0011", "icode-dna", 64, "16 bytes"),
    ("prove --key 0:xyz", "icode-dna", 64, "hexadecimal"),
  ])
  func doesNotProve(_ line: String, _ tag: String, _ status: Int32, _ text: String) async throws {
    try await expectRefusal(line, tag, status, text)
  }

  /// The chip is one like all others: its memory is read, written, saved and restored.
  @Test func aDNAIsATagLikeOthers() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let info = try await Tool.run("info", "--json", "--virtual", "icode-dna")
      #expect(info.output.contains(#""product":"ICODE DNA""#))
      #expect(info.output.contains(#""originality":"genuine""#))
      let file = directory.appending(path: "dna.nfc").path
      #expect(try await Tool.run("dump", file, "--virtual", "icode-dna").status == 0)
      #expect(try await Tool.run("write", "text", "hi", "--virtual", file).status == 0)
      #expect(try await Tool.run("restore", file, "--virtual", "blank-icode-dna").status == 0)
      #expect(try await Tool.run("diff", file, "-", "--virtual", "icode-dna").status == 0)
      #expect(try await Tool.run("format", "--virtual", "blank-icode-dna").status == 0)
    }
  }

  // MARK: privacy, destroy

  /// The answer to a change may be lost: the same command then finds the new password.
  @Test(arguments: ["icode-slix2", "icode-slix-s"])
  func passwordThatIsThereAlready(_ tag: String) async throws {
    let line = "set-password read --new-password 00000000 --password 11223344"
    let result = try await run(line, on: tag)
    #expect(result.status == 0 && result.output == "" && result.errors == "")
  }

  @Test(arguments: ["icode-slix2", "icode-slix-l", "icode-slix-s"])
  func works(_ tag: String) async throws {
    for line in [
      "privacy on", "privacy on --password 0F0F0F0F", "destroy --permanently",
      "set-password privacy --new-password 11223344",
      "set-password eas --new-password 11223344 --password 00000000",
    ] {
      let result = try await run(line, on: tag)
      #expect(result.status == 0 && result.output == "" && result.errors == "", "\(line)")
    }
    let json = try await run("privacy on --json", on: tag)
    #expect(json.output.contains(#""privacy":true"#))
    let destroyed = try await run("destroy --permanently --json", on: tag)
    #expect(destroyed.output.contains(#""destroyed":true"#))
  }

  /// A plan names each change, shows no password and sends no command that changes anything.
  @Test(
    arguments: [
      (
        "privacy on", ["privacy mode: turned on; the tag then answers only its privacy password"],
        []
      ),
      ("destroy", ["the tag: permanently disabled"], [.destroysTag]),
      ("destroy --permanently", ["the tag: permanently disabled"], [.destroysTag]),
      (
        "set-password privacy --new-password 5DA3917C",
        [
          "the tag receives its current privacy password, not shown",
          "privacy password: written, not shown",
        ], [.forgetsPassword]
      ),
      ("eas on", ["article surveillance: turned on"], []),
      (
        "eas off --lock",
        ["article surveillance: turned off", "article surveillance: permanently locked"],
        [.locksSurveillance]
      ),
      ("lock 4", ["block 4: permanently read-only"], [.locksMemory]),
    ] as [(String, [String], [IrreversibleEffect])])
  func plans(_ line: String, _ text: [String], _ effects: [IrreversibleEffect]) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let record = directory.appending(path: "record").path
      let plan = try await run("\(line) --plan --record \(record)", on: "icode-slix2")
      #expect(plan.status == 0 && plan.errors == "", "\(plan.errors)")
      #expect(plan.lines == text + effects.map { "cannot be undone: \($0)" })
      let frames = try String(contentsOfFile: record, encoding: .utf8)
        .uppercased().filter { !$0.isWhitespace }
      // LOCK BLOCK, SET and RESET EAS, LOCK EAS, SET and WRITE PASSWORD, DESTROY, ENABLE PRIVACY,
      // to this tag.
      for code in ["22", "A204", "A304", "A404", "B304", "B404", "B904", "BA04"] {
        #expect(!frames.contains("22\(code)838ED22A080104E0"), "\(code)")
      }
      let object = try await run("\(line) --plan --json", on: "icode-slix2")
      #expect(object.lines.count == plan.lines.count)
      #expect(
        object.lines.suffix(effects.count)
          == effects.map {
            #"{"effect":"\#($0.rawValue)","cannotBeUndone":"\#($0)"}"#
          }[...])
    }
  }

  /// The control of the test above: a command that changes something is recorded in this form.
  @Test func aChangeIsRecorded() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let record = directory.appending(path: "record").path
      #expect(try await run("eas on --record \(record)", on: "icode-slix2").status == 0)
      let frames = try String(contentsOfFile: record, encoding: .utf8)
        .uppercased().filter { !$0.isWhitespace }
      #expect(frames.contains("22A204838ED22A080104E0"))
    }
  }

  @Test(arguments: [
    ("privacy on --password 5DA3917C", "icode-slix2", 77, "privacy password is wrong"),
    ("privacy on --password 5DA3", "icode-slix2", 64, "8 hexadecimal digits"),
    ("privacy on", "icode-slix", 66, "no privacy password"),
    ("privacy on", "icode-dna", 66, "no privacy password"),
    ("privacy on", "st25dv", 66, "ICODE"), ("privacy on", "ntag215", 69, "ISO 15693"),
    ("privacy off", "icode-slix2", 64, "--uid"), ("privacy maybe", "icode-slix2", 64, "on"),
    ("privacy off --uid 0102", "icode-slix2", 64, "8"),
    (
      "privacy off --uid E00401081122334455 --timeout 0.3", "icode-slix2", 64, "8"
    ),
    (
      "privacy off --uid E004010811223344 --timeout 0.3", "icode-slix2", 66, "another ISO 15693 tag"
    ),
    ("destroy", "icode-slix2", 64, "--permanently"),
    ("destroy --permanently --password 5DA3917C", "icode-slix2", 77, "destroy password is wrong"),
    ("destroy --permanently", "icode-slix", 66, "no destroy password"),
    ("set-password privacy", "icode-slix2", 64, "--new-password"),
    ("set-password privacy --new-password 5DA3", "icode-slix2", 64, "4 bytes"),
    ("set-password read --new-password 5DA3917C", "icode-slix-l", 66, "no read password"),
    (
      "set-password read --new-password 5DA3917C --password 11223344", "icode-slix-s", 77,
      "read password is wrong"
    ),
    // A plan refuses what the command refuses before it sends anything.
    ("privacy on --plan", "icode-slix", 66, "no privacy password"),
    ("privacy on --plan --password 5DA3", "icode-slix2", 64, "8 hexadecimal digits"),
    ("destroy --plan", "icode-dna", 66, "no destroy password"),
    ("destroy --plan", "st25dv", 66, "ICODE"),
    ("set-password read --new-password 5DA3917C --plan", "icode-slix-l", 66, "no read password"),
    ("eas on --plan", "st25dv", 66, "ICODE"),
    ("eas on --lock", "icode-slix2", 64, "To lock the setting"),
    ("lock 200 --plan", "icode-slix2", 64, "blocks 0 to 79"),
    ("privacy off --plan", "icode-slix2", 64, "--uid"),
    ("privacy off --plan --uid E004010811223344 --timeout 0.3", "icode-slix2", 66, "no tag"),
  ])
  func isRefused(_ line: String, _ tag: String, _ status: Int32, _ text: String) async throws {
    try await expectRefusal(line, tag, status, text)
  }

  /// A refusal says why in one line, prints nothing else and shows no secret.
  private func expectRefusal(
    _ line: String, _ tag: String, _ status: Int32, _ text: String
  ) async throws {
    let result = try await run(line, on: tag)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output == "")
    #expect(result.errors.contains(text), "\(result.errors)")
    if status != 64 { #expect(result.errorLines.count == 1) }
    #expect(!result.errors.contains("5DA3917C"))
  }

  /// A label hides in one process, and another brings it back, through a real service. No reader finds
  /// it in between.
  @Test func aLabelHidesAndComesBack() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let daemon = try PrivatePCSCD(name: "Virtual PCD")
      let trace = directory.appending(path: "trace")
      let virtual = try RunningTool(
        [
          "virtual", "icode-slix-l", "st25tv", "--pcsc", "--port", "\(daemon.port)", "--trace",
          trace.path,
        ], environment: daemon.environment)
      let reader = try #require(try await virtual.waitForLines(1).first)
      func run(_ line: String) async throws -> Tool.Result {
        try await Tool.run(
          line.split(separator: " ").map(String.init) + ["--reader", reader],
          environment: daemon.environment)
      }
      let uid = "E00403501B7C429D"
      let record = directory.appending(path: "record").path
      #expect(
        try await run(
          "iso15693 set-password privacy --new-password 5DA3917C --uid \(uid) --record \(record)1"
        ).status == 0)
      #expect(
        try await run("iso15693 privacy on --password 5DA3917C --uid \(uid) --record \(record)2")
          .status == 0)
      let absent = try await run("iso15693 read 0 --uid \(uid) --timeout 1")
      #expect(absent.status == 66)
      let wrong = try await run("iso15693 privacy off --uid \(uid) --password 0F0F0F0F")
      #expect(wrong.status == 77 && wrong.errorLines.count == 1, "\(wrong.errors)")
      let back = try await run(
        "iso15693 privacy off --password 5DA3917C --json --uid \(uid) --record \(record)3")
      #expect(back.lines == [#"{"uid":"\#(uid)","privacy":false}"#], "\(back.errors)")
      let found = try await run("iso15693 read 0 --uid \(uid)")
      #expect(found.output == "0  E1400300\n")
      virtual.interrupt()
      _ = try await virtual.end()
      for path in [trace.path] + (1...3).map({ "\(record)\($0)" }) {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.count > 200)
        try Self.expectMasked(text, "5DA3917C", path)
      }
    }
  }

  /// A password that is covered by a random number is in no text, neither as it is nor covered: the random
  /// number is there.
  private static func expectMasked(_ text: String, _ password: String, _ path: String) throws {
    let digits = text.uppercased().filter { !$0.isWhitespace && $0 != ":" }
    #expect(!digits.contains(password), "\(path)")
    let secret = try #require([UInt8](hexadecimal: password))
    for match in digits.matches(of: /(?:97060?|0+)([0-9A-F]{4})/) {
      guard let random = [UInt8](hexadecimal: match.output.1) else { continue }
      let cover = zip(secret, random + random).map { String(format: "%02X", $0 ^ $1) }.joined()
      #expect(!digits.contains(cover), "\(path)")
    }
  }

  // MARK: Images without a version

  /// A file has no version. A chip whose configuration fits two is named, and so is the other.
  @Test func aDoubtfulChipIsNamed() async throws {
    try await TemporaryDirectory.with { directory async throws in
      func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = directory.appending(path: name).path
        let lines = stride(from: 0, to: bytes.count, by: 4).map { page in
          bytes[page..<page + 4].map { String(format: "%02X", $0) }.joined() + "\n"
        }
        try Data(lines.joined().utf8).write(to: URL(filePath: file))
        return file
      }
      let ntag = VirtualTag.ntag210().memory
      let certain = try file("certain.eml", ntag)
      let known = try await Tool.run("info", "--virtual", certain)
      #expect(known.output.contains("NTAG210") && known.errors == "")

      var clear = ntag
      clear[64] &= ~0x04
      let doubtful = try file("doubtful.eml", clear)
      let guess = try await Tool.run("info", "--virtual", doubtful)
      #expect(guess.output.contains("MIFARE Ultralight EV1"))
      #expect(guess.errorLines.count == 1, "\(guess.errors)")
      #expect(guess.errors.contains("MIFARE Ultralight EV1") && guess.errors.contains("NTAG210"))
      let converted = try await Tool.run(
        "convert", doubtful, directory.appending(path: "copy.nfc").path)
      #expect(converted.status == 0 && converted.errors.contains("may be of NTAG210"))

      // A mirror, which an Ultralight does not have, and a missing container decide.
      var mirror = clear
      mirror[66] = 6
      let mirrored = try await Tool.run("info", "--virtual", try file("mirror.eml", mirror))
      #expect(mirrored.output.contains("NTAG210") && mirrored.errors == "")
      let blank = VirtualTag.ultralightEV1(formatted: false).memory
      let bare = try await Tool.run("info", "--virtual", try file("blank.eml", blank))
      #expect(bare.output.contains("MIFARE Ultralight EV1") && bare.errors == "")
    }
  }
}
