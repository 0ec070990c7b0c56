import ArgumentParser
import NFC
import Synchronization

/// A command that opens its reader as its first step, whatever its other options are.
protocol OpensReaderFirst: ParsableCommand {}

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

  /// The time that the process has to end, which is short work, but not on a busy machine.
  private static let margin = Duration.milliseconds(25)

  /// The options with which a command opens no reader at once, prints its help, or opens a reader in another way:
  /// libnfc's log is set up first, and a recording stands before the driver.
  private static let others = [
    "--virtual", "--verbose", "--record", "--replay", "--pcap", "--help", "-h", "--version", "--",
  ]

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

  /// Returns the reader that a command line opens, or `nil` if it opens none first.
  ///
  /// - Parameter environment: the reader for command lines that do not name one.
  static func name(in arguments: [String], environment: String?) -> String? {
    var rest = GlobalOptions.movingOptionsAfterSubcommand(arguments, below: NFCTool.self)[...]
    var command: any ParsableCommand.Type = NFCTool.self
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: { $0.matches(word) })
    {
      command = next
      rest = rest.dropFirst()
    }
    guard command is any OpensReaderFirst.Type else { return nil }
    let option = "--reader"
    var readers: [String] = []
    while let argument = rest.popFirst() {
      if argument == option {
        guard let name = rest.popFirst() else { return nil }
        readers.append(name)
      } else if argument.hasPrefix(option + "=") {
        readers.append(String(argument.dropFirst(option.count + 1)))
      } else if others.contains(where: { argument == $0 || argument.hasPrefix($0 + "=") }) {
        return nil
      }
    }
    return readers.count < 2 ? readers.first ?? environment : nil
  }
}
