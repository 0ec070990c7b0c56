import Foundation
import Testing

/// Tests of the options that may precede or follow any subcommand, where the command has no use for them.
@Suite struct SharedOptionsTests {
  private static let options = "--verbose --timeout 1 --uid 04 --reader x --virtual ntag213"

  /// A script can have the same options in front of every command.
  @Test(arguments: [
    ("encode uri https://a.example --output -", "--json"),
    ("convert \"$DIRECTORY/a.bin\" -", "--json"), ("decode \"$DIRECTORY/a.ndef\"", ""),
    ("decode \"$DIRECTORY/a.ndef\" --json", ""),
    (
      "sun verify 'https://a.example/?m=04DE5F1EACC040x00003Dx94EED9EE65337086' "
        + "--key 00000000000000000000000000000000", ""
    ),
    ("recording anonymize \"$DIRECTORY/a.jsonl\" -", "--json"),
  ])
  func aCommandWithoutAReaderIgnoresThem(_ line: String, _ more: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let environment = ["DIRECTORY": directory.path]
      let files = try await Tool.shell(
        """
        "$NFC" dump "$DIRECTORY/a.bin" --virtual ultralight &&
        "$NFC" read --virtual ultralight --record "$DIRECTORY/a.jsonl" > /dev/null &&
        "$NFC" encode text hello --output "$DIRECTORY/a.ndef"
        """, environment: environment)
      #expect(files.status == 0)
      let plain = try await Tool.shell("\"$NFC\" \(line)", environment: environment)
      #expect(plain.status == 0, "\(plain.errors)")
      #expect(plain.output != "")
      for script in [
        "\"$NFC\" \(Self.options) \(more) \(line)", "\"$NFC\" \(line) \(more) \(Self.options)",
      ] {
        let result = try await Tool.shell(script, environment: environment)
        #expect(result.status == 0, "\(script): \(result.errors)")
        #expect(result.output == plain.output, "\(script)")
      }
    }
  }

  @Test func namesOfVirtualTagsAreJSON() async throws {
    for line in ["--json virtual --list", "virtual --list --json --verbose --timeout 1"] {
      let result = try await Tool.run(line.split(separator: " ").map(String.init))
      #expect(result.status == 0)
      #expect(result.lines.contains(#"{"name":"ntag213"}"#))
      #expect(result.lines.count > 100)
    }
  }

  @Test(arguments: ["virtual --virtual ntag215", "--virtual ntag215 virtual", "virtual --reader x"])
  func aVirtualReaderTakesItsTagsWithoutAnOption(_ line: String) async throws {
    let result = try await Tool.run(line.split(separator: " ").map(String.init))
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.errors.contains("nfc virtual ntag215"), "\(result.errors)")
  }
}
