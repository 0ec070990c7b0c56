import ArgumentParser
import NFC

/// Checks the words of a command line that name a command, before the parser does. The error for an unknown
/// word suggests the nearest command, whatever options are beside the word.
enum CommandWords {
  private static let help = "help"

  /// - Parameter arguments: the arguments, with the options that all commands have after the command's name.
  /// - Throws: ``Failure`` for a word that is not a command.
  static func check(_ arguments: [String]) throws {
    var words = arguments[...]
    if words.first == help { return try checkHelp(words.dropFirst()) }
    var path = ["nfc"]
    var subcommands = NFCTool.configuration.subcommands
    while !subcommands.isEmpty, let word = words.first, !word.hasPrefix("-") {
      guard let command = subcommands.first(where: { $0.matches(word) }) else {
        throw unknown(word, path, subcommands, following: words.dropFirst())
      }
      path.append(word)
      subcommands = command.configuration.subcommands
      words = words.dropFirst()
    }
    // The command's own options have replaced its subcommand.
    guard !subcommands.isEmpty, path.count > 1,
      let word = firstArgument(words),
      !words.contains("--help"), !words.contains("-h"), !words.contains("--version")
    else { return }
    guard !subcommands.contains(where: { $0.matches(word) }) else { return }
    let names = subcommands.compactMap { $0.configuration.commandName }
    // The word may also be the value of an option.
    guard Spelling.nearest(to: word, among: names).isEmpty else {
      throw unknown(word, path, subcommands, following: [])
    }
    throw OptionWords.failure(for: arguments) ?? missing(path, subcommands)
  }

  /// Returns the first word that is neither an option nor the value of one that all commands have, which may be spelled
  /// like a command.
  private static func firstArgument(_ words: ArraySlice<String>) -> String? {
    var rest = words
    while let word = rest.popFirst() {
      guard word.hasPrefix("-") else { return word }
      if GlobalOptions.takesValue(word) { rest = rest.dropFirst() }
    }
    return nil
  }

  private static func checkHelp(_ words: ArraySlice<String>) throws {
    var path = ["nfc"]
    var subcommands = NFCTool.configuration.subcommands
    for word in words where !word.hasPrefix("-") {
      guard let command = subcommands.first(where: { $0.matches(word) }) else {
        throw unknown(word, path, subcommands, following: [])
      }
      path.append(word)
      subcommands = command.configuration.subcommands
    }
  }

  /// Returns the error for a command line that ends before the subcommand.
  static func missing(_ path: [String], _ commands: [any ParsableCommand.Type]) -> Failure {
    let name = path.joined(separator: " ")
    let names = commands.compactMap { $0.configuration.commandName }.joined(separator: ", ")
    return Failure(.usage, "\(name) needs one of \(names)", advice: "\(name) --help says more")
  }

  private static func unknown(
    _ word: String, _ path: [String], _ commands: [any ParsableCommand.Type],
    following rest: ArraySlice<String>
  ) -> Failure {
    let name = path.joined(separator: " ")
    let shown = ArgumentText.shown(word)
    if path.last == "write", isLink(word) {
      return Failure(
        .usage, "nfc write needs the kind of record before \(shown.shellWord)",
        advice: "write nfc write uri \(shown.shellWord)")
    }
    if path.count == 1, word == "version" {
      return Failure(.usage, "there is no command nfc version", advice: "it is nfc --version")
    }
    let names = commands.compactMap { $0.configuration.commandName }
    let reason = "there is no command \(name) \(shown.shellWord)"
    if path.count == 1, let kind = kind(for: word) {
      // An option after it may have a password as its value.
      let words = (isLink(word) ? [word] : []) + rest.prefix { !$0.hasPrefix("-") }
      let line = (["nfc", "write", kind] + words.map { ArgumentText.shown($0).shellWord })
        .joined(separator: " ")
      return Failure(.usage, reason, advice: "did you mean \(line)?")
    }
    // A name of another program helps only where there is the command that it stands for. Short ones resemble too many
    // words.
    let others = synonyms.compactMapValues { $0.first(where: names.contains) }
      .filter { $0.key.count > shortest || $0.key == word }
    if let nearest = Spelling.nearest(to: word, among: names + Array(others.keys)).first {
      let command = names.contains(nearest) ? nearest : others[nearest] ?? nearest
      return Failure(.usage, reason, advice: "did you mean \(name) \(command)?")
    }
    let all = NFCTool.configuration.subcommands
    if path.count > 1, path[1] != "help", all.contains(where: { $0.matches(word) }) {
      return Failure(
        .usage, reason,
        advice: "did you mean nfc \(word)? \(name) --help shows the commands that there are")
    }
    let text = names.contains("text") ? "for a text write \(name) text \(shown.shellWord); " : ""
    return Failure(.usage, reason, advice: "\(text)\(name) --help shows those that there are")
  }

