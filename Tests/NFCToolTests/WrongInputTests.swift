import Foundation
import Testing
import VirtualNFC

@Suite struct WrongInputTests {
  @Test(arguments: [
    ("mifare send 300 --virtual ntag215", "Command 1"),
    ("mifare send 3G --virtual ntag215", "Command 1"),
    ("mifare send --virtual ntag215", "hex"),
    ("apdu 00B0 --virtual type4", "Command 1"),
    ("apdu --virtual type4", "--aid"),
    ("apdu --aid 0102030405060708090A0B0C0D0E0F1011 --virtual type4", "16"),
    ("felica send 0y00 --virtual suica", "Command 1"),
    ("--uid 123 read --virtual ntag215", "123"),
    ("poll --timeout soon", "soon"),
    ("poll --timeout -1", "timeout"),
    ("poll --timeout nan", "nan"),
    ("poll --protocols bluetooth", "bluetooth"),
    ("poll --count 0", "--count"), ("poll --count -1", "not -1"),
    ("mifare read -1 --virtual ntag215", "\"-1\""),
    ("iso15693 write -1 11223344 --virtual st25dv", "The block is a number from 0"),
    ("poll --once --count 2", "--once"),
    ("poll --reader a:b --virtual ntag215", "--virtual"),
    ("lock --virtual ntag215", "--permanently"),
    ("virtual", "tag"),
    ("--virtual ntag217 poll", "ntag213"),
    ("virtual no-such-chip", "nfc virtual --list"),
    ("virtual blank-suica", "blank-suica"),
    ("virtual icode-slix2 --port 35963", "--pcsc"),
    ("virtual icode-slix2 --pcsc --dialect nonsense", "dialect"),
    ("virtual icode-slix2 --pcsc --port 65536", "port"),
    ("no-such-command", "no-such-command"),
    ("--virtual ntag215 --json no-such-command", "no-such-command"),
    ("write text", "text"),
    ("write text hi --language français --virtual ntag215", "--language"),
    ("write text hi --language en_US --virtual ntag215", "pt-BR"),
    ("write text hi --language en- --virtual ntag215", "--language"),
    ("write poster https://example.com --title a --language 12 --virtual ntag215", "--language"),
  ])
  func isAUsageError(_ line: String, _ text: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.errors.contains(text))
    #expect(result.errors.hasPrefix("nfc: "))
  }

  /// The name of a file, a reader or a tag's text never controls the terminal.
  @Test(arguments: [
    "poll --protocols NAME", "decode NAME", "poll --once --reader pcsc:NAME", "NAME",
    "read --reader pn532_uart:/NAME", "watch --reader pcsc:NAME --timeout NAME --debounce NAME",
  ])
  func errorsDoNotControlTheTerminal(_ line: String) async throws {
    let name = "a\u{1B}[31m\u{202E}b\u{9B}2J"
    let arguments = line.split(separator: " ").map { String($0).replacing("NAME", with: name) }
    let result = try await Tool.run(arguments)
    #expect(result.status != 0)
    let text = result.output + result.errors
    #expect(text.contains("[31m"))
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      #expect(!scalar.properties.isBidiControl && (!isControl || scalar == "\n"), "\(scalar.value)")
    }
  }

  @Test(arguments: [
    "", "pn532_uart", "pn532_uart:", "nonsense:/dev/null", "pcsc:none",
    "pn532_uart:/no/such/port", "pn532_uart:FILE", "pn532_uart:DIRECTORY",
    "pn532_uart:/dev/null", "pn532_uart:CLOSED",
  ])
  func aNameThatIsNotAReader(_ name: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      try await Self.withClosedTerminal { closed async throws in
        let file = directory.appending(path: "file")
        try Data("text".utf8).write(to: file)
        let name = name.replacing("FILE", with: file.path)
          .replacing("DIRECTORY", with: directory.path).replacing("CLOSED", with: closed)
        let result = try await Tool.run("poll", "--once", "--reader", name)
        #expect(result.status == 69)
        #expect(result.output == "")
        #expect(result.errorLines.count == 1)
        #expect(result.errors.hasPrefix("nfc: "))
      }
    }
  }

  @Test func aPN532IsNotGivenWhatItCannotSee() async throws {
    let result = try await Tool.run("virtual", "ntag215", "icode-slix2")
    #expect(result.status == 69)
    #expect(result.output == "")
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("icode-slix2"))
  }

  /// Runs `body` with the name of a pseudo-terminal whose other end is closed. Its own end is kept open
  /// during that time, because the system would otherwise give the name to the next virtual reader.
  private static func withClosedTerminal<Result>(
    _ body: (String) async throws -> Result
  ) async throws -> Result {
    let virtual = try VirtualReader(VirtualField())
    let path = virtual.path
    let line = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(line >= 0)
    virtual.close()
    defer { close(line) }
    return try await body(path)
  }

  @Test func withoutAReaderTheLineSaysWhatToDo() async throws {
    let result = try await Tool.run(
      ["poll"], environment: ["LIBNFC_AUTO_SCAN": "false", "NFC_READER": "pn532_uart:/none"])
    #expect(result.status == 69)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("--virtual demo"))
    #expect(result.errors.contains("--reader"))
  }

  @Test(arguments: [
    ("write json FILE", "{", 65), ("write json FILE", #"{"records":[{"tnf":"wellKnown"}]}"#, 65),
    ("write json FILE.gone", "", 66), ("write raw FILE", "text", 65), ("write raw FILE", "", 65),
    ("write mime text/plain FILE.gone", "", 66), ("read --virtual FILE", "text", 65),
    ("read --virtual FILE.gone", "", 66), ("virtual FILE", "0102", 65),
    // 64 bytes in which the check bytes do not match a UID.
    ("virtual FILE", String(repeating: "01", count: 64), 65),
  ])
  func aFileThatIsWrong(_ line: String, _ content: String, _ status: Int32) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "file")
      try Data(content.utf8).write(to: file)
      var arguments = line.split(separator: " ").map {
        String($0).replacing("FILE", with: file.path)
      }
      if arguments[0] == "write" { arguments += ["--virtual", "ntag215"] }
      let result = try await Tool.run(arguments)
      #expect(result.status == status)
      #expect(result.output == "")
      #expect(result.errorLines.count == 1)
      #expect(result.errors.hasPrefix("nfc: "))
      #expect(result.errors.contains(file.path))
    }
  }

  /// The value of an option before the subcommand may be spelled like one.
  @Test(arguments: [
    ["--virtual", "desfire", "desfire", "reed"], ["desfire", "--virtual", "desfire", "reed"],
    ["desfire", "reed", "--virtual", "desfire"],
  ])
  func aValueIsNoSubcommand(_ arguments: [String]) async throws {
    let result = try await Tool.run(arguments)
    #expect(result.status == 64)
    #expect(result.errors.contains("did you mean nfc desfire read?"), "\(result.errors)")
  }
}
