import ReaderThread
import Synchronization

/// Runs commands one after the other, in the order in which they were given.
///
/// On a thread of the session's own: a program may block all threads of Swift's pool while it waits for
/// a completion handler.
final class CommandQueue: Sendable {
  typealias Command = @Sendable () async -> Void

  private struct State {
    var waiting: [Command] = []
    var runner: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let executor: ReaderThread

  init(on executor: ReaderThread) {
    self.executor = executor
  }

  /// Runs a command after those before it; also after ``cancel()``, with its task cancelled.
  func add(_ command: @escaping Command) {
    state.withLock { state in
      state.waiting.append(command)
      guard state.runner == nil else { return }
      let runner = Task(executorPreference: executor) { await self.run() }
      if state.isCancelled { runner.cancel() }
      state.runner = runner
    }
  }

  private func run() async {
    while let command = next() { await command() }
  }

  private func next() -> Command? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.runner = nil
        return nil
      }
      return state.waiting.removeFirst()
    }
  }

  /// Breaks off the command that is running, and all that are given from now on.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.runner?.cancel()
    }
  }

  /// Waits until no command is left.
  func drain() async {
    while let runner = state.withLock({ $0.runner }) { await runner.value }
  }
}
