import Dispatch

/// Waits that need none of the threads of Swift's own.
enum Pause {
  /// Concurrent: what runs afterwards may be the program's, and holds up nobody else.
  private static let queue = DispatchQueue(label: "CoreNFC.Pause", attributes: .concurrent)

  /// Runs `body` later, unless what is returned is cancelled before.
  static func after(
    _ duration: Duration, _ body: @escaping @Sendable () -> Void
  ) -> Cancellation {
    let item = DispatchWorkItem(block: body)
    let parts = duration.components
    let nanoseconds = Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: item)
    return Cancellation(item: item)
  }

  /// Unchecked because a work item may be cancelled from any thread, and nothing else is done with it.
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
