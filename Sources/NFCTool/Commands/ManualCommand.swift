import ArgumentParser
import NFC

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The command `nfc manual`, which `Scripts/install` uses to create the man pages. The help does not list it.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Prints a command's man page.",
    discussion: """
      In the form of man(7), made of the command's help.

      Example:
        nfc manual write uri
      """, shouldDisplay: false)

  @Argument(help: ArgumentHelp("The command's words; none for nfc itself.", valueName: "command"))
  var words: [String] = []

  @Flag(help: "Print the words of each command that has a page.")
  var list = false

  func run() throws {
    guard !list else { return try Self.pages(NFCTool.self, []).forEach(Output.line) }
    var command: any ParsableCommand.Type = NFCTool.self
    for word in words {
      guard let next = command.configuration.subcommands.first(where: { $0.matches(word) }) else {
        throw Failure(.usage, "there is no command \(words.joined(separator: " "))")
      }
      command = next
    }
    let help = NFCTool.helpMessage(for: command, columns: Self.columns)
    let names = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName }
    let name = ["nfc"] + words
    let page = ManualPage(
      name: name.joined(separator: "-"), abstract: command.configuration.abstract,
      help: HelpText.arranged(help), topics: words.isEmpty ? HelpTopic.allCases : [],
      related: (words.isEmpty ? [] : ["nfc"]) + names.map { (name + [$0]).joined(separator: "-") })
    try Output.bytes(Array(page.text.utf8))
  }

  /// The width of the help text. The formatter does not break its lines, and indents them by seven columns of
  /// the seventy-eight that man(1) uses on a terminal of eighty.
  private static let columns = 71

  private static func pages(_ command: any ParsableCommand.Type, _ words: [String]) -> [String] {
    let subcommands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    return [words.joined(separator: " ")]
      + subcommands.flatMap { subcommand -> [String] in
        guard let name = subcommand.configuration.commandName else { return [] }
        return pages(subcommand, words + [name])
      }
  }
}

/// A man page created from a help text.
struct ManualPage {
  let name: String
  let abstract: String
  let help: String
  /// The topics that become sections of the page; a page without them refers to nfc(1).
  var topics: [HelpTopic] = []
  /// The names of other pages.
  var related: [String] = []
  /// The date of the page in the form of man(7), which is the day on which it is created, as with help2man.
  var date = Self.today

  /// A build that is to be reproduced sets the time (reproducible-builds.org, "SOURCE_DATE_EPOCH").
  private static var today: String {
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap(Double.init)
    let date = epoch.map { Date(timeIntervalSince1970: $0) } ?? Date()
    return date.formatted(.iso8601.year().month().day())
  }

  /// The page in the macros of man(7). Sections of the help become sections of the page. Their lines are
  /// unchanged.
  var text: String {
    var lines = [
      ".TH \(name.uppercased()) 1 \"\(date)\" \"\(Version.line)\" \"User Commands\"",
      ".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(abstract))", ".nh",
    ]
    var isOpen = false
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
      let (heading, rest) = Self.heading(of: line)
      if let heading {
        if isOpen { lines.append(".fi") }
        lines.append(".SH \(heading == "OVERVIEW" ? "DESCRIPTION" : heading)")
        lines.append(".nf")
        isOpen = true
        if !rest.isEmpty { lines.append(Self.escaped(rest)) }
      } else {
        if !isOpen { lines += [".SH DESCRIPTION", ".nf"] }
        isOpen = true
        lines.append(Self.escaped(String(line)))
      }
    }
    if isOpen { lines.append(".fi") }
    if topics.isEmpty {
      lines += [
        ".SH EXIT STATUS", "See", ".BR nfc (1)", "for the exit status, environment and files.",
      ]
    }
    for topic in topics {
      lines.append(".SH \(topic.heading)")
      for (name, meaning) in topic.rows {
        lines += [".TP", ".B \(Self.escaped(name))", Self.escaped(meaning)]
      }
    }
    if !related.isEmpty {
      lines.append(".SH SEE ALSO")
      lines += related.enumerated().map { index, name in
        ".BR \(Self.escaped(name)) (1)" + (index + 1 < related.count ? "," : "")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the heading of a line such as `USAGE: nfc …` or `OPTIONS:`, and the rest of the line.
  private static func heading(of line: Substring) -> (String?, String) {
    guard let colon = line.firstIndex(of: ":"), let first = line.first, !first.isWhitespace else {
      return (nil, "")
    }
    let heading = line[..<colon]
    guard heading.count > 3, heading.allSatisfy({ $0.isUppercase || $0 == " " }) else {
      return (nil, "")
    }
    let rest = line[line.index(after: colon)...].drop { $0 == " " }
    return (String(heading), String(rest))
  }

  /// Escapes text that the formatter would interpret as a command.
  private static func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }
}
