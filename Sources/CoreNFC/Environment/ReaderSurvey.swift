import Dispatch
import NFC
import Synchronization

/// Whether there may be a reader, for callers that cannot wait: to look for readers blocks in libnfc and
/// in the PC/SC service.
///
/// Only one thread looks at a time, however often it is asked; while that thread is blocked, the
/// last answer counts.
final class ReaderSurvey: Sendable {
  static let shared = ReaderSurvey { !Reader.connectionStrings().isEmpty }

  /// The time that a caller waits: longer than libnfc and a responsive service need.
  private static let patience = DispatchTimeInterval.milliseconds(500)

  private struct State {
    var lastAnswer: Bool?
    /// The search that is running.
    var search: Search?
  }

  private struct Search {
    let end = DispatchSemaphore(value: 0)
    let deadline = DispatchTime.now() + patience
  }

  private let look: @Sendable () -> Bool
  private let queue = DispatchQueue(label: "CoreNFC.ReaderSurvey")
  private let state = Mutex(State())

  /// - Parameter look: returns whether there is a reader; may block.
  init(_ look: @escaping @Sendable () -> Bool) {
    self.look = look
  }

  /// `true` as long as nothing is known.
  var mayHaveReader: Bool {
    let search = state.withLock { state in
      if let running = state.search { return running }
      let search = Search()
      state.search = search
      queue.async { [self] in
        let answer = look()
        self.state.withLock {
          $0.lastAnswer = answer
          $0.search = nil
        }
        search.end.signal()
      }
      return search
    }
    if search.end.wait(timeout: search.deadline) == .success {
      // For the others that wait for the same.
      search.end.signal()
    }
    return state.withLock { $0.lastAnswer } ?? true
  }
}
