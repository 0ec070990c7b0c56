import ArgumentParser

/// The completion of the words after `nfc help`, for which the parser's scripts offer nothing.
enum HelpCompletion {
  private static let option = "--generate-completion-script"

  /// Returns the text that the parser prints for a command line. In a completion script, `nfc help` offers the names
  /// of commands.
  static func completed(_ text: String, for arguments: [String]) -> String {
    guard arguments.first?.hasPrefix(option) == true else { return text }
    if text.hasPrefix("#compdef") {
      return CompletionBeforeCommands.zsh(text.replacing("'*:subcommands:'", with: zsh))
    }
    guard text.contains("\ncomplete -c 'nfc'") else {
      return CompletionBeforeCommands.bash(text) + "\n" + bash
    }
    return [text, fish, CompletionBeforeCommands.fish].joined(separator: "\n")
  }

  /// The names of the commands below each path of words; the empty path comes first.
  private static let names: [(path: String, names: String)] = names(below: NFCTool.self, [])

  private static func names(
    below command: any ParsableCommand.Type, _ path: [String]
  ) -> [(path: String, names: String)] {
    let commands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    guard !commands.isEmpty else { return [] }
    let list = commands.compactMap { $0.configuration.commandName }.joined(separator: " ")
    let topics = path.isEmpty ? " " + HelpTopic.allCases.map(\.rawValue).joined(separator: " ") : ""
    let own = (path: path.joined(separator: " "), names: list + topics)
    return [own]
      + commands.flatMap { names(below: $0, path + [$0.configuration.commandName ?? ""]) }
  }

  /// `unparsed_words` has the words after `help`, up to the one that is completed.
  private static var bash: String {
    let cases = names.map {
      "    '\($0.path)') COMPREPLY+=($(compgen -W '\($0.names)' -- \"${cur}\")) ;;"
    }
    return """
      _nfc_help() {
          local -a path=("${unparsed_words[@]}")
          [[ ${#path[@]} -gt 0 ]] && unset 'path[-1]'
          case "${path[*]}" in
      \(cases.joined(separator: "\n"))
          esac
      }
      """
  }

  private static var zsh: String {
    let cases = names.map { #"("\#($0.path)") compadd \#($0.names) ;;"# }.joined(separator: " ")
    return #"'*: :{ case "${words[2,CURRENT-1]}" in \#(cases) esac }'"#
  }

  private static var fish: String {
    names.map { path, names in
      let words = (["nfc", "help"] + path.split(separator: " ")).joined(separator: " ")
      return
        "complete -c 'nfc' -n 'test \"$(__nfc_tokens -pc | string join \" \")\" = \"\(words)\"' -fa '\(names)'"
    }.joined(separator: "\n")
  }
}
