import SwiftNFCCore
import ReaderThread
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ends a call into libnfc that a cancelled task waits for, or that exceeds its time limit.
///
/// libnfc's own time-outs limit every wait, but neither the number of bytes that are read one by
/// one nor the number of frames: a chip that sends slowly, or that always announces more data,
/// blocks it forever. And `nfc_abort_command` ends only some waits: on a serial line, the one for
/// the first bytes of an answer.
///
/// Therefore, a call that should end gets one period's grace, because it may be about to end by
/// itself. Then it is aborted, and once more, because an abort between two waits is lost. A call
/// that continues all the same is cut off: its line to the reader is broken, and the reader is
/// lost.
final class Watchdog: Sendable {
  /// The ways to end a call.
  struct Actions: Sendable {
    /// Asks libnfc to end it.
    var abort: @Sendable () -> Void
    /// Breaks the line to the reader.
    var cut: @Sendable () -> Void
  }

  private struct State {
    var actions: Actions
    var isWorking = false
    var isAborted = false
    /// The number of periods since the abort was requested.
    var age = 0
    /// Periods that the call in progress has lasted, and may last.
    var callAge = 0
    var callLimit = 0
    /// The thread of the running call.
    var thread: pthread_t?
    /// Whether the running call is made although the work was aborted.
    var isFinishing = false
    /// Whether an abort was sent into the call.
    var isAbortSent = false
    var isCut = false
    var isRetired = false
  }

  private static let periodMilliseconds = 25
  /// Longer than the longest command with its retries.
  static let ordinaryLimit = Duration.seconds(15)
  /// The periods after which a call is aborted, and after which it is cut off.
  private static let aborts = [2, 16]
  private static let cut = 48

  private let state: Mutex<State>

  init(_ actions: Actions) {
    state = Mutex(State(actions: actions))
    Ticker.shared.add(self)
  }

  deinit { retire() }

  func retire() { state.withLock { $0.isRetired = true } }

  /// Replaces the previous connection to the reader.
  func use(_ actions: Actions) {
    state.withLock {
      $0.actions = actions
      $0.isCut = false
    }
  }

  /// Begins a piece of work; an abort of the previous one no longer applies.
  func begin() {
    state.withLock {
      $0.isWorking = true
      $0.isAborted = false
      $0.age = 0
    }
    Ticker.shared.wake()
  }

  func end() { state.withLock { $0.isWorking = false } }

  /// Asks that the running piece of work end.
  func abort() { state.withLock { if $0.isWorking { $0.isAborted = true } } }

  /// Whether the running piece of work is to end.
  var isAborted: Bool { state.withLock { $0.isAborted } }

  /// Whether a call was cut off, so that the connection can no longer be used.
  var isCut: Bool { state.withLock { $0.isCut } }

  /// Whether an abort was sent into the last call.
  var isAbortSent: Bool { state.withLock { $0.isAbortSent } }

  /// Marks the time during which C runs.
  func call<Result>(
    atMost limit: Duration = Watchdog.ordinaryLimit, _ body: () throws -> Result
  ) throws -> Result {
    try state.withLock { state in
      state.isAbortSent = false
      if state.isAborted { throw CancellationError() }
      Self.begin(&state, atMost: limit)
    }
    defer { endCall() }
    return try Interruption.allowing(body)
  }

  /// Does the same with what is done although the work was aborted: a reader is released.
  func finish(atMost limit: Duration = .seconds(3), _ body: () -> Void) {
    state.withLock { state in
      Self.begin(&state, atMost: limit)
      state.isFinishing = true
    }
    defer { endCall() }
    Interruption.allowing(body)
  }

  private static func begin(_ state: inout State, atMost limit: Duration) {
    state.thread = pthread_self()
    state.callAge = 0
    state.callLimit = Int(limit / .milliseconds(periodMilliseconds))
  }

  private func endCall() {
    state.withLock {
      $0.thread = nil
      $0.isFinishing = false
    }
  }

  /// One period has passed. Whether the watchdog is busy.
  fileprivate func tick() -> Bool {
    state.withLock { state in
      guard !state.isRetired, state.isWorking else { return false }
      if state.isAborted { state.age += 1 }
      guard let thread = state.thread else { return true }
      state.callAge += 1
      let lateness = max(
        state.isAborted && !state.isFinishing ? state.age : 0, state.callAge - state.callLimit)
      if lateness == Self.cut {
        state.isCut = true
        state.actions.cut()
        // Under the lock, so that the call cannot end, and its thread with it, before this is done.
        Interruption.wake(thread)
      } else if Self.aborts.contains(lateness) {
        state.isAbortSent = true
        state.actions.abort()
      }
      return true
    }
  }

  /// The thread that all watchdogs share. It sleeps while no reader works.
  private final class Ticker: Sendable {
    static let shared = Ticker()

    private struct WeakWatchdog: Sendable {
      weak let watchdog: Watchdog?
    }

    private struct State {
      var watchdogs: [WeakWatchdog] = []
      var isTicking = false
      /// Work has begun that the thread may not have seen yet when it decides to end.
      var isWoken = false
    }

    private static let idlePeriods = 40
    private let state = Mutex(State())

    func add(_ watchdog: Watchdog) {
      state.withLock { $0.watchdogs.append(WeakWatchdog(watchdog: watchdog)) }
    }

    func wake() {
      let starts = state.withLock { state in
        state.isWoken = true
        guard !state.isTicking else { return false }
        state.isTicking = true
        return true
      }
      guard starts else { return }
      do {
        try startThread { Ticker.shared.run() }
      } catch {
        // The next piece of work tries again.
        state.withLock { $0.isTicking = false }
      }
    }

    private func run() {
      var idle = 0
      while true {
        usleep(UInt32(Watchdog.periodMilliseconds * 1000))
        let watchdogs = state.withLock { $0.watchdogs.compactMap(\.watchdog) }
        var isBusy = false
        for watchdog in watchdogs {
          if watchdog.tick() { isBusy = true }
        }
        idle = isBusy ? 0 : idle + 1
        let ends = state.withLock { state in
          state.watchdogs.removeAll { $0.watchdog == nil }
          defer { state.isWoken = false }
          guard idle >= Self.idlePeriods, !state.isWoken else { return false }
          state.isTicking = false
          return true
        }
        if ends { return }
      }
    }
  }
}