  /// Returns the kind of record that a word stands for where a command is expected.
  private static func kind(for word: String) -> String? {
    let kinds = WriteCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
    if isLink(word) { return "uri" }
    return ([word] + (synonyms[word] ?? [])).first(where: kinds.contains)
  }

  /// The number of letters up to which only the exact name of another program counts.
  private static let shortest = 3

  /// The names that other programs use for the commands, each with those that it may stand for.
  private static let synonyms = [
    "url": ["uri"], "link": ["uri"], "vcard": ["contact"], "vcf": ["contact"], "phone": ["tel"],
    "email": ["mail"], "location": ["geo"], "note": ["text"], "bt": ["bluetooth"], "aar": ["app"],
    "list": ["readers", "info"], "ls": ["readers", "info"], "devices": ["readers"],
    "scan": ["poll"], "detect": ["poll"], "protocols": ["poll"], "tags": ["poll"], "wait": ["poll"],
    "monitor": ["watch"], "listen": ["watch"], "identify": ["info"], "ndef": ["read"],
    "show": ["read", "info"], "cat": ["read"], "get": ["read"], "print": ["read"], "view": ["read"],
    "put": ["write"], "set": ["write"], "program": ["write"], "burn": ["write"],
    "clone": ["copy"], "duplicate": ["copy"], "backup": ["dump"], "save": ["dump"],
    "export": ["dump"], "load": ["restore"], "import": ["restore"], "flash": ["restore"],
    "compare": ["diff"], "wipe": ["erase"], "clear": ["erase"], "empty": ["erase"],
    "delete": ["erase"], "remove": ["erase"], "rm": ["erase"], "reset": ["erase"],
    "unlock": ["unprotect"], "decrypt": ["unprotect"], "password": ["protect", "set-password"],
    "encrypt": ["protect"], "readonly": ["lock"], "check": ["doctor"], "test": ["doctor"],
    "status": ["doctor"], "diagnose": ["doctor"], "setup": ["doctor"],
    "emulate": ["virtual"], "simulate": ["virtual"], "classic": ["mifare"],
    "ultralight": ["mifare"],
  ]

  private static func isLink(_ word: String) -> Bool {
    word.contains("://") || word.hasPrefix("www.") || word.hasPrefix("mailto:")
      || word.hasPrefix("tel:")
  }
}

/// Finds the intended word for a misspelled one.
enum Spelling {
  /// Returns the names that differ by only a few letters, nearest first. Case and punctuation are ignored. Of two
  /// names that differ by equally many letters, the one that has more of the word's letters in their order is nearer:
  /// a letter is forgotten more often than it is confused with another.
  static func nearest(to word: String, among names: [String], atMost count: Int = 3) -> [String] {
    let word = folded(word)
    let candidates = names.compactMap { name -> (name: String, distance: Int, common: Int)? in
      let folded = folded(name)
      let distance = distance(Array(word), Array(folded))
      let isNear = distance <= max(1, min(word.count, folded.count) / 3)
      let isPart = word.count > 2 && folded.hasPrefix(word)
      guard isNear || isPart else { return nil }
      return (
        name, isNear ? distance : distance + word.count, commonCount(Array(word), Array(folded))
      )
    }
    return candidates.sorted {
      ($0.distance, -$0.common, $0.name) < ($1.distance, -$1.common, $1.name)
    }.prefix(count).map(\.name)
  }

  /// Returns the number of letters that both have in the same order: the longest common subsequence.
  private static func commonCount(_ a: [Character], _ b: [Character]) -> Int {
    var last = Array(repeating: 0, count: b.count + 1)
    for letter in a {
      var row = [0]
      for (index, other) in b.enumerated() {
        row.append(letter == other ? last[index] + 1 : max(row[index], last[index + 1]))
      }
      last = row
    }
    return last[b.count]
  }

  /// Returns the shortest name that begins with the word, or else the one that differs by a few letters.
  static func intended(_ word: String, among names: [String]) -> String? {
    let beginning = folded(word)
    let longer = names.filter { beginning.count > 1 && folded($0).hasPrefix(beginning) }
    return longer.min { ($0.count, $0) < ($1.count, $1) } ?? nearest(to: word, among: names).first
  }

  /// Returns only the letters and digits of the text, in lower case.
  static func folded(_ text: String) -> String {
    String(text.lowercased().filter { $0.isLetter || $0.isNumber })
  }

  /// Returns the number of letters that have to be inserted, removed, replaced or swapped with the next one.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
