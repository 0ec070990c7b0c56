import Dispatch
import Synchronization

/// Makes calls on a thread of their own, one after the other, and waits for each no longer than it
/// may take: pcsc-lite has no way to break off a call that waits for a card.
///
/// A call that takes longer goes on by itself; what it holds lives until it comes back.
final class BoundedCalls: Sendable {
  /// How long a call that is to be broken off may still take. One that is about to end does, and
  /// nothing is left behind.
  private static let patience = DispatchTimeInterval.milliseconds(300)

  private let queue = DispatchQueue(label: "PC/SC")
  /// Signals the call that is waited for.
  private let current = Mutex<DispatchSemaphore?>(nil)

  /// What a call has come to, for the thread that waits for it.
  private final class Outcome<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
  }

  /// - Returns: what `body` gives; `nil` if that takes longer than `timeout`, or too long after
  ///   ``hurry()``.
  func run<Result: Sendable>(
    atMost timeout: Duration, _ body: @escaping @Sendable () -> Result
  ) -> Result? {
    let outcome = Outcome<Result>()
    let signal = DispatchSemaphore(value: 0)
    current.withLock { $0 = signal }
    defer { current.withLock { $0 = nil } }
    queue.async {
      let result = body()
      outcome.result.withLock { $0 = result }
      signal.signal()
    }
    let (seconds, attoseconds) = timeout.components
    let nanoseconds = Int(clamping: seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    var deadline = DispatchTime.now() + .nanoseconds(nanoseconds)
    while signal.wait(timeout: deadline) == .success {
      if let result = outcome.result.withLock({ $0 }) { return result }
      deadline = min(deadline, .now() + Self.patience)
    }
    return nil
  }

  /// Does not let the call that is running, if there is one, take much longer. From any thread.
  func hurry() {
    current.withLock { _ = $0?.signal() }
  }
}
