import Foundation
import Testing

/// The documentation builds, and what it shows compiles, by the modules that were built for the tests.
@Suite struct DocumentationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: modules) func isBuiltWithoutWarnings(_ module: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let result = try await Tool.shell(
        #""$ROOT/Scripts/documentation" --built --output "$OUT" "$MODULE""#,
        environment: ["ROOT": Self.root.path, "OUT": directory.path, "MODULE": module])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("\(module).doccarchive"))
    }
  }

  private static let modules = ["NFC", "VirtualNFC", "CoreNFC", "DriverConformance"]

  /// The snippets of a module's articles; one that imports nothing goes on after `import` of that module.
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

  /// What the compiler says of a program that is not in this package: it sees only what is public.
  private static func outsideErrors(_ file: URL, _ options: String = "") async throws -> String {
    let build = try RunningTool.executable().deletingLastPathComponent().path
    let maps = ["CLibNFC", "CLibUSB", "CPCSCLite", "COpenSSL"].map {
      "-Xcc -fmodule-map-file='\(root.path)/Modules/\($0)/module.modulemap'"
    }.joined(separator: " ")
    let result = try await Tool.shell(
      "T=$(dirname \"$(dirname \"$(readlink -f \"$(command -v swiftc)\")\")\"); "
        + "swiftc -typecheck -swift-version 6 -I '\(build)/Modules' \(maps) \(options) "
        + "'\(file.path)'")
    return result.status == 0 ? "" : "\(result.errors)\nended with \(result.status)"
  }

  @Test(arguments: modules) func everySnippetCompiles(_ module: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      for (index, snippet) in try Self.snippets(module).enumerated() {
        let file = directory.appending(path: "Snippet\(index).swift")
        try Data(snippet.text.utf8).write(to: file)
        let testing =
          snippet.text.contains("import Testing")
          ? "-I \"$T/lib/swift/linux/testing\" -plugin-path \"$T/lib/swift/host/plugins/testing\""
          : ""
        let errors = try await Self.outsideErrors(file, testing)
        #expect(errors.isEmpty, "\(snippet.article)\n\(snippet.text)\n\(errors)")
      }
    }
  }

  /// A driver and a program need nothing but what is public.
  @Test(arguments: [
    "Tests/OutsideDriverTests/MemoryDriver.swift", "Sources/NFCExample/EntryPoint.swift",
  ])
  func compilesOutsideThePackage(_ path: String) async throws {
    let errors = try await Self.outsideErrors(
      Self.root.appending(path: path), "-parse-as-library")
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test func theNativeExampleReadsAVirtualTag() async throws {
    let program = try RunningTool.executable().deletingLastPathComponent()
      .appending(path: "NFCExample").path
    let result = try await Tool.shell("'\(program)'")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("https://example.org"))
  }
}
