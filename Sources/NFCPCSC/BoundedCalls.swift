import Dispatch
import Synchronization

/// Makes calls on a separate thread, one after the other, and limits the wait for each: pcsc-lite
/// waits for its daemon's answers without a limit, and cannot end a call that waits for a card.
///
/// A call that takes longer is abandoned: it continues on its thread, and what it refers to lives
/// until it returns. If it is abandoned before it has begun, it never begins, so that calls after a
/// stuck one need no thread. While the process ends, none begins (``CallGate``).
final class BoundedCalls: Sendable {
  /// The time that a call may still take after ``expedite()``, and the time to wait for an
  /// abandoned call that has not returned. A call that is about to end does so, and nothing is left
  /// over.
  private static let patience = Duration.milliseconds(300)

  private struct State {
    /// Wake the threads that wait for a call.
    var signals: [DispatchSemaphore] = []
    /// How many abandoned calls have not returned.
    var overdue = 0
  }

  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(label: String = "PC/SC") {
    queue = DispatchQueue(label: label)
  }

  /// A call, and its result, for the thread that waits for it.
  private final class Call<Result: Sendable>: Sendable {
    private enum Phase {
      case waiting(@Sendable () -> Result)
      case running
      case finished(Result)
      case abandoned
    }

    private let phase: Mutex<Phase>

    init(_ body: @escaping @Sendable () -> Result) { phase = Mutex(.waiting(body)) }

    var result: Result? {
      phase.withLock { if case .finished(let result) = $0 { result } else { nil } }
    }

    /// Makes the call, unless it was abandoned.
    ///
    /// - Parameter onReturn: called if it was abandoned meanwhile.
    func make(onReturn: () -> Void) {
      // The values of the body are released before its end can be known: a connection that ended
      // later, on this thread, could coincide with the end of the process.
      guard let value = CallGate.pass({ value() }) ?? nil else { return }
      phase.withLock { phase in
        if case .abandoned = phase { onReturn() } else { phase = .finished(value) }
      }
    }

    private func value() -> Result? {
      let body = phase.withLock { phase -> (@Sendable () -> Result)? in
        guard case .waiting(let body) = phase else { return nil }
        phase = .running
        return body
      }
      return body?()
    }

    /// Waits for the call no longer.
    ///
    /// - Parameter onRunning: called if it is running, and so will return later.
    /// - Returns: the result of the call, if it has one after all.
    func abandon(onRunning: () -> Void) -> Result? {
      phase.withLock { phase in
        switch phase {
        case .finished(let result): return result
        case .running: onRunning()
        case .waiting, .abandoned: break
        }
        phase = .abandoned
        return nil
      }
    }
  }

  /// Makes a call after the previous ones, from any thread.
  ///
  /// - Returns: the result of `body`; `nil` if that takes longer than `timeout`, or too long after
  ///   ``expedite()``.
  func run<Result: Sendable>(
    atMost timeout: Duration, _ body: @escaping @Sendable () -> Result
  ) -> Result? {
    let call = Call(body)
    let signal = DispatchSemaphore(value: 0)
    let isBlocked = state.withLock { state in
      state.signals.append(signal)
      return state.overdue > 0
    }
    defer { state.withLock { $0.signals.removeAll { $0 === signal } } }
    queue.async { [self] in
      call.make { state.withLock { $0.overdue -= 1 } }
      signal.signal()
    }
    var deadline = Self.deadline(isBlocked ? min(timeout, Self.patience) : timeout)
    while signal.wait(timeout: deadline) == .success {
      if let result = call.result { return result }
      deadline = min(deadline, Self.deadline(Self.patience))
    }
    return call.abandon { state.withLock { $0.overdue += 1 } }
  }

  private static func deadline(_ timeout: Duration) -> DispatchTime {
    let (seconds, attoseconds) = timeout.components
    let longest: Int64 = 1_000_000
    return .now()
      + .nanoseconds(
        Int(min(seconds, longest)) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }

  /// Makes a call after the previous ones, without waiting for it.
  func add(_ body: @escaping @Sendable () -> Void) {
    queue.async { CallGate.pass(body) }
  }

  /// Shortens the time that the calls have which are waited for. From any thread.
  func expedite() {
    for signal in state.withLock({ $0.signals }) { signal.signal() }
  }
}
