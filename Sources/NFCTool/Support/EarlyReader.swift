import NFC
import Synchronization

/// The reader on a serial port that the command line names, opened while the command line is still
/// being understood.
///
/// libnfc pauses for 50 ms when it opens a serial port, before it sends the first byte. Whatever else a
/// program does at its start fits in there. A command line that turns out to be wrong ends the process
/// before the reader has noticed anything.
enum EarlyReader {
  private struct Opening {
    let name: String
    let task: Task<Reader, any Error>
  }

  private static let opening = Mutex<Opening?>(nil)

  /// The driver that makes the pause.
  private static let scheme = "pn532_uart:"

  /// The commands whose first act it is to open the reader.
  private static let commands = ["poll", "info", "read"]

  /// Begins to open the reader, if it is clear which one it will be. To be called before anything else
  /// looks at the environment.
  static func begin(_ arguments: [String]) {
    guard let name = name(in: arguments, environment: Session.namedReader),
      name.hasPrefix(scheme)
    else { return }
    Session.setLogLevel(isVerbose: false)
    guard let task = try? Reader.beginOpening(name) else { return }
    opening.withLock { $0 = Opening(name: name, task: task) }
  }

  /// The reader that is being opened, for the one who asks first; `nil` if it is another one.
  static func take(_ name: String?) -> Task<Reader, any Error>? {
    opening.withLock { opening in
      guard let found = opening, found.name == name ?? Session.namedReader else { return nil }
      opening = nil
      return found.task
    }
  }

  /// The reader that a command line is sure to open; `nil` if that takes a closer look.
  ///
  /// - Parameter environment: the reader of those that name none.
  static func name(in arguments: [String], environment: String?) -> String? {
    var reader: String?
    var command: String?
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--reader": reader = rest.popFirst()
      case _ where argument.hasPrefix("--reader="): reader = String(argument.dropFirst(9))
      case "--timeout", "--uid", "--count", "--protocols": rest = rest.dropFirst()
      case "--once", "--json": continue
      case _ where command == nil && commands.contains(argument): command = argument
      default: return nil
      }
    }
    return command == nil ? nil : reader ?? environment
  }
}
