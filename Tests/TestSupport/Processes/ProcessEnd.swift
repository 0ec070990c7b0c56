import Foundation

/// The end of a process that a test starts. Waiting for it has a time limit.
///
/// Foundation considers a process to be running as long as any process that it has started holds a socket
/// that it inherits. If a child of a program stays behind, the end of the program would never be reported,
/// not even after `SIGKILL`. A process that exceeds its limit is therefore ended together with its process
/// group, which Foundation creates for it, and is not waited for afterwards.
public final class ProcessEnd: Sendable {
  /// The way in which a process has ended.
  public enum Outcome: Sendable, Equatable {
    /// The exit code.
    case exited(Int32)
    /// The number of the signal.
    case signalled(Int32)
  }

  private let outcomes: AsyncStream<Outcome>
  private let continuation: AsyncStream<Outcome>.Continuation

  /// The time to wait for the end of a process after it was killed.
  private static let grace = Duration.seconds(5)

  /// - Parameter process: a process that has not been started.
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

  /// Waits for the end. Call this only once.
  ///
  /// - Parameters:
  ///   - process: the running process.
  ///   - limit: the time after which the process and all processes that it has started are ended with
  ///     `SIGKILL`.
  /// - Returns: the way in which the process ended, or `SIGKILL` if Foundation does not report it.
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

  /// Ends a process and its process group.
  public static func end(_ identifier: Int32) {
    guard identifier > 1 else { return }
    kill(-identifier, SIGKILL)
    kill(identifier, SIGKILL)
  }

  /// Waits for a process without suspending, and ends it if it takes longer.
  ///
  /// - Returns: whether the process has ended by itself.
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

  /// Ends this process, in which an exit test runs, after two minutes. Exit tests have no other time limit.
  public static func limitThisProcess() { alarm(120) }
}
