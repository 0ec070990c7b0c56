import ArgumentParser
import NFC

/// Explains a command line that the parser has refused because of an unknown option.
///
/// The parser suggests the option that differs least, even if the word is the beginning of another one. If an argument
/// is missing as well, it does not mention the option, and it does not know that options may precede the subcommand.
enum OptionWords {
  /// Returns the error for the first option that the command does not have; `nil` if it has all of them.
  ///
  /// - Parameter arguments: the arguments as they were typed.
  static func failure(for arguments: [String]) -> Failure? {
    let (path, command) = command(of: arguments)
    let known = options(of: command)
    let words = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
    guard
      let word = words.map({ String($0.prefix { $0 != "=" }) }).first(where: { !known.contains($0) }
      )
    else {
      return path.isEmpty && !words.isEmpty ? missingCommand(arguments) : missingValue(arguments)
    }
    let reason = "there is no option \(ArgumentText.shown(word).shellWord)"
    let name = (["nfc"] + path).joined(separator: " ")
    let bare = String(word.dropFirst(2))
    if command.configuration.subcommands.contains(where: { $0.matches(bare) }) {
      return Failure(.usage, reason, advice: "did you mean \(name) \(bare)?")
    }
    let subcommands = command.configuration.subcommands
    let isOfSubcommand = subcommands.contains { options(of: $0).contains(word) }
    if !path.isEmpty, isOfSubcommand,
      !subcommands.contains(where: { next in arguments.contains { next.matches($0) } })
    {
      return CommandWords.missing(["nfc"] + path, subcommands)
    }
    if help(of: command).contains(where: { $0.hasPrefix("  <\(bare)>") }) {
      return Failure(.usage, reason, advice: "the \(bare) needs none: \(name) <\(bare)>")
    }
    guard let nearest = Spelling.intended(word, among: known) else {
      return Failure(.usage, reason, advice: "\(name) --help shows those that there are")
    }
    return Failure(.usage, reason, advice: "did you mean \(nearest)?")
  }

  /// Returns the error for a word that has no place in the command line, as the parser's message shows it; `nil` for
  /// any other message.
  static func failure(inMessage message: String, for arguments: [String]) -> Failure? {
    let line = message.prefix { !$0.isNewline }
    let words = line.split(separator: "'").map(String.init)
    if line.contains("nknown option") {
      return words.lazy.compactMap { shortOption($0) ?? misplacedOption($0, arguments) }.first
    }
    guard line.contains("nexpected argument"), words.count > 1 else { return nil }
    let word = words[1]
    let reason = "the command takes no argument \(word.shellWord)"
    if let tag = words.first(where: { word in
      VirtualTags.names.contains { Spelling.folded($0) == Spelling.folded(word) }
    }) {
      return Failure(
        .usage, "the command takes no argument \(tag.shellWord)",
        advice: "did you mean --virtual \(tag.shellWord)?")
    }
    if ReaderSources.all.flatMap(\.schemes).contains(where: { word.hasPrefix($0 + ":") })
      || word.hasPrefix("/dev/")
    {
      let address = AddressAdvice.advice(for: word) ?? "did you mean --reader \(word.shellWord)?"
      return Failure(.usage, reason, advice: address)
    }
    let (path, _) = command(of: arguments)
    guard path.count == 2, ["write", "encode"].contains(path[0]) else { return nil }
    let name = (["nfc"] + path).joined(separator: " ")
    return Failure(
      .usage, reason,
      advice: "put a text with blanks in quotation marks; \(name) --help shows the options")
  }

  /// The options that other programs abbreviate with these letters.
  private static let letters = [
    "-r": "--reader", "-d": "--reader", "-j": "--json", "-t": "--timeout", "-u": "--uid",
    "-n": "--count", "-V": "--version", "-v": "--verbose",
  ]

  private static func shortOption(_ word: String) -> Failure? {
    guard let option = letters[word] else { return nil }
    let names = option == "--verbose" ? "--version or --verbose" : option
    return Failure(.usage, "there is no option \(word)", advice: "did you mean \(names)?")
  }

  /// Returns the error for an option of other commands that this one does not have.
  private static func misplacedOption(_ word: String, _ arguments: [String]) -> Failure? {
    let (path, command) = command(of: arguments)
    guard GlobalOptions.namesBeforeSubcommand.contains(word), !path.isEmpty else { return nil }
    // Its subcommands may have the option.
    guard command.configuration.subcommands.isEmpty else {
      return CommandWords.missing(["nfc"] + path, command.configuration.subcommands)
    }
    let name = (["nfc"] + path).joined(separator: " ")
    guard path == ["virtual"], ["--virtual", "--reader"].contains(word) else {
      return Failure(
        .usage, "\(name) does not take \(word)", advice: "\(name) --help shows its options")
    }
    return Failure(
      .usage, "nfc virtual does not take \(word): it is a reader itself",
      advice: "name its tags without an option, as in nfc virtual ntag215")
  }

  /// Returns the error for an option before the command that was given the command's name as its value.
  private static func missingValue(_ arguments: [String]) -> Failure? {
    guard
      let first = GlobalOptions.movingOptionsAfterSubcommand(arguments, below: NFCTool.self).first,
      first.hasPrefix("-"),
      let index = arguments.indices.dropLast().first(where: { index in
        GlobalOptions.takesValue(arguments[index])
          && NFCTool.configuration.subcommands.contains { $0.matches(arguments[index + 1]) }
      })
    else { return nil }
    let (option, command) = (arguments[index], arguments[index + 1])
    return Failure(
      .usage, "\(option) lacks its value: \(command) is a command",
      advice: "nfc \(command) --help shows what \(option) takes")
  }

  private static func missingCommand(_ arguments: [String]) -> Failure? {
    // These end the command line before a command could be missing.
    guard !arguments.contains(where: { ["--help", "-h", "--version"].contains($0) }) else {
      return nil
    }
    let line = (["nfc"] + arguments).map(\.shellWord).joined(separator: " ")
    return Failure(.usage, "a command is missing after the options", advice: "such as \(line) poll")
  }

  /// Returns the command that the words name, wherever options stand between them. The value of an option is not one of
  /// them, even if it is spelled like a command, unless the option has taken the command's name for its value.
  private static func command(
    of arguments: [String]
  ) -> (path: [String], command: any ParsableCommand.Type) {
    let arguments = GlobalOptions.movingOptionsAfterSubcommand(arguments, below: NFCTool.self)
    var path: [String] = []
    var command: any ParsableCommand.Type = NFCTool.self
    for word in arguments {
      let subcommands = command.configuration.subcommands
      if let next = subcommands.first(where: { $0.matches(word) }) {
        path.append(word)
        command = next
      } else if subcommands.isEmpty || !path.isEmpty {
        break
      }
    }
    return (path, command)
  }

  /// Returns the names of the long options that a command has, as its help shows them, of those that may precede any
  /// subcommand, and of those of the subcommand whose name may be left out.
  private static func options(of command: any ParsableCommand.Type) -> [String] {
    let hidden = ["--help", "--version"] + GlobalOptions.namesBeforeSubcommand
    let shown = help(of: command).filter { $0.hasPrefix("  -") }.flatMap {
      $0.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
        .filter { $0.hasPrefix("--") }
    }
    let implied = command.configuration.defaultSubcommand.map { options(of: $0) } ?? []
    return hidden + shown.map(String.init) + implied
  }

  /// Returns the lines of a command's help.
  private static func help(of command: any ParsableCommand.Type) -> [Substring] {
    NFCTool.helpMessage(for: command, includeHidden: true, columns: 200)
      .split(whereSeparator: \.isNewline)
  }
}
