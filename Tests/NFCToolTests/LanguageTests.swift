import Foundation
import Testing

/// Tests that all texts for people are plain English: the help, the articles, and the output of the tool.
/// `.github/CONTRIBUTING.md` lists the words to use instead.
@Suite struct LanguageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The folders whose messages are checked.
  private static let modules = [
    "NFCTool", "NFCDiagnosis", "NFCLibNFC", "NFCPCSC", "NFCIsolated", "NFC", "NFCCore", "NDEF",
    "SystemFacts", "CoreNFC", "DriverConformance", "JSONText", "SecureTags", "SUNMessage",
    "TravelDocuments",
    "VirtualNFC", "Recordings", "TagImages", "TagTools",
  ]

  private static func files(_ folder: String, _ ending: String) throws -> [URL] {
    let folder = root.appending(path: folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return paths.filter { $0.hasSuffix(ending) }.sorted().map { folder.appending(path: $0) }
  }

  /// Returns texts with their names: complete files and, for Swift, only the text between quotation marks.
  private static func texts() throws -> [(place: String, text: String)] {
    let articles =
      try files("Sources", ".md")
      + files(".github", ".md").filter {
        // This file lists the words to avoid.
        $0.lastPathComponent != "CONTRIBUTING.md"
      }
    let others = ["README.md", "Tests/NFCToolTests/Snapshots/help.txt"].map {
      root.appending(path: $0)
    }
    var texts = try (articles + others).map { url in
      (url.lastPathComponent, try String(contentsOf: url, encoding: .utf8))
    }
    for module in modules {
      for url in try files("Sources/\(module)", ".swift") {
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
          .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        for match in lines.joined(separator: "\n").matches(of: /"([^"\n]*)"/)
        // A single word is a name, for instance of a member in a file.
        where match.output.1.contains(" ") {
          texts.append((url.lastPathComponent, String(match.output.1)))
        }
      }
    }
    return texts
  }

  /// Words and phrases that are not idiomatic.
  private static var unidiomatic: [Regex<Substring>] {
    [
      /\ba line a \w+/, /\banew\b/, /\bin order that\b/, /\bso many \w+\./, /\bbesides\b/,
      /\bdoes not tell\b/, /\bfound by itself\b/, /\btold apart\b/, /\btell them apart\b/,
      /\bwants (?:a|the) password\b/, /\bservice does not run\b/, /\bas ever\b/,
      /\bnot to be had\b/, /\bhad back\b/, /\bare to go\b/, /\bif it is meant\b/,
      /\bis never to be\b/, /\blends? a\b/, /\bkinder than\b/, /\bin any case\b/,
      /\bfor want of\b/, /\bdata are\b/, /\bfor good\b/, /\bwants\b/, /\bbears\b/,
      /\btorn away\b/, /\bis none of\b/, /\bhas told\b/, /\banybody\b/,
      /\basks for (?:a|the) key\b/,
    ]
  }

  /// Finds phrases such as `is no tag`, which should be `is not a tag`. `There is no tag` is correct.
  private static func negations(in text: String) -> [String] {
    let idioms: Set = ["longer", "such", "more", "different", "need", "one"]
    return text.matches(of: /(\w+) (?:is|are) no (\w+)/).compactMap { match in
      let (whole, before, after) = match.output
      let isEnglish = before.lowercased() == "there" || idioms.contains(String(after))
      return isEnglish ? nil : String(whole)
    }
  }

  @Test func whatPeopleReadIsPlainEnglish() throws {
    let texts = try Self.texts()
    #expect(texts.count > 1000)
    var found: [String] = []
    for (place, text) in texts {
      for pattern in Self.unidiomatic {
        found += text.matches(of: pattern).map { "\(place): \($0.output)" }
      }
      found += Self.negations(in: text).map { "\(place): \($0)" }
    }
    #expect(found == [])
  }
}
