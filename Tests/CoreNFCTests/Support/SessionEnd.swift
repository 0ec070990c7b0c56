import CoreNFC
import Synchronization
import Testing

/// Ends the sessions that a failed test has left, which would keep all later tests from having one.
struct SessionEnd: TestTrait, SuiteTrait, TestScoping {
  private static let sessions = Mutex<[Weak]>([])

  /// Unchecked because a session is only asked to end, which any thread may do.
  private struct Weak: @unchecked Sendable {
    weak let session: NFCTagReaderSession?
  }

  var isRecursive: Bool { true }

  /// Takes note of a session that a test begins.
  static func add(_ session: NFCTagReaderSession) {
    sessions.withLock { $0.append(Weak(session: session)) }
  }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    defer {
      let left = Self.sessions.withLock { sessions in
        defer { sessions = [] }
        return sessions
      }
      for entry in left { entry.session?.invalidate() }
    }
    try await function()
  }
}

extension Trait where Self == SessionEnd {
  /// Ends the sessions that a test has left.
  static var endsItsSessions: SessionEnd { SessionEnd() }
}
