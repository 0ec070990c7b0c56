import Foundation
import Testing

/// Tests that the documentation can be built and that its snippets compile, with the modules that were built
/// for the tests.
@Suite struct DocumentationTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: modules) func isBuiltWithoutWarnings(_ module: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let result = try await Tool.shell(
        #""$ROOT/Scripts/documentation" --built "$BUILT" --output "$OUT" "$MODULE""#,
        environment: [
          "ROOT": Self.root.path, "BUILT": try RunningTool.built().path, "OUT": directory.path,
          "MODULE": module,
        ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("\(module).doccarchive"))
    }
  }

  private static let modules = [
    "NFC", "NDEF", "VirtualNFC", "CoreNFC", "DriverConformance", "ReaderThread", "SecureTags",
    "SUNMessage", "TravelDocuments", "Recordings", "TagImages", "TagTools", "NFCDiagnosis",
  ]

  /// Returns the snippets of a module's articles. A snippet without imports continues after an `import` of
  /// that module.
  private static func snippets(_ module: String) throws -> [(article: String, text: String)] {
    let folder = root.appending(path: "Sources/\(module)/\(module).docc")
    let articles = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".md") }
    return try articles.sorted().flatMap { article in
      let text = try String(contentsOf: folder.appending(path: article), encoding: .utf8)
      return text.split(separator: "```swift\n").dropFirst().compactMap { part in
        let body = part.split(separator: "\n```").first.map(String.init) ?? ""
        return (article, body.contains("import ") ? body : "import \(module)\n" + body)
      }
    }
  }

  /// Returns the compiler's errors for a program outside this package, for which only public declarations are
  /// visible.
  static func outsideErrors(_ file: URL, _ options: String = "") async throws -> String {
    let build = try RunningTool.built().path
    let maps = ["CLibNFC", "CLibUSB", "CPCSCLite", "COpenSSL"].map {
      "-Xcc -fmodule-map-file='\(root.path)/Modules/\($0)/module.modulemap'"
    }.joined(separator: " ")
    let result = try await Tool.shell(
      "T=$(dirname \"$(dirname \"$(readlink -f \"$(command -v swiftc)\")\")\"); "
        + "swiftc -typecheck -swift-version 6 -I '\(build)/Modules' \(maps) \(options) "
        + "'\(file.path)'")
    return result.status == 0 ? "" : "\(result.errors)\nended with \(result.status)"
  }

  /// The options of a program that uses Swift Testing; `$T` is the toolchain.
  static let testingOptions =
    "-I \"$T/lib/swift/linux/testing\" -plugin-path \"$T/lib/swift/host/plugins/testing\""

  @Test(arguments: modules) func everySnippetCompiles(_ module: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      for (index, snippet) in try Self.snippets(module).enumerated() {
        let file = directory.appending(path: "Snippet\(index).swift")
        try Data(snippet.text.utf8).write(to: file)
        let testing = snippet.text.contains("import Testing") ? Self.testingOptions : ""
        let errors = try await Self.outsideErrors(file, testing)
        #expect(errors.isEmpty, "\(snippet.article)\n\(snippet.text)\n\(errors)")
      }
    }
  }

  /// A driver and a program require public declarations only.
  @Test(arguments: [
    ["Tests/OutsideDriverTests/MemoryDriver.swift"],
    ["Sources/NFCExample/EntryPoint.swift", "Sources/NFCExample/DoorLink.swift"],
  ])
  func compilesOutsideThePackage(_ paths: [String]) async throws {
    let files = paths.map { Self.root.appending(path: $0) }
    let others = files.dropFirst().map { " '\($0.path)'" }.joined()
    let errors = try await Self.outsideErrors(files[0], "-parse-as-library" + others)
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test func theNativeExampleReadsAVirtualTag() async throws {
    let program = try RunningTool.built()
      .appending(path: "NFCExample").path
    let result = try await Tool.shell("'\(program)'")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("https://example.org"))
  }

  /// A public declaration of a product's module. A comment of a protocol's requirement also applies to the
  /// member that implements it.
  private struct PublicSymbol: Decodable {
    struct Fragment: Decodable {
      let spelling: String
    }
    struct Comment: Decodable {
      struct Line: Decodable {
        let text: String
      }
      let lines: [Line]
    }
    struct Location: Decodable {
      let uri: String
    }

    let pathComponents: [String]
    let declarationFragments: [Fragment]
    let docComment: Comment?
    let location: Location?

    var name: String { pathComponents.joined(separator: ".") }
    var declaration: String { declarationFragments.map(\.spelling).joined() }
    var comment: String { (docComment?.lines ?? []).map(\.text).joined(separator: "\n") }

    /// Whether the declaration throws errors without naming their type. The errors of a `Codable` type are
    /// those of its coder.
    var throwsUnnamed: Bool {
      declaration.contains(/\bthrows\b(?!\()/) && !declaration.hasPrefix("typealias")
        && !["encode(to:)", "init(from:)"].contains(pathComponents.last)
    }
  }

  private struct SymbolGraph: Decodable {
    let symbols: [PublicSymbol]
  }

  /// Returns the name of the module in a folder of `Sources`: one that is no library's own has a name that nobody else
  /// uses.
  static func name(ofModule folder: String) -> String {
    folder == "NFCCore" ? "SwiftNFCCore" : folder
  }

  private static func publicSymbols(_ module: String) async throws -> [PublicSymbol] {
    try await TemporaryDirectory.with { directory async throws in
      let build = try RunningTool.built().path
      let result = try await Tool.shell(
        """
        set --; for map in "$ROOT"/Modules/*/module.modulemap; do
          set -- "$@" -Xcc "-fmodule-map-file=$map"
        done
        T=$(dirname "$(readlink -f "$(command -v swiftc)")")
        "$T/swift-symbolgraph-extract" -module-name \(name(ofModule: module)) -I "$BUILD/Modules" "$@" \\
          -target "$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\\(.*\\)".*/\\1/p' | head -n 1)" \\
          -output-dir "$OUT" -minimum-access-level public -skip-synthesized-members
        """,
        environment: ["ROOT": root.path, "BUILD": build, "OUT": directory.path])
      try #require(result.status == 0, "\(result.errors)")
      return try FileManager.default.contentsOfDirectory(atPath: directory.path).flatMap { name in
        let data = try Data(contentsOf: directory.appending(path: name))
        return try JSONDecoder().decode(SymbolGraph.self, from: data).symbols
      }.filter { $0.location?.uri.contains("/Sources/\(module)/") == true }
    }
  }

  @Test(arguments: [
    "NDEF", "NFCCore", "NFC", "NFCDiagnosis", "Recordings", "SecureTags", "SUNMessage", "TagImages",
    "TagTools", "TravelDocuments",
    "VirtualNFC", "DriverConformance", "ReaderThread", "CoreNFC",
  ])
  func everythingPublicIsDocumented(_ module: String) async throws {
    let symbols = try await Self.publicSymbols(module)
    #expect(!symbols.isEmpty)
    #expect(symbols.filter { $0.comment.isEmpty }.map(\.name).sorted() == [])
    // Apple documents the errors of Core NFC's calls: a session's or NFCReaderError.
    guard module != "CoreNFC" else { return }
    let silent = symbols.filter { symbol in
      symbol.throwsUnnamed && !symbol.declaration.contains("rethrows")
        && !symbol.comment.contains("- Throws:")
    }
    #expect(silent.map(\.name).sorted() == [])
  }
}
