import Foundation
import Testing

/// Plain English in everything that people read: the help, the articles, and what the tool prints.
/// `.github/CONTRIBUTING.md` says what to write instead.
@Suite struct LanguageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The folders whose messages are looked at.
  private static let modules = [
    "NFCTool", "NFCDiagnosis", "NFCLibNFC", "NFCPCSC", "NFCIsolated", "NFC", "SecureTags",
    "SUNMessage", "VirtualNFC", "Recordings", "TagImages",
  ]

  private static func files(_ folder: String, _ ending: String) throws -> [URL] {
    let folder = root.appending(path: folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return paths.filter { $0.hasSuffix(ending) }.sorted().map { folder.appending(path: $0) }
  }

  /// Texts with a name for a complaint: whole files, and of Swift only what stands between quotation marks.
  private static func texts() throws -> [(place: String, text: String)] {
    let articles =
      try files("Sources", ".md")
      + files(".github", ".md").filter {
        // It shows the words that are not to be written.
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
        // One word is a name: of a member in a file, for instance.
        where match.output.1.contains(" ") {
          texts.append((url.lastPathComponent, String(match.output.1)))
        }
      }
    }
    return texts
  }

  /// Words that no native speaker would put there.
  private static var unidiomatic: [Regex<Substring>] {
    [
      /\ba line a \w+/, /\banew\b/, /\bin order that\b/, /\bso many \w+\./, /\bbesides\b/,
      /\bdoes not tell\b/, /\bfound by itself\b/, /\btold apart\b/, /\btell them apart\b/,
      /\bwants (?:a|the) password\b/, /\bservice does not run\b/, /\bas ever\b/,
      /\bnot to be had\b/, /\bhad back\b/, /\bare to go\b/, /\bif it is meant\b/,
      /\bis never to be\b/, /\blends? a\b/, /\bkinder than\b/, /\bin any case\b/,
      /\bfor want of\b/, /\bdata are\b/,
    ]
  }

  /// `is no tag` is `is not a tag`; `there is no tag` is English.
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
