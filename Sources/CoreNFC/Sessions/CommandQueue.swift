import ReaderThread
import Synchronization

/// Runs commands one after the other, in the order in which they were added.
///
/// They run on the session's own thread, because a program may block all threads of Swift's pool
/// while it waits for a completion handler.
final class CommandQueue: Sendable {
  /// A command of the program.
  struct Command: Sendable {
    /// Runs it and completes it.
    let run: @Sendable () async -> Void
    /// Completes it without its result, unless it is complete. From any thread.
    let abandon: @Sendable () -> Void
  }

  private struct State {
    var current: Command?
    var waiting: [Command] = []
    var runner: Task<Void, Never>?
    var isCancelled = false
    var isAbandoned = false
  }

  private let state = Mutex(State())
  private let executor: ReaderThread

  init(on executor: ReaderThread) {
    self.executor = executor
  }

  /// Runs a command after those before it; also after ``cancel()``, with its task cancelled.
  func add(_ command: Command) {
    let isAbandoned = state.withLock { state in
      guard !state.isAbandoned else { return true }
      state.waiting.append(command)
      guard state.runner == nil else { return false }
      let runner = Task(executorPreference: executor) { await self.run() }
      if state.isCancelled { runner.cancel() }
      state.runner = runner
      return false
    }
    if isAbandoned { command.abandon() }
  }

  private func run() async {
    while let command = next() { await command.run() }
  }

  private func next() -> Command? {
    state.withLock { state in
      state.current = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      if state.current == nil { state.runner = nil }
      return state.current
    }
  }

  /// Cancels the running command, and all later ones.
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

  /// Completes all remaining and later commands with an error. A command that a reader blocks
  /// continues, but its result is discarded.
  func abandon() {
    let left = state.withLock { state in
      state.isAbandoned = true
      defer { state.waiting = [] }
      return [state.current].compactMap(\.self) + state.waiting
    }
    for command in left { command.abandon() }
  }
}
