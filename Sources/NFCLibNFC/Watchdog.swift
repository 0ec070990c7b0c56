import NFCCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ends a call into libnfc that a cancelled task waits for, or that takes longer than any may.
///
/// libnfc's own time-outs bound every frame, but not the number of frames: a chip that says "more to
/// come" for ever holds it for ever. And a call that is about to end by itself is better left alone:
/// `nfc_abort_command` leaks a file descriptor each time (it makes a new pipe and closes one of the
/// old one's two ends). So a cancelled call gets one period's grace.
final class Watchdog: Sendable {
  private struct State {
    var isWorking = false
    var isAborted = false
    /// Periods since the abort was asked for.
    var age = 0
    /// Periods that the call in progress has lasted.
    var callAge = 0
    var isInCall = false
    var isRetired = false
  }

  private static let periodMilliseconds = 25
  /// 15 s: longer than the longest command with its retries.
  private static let longestCall = 600

  private let state = Mutex(State())
  private let aborter: LibNFC.Device.Aborter

  init(_ aborter: LibNFC.Device.Aborter) {
    self.aborter = aborter
    Ticker.shared.add(self)
  }

  deinit { retire() }

  func retire() { state.withLock { $0.isRetired = true } }

  /// A piece of work begins; an abort of the one before concerns it no more.
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

  /// Marks the time in which C runs.
  func call<Result>(_ body: () throws -> Result) throws -> Result {
    try state.withLock {
      if $0.isAborted { throw CancellationError() }
      $0.isInCall = true
      $0.callAge = 0
    }
    defer { state.withLock { $0.isInCall = false } }
    return try body()
  }

  /// An abort can fall between two waits of libnfc's and be lost, so it is repeated; ever more rarely,
  /// for the descriptor that each leaks.
  private static func isDue(_ periods: Int) -> Bool {
    periods >= 2 && periods.nonzeroBitCount == 1
  }

  /// One period has passed. Whether the watchdog still watches, and whether it is busy.
  fileprivate func tick() -> (isAlive: Bool, isBusy: Bool) {
    let (retired, busy, aborts) = state.withLock { state -> (Bool, Bool, Bool) in
      guard !state.isRetired else { return (true, false, false) }
      guard state.isWorking else { return (false, false, false) }
      if state.isInCall { state.callAge += 1 }
      if state.isAborted { state.age += 1 }
      guard state.isInCall else { return (false, true, false) }
      let lateness = state.callAge - Self.longestCall
      return (false, true, Self.isDue(state.age) || Self.isDue(lateness))
    }
    if aborts { aborter.abort() }
    return (!retired, busy)
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
      var thread = pthread_t()
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      defer { pthread_attr_destroy(&attributes) }
      let code = pthread_create(
        &thread, &attributes,
        { _ in
          Ticker.shared.run()
          return nil
        }, nil)
      if code != 0 { state.withLock { $0.isTicking = false } }
    }

    private func run() {
      var idle = 0
      while true {
        usleep(UInt32(Watchdog.periodMilliseconds * 1000))
        let watchdogs = state.withLock { $0.watchdogs.compactMap(\.watchdog) }
        var isBusy = false
        for watchdog in watchdogs {
          if watchdog.tick().isBusy { isBusy = true }
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
