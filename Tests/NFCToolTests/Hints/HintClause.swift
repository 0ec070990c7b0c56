import ArgumentParser

@testable import SwiftNFCTool

/// A part of an error that says what to do: it names a command of this program, an option or another program, or begins
/// with what is to be done.
struct HintClause: Hashable, Sendable {
  /// The words, in which `…` stands for what is put in when the error is made.
  let text: String

  /// Returns the hints of an error.
  static func hints(in text: String) -> [HintClause] {
    clauses(of: text).filter(isHint).map { HintClause(text: $0) }
  }

  /// Returns the parts between semicolons, colons, and ends of sentences.
  private static func clauses(of text: String) -> [String] {
    let words = text.split(whereSeparator: \.isWhitespace)
    var clauses: [[Substring]] = [[]]
    for word in words {
      let end = word.last ?? " "
      let isEnd = ";:?".contains(end) || (end == "." && (word.dropLast().last?.isLetter ?? false))
      clauses[clauses.count - 1].append(isEnd ? word.dropLast() : word)
      if isEnd { clauses.append([]) }
    }
    return clauses.map { $0.filter { !$0.isEmpty }.joined(separator: " ") }
      .map { clause in
        let start = clause.drop { ",; ".contains($0) }
        return String(start.reversed().drop { ",.; ".contains($0) }.reversed())
      }
      .filter { !$0.isEmpty }
  }

  /// The words with which something to be done begins.
  private static let verbs: Set = Set(
    """
    use give hold plug check try add name write remove leave repeat keep take set save run start end put install \
    insist join unload request open connect select lock make choose wait free read convert restore format look ask \
    turn switch delete reset unplug release close stop build press copy allow replace unset let restart follow do log \
    find tap buy enable ignore pass see list finalize present unprotect decide play search
    """.split(separator: " ").map(String.init))
  private static let commands = Set(
    NFCTool.configuration.subcommands.compactMap { $0.configuration.commandName })
  private static let connectives: Set = ["and", "or", "then", "to", "only"]
  private static let programs: Set = [
    "sudo", "openssl", "systemctl", "journalctl", "loginctl", "dmesg", "usbipd",
  ]
  /// The verbs after an option that is the subject of something to be done.
  private static let demands: Set = [
    "requires", "require", "needs", "need", "shows", "names", "writes", "picks", "prints", "saves",
  ]

  private static func isHint(_ clause: String) -> Bool {
    let words = clause.split(separator: " ").map(String.init)
    let pairs = zip(words, words.dropFirst())
    if pairs.contains(where: { $0 == "nfc" && (commands.contains($1) || $1.hasPrefix("--")) }) {
      return true
    }
    if words.contains(where: programs.contains) || words.contains("give") { return true }
    let first = words.first { !connectives.contains($0) }?.lowercased()
    if words.count > 1, let first, verbs.contains(first) { return true }
    let options = words.indices.filter {
      words[$0].drop { $0 == "(" }.hasPrefix("--") && words[$0].count > 2
    }
    guard let option = options.first else { return false }
    return option > 0 || words.contains(where: demands.contains)
  }

  /// Whether the text, with the values put in, is a part of another text.
  func isPart(of text: String) -> Bool {
    var rest = text[...]
    for part in self.text.split(separator: "…") {
      let part = part.drop { $0 == " " }
      guard let place = rest.firstRange(of: part) else { return false }
      rest = rest[place.upperBound...]
    }
    return true
  }
}
