import NFC
import Synchronization

/// The reader on a serial port that the command line names, opened while the command line is still
/// being understood.
///
/// libnfc pauses for 50 ms when it opens a serial port, before it sends the first byte. Whatever else a
/// program does at its start fits in there. A command line that turns out to be wrong ends the process
/// before the reader has noticed anything; where that takes too long, the reader is closed again.
enum EarlyReader {
  private struct Opening {
    let name: String
    let start: ContinuousClock.Instant
    let task: Task<Reader, any Error>
  }

  private static let opening = Mutex<Opening?>(nil)

  /// The driver with this pause.
  private static let scheme = "pn532_uart:"

  /// Within this time nothing has been sent to the reader, with a margin for the process to end.
  private static let pause = Duration.milliseconds(40)

  /// The commands whose first act it is to open the reader, and the subcommands of which that is true.
  private static let commands: [String: [String]] = [
    "poll": [], "info": [], "read": [], "apdu": [], "mifare": ["send", "read"],
    "felica": ["send", "read", "info"], "iso15693": ["read", "info", "send"],
  ]

  /// Options of these commands with a value.
  private static let valueOptions: Set = [
    "--timeout", "--uid", "--count", "--protocols", "--aid", "--service", "--system", "--key",
    "--keys",
    "--raw", "--password",
  ]
  /// Options of these commands without one. What is not listed here is left to the parser.
  private static let flags: Set = ["--once", "--json", "--security", "--all"]

  /// Starts opening the reader if it is clear which one it will be. Call this before other code
  /// reads the environment.
  static func begin(_ arguments: [String]) {
    guard let name = name(in: arguments, environment: Reader.nameInEnvironment),
      name.hasPrefix(scheme)
    else { return }
    Session.setLogLevel(isVerbose: false)
    let start = ContinuousClock.now
    guard let task = try? Reader.beginOpening(name) else { return }
    opening.withLock { $0 = Opening(name: name, start: start, task: task) }
  }

  /// Returns the reader that is being opened, for the one who asks first; `nil` if it is another
  /// one.
  static func take(_ name: String?) -> Task<Reader, any Error>? {
    opening.withLock { opening in
      guard let found = opening, found.name == name ?? Reader.nameInEnvironment else { return nil }
      opening = nil
      return found.task
    }
  }

  /// Closes the reader if no command has taken it and the process is about to end.
  static func giveUp() async {
    let opening = opening.withLock { opening in
      defer { opening = nil }
      return opening
    }
    guard let opening, ContinuousClock.now - opening.start > pause else { return }
    await (try? opening.task.value)?.close()
  }

  /// Returns the reader that a command line is certain to open; `nil` if it is not obvious.
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

  /// Returns whether the words of a command line are those of a command that opens the reader
  /// first.
  private static func opens(_ words: [String]) -> Bool {
    guard let command = words.first, let subcommands = commands[command] else { return false }
    guard let word = words.dropFirst().first else { return subcommands.isEmpty }
    // `poll`, `info` and `read` take no words.
    return subcommands.isEmpty ? command == "apdu" : subcommands.contains(word)
  }
}
