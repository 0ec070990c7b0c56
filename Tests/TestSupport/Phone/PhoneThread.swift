import Dispatch

/// Runs what waits for frames of a card in real time: not on a thread of Swift's own, which others need.
public func withPhone<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "phone").async {
      continuation.resume(with: Swift.Result(catching: body))
    }
  }
}
