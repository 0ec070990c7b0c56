/// Arranges the parser's help texts in the order in which they are read.
enum HelpText {
  /// The heading of the options that all commands have.
  static let shared = "Reader and output"

  /// Returns the help for `-h`: what it is for, how it is called, its own options, and the examples.
  static func short(_ text: String) -> String {
    let sections = arranged(text).split(separator: "\n\n", omittingEmptySubsequences: false)
      .map(String.init)
    let kept = sections.enumerated().filter { index, section in
      let isHeaded = section.prefix { !$0.isNewline }.prefix { $0 != ":" }
        .allSatisfy { $0.isUppercase || $0 == " " }
      return index == 0 || isHeaded && !section.hasPrefix(shared.uppercased() + ":")
        || section.hasPrefix("Example")
    }
    let hasMore = kept.count < sections.count
    return
      (kept.map(\.element)
      + (hasMore ? ["--help says more, and shows the options of all commands."] : []))
      .joined(separator: "\n\n")
  }

  /// Adds the last line of a list of commands, which the argument parser leaves out of one in groups.
  private static func withPointer(_ text: String) -> String {
    guard text.contains(" SUBCOMMANDS:\n"), !text.contains("See 'nfc help") else { return text }
    var text = text
    while text.last == "\n" { text.removeLast() }
    return text + "\n\n  See 'nfc help <subcommand>' for detailed help."
  }

  /// Returns the text with the options that all commands have below the command's own options.
  static func arranged(_ text: String) -> String {
    let heading = shared.uppercased() + ":"
    var sections = text.split(separator: "\n\n", omittingEmptySubsequences: false).map(String.init)
    guard let index = sections.firstIndex(where: { $0.hasPrefix(heading) }) else {
      return withPointer(text)
    }
    let section = sections.remove(at: index)
    let end = sections.firstIndex { $0.hasPrefix("OPTIONS:") } ?? sections.count - 1
    sections.insert(section, at: min(end + 1, sections.count))
    return sections.map { section in
      var section = section[...]
      while section.last == "\n" { section = section.dropLast() }
      return String(section)
    }.joined(separator: "\n\n")
  }
}
