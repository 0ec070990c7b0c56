import Dispatch

/// Waits that block none of the threads of Swift's pool.
enum Pause {
  /// The queue is concurrent: what runs afterwards may be the program's code, and must not delay
  /// others.
  private static let queue = DispatchQueue(label: "CoreNFC.Pause", attributes: .concurrent)

  /// Longer than any program runs, and short enough to be counted in nanoseconds.
  private static let longest = Duration.seconds(1_000_000_000)

  /// Runs `body` later, unless the result is cancelled before.
  static func after(
    _ duration: Duration, _ body: @escaping @Sendable () -> Void
  ) -> Cancellation {
    let item = DispatchWorkItem(block: body)
    let parts = min(max(duration, .zero), longest).components
    let nanoseconds = Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: item)
    return Cancellation(item: item)
  }

  /// Unchecked because a work item may be cancelled from any thread, and it is not used in another
  /// way.
  struct Cancellation: @unchecked Sendable {
    fileprivate let item: DispatchWorkItem
    func cancel() { item.cancel() }
  }

  /// - Throws: `CancellationError` as soon as the task is cancelled.
  static func sleep(_ duration: Duration) async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    let cancellation = after(duration) { continuation.finish() }
    for await _ in stream {}
    cancellation.cancel()
    try Task.checkCancellation()
  }
}
