import ArgumentParser

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
    else { return path.isEmpty && !words.isEmpty ? missingCommand(arguments) : nil }
    let reason = "there is no option \(ArgumentText.shown(word).shellWord)"
    let name = (["nfc"] + path).joined(separator: " ")
    guard let nearest = Spelling.intended(word, among: known) else {
      return Failure(.usage, reason, advice: "\(name) --help shows those that there are")
    }
    return Failure(.usage, reason, advice: "did you mean \(nearest)?")
  }

  /// Returns the error for a virtual tag that was named without its option; `nil` for any other message of the parser.
  static func bareTag(in message: String) -> Failure? {
    guard message.contains("nexpected argument") else { return nil }
    let words = message.prefix { !$0.isNewline }.split(separator: "'").map(String.init)
    guard
      let tag = words.first(where: { word in
        VirtualTags.names.contains { Spelling.folded($0) == Spelling.folded(word) }
      })
    else { return nil }
    return Failure(
      .usage, "the command takes no argument \(tag.shellWord)",
      advice: "did you mean --virtual \(tag.shellWord)?")
  }

  private static func missingCommand(_ arguments: [String]) -> Failure? {
    // These end the command line before a command could be missing.
    guard !arguments.contains(where: { ["--help", "-h", "--version"].contains($0) }) else {
      return nil
    }
    let line = (["nfc"] + arguments).map(\.shellWord).joined(separator: " ")
    return Failure(.usage, "a command is missing after the options", advice: "such as \(line) poll")
  }

  /// Returns the command that the words name, wherever options stand between them.
  private static func command(
    of arguments: [String]
  ) -> (path: [String], command: any ParsableCommand.Type) {
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

  /// Returns the names of the long options that a command has, as its help shows them, and of those that may precede
  /// any subcommand.
  private static func options(of command: any ParsableCommand.Type) -> [String] {
    let hidden = ["--help", "--version"] + GlobalOptions.hoistedNames
    let help = NFCTool.helpMessage(for: command, includeHidden: true, columns: 200)
    let shown = help.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("  -") }.flatMap {
      $0.split { " ,/".contains($0) }.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
        .filter { $0.hasPrefix("--") }
    }
    return hidden + shown.map(String.init)
  }
}
