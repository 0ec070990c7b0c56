import Dispatch
import Synchronization

/// Makes calls on a thread of their own, one after the other, and waits for each no longer than it may
/// take: pcsc-lite has no way to break off a call that waits for a card.
///
/// A call that takes longer goes on by itself; what it holds lives until it comes back.
final class BoundedCalls: Sendable {
  private let queue = DispatchQueue(label: "PC/SC")

  /// What a call has come to, for the thread that waits for it.
  private final class Outcome<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }

  /// - Returns: what `body` gives; `nil` if that takes longer than `timeout`.
  func run<Result: Sendable>(
    atMost timeout: Duration, _ body: @escaping @Sendable () -> Result
  ) -> Result? {
    let outcome = Outcome<Result>()
    queue.async {
      let result = body()
      outcome.result.withLock { $0 = result }
      outcome.isThere.signal()
    }
    let (seconds, attoseconds) = timeout.components
    let nanoseconds = Int(clamping: seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    guard outcome.isThere.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
      return nil
    }
    return outcome.result.withLock { $0 }
  }
}
