import ArgumentParser
import SwiftNFCJSONText

/// The options and arguments of a command, as the parser describes them to programs with `--experimental-dump-help`.
///
/// The parser's errors are its own types, and cannot be looked into. What a command line has too much is found by this
/// description, not by the sentences of the errors.
struct CommandDescription {
  private struct Argument {
    /// With their minus signs; none for an argument without a name.
    var names: [String]
    var valueName: String?
    /// `option` has a value, `flag` has none.
    var kind: String?
    var isRepeating: Bool

    init(_ value: JSONValue) {
      names = (value["names"]?.list ?? []).compactMap { name in
        name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
      }
      valueName = value["valueName"]?.string
      kind = value["kind"]?.string
      isRepeating = value["isRepeating"]?.flag ?? false
    }
  }

  private let arguments: [Argument]

  /// Describes a command, or the subcommand whose name may be left out.
  init(_ command: any ParsableCommand.Type) {
    let described = command.configuration.defaultSubcommand ?? command
    do {
      _ = try described.parse(["--experimental-dump-help"])
      arguments = []
    } catch {
      let text = described.fullMessage(for: error)
      let command = try? JSONNode(parsing: Array(text.utf8)).value["command"]
      arguments = (command?["arguments"]?.list ?? []).map { Argument($0) }
    }
  }

  /// The long options.
  var options: [String] { arguments.flatMap(\.names).filter { $0.hasPrefix("--") } }

  /// Returns whether a value without an option has this name.
  func takes(valueNamed name: String) -> Bool {
    arguments.contains { $0.names.isEmpty && $0.valueName == name }
  }

  /// Returns the options in a command line that the command does not have, and the words for which it has no place.
  ///
  /// - Parameter words: what follows the command's name.
  func surplus(in words: some Collection<String>) -> (options: [String], words: [String]) {
    var options: [String] = []
    var values: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        values += rest
        break
      }
      guard word.hasPrefix("-"), word.count > 1 else {
        values.append(word)
        continue
      }
      let name = String(word.prefix { $0 != "=" })
      guard let argument = arguments.first(where: { $0.names.contains(name) }) else {
        options.append(name)
        continue
      }
      if argument.kind == "option", name == word { rest = rest.dropFirst() }
    }
    let places = arguments.filter(\.names.isEmpty)
    let isOpen = places.contains(where: \.isRepeating)
    return (options, isOpen ? [] : Array(values.dropFirst(places.count)))
  }
}
