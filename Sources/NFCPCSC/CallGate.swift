import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What every call of pcsc-lite passes, so that none is made while the process ends.
///
/// When a process calls `exit`, pcsc-lite's destructor frees its list of contexts (`destructor` in
/// winscard_clnt.c) while other threads still run. A call that searches this list then ends the process with
/// SIGSEGV, although the program had succeeded. Handlers of `atexit` run before destructors of libraries: this
/// one keeps new calls out and waits for those that have begun, at most 300 ms. A call that takes longer waits
/// for an answer of the service, and no longer uses the list.
enum CallGate {
  private static let patience = DispatchTimeInterval.milliseconds(300)

  private struct State {
    /// How many calls have begun and not returned.
    var running = 0
    /// Wakes the thread that ends the process when no call is running; `nil` before that.
    var ending: DispatchSemaphore?
  }

  private static let state = Mutex(State())

  /// Registered by the first call.
  private static let registration: Int32 = atexit { CallGate.close() }

  /// Makes a call, unless the process is ending.
  ///
  /// - Returns: what the call returns; `nil` if it was not made.
  @discardableResult
  static func pass<Result>(_ call: () -> Result) -> Result? {
    _ = registration
    let isOpen = state.withLock { state in
      guard state.ending == nil else { return false }
      state.running += 1
      return true
    }
    guard isOpen else { return nil }
    defer {
      state.withLock { state in
        state.running -= 1
        if state.running == 0 { state.ending?.signal() }
      }
    }
    return call()
  }

  private static func close() {
    let end = DispatchSemaphore(value: 0)
    let isBusy = state.withLock { state in
      state.ending = end
      return state.running > 0
    }
    if isBusy { _ = end.wait(timeout: .now() + patience) }
  }
}
