import ArgumentParser
import NFC
import TagTools

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Runs the program, from the command line to the exit status.
enum Program {
  /// Runs a command line, and ends the process.
  ///
  /// This is called on the main thread, which then only waits for signals. For this reason there is no
  /// asynchronous `main`: on Linux, the thread that would run it does not block any signals.
  static func run(_ arguments: [String]) -> Never {
    Interruption.prepare()
    FatalSignals.prepare()
    Terminal.widenForHelp()
    ReaderPreopening.begin(arguments)
    let task = Task { await status(of: arguments) }
    Task { exit(await task.value) }
    Interruption.wait { task.cancel() }
  }

  private static func status(of arguments: [String]) async -> Int32 {
    do {
      let arguments = EmulateCommand.completed(
        GlobalOptions.movingOptionsAfterSubcommand(
          ArgumentText.hidingMinusSigns(arguments), below: NFCTool.self))
      if let topic = HelpTopic(arguments) {
        try Output.line(topic.text)
        return ExitStatus.done.rawValue
      }
      try CommandWords.check(arguments)
      var command = try await NFCTool.asyncParseAsRoot(arguments)
      try ExchangeFileNames.check(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      Terminal.clearStatus()
      return ExitStatus.done.rawValue
    } catch {
      let status = status(of: error, arguments)
      await ReaderPreopening.closeUnused()
      return status
    }
  }

  private static func status(of error: any Error, _ arguments: [String] = []) -> Int32 {
    Terminal.clearStatus()
    switch error {
    case is Difference:
      return Difference.status
    case is Output.StandardOutputClosed:
      Interruption.endByBrokenPipe()
    case let failure as Failure where failure.status == .interrupted:
      Interruption.printNote()
      return Interruption.status
    case _ where Interruption.hasHappened || error is CancellationError:
      return Interruption.status
    case let failure as Failure:
      Output.printError(
        SecretWords.hidden(failure.line, arguments, isUsage: failure.status == .usage))
      return failure.status.rawValue
    case let error as NFCError:
      return status(of: Failure(error), arguments)
    case let error as TagSecretError:
      return status(of: Failure(error), arguments)
    default:
      return status(ofParser: error, arguments)
    }
  }

  /// Returns the exit status for help and for the parser's errors.
  private static func status(ofParser error: any Error, _ arguments: [String]) -> Int32 {
    let code = NFCTool.exitCode(for: error)
    let message = withoutRepetition(ArgumentText.shown(NFCTool.fullMessage(for: error)))
    guard code.isSuccess else {
      if code == .validationFailure, let failure = OptionWords.failure(for: arguments) {
        return status(of: failure, arguments)
      }
      if !message.isEmpty {
        Output.printError(SecretWords.hidden(message, arguments, isUsage: true))
      }
      return code == .validationFailure ? ExitStatus.usage.rawValue : code.rawValue
    }
    guard !message.isEmpty else { return ExitStatus.done.rawValue }
    do {
      let isShort = arguments.contains("-h") && !arguments.contains("--help")
      let text = isShort ? HelpText.short(message) : HelpText.arranged(message)
      try Output.line(HelpCompletion.completed(text, for: arguments))
      return ExitStatus.done.rawValue
    } catch {
      return status(of: error)
    }
  }

  /// Returns the parser's message without its introduction, which says that the value of an option is wrong.
  /// The error itself says so as well.
  private static func withoutRepetition(_ message: String) -> String {
    let start = "nfc: The value '"
    let end = ">': "
    let line = message.prefix { !$0.isNewline }
    guard line.hasPrefix(start), let middle = line.firstRange(of: "' is invalid for '"),
      let range = line[middle.upperBound...].firstRange(of: end)
    else { return message }
    return "nfc: " + message[range.upperBound...]
  }
}
