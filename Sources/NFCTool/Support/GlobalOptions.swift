import ArgumentParser
import NFC

/// The options of every command that uses a reader: which one, and what is printed.
struct ReaderOptions: ParsableArguments {
  @Option(
    name: .customLong("reader"),
    help: ArgumentHelp(
      """
      The reader: a libnfc connection string such as pn532_uart:/dev/ttyUSB0, or pcsc: and part of a PC/SC reader's name.
      """,
      discussion: """
        May be given more than once. The environment variable NFC_READER names one reader. Without either, all readers that are found are used.
        """,
      valueName: "connection-string"))
  var readers: [String] = []

  @Option(
    help: ArgumentHelp(
      "Use a virtual reader with this tag in its field: a chip's name, a dump file, or demo.",
      discussion: "May be given more than once.", valueName: "tag"))
  var virtual: [String] = []

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @Flag(help: "Show libnfc's log.")
  var verbose = false

  @OptionGroup var recording: RecordingOptions

  /// Whether the readers are of this process: virtual ones, or those of a recording.
  var hasOwnReaders: Bool { !virtual.isEmpty || recording.replay != nil }

  mutating func validate() throws {
    guard readers.isEmpty || virtual.isEmpty else {
      throw ValidationError("--reader and --virtual cannot both be given.")
    }
    guard recording.replay == nil || readers.isEmpty && virtual.isEmpty else {
      throw ValidationError("--replay takes the place of --reader and --virtual.")
    }
  }
}

/// The options of every command that looks for a tag.
struct TagOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("How long to wait for a tag.", valueName: "seconds"),
    transform: seconds)
  var timeout: Duration?

  @Option(
    help: ArgumentHelp("Use the tag with this UID.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "--uid") })
  var uid: [UInt8]?

  /// Longer than anybody waits, and short enough for every clock.
  private static let longestTimeout = 1_000_000_000.0

  private static func seconds(_ text: String) throws -> Duration {
    guard let value = NumberArgument.decimal(text), value >= 0, value <= longestTimeout else {
      throw ValidationError(
        "--timeout is a number of seconds, 0 or more, not \"\(ArgumentText.shown(text))\".")
    }
    return .milliseconds(Int64((value * 1000).rounded()))
  }
}

/// What commands that look for no tag take, too, so that the same options can stand before any subcommand: there is
/// no tag to wait for, and none to pick.
struct NoTagOptions: ParsableArguments {
  @Option(help: .hidden) private var timeout: String?
  @Option(help: .hidden) private var uid: String?
}

/// The options of every command that looks for a tag on a reader.
struct GlobalOptions: ParsableArguments {
  @OptionGroup var reader: ReaderOptions
  @OptionGroup var tag: TagOptions

  init() {}

  /// Those of a command that looks for no tag.
  init(_ reader: ReaderOptions) throws {
    self.reader = reader
    tag = try TagOptions.parse([])
  }

  var readers: [String] { reader.readers }
  var virtual: [String] { reader.virtual }
  var json: Bool {
    get { reader.json }
    set { reader.json = newValue }
  }
  var verbose: Bool { reader.verbose }
  var recording: RecordingOptions { reader.recording }
  var timeout: Duration? { tag.timeout }
  var uid: [UInt8]? { tag.uid }
  var hasOwnReaders: Bool { reader.hasOwnReaders }
}

// MARK: - Before the subcommand

extension GlobalOptions {
  private static let valueOptions = [
    "--reader", "--virtual", "--timeout", "--uid", "--record", "--replay", "--pcap",
  ]
  /// `--verify` is of all that `nfc write` can write.
  private static let flags = [
    "--json", "--verbose", "--verify", "--replay-any-order", "--with-secrets",
  ]

  /// Moves the options that stand before a subcommand to after it, where the parser looks for them.
  ///
  /// What is not understood is left as it is, for the parser to complain about.
  static func hoisted(_ arguments: [String], below root: any ParsableCommand.Type) -> [String] {
    var path: [String] = []
    var options: [String] = []
    var subcommands = root.configuration.subcommands
    var rest = arguments[...]
    while !subcommands.isEmpty, let argument = rest.first {
      if let command = subcommands.first(where: { $0.matches(argument) }) {
        path.append(argument)
        subcommands = command.configuration.subcommands
        rest = rest.dropFirst()
      } else if flags.contains(argument)
        || valueOptions.contains(where: { argument.hasPrefix($0 + "=") })
      {
        options.append(argument)
        rest = rest.dropFirst()
      } else if valueOptions.contains(argument), rest.count > 1 {
        options += rest.prefix(2)
        rest = rest.dropFirst(2)
      } else {
        break
      }
    }
    guard path.isEmpty else { return path + options + rest }
    // No subcommand of that name, or `help`: it is the word that matters, not what stands before it.
    guard let word = rest.first, !options.isEmpty, !word.hasPrefix("-") else { return arguments }
    return word == "help" ? Array(rest) : [word]
  }
}

extension ParsableCommand {
  /// Returns whether a word of the command line names this command.
  static func matches(_ word: String) -> Bool {
    configuration.commandName == word || configuration.aliases.contains(word)
  }
}
