/// Arranges the parser's help texts in the order in which they are read.
enum HelpText {
  /// The heading of the options that all commands have.
  static let shared = "Reader and output"

  /// Returns the help for `-h`: what it is for, how it is called, its own options, and the examples.
  static func short(_ text: String) -> String {
    if text.contains(groupHeading) { return overview(text) }
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

  /// The end of the heading of a group of commands.
  private static let groupHeading = " SUBCOMMANDS:\n"
  /// The number of characters of a line.
  private static let lineLength = 80

  /// Returns the help for `nfc -h`: the commands of each group in a line, or two.
  private static func overview(_ text: String) -> String {
    let sections = arranged(text).split(separator: "\n\n").map(String.init)
    let groups = sections.filter { ($0 + "\n").contains(groupHeading) }.map { section in
      let lines = section.split(separator: "\n")
      let title = lines[0].dropLast(groupHeading.count - 1).lowercased()
      let names = lines.dropFirst().compactMap { line -> String? in
        // What a command does may take more lines, which are indented more.
        guard line.hasPrefix("  "), let first = line.dropFirst(2).first, first != " " else {
          return nil
        }
        return String(line.dropFirst(2).prefix { $0 != " " })
      }
      return wrapped("\(title.prefix(1).uppercased())\(title.dropFirst()): ", names)
    }
    let others = sections.filter { !($0 + "\n").contains(groupHeading) }
    let kept = others.enumerated().filter { index, section in
      index == 0 || section.hasPrefix("USAGE:") || section.hasPrefix("Example")
    }.map(\.element)
    return
      (kept.filter { !$0.hasPrefix("Example") } + [groups.joined(separator: "\n")]
      + kept.filter { $0.hasPrefix("Example") }
      + ["nfc <subcommand> -h shows the options of one, and --help says more."])
      .joined(separator: "\n\n")
  }

  /// Returns names after a title, on lines of which the second is indented.
  private static func wrapped(_ title: String, _ names: [String]) -> String {
    var lines = [title]
    for (index, name) in names.enumerated() {
      let word = name + (index == names.count - 1 ? "" : ", ")
      if lines[lines.count - 1].count + name.count + 1 > lineLength { lines.append("  ") }
      lines[lines.count - 1] += word
    }
    return lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
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
