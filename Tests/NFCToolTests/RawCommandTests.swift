import NFC
import Testing
import VirtualNFC

@Suite struct RawCommandTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let output: String
    let status: Int32
    var errors: [String] = []
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ line: String, _ output: String, _ status: Int32 = 0, errors: [String] = []) {
      // An underscore represents a blank within an argument.
      arguments = line.split(separator: " ").map { String($0).replacing("_", with: " ") }
      self.output = output
      self.status = status
      self.errors = errors
    }
  }

  @Test(arguments: [
    // The commands GET_VERSION and READ of the capability container (NTAG21x data sheet, 10.1 and 8.5.6).
    Case(
      "mifare send 60 30_03 --virtual ntag216",
      "0004040201001303\nE1106D000300FE000000000000000000\n"),
    Case(
      "--json --virtual ntag213 mifare send 60",
      "{\"command\":\"60\",\"answer\":\"0004040201000F03\"}\n"),
    Case("mifare send A2:10:01:02:03:04 --virtual ntag215", "0A\n"),
    // The answer that was already printed remains. The refusal is reported with its code and its tag.
    Case(
      "mifare send 60 30FF --virtual ntag215", "0004040201001103\n", 74,
      errors: ["NAK 0", "04DB0BDA993C80"]),
    Case("mifare send 60 --virtual suica", "", 66, errors: ["FeliCa", "01010612B41C7D2A"]),
    Case("mifare send 60FFFFFFFFFFFF --virtual classic-1k", "", 64, errors: ["MIFARE Classic"]),
    Case("mifare send 6004FFFFFFFFFFFF --virtual blank-classic-1k", "0A\n"),
    Case("mifare send 6004010203040506 --virtual blank-classic-1k", "", 77, errors: ["6F21D40A"]),
    Case(
      "apdu 00A4000C02E103 00B000000F --aid D2760000850101 --virtual type4",
      "9000\n000F2000FB00F60406E10408000000 9000\n"),
    Case("apdu 00B0000000 --virtual type4", "6985\n"),
    Case(
      "apdu --json --aid D2760000850101 --virtual type4b 00A4000C02E103",
      "{\"command\":\"00A4000C02E103\",\"data\":\"\",\"statusWord\":\"9000\"}\n"),
    Case(
      "apdu 00B0000000 --aid D2760000850199 --virtual type4", "", 66,
      errors: ["D2760000850199", "6A82"]),
    Case("apdu 00B0000000 --virtual ntag215", "", 66, errors: ["04DB0BDA993C80"]),
    // Request Response (FeliCa Card User's Manual, 4.4.4).
    Case(
      "felica send 0401010612B41C7D2A --virtual suica --json",
      "{\"command\":\"0401010612B41C7D2A\",\"answer\":\"0501010612B41C7D2A00\"}\n"),
    Case("felica send 00FFFF0100 --virtual suica", "0101010612B41C7D2A100B4B428485D0FF0003\n"),
    // Request System Code, for two systems (FeliCa Card User's Manual, 4.4.6).
    Case(
      "felica send 0C_{idm} 04{idm} --virtual suica",
      "0D01010612B41C7D2A020003FE00\n0501010612B41C7D2A00\n"),
    Case("felica send 00FFFF0100 --virtual ntag215", "", 66, errors: ["FeliCa"]),
    Case("felica send FE --virtual suica", "", 74, errors: ["01010612B41C7D2A"]),
    Case(
      "felica send 00FFFF0100 --virtual demo --uid 01010612B41C7D2A",
      "0101010612B41C7D2A100B4B428485D0FF0003\n"),
    Case(
      "mifare send 60 --virtual ntag215 --timeout 0.2 --uid 01020304", "", 66,
      errors: ["01020304", "04DB0BDA993C80"]),
  ])
  func answers(_ test: Case) async throws {
    let result = try await Tool.run(test.arguments)
    #expect(result.output == test.output)
    #expect(result.status == test.status)
    if test.status == 0 {
      #expect(result.errors == "")
    } else {
      #expect(result.errorLines.count == 1)
      #expect(result.errors.hasPrefix("nfc: "))
    }
    for text in test.errors { #expect(result.errors.contains(text)) }
  }

  @Test func theFirstOfSeveralTagsIsTaken() async throws {
    let two = ["--virtual", "ntag215", "--virtual", "ntag216"]
    let good = try await Tool.run(two + ["mifare", "send", "60"])
    #expect(good.lines.count == 1)
    #expect(good.errors == "")
    #expect(good.status == 0)
    let bad = try await Tool.run(two + ["mifare", "send", "30FF"])
    #expect(bad.errorLines.count == 1)
    #expect(bad.status == 74)
    let picked = try await Tool.run(two + ["mifare", "send", "60", "--uid", "04DB0BDA993C80"])
    #expect(picked.output == "0004040201001103\n")
    #expect(picked.errors == "")
  }

  /// The card gives long answers and requests the right Le. The answer is complete, or unchanged with --raw.
  @Test func apduGathersUnlessRaw() async throws {
    let field = VirtualField()
    field.place(VirtualTag(Announcing.card))
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    let long = "00D60000" + "000110" + String(repeating: "5A", count: 272)
    for (options, output) in [
      ([], "0102030405 9000\n0607 9000\n9000\n"), (["--raw"], "010203 6102\n6C02\n"),
    ] {
      var arguments = ["apdu", "--aid", "F0416E6E", "00CA000003", "00CB000000"] + options
      if options.isEmpty { arguments.append(long) }
      let result = try await Tool.run(arguments + ["--reader", virtual.connectionString])
      #expect(result.output == output)
      #expect(result.errors == "")
      #expect(result.status == 0)
    }
    let raw = try await Tool.run("apdu", "--raw", long, "--reader", virtual.connectionString)
    #expect(raw.status == 64)
    #expect(raw.errors.contains("279 bytes"))
  }

  /// An applet with three commands. CA returns five bytes; the card keeps those that were not requested for
  /// GET RESPONSE. CB returns two bytes, if two are requested. D6 accepts any data in parts.
  private struct Announcing: VirtualApplet {
    let aid: [UInt8] = [0xF0, 0x41, 0x6E, 0x6E]
    var acceptsCommandChaining = true

    mutating func process(_ apdu: [UInt8]) -> [UInt8] {
      switch (apdu[1], apdu.last) {
      case (0xCA, _): [1, 2, 3, 4, 5, 0x90, 0]
      case (0xCB, 2): [6, 7, 0x90, 0]
      case (0xCB, _): [0x6C, 2]
      case (0xD6, _): [0x90, 0]
      default: [0x6D, 0]
      }
    }

    static var card: ISO7816Card {
      ISO7816Card(
        name: "announcing", uid: [0x04, 0x31, 0x22, 0x73, 0x9C, 0x64, 0x80], applets: [Announcing()]
      )
    }
  }

  /// A command may contain a key or a PIN, so an error does not show it.
  @Test(arguments: [
    ["mifare", "send", "60", "6004F1F2F3F4F5F"], ["felica", "send", "08F1F2F3F4F5Fx"],
    ["apdu", "002000F1F2F3F4F5F6"], ["apdu", "0020F1F2F3F4F5F"], ["mifare", "send"],
    ["mifare", "send", "60", ""],
  ])
  func errorsDoNotRepeatCommands(_ arguments: [String]) async throws {
    let result = try await Tool.run(arguments + ["--virtual", "ntag215"])
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(!result.errors.contains("F1F2F3"))
    #expect(result.errors.contains(arguments == ["mifare", "send"] ? "Missing" : "ommand"))
  }

  @Test func nothingIsSentOfACommandThatIsTooLong() async throws {
    let long = String(repeating: "00", count: 300)
    for command in ["mifare", "felica"] {
      let result = try await Tool.run(command, "send", "60", long, "--virtual", "ntag215")
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      #expect(result.errors.contains("300 bytes"))
      #expect(result.status == 64)
    }
  }
}
