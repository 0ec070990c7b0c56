import NFC
import Synchronization

/// Opens the reader that the command line names, while the command line is still being parsed.
///
/// Some drivers take a while before they send the first byte to a reader. Everything else that a program does
/// at its start fits into that time. If the command line turns out to be wrong, the process ends before the
/// reader has received anything. If that takes too long, the reader is closed again.
enum ReaderPreopening {
  private struct Opening {
    let name: String
    /// The time until which the process can end before the reader receives anything.
    let end: ContinuousClock.Instant
    let task: Task<Reader, any Error>
  }

  private static let opening = Mutex<Opening?>(nil)

  /// The time that the process has to end.
  private static let margin = Duration.milliseconds(10)

  /// The commands that open the reader as their first step, each with the subcommands that do so.
  ///
  /// These lists are searched one word after the other: the first set of a type takes longer to create than to open
  /// a serial line, because Swift searches the whole program for the type's conformances.
  private static let commands: [(name: String, subcommands: [String])] = [
    ("poll", []), ("info", []), ("read", []), ("apdu", []), ("mifare", ["send", "read"]),
    ("felica", ["send", "read", "info"]), ("iso15693", ["read", "info", "send"]),
  ]

  /// The options of these commands that take a value.
  private static let valueOptions = [
    "--timeout", "--uid", "--count", "--protocols", "--aid", "--service", "--system", "--key",
    "--keys",
    "--raw", "--password", "--tag-password",
  ]
  /// The options of these commands that take no value. Options that are not listed here are left to the
  /// parser.
  private static let flags = ["--once", "--json", "--security", "--all"]

  /// Starts opening the reader if it is certain which reader the command will use. Call this before other
  /// threads read the environment, and after this one has changed it.
  static func begin(_ arguments: [String]) {
    guard let name = name(in: arguments, environment: Reader.nameInEnvironment) else { return }
    let address = ReaderAddress(name)
    guard let source = ReaderSources.source(of: address) else { return }
    let quietTime = source.quietTime(whileOpening: address)
    guard quietTime > margin else { return }
    Session.setLogLevel(isVerbose: false)
    source.prepare()
    let end = ContinuousClock.now + quietTime - margin
    guard let task = try? Reader.beginOpening(name) else { return }
    opening.withLock { $0 = Opening(name: name, end: end, task: task) }
  }

  /// Returns the reader that is being opened, to the first caller only. Returns `nil` if a different reader
  /// is requested.
  static func take(_ name: String?) -> Task<Reader, any Error>? {
    opening.withLock { opening in
      guard let found = opening, found.name == name ?? Reader.nameInEnvironment else { return nil }
      opening = nil
      return found.task
    }
  }

  /// Closes the reader if the process is about to end and no command has taken the reader.
  static func closeUnused() async {
    let opening = opening.withLock { opening in
      defer { opening = nil }
      return opening
    }
    guard let opening, ContinuousClock.now > opening.end else { return }
    await (try? opening.task.value)?.close()
  }

  /// Returns the reader that a command line is certain to open, or `nil` if it is not certain.
  ///
  /// - Parameter environment: the reader for command lines that do not name one.
  static func name(in arguments: [String], environment: String?) -> String? {
    let readerOption = "--reader"
    var readers: [String] = []
    var words: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == readerOption {
        guard let name = rest.popFirst() else { return nil }
        readers.append(name)
      } else if argument.hasPrefix(readerOption + "=") {
        readers.append(String(argument.dropFirst(readerOption.count + 1)))
      } else if valueOptions.contains(argument) {
        rest = rest.dropFirst()
      } else if argument.hasPrefix("-"), !flags.contains(argument) {
        return nil
      } else if !argument.hasPrefix("-") {
        words.append(argument)
      }
    }
    guard readers.count < 2, opens(words) else { return nil }
    return readers.first ?? environment
  }

  /// Returns whether the words of a command line name a command that opens the reader first.
  private static func opens(_ words: [String]) -> Bool {
    guard let command = words.first,
      let subcommands = commands.first(where: { $0.name == command })?.subcommands
    else { return false }
    guard let word = words.dropFirst().first else { return subcommands.isEmpty }
    // `poll`, `info` and `read` take no words.
    return subcommands.isEmpty ? command == "apdu" : subcommands.contains(word)
  }
}
