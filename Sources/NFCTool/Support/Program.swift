import ArgumentParser
import NFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// From the command line to the exit code.
enum Program {
  /// Runs a command line, and ends the process.
  ///
  /// Called on the main thread, which from then on does nothing but wait for signals. That is why
  /// there is no asynchronous `main`: the thread that would run it lets all signals through on
  /// Linux.
  static func run(_ arguments: [String]) -> Never {
    Interruption.prepare()
    EarlyReader.begin(arguments)
    let task = Task { await status(of: GlobalOptions.hoisted(arguments, below: NFCTool.self)) }
    Task { exit(await task.value.rawValue) }
    Interruption.wait { task.cancel() }
  }

  private static func status(of arguments: [String]) async -> ExitStatus {
    do {
      var command = try await NFCTool.asyncParseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return .done
    } catch {
      await EarlyReader.giveUp()
      return status(of: error)
    }
  }

  private static func status(of error: any Error) -> ExitStatus {
    if Interruption.hasHappened { return .interrupted }
    switch error {
    case is Output.ReaderGone:
      Interruption.endByBrokenPipe()
    case let failure as Failure:
      Output.complain(failure.line)
      return failure.status
    case let error as NFCError:
      let failure = Failure(error)
      Output.complain(failure.line)
      return failure.status
    case is CancellationError:
      return .interrupted
    default:
      // Help, and what the parser finds wrong with the command line.
      NFCTool.exit(withError: error)
    }
  }
}
