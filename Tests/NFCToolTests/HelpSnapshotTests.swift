import Foundation
import Testing

/// Help as it was when somebody last looked at it. `NFC_RECORD_HELP=1` writes it anew.
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

  /// Every command says how it is used.
  @Test func everyHelpHasAnExample() async throws {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    for page in Self.pages(text) {
      #expect(
        page.text.contains("Example:\n") || page.text.contains("Examples:\n")
          || page.text.contains("Example, "))
    }
  }
}
