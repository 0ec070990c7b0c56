import Foundation
import Testing

/// Compiles the snippets in documentation comments, all at once, as a program outside this package would.
@Suite struct DocCommentTests {
  private static let modules = [
    "NDEF", "NFC", "NFCCore", "NFCDiagnosis", "Recordings", "SecureTags", "SUNMessage",
    "TagImages", "TagTools", "VirtualNFC",
  ]

  /// What a snippet may use without declaring it, as a list of parameters.
  private static let given = [
    "address": "BluetoothAddress", "application": "DESFireApplication",
    "applicationIdentifier": "[UInt8]", "bytes": "[UInt8]", "classic": "MiFareClassicCommands",
    "encryptionKey": "DESFireKey", "field": "VirtualField", "file": "FileHandle",
    "firstKey": "DESFireKey", "found": "DetectedTag", "image": "TagImage", "key": "SecretKey",
    "lastCounters": "[[UInt8]: UInt32]", "macKey": "DESFireKey", "master": "SecretKey",
    "message": "NDEFMessage", "number": "DESFireApplicationIdentifier", "password": "SecretKey",
    "plan": "DESFireDelegatedApplicationDescription", "reader": "Reader", "record": "NDEFRecord",
    "tag": "DetectedTag", "uid": "[UInt8]", "virtualTag": "VirtualTag",
  ]

  /// The types of names that mean something else in one file.
  private static let givenIn = [
    "ChangePlan.swift": [
      "protection": "UltralightProtection", "ultralight": "UltralightCommands",
    ],
    "DESFireCard.swift": ["key": "[UInt8]"],
    "NFCError.swift": ["tag": "any NDEFTag"],
    "ReplayReader.swift": ["file": "URL"],
    "SUNMessage.swift": ["key": "SUNKey"],
    "TagBatch.swift": ["texts": "[String]"],
  ]

  /// A type of the program's own.
  private static let preamble = """
    struct TicketRecord: NDEFTypedRecord {
      var seat = ""
      var identifier: [UInt8] = []
      static func matches(_ record: NDEFRecord) -> Bool { false }
      init(_ record: NDEFRecord) throws(NDEFError) {}
      var record: NDEFRecord { .text(seat) }
      var description: String { seat }
    }
    """

  private struct Snippet {
    let file: URL
    /// The number of its first line.
    let line: Int
    let lines: [String]

    /// A function that contains the snippet. The compiler's errors name the place in the source file.
    func function(_ number: Int) -> String {
      let names = given.merging(givenIn[file.lastPathComponent] ?? [:]) { $1 }
      let parameters = names.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      // A snippet need not use what it shows how to get.
      let results = lines.compactMap { $0.prefixMatch(of: /(?:let|var) (\w+)/)?.output.1 }
      return """
        func snippet\(number)(
          \(parameters.joined(separator: ", "))
        ) async throws {
        #sourceLocation(file: "\(file.path)", line: \(line))
        \(lines.joined(separator: "\n"))
        #sourceLocation()
        \(results.map { "_ = \($0)" }.joined(separator: "; "))
        }
        """
    }
  }

  private static func snippets(_ file: URL) throws -> [Snippet] {
    var snippets: [Snippet] = []
    var open: (first: Int, lines: [String])?
    let text = try String(contentsOf: file, encoding: .utf8)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard let comment = line.wholeMatch(of: /\s*\/\/\/ ?(.*)/)?.output.1 else {
        #expect(open == nil, "\(file.path): a snippet has no end")
        open = nil
        continue
      }
      if comment == "```swift" {
        open = (index + 2, [])
      } else if comment == "```", let found = open {
        snippets.append(Snippet(file: file, line: found.first, lines: found.lines))
        open = nil
      } else {
        open?.lines.append(String(comment))
      }
    }
    return snippets
  }

  private static func snippets() throws -> [Snippet] {
    try modules.flatMap { module in
      let folder = DocumentationTests.root.appending(path: "Sources/" + module)
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        .filter { $0.hasSuffix(".swift") }
        .flatMap { try snippets(folder.appending(path: $0)) }
    }
  }

  private static func errors(_ functions: [String]) async throws -> String {
    let imports =
      (["Foundation", "Synchronization", "Testing"]
      + modules.map(DocumentationTests.name(ofModule:))).map {
        "import \($0)"
      }
    return try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "Snippets.swift")
      let program = imports + [preamble] + functions
      try Data(program.joined(separator: "\n").utf8).write(to: file)
      return try await DocumentationTests.outsideErrors(
        file, "-parse-as-library -warnings-as-errors " + DocumentationTests.testingOptions)
    }
  }

  @Test func everySnippetCompiles() async throws {
    let snippets = try Self.snippets()
    #expect(snippets.count > 30)
    let errors = try await Self.errors(snippets.enumerated().map { $1.function($0) })
    #expect(errors.isEmpty, "\(errors)")
  }

  /// A name that the package does not have is an error, at its place.
  @Test func aWrongNameIsAnError() async throws {
    let snippet = Snippet(
      file: URL(filePath: "/Example.swift"), line: 7,
      lines: ["let first = try await reader.firstTag()", "first.disconnect()"])
    let errors = try await Self.errors([snippet.function(0)])
    #expect(errors.contains("/Example.swift:8:7: error:"), "\(errors)")
  }
}
