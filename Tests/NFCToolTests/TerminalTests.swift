import Foundation
import Testing

/// Tests of the output that only a person at a terminal sees. `script` provides a pseudo-terminal for the
/// command.
@Suite struct TerminalTests {
  private static let escape = "\u{1B}"

  /// Runs a shell command line, in which `$NFC` is the command, with a terminal for all three streams.
  private func onTerminal(
    _ line: String, columns: Int = 80, environment: [String: String] = [:]
  ) async throws -> Tool.Result {
    let variables = ["TERM": "xterm", "NO_COLOR": "", "SHELL": "/bin/sh"].merging(environment) {
      $1
    }
    return try await Tool.shell(
      "script --quiet --return --command 'stty cols \(columns); \(line)' /dev/null",
      environment: variables)
  }

  @Test(arguments: [
    ("read --uid 00", "Hold the tag 00 to the reader… 1 s"),
    ("felica info --uid 00", "Hold the tag 00 to the reader"),
    ("write text hi --uid 00", "Hold the tag 00 to the reader"),
    ("mifare send 30 04 --uid 00", "Hold the tag 00 to the reader"),
    ("poll --uid 00", "Hold a tag to the reader… Ctrl-C ends"),
  ])
  func asksForATag(_ command: String, _ prompt: String) async throws {
    let line = "\(command) --timeout 1.5 --virtual ntag216"
    let result = try await onTerminal("\"$NFC\" \(line)")
    #expect(result.status == 66)
    #expect(result.output.contains(prompt))
    // The prompt is removed before the error is printed.
    #expect(result.output.contains("\r\(Self.escape)[Knfc: no tag with the UID 00 came within"))
    let piped = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(piped.status == 66)
    #expect(piped.errorLines.count == 1)
    #expect(piped.output == "")
  }

  @Test func noTagIsRequestedWhenOneIsPresent() async throws {
    let result = try await onTerminal("\"$NFC\" read --virtual ntag216")
    #expect(result.status == 0)
    #expect(!result.output.contains("Hold"))
  }

  /// At 9600 baud, reading a Classic takes longer than a second.
  @Test func whatTakesLongSaysSo() async throws {
    let virtual = try RunningTool(["virtual", "classic-4k", "--real-time", "--baud", "9600"])
    let reader = try #require(try await virtual.waitForLines(1).first)
    let result = try await onTerminal(
      "\"$NFC\" mifare read 0-20 --reader \(reader) --timeout 20")
    #expect(result.status == 0)
    #expect(result.output.contains("Reading tag 9F38B25C… 1 s"))
    let piped = try await Tool.run(["mifare", "read", "0-20", "--reader", reader])
    #expect(piped.status == 0)
    #expect(piped.errors == "")
    virtual.interrupt()
    _ = try await virtual.end()
  }

  @Test(arguments: ["info --virtual ntag216", "poll --once --virtual ntag216"])
  func colorIsForTerminalsOnly(_ command: String) async throws {
    let line = "\"$NFC\" \(command)"
    #expect(try await onTerminal(line).output.contains("\(Self.escape)[3"))
    for environment in [["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": ""]] {
      let result = try await onTerminal(line, environment: environment)
      #expect(result.status == 0)
      #expect(!result.output.contains("\(Self.escape)[3"))
      guard environment["NO_COLOR"] == nil else { continue }
      #expect(!result.output.contains(Self.escape))
    }
    #expect(!(try await onTerminal(line + " | cat").output.contains("\(Self.escape)[3")))
  }

  /// On a terminal, the continuation of a value stays in its column.
  @Test func longValuesStayInTheirColumn() async throws {
    let command = "\"$NFC\" info --virtual classic-1k"
    let lines = try await onTerminal(command, columns: 60, environment: ["TERM": "dumb"]).output
      .split(whereSeparator: \.isNewline)
    #expect(lines.contains { $0.hasPrefix("sectors 1-15  key A D3F7D3F7D3F7") })
    #expect(lines.contains { $0.hasPrefix("              7F0788: key A reads") })
    #expect(lines.allSatisfy { $0.count <= 60 })
    let piped = try await onTerminal(command + " | cat", columns: 60).output
    #expect(piped.contains("key B FFFFFFFFFFFF, access 7F0788: key A reads and writes, key B"))
  }

  @Test(arguments: [1, 2, 10, 26, 27, 39, 40, 200])
  func nothingCrashesOnANarrowTerminal(_ columns: Int) async throws {
    for (command, status) in [
      ("--help", 0), ("write --help", 0), ("info --virtual ntag216", 0),
      ("read --uid 00 --timeout 0.6 --virtual ntag216", 66), ("poll --nonsense", 64),
    ] as [(String, Int32)] {
      let result = try await onTerminal("\"$NFC\" \(command)", columns: columns)
      #expect(result.status == status)
      #expect(!result.output.contains("Fatal error"))
      // A status line that is wrapped could not be erased.
      for line in result.output.split(separator: "\r") where line.contains("Hold") {
        #expect(line.replacing("\(Self.escape)[K", with: "").count < max(2, columns))
      }
    }
  }
}
