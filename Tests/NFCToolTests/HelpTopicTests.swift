import Testing

@testable import SwiftNFCTool

/// Tests of the help that belongs to no command, and of its short form.
@Suite struct HelpTopicTests {
  @Test(arguments: HelpTopic.allCases)
  func isPrinted(_ topic: HelpTopic) async throws {
    let result = try await Tool.run("help", topic.rawValue)
    #expect(result.status == 0)
    #expect(result.output == topic.text + "\n")
    #expect(result.lines.allSatisfy { $0.count <= 80 })
    for row in topic.rows { #expect(result.output.contains(row.name)) }
  }

  /// The variable has keys, not the name of a file with them.
  @Test func keysOfTheEnvironmentAreThoseOfKey() throws {
    let row = try #require(HelpTopic.environment.rows.first { $0.name == "NFC_KEYS" })
    #expect(row.meaning.contains("--key takes"))
    #expect(!row.meaning.contains("file"))
  }

  /// Every exit code of the program is explained.
  @Test func everyExitCodeIsExplained() {
    let codes = HelpTopic.exitCodes.rows.map(\.name)
    let statuses: [SwiftNFCTool.ExitStatus] = [
      .done, .usage, .content, .notThere, .noReader, .program, .lost, .notAllowed, .interrupted,
    ]
    for status in statuses {
      #expect(codes.contains("\(status.rawValue)"))
    }
  }

  @Test(arguments: [["help", "exit"], ["help", "environment", "x"]])
  func anotherWordIsRefused(_ words: [String]) async throws {
    #expect(try await Tool.run(words).status == 64)
  }

  /// The short form has what a person looks up: how it is called, its own options, an example.
  @Test func shortHelp() async throws {
    let short = try await Tool.run("dump", "-h")
    let long = try await Tool.run("dump", "--help")
    #expect(short.status == 0)
    #expect(short.lines.count * 2 < long.lines.count)
    for part in ["OVERVIEW", "USAGE", "--partial", "Example", "--help says more"] {
      #expect(short.output.contains(part), "\(part)")
    }
    for part in ["--reader", "--virtual <tag>", "READER AND OUTPUT"] {
      #expect(!short.output.contains(part), "\(part)")
      #expect(long.output.contains(part), "\(part)")
    }
    let all = try await Tool.run("-h")
    #expect(
      all.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() == [
        "OVERVIEW: Reads, writes and simulates NFC tags.", "", "USAGE: nfc <subcommand>", "",
        "Tags: poll, info, read, write, erase, format, lock, protect, unprotect, copy",
        "Memory and files: dump, restore, diff, convert, decode, encode",
        "Kinds of tags and cards: mifare, iso15693, felica, apdu, desfire, plus, sun,",
        "  passport, pass",
        "Running all the time: watch, emulate",
        "Readers: readers, doctor, virtual, recording", "", "Example:",
        "  nfc --virtual demo poll", "",
        "nfc <subcommand> -h shows the options of one, and --help says more.",
      ])
    // Every command is in it.
    let list = try await Tool.run("manual", "--list").lines.filter { !$0.isEmpty }
    for name in Set(list.map { $0.prefix { $0 != " " } }) {
      #expect(all.output.contains(" \(name)"), "\(name)")
    }
  }
}
