import Synchronization

/// A completion handler that is called once: with a command's result, or because its session has ended
/// before.
final class Completion<Value: Sendable>: Sendable {
  typealias Handler = @Sendable (Result<Value, any Error>) -> Void

  private let handler: Mutex<Handler?>

  init(_ handler: @escaping Handler) { self.handler = Mutex(handler) }

  /// Calls the handler, unless it has been called.
  func complete(_ result: Result<Value, any Error>) {
    let handler = handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
    handler?(result)
  }
}
