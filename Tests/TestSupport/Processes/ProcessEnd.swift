import Foundation

/// The end of a process that a test starts, waited for no longer than it may take.
///
/// Foundation takes a process for running as long as anything that the process started still holds a socket that
/// it inherits. The end of a program whose child stays behind would never be told, not after `SIGKILL` either; so
/// what outlives its limit is ended with its whole process group, which Foundation gives it, and then not waited for.
public final class ProcessEnd: Sendable {
  /// How a process has ended.
  public enum Outcome: Sendable, Equatable {
    /// The exit code.
    case exited(Int32)
    /// The number of the signal.
    case signalled(Int32)
  }

  private let outcomes: AsyncStream<Outcome>
  private let continuation: AsyncStream<Outcome>.Continuation

  /// How long the end of a process is waited for after it was killed.
  private static let grace = Duration.seconds(5)

  /// - Parameter process: one that has not been run.
  public init(of process: Process) {
    (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
    let continuation = continuation
    process.terminationHandler = { process in
      let number = process.terminationStatus
      continuation.yield(
        process.terminationReason == .exit ? .exited(number) : .signalled(number))
      continuation.finish()
    }
  }

  /// Waits for the end, once.
  ///
  /// - Parameters:
  ///   - process: the process, which runs.
  ///   - limit: when the process and what it has started are ended with `SIGKILL`.
  /// - Returns: how it ended; `SIGKILL` if Foundation does not tell.
  public func outcome(of process: Process, within limit: Duration) async -> Outcome {
    let identifier = process.processIdentifier
    let continuation = continuation
    let guardian = Task {
      try await Task.sleep(for: limit)
      Self.end(identifier)
      try await Task.sleep(for: Self.grace)
      continuation.finish()
    }
    defer { guardian.cancel() }
    var outcome = Outcome.signalled(SIGKILL)
    for await value in outcomes { outcome = value }
    return outcome
  }

  /// Ends a process with its group.
  public static func end(_ identifier: Int32) {
    guard identifier > 1 else { return }
    kill(-identifier, SIGKILL)
    kill(identifier, SIGKILL)
  }

  /// Waits for a process without suspending, and ends it when it takes longer.
  ///
  /// - Returns: whether it has ended by itself.
  @discardableResult
  public static func wait(for process: Process, atMost limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    while process.isRunning {
      guard ContinuousClock.now < deadline else {
        end(process.processIdentifier)
        return false
      }
      usleep(5_000)
    }
    return true
  }

  /// Ends this process, which an exit test runs in, if it is not done within two minutes: nobody else limits it.
  public static func limitThisProcess() { alarm(120) }
}
