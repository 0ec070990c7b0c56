import ArgumentParser
import NFC

/// The options for the readers and the output of a command.
///
/// Two types declare these options instead of sharing an option group. In a debug build, the parser checks a
/// group each time the group is accessed, four times as often for each enclosing group, which took longer
/// than the rest of a command.
protocol ReaderChoice {
  var readers: [String] { get }
  var virtual: [String] { get }
  var json: Bool { get }
  var verbose: Bool { get }
  var recording: RecordingOptions { get }
}

extension ReaderChoice {
  /// Whether the readers belong to this process: virtual readers, or the readers of a recording.
  var hasOwnReaders: Bool { !virtual.isEmpty || recording.replay != nil }

  fileprivate func checkReaders() throws {
    guard readers.isEmpty || virtual.isEmpty else {
      throw ValidationError("--reader and --virtual cannot both be given.")
    }
    guard recording.replay == nil || readers.isEmpty && virtual.isEmpty else {
      throw ValidationError("--replay takes the place of --reader and --virtual.")
    }
    try recording.check()
  }
}

/// The help texts of the options that all commands have.
private enum SharedHelp {
  static let reader = ArgumentHelp(
    """
    The reader: a libnfc connection string such as pn532_uart:/dev/ttyUSB0, or pcsc: and part of a PC/SC reader's name.
    """,
    discussion: """
      May be given more than once. The environment variable NFC_READER names one reader. Without either, all readers that are found are used.
      """,
    valueName: "connection-string")
  static let virtual = ArgumentHelp(
    "Use a virtual reader with this tag in its field: a chip's name, a dump file, or demo.",
    discussion: "May be given more than once.", valueName: "tag")
  static let json = ArgumentHelp("Print one JSON object per line.")
  static let verbose = ArgumentHelp("Show libnfc's log.")
}

/// The options of a command that does not look for a tag.
struct ReaderOptions: ParsableArguments, ReaderChoice {
  @Option(name: .customLong("reader"), help: SharedHelp.reader) var readers: [String] = []
  @Option(help: SharedHelp.virtual) var virtual: [String] = []
  @Flag(help: SharedHelp.json) var json = false
  @Flag(help: SharedHelp.verbose) var verbose = false
  @Option(help: RecordingOptions.recordHelp) var record: String?
  @Option(help: RecordingOptions.replayHelp) var replay: String?
  @Flag(help: RecordingOptions.orderHelp) var replayAnyOrder = false
  @Option(help: RecordingOptions.captureHelp) var pcap: String?
  @Flag(help: RecordingOptions.secretsHelp) var withSecrets = false
  // These options are accepted so that the same options can precede any subcommand. There is no tag to wait
  // for or to select.
  @Option(help: .hidden) private var timeout: String?
  @Option(help: .hidden) private var uid: String?

  var recording: RecordingOptions {
    RecordingOptions(
      record: record, replay: replay, replayAnyOrder: replayAnyOrder, pcap: pcap,
      withSecrets: withSecrets)
  }

  mutating func validate() throws { try checkReaders() }
}

/// The options of every command that looks for a tag on a reader.
struct GlobalOptions: ParsableArguments, ReaderChoice {
  @Option(name: .customLong("reader"), help: SharedHelp.reader) var readers: [String] = []
  @Option(help: SharedHelp.virtual) var virtual: [String] = []
  @Flag(help: SharedHelp.json) var json = false
  @Flag(help: SharedHelp.verbose) var verbose = false
  @Option(help: RecordingOptions.recordHelp) var record: String?
  @Option(help: RecordingOptions.replayHelp) var replay: String?
  @Flag(help: RecordingOptions.orderHelp) var replayAnyOrder = false
  @Option(help: RecordingOptions.captureHelp) var pcap: String?
  @Flag(help: RecordingOptions.secretsHelp) var withSecrets = false

  @Option(
    help: ArgumentHelp("How long to wait for a tag.", valueName: "seconds"),
    transform: seconds)
  var timeout: Duration?

  @Option(
    help: ArgumentHelp("Use the tag with this UID.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "--uid") })
  var uid: [UInt8]?

  init() {}

  /// Creates the options of a command that does not look for a tag.
  init(_ options: ReaderOptions) throws {
    self = try Self.parse([])
    (readers, virtual) = (options.readers, options.virtual)
    (json, verbose) = (options.json, options.verbose)
    (record, replay, replayAnyOrder) = (options.record, options.replay, options.replayAnyOrder)
    (pcap, withSecrets) = (options.pcap, options.withSecrets)
  }

  var recording: RecordingOptions {
    RecordingOptions(
      record: record, replay: replay, replayAnyOrder: replayAnyOrder, pcap: pcap,
      withSecrets: withSecrets)
  }

  mutating func validate() throws { try checkReaders() }

  /// The maximum time-out in seconds. It is longer than anybody waits, and short enough for every clock.
  private static let longestTimeout = 1_000_000_000.0

  private static func seconds(_ text: String) throws -> Duration {
    guard let value = NumberArgument.decimal(text), value >= 0, value <= longestTimeout else {
      throw ValidationError(
        "--timeout is a number of seconds, 0 or more, not \"\(ArgumentText.shown(text))\".")
    }
    return .milliseconds(Int64((value * 1000).rounded()))
  }
}

// MARK: - Before the subcommand

extension GlobalOptions {
  private static let valueOptions = [
    "--reader", "--virtual", "--timeout", "--uid", "--record", "--replay", "--pcap",
  ]
  /// `--verify` applies to everything that `nfc write` can write.
  private static let flags = [
    "--json", "--verbose", "--verify", "--replay-any-order", "--with-secrets",
  ]

  /// Moves the options that precede a subcommand to after it, where the parser looks for them.
  ///
  /// Arguments that are not recognized are left unchanged, and the parser reports them.
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
    // There is no subcommand of that name, or it is `help`. In both cases only the word matters, not the
    // options before it.
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
