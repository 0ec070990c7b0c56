import Foundation

// Wait for what a completion or result handler is given.

nonisolated(nonsending) func handled(
  _ start: (@escaping @Sendable ((any Error)?) -> Void) -> Void
) async throws {
  try await withCheckedThrowingContinuation {
    (continuation: CheckedContinuation<Void, any Error>) in
    start { error in
      if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
  }
}

nonisolated(nonsending) func handled<Value: Sendable>(
  _ start: (@escaping @Sendable (Value, (any Error)?) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    start { value, error in
      if let error {
        continuation.resume(throwing: error)
      } else {
        continuation.resume(returning: value)
      }
    }
  }
}

nonisolated(nonsending) func handled<Value>(
  _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    start { result in
      let result = Handover(result)
      continuation.resume(with: result.value)
    }
  }
}
