import ArgumentParser
import NFC

/// Removes from an error what may be a key or password in the wrong place of a command line. A script's log keeps
/// standard error.
enum SecretWords {
  /// The commands that take keys or passwords.
  private static let commands: Set = [
    "desfire", "plus", "sun", "iso15693", "protect", "unprotect", "mifare",
  ]
  /// The options for them, of any command.
  private static let options = [
    "--key", "--keys", "--new-key", "--new-keys", "--new-key-file", "--file-key", "--password",
    "--tag-password", "--password-file", "--current-password", answerOption,
  ]

  /// The command whose numbers are secrets, however short.
  private static let documentCommand = "passport"

  /// The shortest password, and the shortest answer to one, in digits.
  private static let (shortest, shortestAnswer) = (8, 4)
  private static let answerOption = "--pack"
  /// What is shown in place of a word.
  private static let placeholder = "(not shown, as it may be a key)"
  /// The longest UID that `--uid` takes, in digits.
  private static let longestUID = 20

  /// Returns the error without the words of the command line that may be secrets.
  ///
  /// - Parameter isUsage: whether the error is about the command line itself, which may have a word anywhere.
  static func hidden(_ error: String, _ arguments: [String], isUsage: Bool) -> String {
    guard mayContain(arguments) else { return error }
    var error = error
    for word in secrets(in: arguments, isUsage: isUsage) {
      let shown = ArgumentText.shown(word)
      guard error.contains(shown) else { continue }
      for (text, replacement) in phrases(of: shown) {
        error = error.replacing(text, with: replacement)
      }
    }
    return error
  }

  private static func mayContain(_ arguments: [String]) -> Bool {
    arguments.contains { word in
      commands.contains(word) || word == documentCommand
        || options.contains { word == $0 || word.hasPrefix($0 + "=") }
    }
  }

  /// Returns the words that may be secrets, the longest first, because one may be part of another.
  private static func secrets(in arguments: [String], isUsage: Bool) -> [String] {
    var words: [String] = []
    let isOfDocument = arguments.contains(documentCommand)
    let hasAnswer = arguments.contains { $0.hasPrefix(answerOption) }
    let shortest = isUsage && hasAnswer ? shortestAnswer : shortest
    for (index, argument) in arguments.enumerated() {
      let previous = index > 0 ? arguments[index - 1] : ""
      let parts =
        argument.hasPrefix("--")
        ? argument.split(separator: "=", maxSplits: 1).dropFirst().map(String.init) : [argument]
      // A word that stands alone may be the number of a document, or a part of it.
      let isNumber =
        isOfDocument && isUsage && !argument.hasPrefix("--") && !previous.hasPrefix("--")
        && argument.contains(where: \.isNumber)
      for part in parts where isNumber || isSecretLike(part, atLeast: shortest) {
        let isUID = previous == "--uid" || argument.hasPrefix("--uid=")
        if isUID, part.count <= longestUID { continue }
        words.append(part)
      }
    }
    return Set(words).sorted { ($0.count, $0) > ($1.count, $1) }
  }

  /// Whether a text is hexadecimal, with a key's place before it or not, and a slip or two in it.
  private static func isSecretLike(_ text: String, atLeast shortest: Int) -> Bool {
    guard !TagPasswordText.isText(text) else { return true }
    let separators = " \t:-"
    var rest = Substring(text)
    if let colon = rest.firstIndex(of: ":") { rest = rest[rest.index(after: colon)...] }
    for text in [Substring(text), rest] {
      let letters = text.filter { !separators.contains($0) }
      let digits = (letters.hasPrefix("0x") ? letters.dropFirst(2) : letters[...])
      let wrong = digits.count { !$0.isHexDigit }
      if digits.count >= shortest, wrong <= digits.count / 12 { return true }
    }
    return false
  }

  /// Returns the phrases that show a word, and what says the same without it. A short word without quotation marks may
  /// be a part of others.
  private static func phrases(of word: String) -> [(String, String)] {
    let quoted = ["\"\(word)\"", "'\(word)'", word.shellWord]
    return quoted.flatMap {
      [(", not \($0)", ""), ("The value \($0) is", "The value is"), ($0, placeholder)]
    } + (word.count < shortestAnswer ? [] : [(", not \(word)", ""), (word, placeholder)])
  }
}
