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

  /// The driver that makes the pause.
  private static let scheme = "pn532_uart:"

  /// Within this time nothing has been sent to the reader, with a margin for the process to end.
  private static let pause = Duration.milliseconds(40)

  /// The commands whose first act it is to open the reader.
  private static let commands = ["poll", "info", "read"]

  /// Begins to open the reader, if it is clear which one it will be. To be called before anything else
  /// looks at the environment.
  static func begin(_ arguments: [String]) {
    guard let name = name(in: arguments, environment: Reader.nameInEnvironment),
      name.hasPrefix(scheme)
    else { return }
    Session.setLogLevel(isVerbose: false)
    let start = ContinuousClock.now
    guard let task = try? Reader.beginOpening(name) else { return }
    opening.withLock { $0 = Opening(name: name, start: start, task: task) }
  }

  /// The reader that is being opened, for the one who asks first; `nil` if it is another one.
  static func take(_ name: String?) -> Task<Reader, any Error>? {
    opening.withLock { opening in
      guard let found = opening, found.name == name ?? Reader.nameInEnvironment else { return nil }
      opening = nil
      return found.task
    }
  }

  /// Nobody has taken the reader, and the process is about to end.
  static func giveUp() async {
    let opening = opening.withLock { opening in
      defer { opening = nil }
      return opening
    }
    guard let opening, ContinuousClock.now - opening.start > pause else { return }
    await (try? opening.task.value)?.close()
  }

  /// The reader that a command line is sure to open; `nil` if that takes a closer look.
  ///
  /// - Parameter environment: the reader of those that name none.
  static func name(in arguments: [String], environment: String?) -> String? {
    let readerOption = "--reader"
    var reader: String?
    var command: String?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case readerOption: reader = rest.popFirst()
      case _ where argument.hasPrefix(readerOption + "="):
        reader = String(argument.dropFirst(readerOption.count + 1))
      case "--timeout", "--uid", "--count", "--protocols": rest = rest.dropFirst()
      case "--once", "--json": continue
      case _ where command == nil && commands.contains(argument): command = argument
      default: return nil
      }
    }
    return command == nil ? nil : reader ?? environment
  }
}
