import Foundation
import Testing

/// Runs and compiles the examples of the README.
@Suite struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the fenced blocks in a language.
  private static func blocks(_ language: String) throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    var blocks: [String] = []
    var lines: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```\(language)" {
        lines = []
      } else if line == "```", let found = lines {
        blocks.append(found.joined(separator: "\n"))
        lines = nil
      } else {
        lines?.append(line)
      }
    }
    return blocks
  }

  @Test func everyCommandRuns() async throws {
    let lines = try Self.blocks("sh").flatMap { $0.split(separator: "\n").map(String.init) }
    let commands = lines.filter { $0.hasPrefix("nfc ") && $0.contains("--") && !$0.contains("&") }
    #expect(commands.count > 15)
    try await TemporaryDirectory.with { directory async throws in
      let setup = "cd '\(directory.path)'; nfc() { \"$NFC\" \"$@\"; }; "
      for command in commands {
        let result = try await Tool.shell(setup + command)
        #expect(result.status == 0, "\(command): \(result.errors)")
      }
    }
  }

  /// This block runs a virtual reader in the background.
  @Test func theSharedTagKeepsWhatIsWritten() async throws {
    let block = try #require(try Self.blocks("sh").first { $0.contains("NFC_READER") })
    try await TemporaryDirectory.with { directory async throws in
      // A shell function in the background has a different process number than the tool.
      let script = block.replacing("nfc ", with: "\"$NFC\" ")
      let result = try await Tool.shell("cd '\(directory.path)'; " + script)
      #expect(result.output == "Good morning (en)\n")
    }
  }

  /// The picture is created again with its script, and compared without the times.
  @Test func thePictureIsWhatTheToolPrints() async throws {
    let result = try await Tool.shell(
      "'\(Self.root.path)/Scripts/record-terminal' --tool \"$NFC\" --output -")
    #expect(result.status == 0, "\(result.errors)")
    let picture = Self.root.appending(path: ".github/terminal.svg")
    let kept = try String(contentsOf: picture, encoding: .utf8)
    let time = /\d+\.\d{3}/
    #expect(
      result.output.replacing(time, with: "") == kept.replacing(time, with: ""),
      "run Scripts/record-terminal again")
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("](.github/terminal.svg)"))
  }

  @Test func everyScriptIsThere() throws {
    let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    for match in text.matches(of: /Scripts\/[a-z-]+/) {
      let path = Self.root.appending(path: String(match.output)).path
      #expect(FileManager.default.isExecutableFile(atPath: path), "\(path)")
    }
  }

  /// The snippets are compiled with the modules that were built for the tests.
  @Test func everySnippetCompiles() async throws {
    let snippets = try Self.blocks("swift")
    #expect(snippets.count > 3)
    let build = try RunningTool.built().path
    let modules = ["CLibNFC", "CLibUSB", "CPCSCLite", "COpenSSL"].map {
      "\(Self.root.path)/Modules/\($0)/module.modulemap"
    }
    .filter { FileManager.default.fileExists(atPath: $0) }
    try await TemporaryDirectory.with { directory async throws in
      for (index, snippet) in snippets.enumerated() {
        let file = directory.appending(path: "Snippet\(index).swift").path
        try Data(snippet.utf8).write(to: URL(filePath: file))
        let maps = modules.map { "-Xcc -fmodule-map-file='\($0)'" }.joined(separator: " ")
        let result = try await Tool.shell(
          "swiftc -typecheck -swift-version 6 -warnings-as-errors -parse-as-library "
            + "-I '\(build)/Modules' \(maps) '\(file)'")
        #expect(result.status == 0, "\(snippet)\n\(result.errors)")
      }
    }
  }
}
