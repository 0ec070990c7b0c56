import ReaderThread
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program that this process has started.
///
/// The process ID belongs to the program as long as the object exists, even after the program has ended, so
/// that a signal never reaches another process. A program that is still running when the object is released
/// continues to run.
package final class RunningProcess: Sendable {
  /// The way in which a program has ended.
  package enum Outcome: Hashable, Sendable {
    /// The exit code.
    case exited(Int32)
    /// The number of the signal.
    case signaled(Int32)
    /// The program has ended, and the system does not report how, because this process ignores `SIGCHLD`.
    case unknown
  }

  package let identifier: pid_t
  private let end: End

  /// Starts a program.
  ///
  /// - Throws: ``ProgramStart/Failure``, also if the system has no thread left that could wait for the
  ///   program's end. Then the program has not been started.
  package init(_ program: ProgramStart) throws(ProgramStart.Failure) {
    end = End()
    identifier = try end.start(program)
  }

  deinit { end.release(identifier) }

  /// The way in which the program has ended, or `nil` while it is running.
  package var outcome: Outcome? { end.outcome }

  package var isRunning: Bool { outcome == nil }

  /// Sends a signal to the program if it is running.
  package func signal(_ number: Int32) {
    if isRunning { kill(identifier, number) }
  }

  /// Sends a signal to the program and to all processes that it has started, also after its end.
  package func signalGroup(_ number: Int32) { kill(-identifier, number) }

  /// Waits for the end of the program.
  ///
  /// - Parameter limit: the time to wait, or `nil` for no limit.
  /// - Returns: the way in which the program has ended. `nil` if it is still running after `limit`, or when
  ///   the task is cancelled.
  package func outcome(within limit: Duration?) async -> Outcome? {
    guard let limit else { return await end.wait() }
    return await withTaskGroup(of: Outcome?.self) { group in
      group.addTask { await self.end.wait() }
      group.addTask {
        try? await Task.sleep(for: limit)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// Waits for the end of the program, but blocks the thread.
  ///
  /// - Returns: the way in which the program has ended, or `nil` if it is still running after `limit`.
  package func outcome(blockingFor limit: Duration) -> Outcome? {
    let deadline = ContinuousClock.now + limit
    while true {
      if let outcome { return outcome }
      guard ContinuousClock.now < deadline else { return nil }
      usleep(2_000)
    }
  }
}

/// The end of a process. A thread starts the process and waits for it.
private final class End: Sendable {
  private struct State {
    var start: Result<pid_t, ProgramStart.Failure>?
    var outcome: RunningProcess.Outcome?
    /// Whether nobody needs the process ID any more.
    var isReleased = false
    var lastWaiter = 0
    var waiters: [Int: CheckedContinuation<RunningProcess.Outcome?, Never>] = [:]
  }

  private let state = Mutex(State())
  private let hasStarted = ThreadSignal()

  var outcome: RunningProcess.Outcome? { state.withLock(\.outcome) }

  /// Starts a program in a thread that ends with it, and returns the process ID.
  ///
  /// A program must not have run in vain because there is no thread left for it. So the thread comes first.
  func start(_ program: ProgramStart) throws(ProgramStart.Failure) -> pid_t {
    do {
      try startThread { self.run(program) }
    } catch {
      throw ProgramStart.Failure(errno: error.code)
    }
    hasStarted.wait()
    guard let start = state.withLock(\.start) else { throw ProgramStart.Failure(errno: ECHILD) }
    return try start.get()
  }

  private func run(_ program: ProgramStart) {
    let start = Result { () throws(ProgramStart.Failure) in try program.spawn() }
    state.withLock { $0.start = start }
    hasStarted.raise()
    guard case .success(let identifier) = start else { return }
    let outcome = Self.outcome(of: identifier)
    let (waiters, isReleased) = state.withLock { state in
      state.outcome = outcome
      defer { state.waiters = [:] }
      return (state.waiters.values, state.isReleased)
    }
    for waiter in waiters { waiter.resume(returning: outcome) }
    if isReleased { remove(identifier) }
  }

  /// Waits until the process has ended. It stays a zombie, which keeps its process ID.
  private static func outcome(of process: pid_t) -> RunningProcess.Outcome {
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0 {
      if errno != EINTR { return .unknown }
    }
    #if canImport(Glibc)
    let status = information._sifields._sigchld.si_status
    #else
    let status = information.si_status
    #endif
    return information.si_code == Int32(CLD_EXITED) ? .exited(status) : .signaled(status)
  }

  func release(_ identifier: pid_t) {
    let hasEnded = state.withLock { state in
      state.isReleased = true
      return state.outcome != nil
    }
    if hasEnded { remove(identifier) }
  }

  private func remove(_ identifier: pid_t) {
    var status: Int32 = 0
    while waitpid(identifier, &status, WNOHANG) < 0, errno == EINTR {}
  }

  func wait() async -> RunningProcess.Outcome? {
    let number = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiters[number] = continuation }
          return state.outcome
        }
        if let outcome {
          continuation.resume(returning: outcome)
        } else if Task.isCancelled {
          // The handler may have been called before there was a continuation.
          cancel(number)
        }
      }
    } onCancel: {
      cancel(number)
    }
  }

  private func cancel(_ number: Int) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
  }
}
