import ArgumentParser
import NFC

/// The options for the readers and the output of a command.
///
/// The options of ``RecordingOptions`` are declared here and not in a group, because in a debug build the
/// parser checks each group again for every group around it.
struct ReaderOptions: ParsableArguments {
  @Option(
    name: .customLong("reader"),
    help: ArgumentHelp(
      """
      The reader's connection string: one of libnfc such as pn532_uart:/dev/ttyUSB0, or pcsc: and part of a PC/SC reader's name.
      """,
      discussion: """
        May be given more than once. The environment variable NFC_READER names one reader. Without either, all readers that are found are used. With isolated: before a libnfc connection string, libnfc runs in a separate process.
        """,
      valueName: "connection-string"), completion: ReaderCompletion.kind)
  var readers: [String] = []

  @Option(
    help: ArgumentHelp(
      "Use a virtual reader with this tag in its field: a chip's name, a dump file, or demo.",
      discussion: "May be given more than once.", valueName: "tag"),
    completion: VirtualTags.completion)
  var virtual: [String] = []

  @Flag(help: "Print one JSON object per line.") var json = false
  @Flag(help: "Show libnfc's log.") var verbose = false
  @Option(help: RecordingOptions.recordHelp, completion: .file())
  var record: String?
  @Option(help: RecordingOptions.replayHelp, completion: .file())
  var replay: String?
  @Flag(help: RecordingOptions.orderHelp) var replayAnyOrder = false
  @Option(help: RecordingOptions.captureHelp, completion: .file())
  var pcap: String?
  @Flag(help: RecordingOptions.secretsHelp) var withSecrets = false
  @Flag(help: "Overwrite a file that is there already.") var force = false

  var recording: RecordingOptions {
    RecordingOptions(
      record: record, replay: replay, replayAnyOrder: replayAnyOrder, pcap: pcap,
      withSecrets: withSecrets, isForced: force)
  }

  /// Whether the readers belong to this process: virtual readers, or the readers of a recording.
  var hasOwnReaders: Bool { !virtual.isEmpty || replay != nil }

  mutating func validate() throws {
    guard readers.isEmpty || virtual.isEmpty else {
      throw ValidationError("--reader and --virtual cannot both be given.")
    }
    guard replay == nil || readers.isEmpty && virtual.isEmpty else {
      throw ValidationError("--replay takes the place of --reader and --virtual.")
    }
    try recording.check()
  }
}

/// Options that a command without a tag accepts and ignores, so that the same options can precede any
/// subcommand.
struct IgnoredTagOptions: ParsableArguments {
  @Option(help: .hidden) private var timeout: String?
  @Option(help: .hidden) private(set) var uid: String?
}

/// Options that a command without a reader accepts and ignores, for the same reason.
struct IgnoredReaderOptions: ParsableArguments {
  @Option(help: .hidden) private var reader: [String] = []
  @Option(help: .hidden) private var virtual: [String] = []
  @Flag(help: .hidden) private var verbose = false
  @OptionGroup private var tag: IgnoredTagOptions
}

/// The option of a command that prints no facts: it is accepted, and there is nothing to print.
struct IgnoredJSONOption: ParsableArguments {
  @Flag(help: .hidden) private var json = false
}

/// The options of every command that looks for a tag on a reader.
@dynamicMemberLookup
struct GlobalOptions: ParsableArguments {
  @OptionGroup var reader: ReaderOptions

  @Option(
    help: ArgumentHelp(
      "How long to wait for a tag; 0 looks once. Unless given, poll does not end, and other commands wait 10.",
      valueName: "seconds"),
    transform: seconds)
  var timeout: Duration?

  @Option(
    help: ArgumentHelp("Use the tag with this UID.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "--uid") })
  var uid: [UInt8]?

  init() {}

  /// Creates the options of a command that does not look for a tag.
  init(_ reader: ReaderOptions) throws {
    self = try Self.parse([])
    self.reader = reader
  }

  subscript<Value>(dynamicMember path: WritableKeyPath<ReaderOptions, Value>) -> Value {
    get { reader[keyPath: path] }
    set { reader[keyPath: path] = newValue }
  }

  var hasOwnReaders: Bool { reader.hasOwnReaders }
  var recording: RecordingOptions { reader.recording }

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
    "--json", "--verbose", "--verify", "--replay-any-order", "--with-secrets", "--force",
  ]

  /// The names of the options that may precede a subcommand.
  static var namesBeforeSubcommand: [String] { valueOptions + flags }

  /// Returns whether an option that may precede a subcommand has a value.
  static func takesValue(_ option: String) -> Bool { valueOptions.contains(option) }

  /// Moves the options that precede a subcommand to after it, where the parser looks for them.
  ///
  /// Arguments that are not recognized are left unchanged, and the parser reports them.
  static func movingOptionsAfterSubcommand(
    _ arguments: [String], below root: any ParsableCommand.Type
  ) -> [String] {
    var path: [String] = []
    var options: [String] = []
    var subcommands = root.configuration.subcommands
    var flags = flags
    var valueOptions = valueOptions
    var rest = arguments[...]
    while !subcommands.isEmpty, let argument = rest.first {
      if let command = subcommands.first(where: { $0.matches(argument) }) {
        path.append(argument)
        subcommands = command.configuration.subcommands
        if let shared = command as? any SharedOptions.Type {
          flags += shared.sharedFlags
          valueOptions += shared.sharedValueOptions
        }
        rest = rest.dropFirst()
      } else if flags.contains(argument)
        // A flag has no value, which the parser says once it has found the flag.
        || (flags + valueOptions).contains(where: { argument.hasPrefix($0 + "=") })
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

/// A command whose subcommands all have the same options, which can precede the subcommand's name too.
protocol SharedOptions: ParsableCommand {
  static var sharedFlags: [String] { get }
  static var sharedValueOptions: [String] { get }
}

extension ParsableCommand {
  /// Returns whether a word of the command line names this command.
  static func matches(_ word: String) -> Bool {
    configuration.commandName == word || configuration.aliases.contains(word)
  }
}
