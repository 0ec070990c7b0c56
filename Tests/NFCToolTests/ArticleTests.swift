import Foundation
import Testing

/// Tests that what the README, the articles and CONTRIBUTING.md name is there, and that they leave out nothing.
@Suite struct ArticleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func paths(_ folder: String, _ ending: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(ending) }.sorted().map { folder + "/" + $0 }
  }

  /// All documents, by their paths.
  private static func documents() throws -> [String] {
    try ["README.md", "CHANGELOG.md"] + paths(".github", ".md") + paths("Sources", ".md")
  }

  /// Links to files, relative to the document, and paths of the repository in code voice.
  @Test func everyFileThatIsNamedIsThere() throws {
    var count = 0
    for document in try Self.documents() {
      let text = try Self.text(document)
      let folder = Self.root.appending(path: document).deletingLastPathComponent()
      var files = text.matches(of: /\]\(([^)#:]+)\)/).map {
        folder.appending(path: String($0.output.1))
      }
      files += text.matches(of: /`((?:Sources|Tests|Scripts|Modules|\.github)\/[^` <*]+)[` ]/).map {
        Self.root.appending(path: String($0.output.1))
      }
      for file in files {
        count += 1
        #expect(FileManager.default.fileExists(atPath: file.path), "\(document): \(file.path)")
      }
    }
    #expect(count > 40)
  }

  /// The types that a new chip or driver needs are declared under the names that the article uses.
  @Test(arguments: ["AddingAChip.md", "AddingADriver.md"])
  func everyTypeThatIsNamedIsDeclared(_ article: String) throws {
    let sources = try Self.paths("Sources", ".swift").map(Self.text).joined(separator: "\n")
    // The types of the article's own examples.
    let examples = sources + (try Self.text("Sources/NFC/NFC.docc/" + article))
    let names = try Self.text("Sources/NFC/NFC.docc/" + article)
      .matches(of: /`([A-Z][A-Za-z0-9]+)(?:[.\/][a-z]\w*(?:\(_:\))?)?`/).map { $0.output.1 }
    #expect(names.count > 4)
    let modules = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appending(path: "Sources").path)
    for name in Set(names) where !modules.contains(String(name)) {
      let kinds = ["struct", "enum", "protocol", "class", "actor"]
      #expect(kinds.contains { examples.contains("\($0) \(name)") }, "\(article): \(name)")
    }
  }

  @Test func everyModuleIsExplainedToContributors() throws {
    let text = try Self.text(".github/CONTRIBUTING.md")
    let modules = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appending(path: "Sources").path)
    #expect(modules.count > 20)
    for module in modules.sorted() {
      #expect(text.contains("`\(module)`"), "\(module)")
    }
  }

  @Test func theREADMEHasEveryProduct() throws {
    let text = try Self.text("README.md")
    let products = try Self.text("Package.swift").matches(of: /\.library\(name: "(\w+)"/)
    #expect(products.count > 8)
    for product in products {
      #expect(text.contains("`\(product.output.1)`"), "\(product.output.1)")
    }
  }

  @Test func theREADMEHasEveryCommand() async throws {
    let text = try Self.text("README.md")
    let commands = try await Self.commands().filter { !$0.contains(" ") }
    #expect(commands.count > 20)
    for command in commands {
      #expect(text.contains(try Regex("\\bnfc \(command)\\b")), "nfc \(command)")
    }
  }

  /// Returns the names of all commands and subcommands, without `nfc`.
  private static func commands() async throws -> [String] {
    try await Tool.run("manual", "--list").lines.filter { !$0.isEmpty }
  }

  /// The command lines that documents and help mention begin with the name of a command.
  @Test func everyCommandThatIsNamedIsThere() async throws {
    let commands = Set(try await Self.commands() + ["help", "manual"])
    let groups = Set(commands.compactMap { $0.contains(" ") ? $0.prefix { $0 != " " } : nil })
    var count = 0
    for document in try Self.documents() + ["Tests/NFCToolTests/Snapshots/help.txt"] {
      for match in try Self.text(document).matches(
        of: /(?:`|\n *)nfc ([a-z0-9]+)(?: ([a-z][a-z0-9-]*))?/)
      {
        let first = match.output.1
        count += 1
        #expect(commands.contains(String(first)), "\(document): \(match.output.0)")
        guard groups.contains(first), let second = match.output.2 else { continue }
        #expect(commands.contains("\(first) \(second)"), "\(document): \(match.output.0)")
      }
    }
    #expect(count > 200)
  }
}
