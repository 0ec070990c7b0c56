import ArgumentParser
import NFC

/// Explains a command line that the parser has refused because of an option or a word that has no place in it.
///
/// The parser suggests the option that differs least, even if the word is the beginning of another one. If an argument
/// is missing as well, it does not mention the option, and it does not know that options may precede the subcommand.
enum OptionWords {
  /// Returns the error for what the command does not have; `nil` if that is not why the parser has refused the line.
  ///
  /// - Parameter arguments: the arguments as they were typed.
  static func failure(for arguments: [String]) -> Failure? {
    let (path, command, rest) = command(of: arguments)
    let description = CommandDescription(command)
    let known =
      description.options + ["--help", "--version"] + GlobalOptions.namesBeforeSubcommand
    let words = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
    guard
      let word = words.map({ String($0.prefix { $0 != "=" }) }).first(where: { !known.contains($0) }
      )
    else {
      if path.isEmpty, !words.isEmpty { return missingCommand(arguments) }
      return missingValue(arguments) ?? failure(forSurplusIn: rest, path, command, description)
    }
    let reason = "there is no option \(ArgumentText.shown(word).shellWord)"
    let name = (["nfc"] + path).joined(separator: " ")
    let bare = String(word.dropFirst(2))
    if command.configuration.subcommands.contains(where: { $0.matches(bare) }) {
      return Failure(.usage, reason, advice: "did you mean \(name) \(bare)?")
    }
    let subcommands = command.configuration.subcommands
    let isOfSubcommand = subcommands.contains { CommandDescription($0).options.contains(word) }
    if !path.isEmpty, isOfSubcommand,
      !subcommands.contains(where: { next in arguments.contains { next.matches($0) } })
    {
      return CommandWords.missing(["nfc"] + path, subcommands)
    }
    if description.takes(valueNamed: bare) {
      return Failure(.usage, reason, advice: "the \(bare) needs none: \(name) <\(bare)>")
    }
    guard let nearest = Spelling.intended(word, among: known) else {
      return Failure(.usage, reason, advice: "\(name) --help shows those that there are")
    }
    return Failure(.usage, reason, advice: "did you mean \(nearest)?")
  }

  /// Returns the error for a short option, for an option of other commands, and for a word that has no place.
  private static func failure(
    forSurplusIn rest: [String], _ path: [String], _ command: any ParsableCommand.Type,
    _ description: CommandDescription
  ) -> Failure? {
    let (options, words) = description.surplus(in: rest)
    if let failure = options.lazy.compactMap({
      shortOption($0) ?? misplacedOption($0, path, command)
    }).first {
      return failure
    }
    guard let word = words.first else { return nil }
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
  private static func misplacedOption(
    _ word: String, _ path: [String], _ command: any ParsableCommand.Type
  ) -> Failure? {
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

  /// Returns the command that the words name, wherever options stand between them, and what follows its name. The value
  /// of an option is not one of them, even if it is spelled like a command, unless the option has taken the command's
  /// name for its value.
  private static func command(
    of arguments: [String]
  ) -> (path: [String], command: any ParsableCommand.Type, rest: [String]) {
    let arguments = GlobalOptions.movingOptionsAfterSubcommand(arguments, below: NFCTool.self)
    var path: [String] = []
    var command: any ParsableCommand.Type = NFCTool.self
    var rest = arguments
    for (index, word) in arguments.enumerated() {
      let subcommands = command.configuration.subcommands
      if let next = subcommands.first(where: { $0.matches(word) }) {
        path.append(word)
        command = next
        rest = Array(arguments[(index + 1)...])
      } else if subcommands.isEmpty || !path.isEmpty {
        break
      }
    }
    return (path, command, rest)
  }
}
