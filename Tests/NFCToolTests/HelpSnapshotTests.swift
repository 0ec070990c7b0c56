import Foundation
import Testing

/// Compares the help with a snapshot that was reviewed. `NFC_RECORD_HELP=1` writes the snapshot again.
@Suite struct HelpSnapshotTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Snapshots/help.txt")

  @Test func everyHelpIsAsItWas() async throws {
    let list = try await Tool.run("manual", "--list").output
    var output = ""
    for name in list.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = name.split(separator: " ").map(String.init)
      let help = try await Tool.run(words + ["--help"], environment: ["COLUMNS": "100"])
      #expect(help.status == 0)
      output += "=== \((["nfc"] + words).joined(separator: " "))\n" + help.output
    }
    if ProcessInfo.processInfo.environment["NFC_RECORD_HELP"] != nil {
      try Data(output.utf8).write(to: Self.file)
    }
    let expected = try String(contentsOf: Self.file, encoding: .utf8)
    let pages = Self.pages(output)
    let expectedPages = Self.pages(expected)
    #expect(pages.map(\.name) == expectedPages.map(\.name))
    for (page, expectedPage) in zip(pages, expectedPages) {
      #expect(page.text == expectedPage.text)
    }
  }

  private static func pages(_ text: String) -> [(name: String, text: String)] {
    text.split(separator: "=== ").map { page in
      (String(page.prefix { !$0.isNewline }), String(page))
    }
  }

  /// The usage line of each command is short, and contains only what the help explains.
  @Test func everyUsageIsShort() async throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    for page in Self.pages(text) {
      let parts = page.text.split(separator: "\nUSAGE: ", maxSplits: 1)
      let rest = try #require(parts.last?.split(separator: "\n\n", maxSplits: 1))
      let usage = try #require(rest.first)
      let explained = try #require(rest.last)
      for line in usage.split(separator: "\n") {
        let words = line.drop { $0 == " " }
        #expect(words.hasPrefix(page.name))
        #expect("USAGE: ".count + words.count <= 80, "\(line)")
        for match in words.matches(of: /--[a-z-]+|<[^>]+>/) where match.output != "<options>" {
          #expect(explained.contains(match.output))
        }
        for option in ["--reader", "--virtual", "--timeout", "--uid", "--verbose"] {
          #expect(!words.contains(option), "\(line)")
        }
      }
    }
  }

  /// The help of each command contains an example.
  @Test func everyHelpHasAnExample() async throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    for page in Self.pages(text) {
      #expect(
        page.text.contains("Example:\n") || page.text.contains("Examples:\n")
          || page.text.contains("Example, "))
    }
  }

  /// The command lines of the examples. A line that ends with a backslash goes on.
  private static func examples() throws -> [String] {
    let text = try String(contentsOf: file, encoding: .utf8)
    return pages(text).flatMap { page -> [String] in
      let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
      guard let heading = lines.firstIndex(where: { $0.hasPrefix("Example") }) else { return [] }
      let end = lines[heading...].firstIndex(of: "") ?? lines.endIndex
      return lines[(heading + 1)..<end].joined(separator: "\n")
        .replacing(#/ \\\n +/#, with: " ").split(separator: "\n").map(String.init)
    }
  }

  /// The files that an example creates, which are not overwritten.
  private static func created(by line: String) -> String {
    let words = line.split(separator: " ").map(String.init)
    let options = ["--output", "--record", "--pcap", "--raw", "--report"]
    var files = words.indices.dropLast().filter { options.contains(words[$0]) }.map {
      words[$0 + 1]
    }
    if words.starts(with: ["nfc", "dump"]) { files.append(words[2]) }
    if words.starts(with: ["nfc", "mifare", "dump"]) { files.append(words[3]) }
    if words.starts(with: ["nfc", "recording", "anonymize"]) { files.append(words[4]) }
    if words.starts(with: ["nfc", "convert"]) { files.append(words[3]) }
    return files.joined(separator: " ")
  }

  /// Each example is one command line, and those that need no hardware succeed as they are.
  @Test func examplesWork() async throws {
    let examples = try Self.examples()
    #expect(examples.count > 100)
    for example in examples { #expect(example.hasPrefix("  nfc "), "\(example)") }
    let offline = ["encode", "decode", "convert", "sun verify", "recording"]
    let lines = Set(examples).filter { example in
      example.contains("--virtual")
        || offline.contains { example.hasPrefix("  nfc \($0) ") }
    }.sorted()
    let script = lines.map { line in
      // An example may create a file that the others read.
      "rm -f \(Self.created(by: line)); (\(line)) >output 2>errors </dev/null || { echo '\(line.replacing("'", with: " "))'; cat errors; }"
    }
    try await TemporaryDirectory.with { directory async throws in
      // The files that the examples name.
      let files = #"""
        set -u; cd "$FOLDER"; mkdir bin; ln -s "$NFC" bin/nfc; PATH=$FOLDER/bin:$PATH
        echo Notes >notes.txt; echo '{"uri":"https://a.example"}' >message.json
        printf 'BEGIN:VCARD\r\nVERSION:3.0\r\nN:A;;;;\r\nFN:A\r\nEND:VCARD\r\n' >card.vcf
        { nfc encode uri https://a.example --output saved.ndef; cp saved.ndef message.ndef
        printf 'P<UTOERIKSSON<<ANNA<MARIA%s\n' '<<<<<<<<<<<<<<<<<<<' >zone.txt
        echo 'L898902C<3UTO6908061F9406236ZE184226B<<<<<14' >>zone.txt
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem \
          -out signer.pem -days 30 -subj /CN=signer; chmod 600 key.pem
        nfc encode sign message.ndef --key key.pem --certificate signer.pem --output signed.ndef
        nfc dump before.bin --virtual ntag216; cp before.bin tag.bin
        nfc dump card.mfd --virtual classic-1k
        nfc read --virtual ntag216 --record session.jsonl; } >/dev/null 2>errors || cat errors

        """#
      let result = try await Tool.shell(
        files + script.joined(separator: "\n"), environment: ["FOLDER": directory.path],
        within: .seconds(400))
      #expect(result.output == "", "\(result.output)\(result.errors)")
    }
  }
}
