import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ctrl-C, and what else asks the process to end: the command is cancelled, so that it can switch the
/// carrier off; asked a second time, the process ends at once.
enum Interruption {
  private struct State: Sendable {
    var hasHappened = false
    var action: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Whether the process has been asked to end.
  static var hasHappened: Bool { state.withLock { $0.hasHappened } }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }

  /// Holds the signals back from this thread and all that it starts. To be called before there are
  /// others.
  static func prepare() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A shell starts what runs in the background with SIGINT ignored, and then it could not be waited
    // for.
    for number in signals { signal(number, SIG_DFL) }
    // An error of write(2) tells the same, and lets the reader be closed first.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Calls `action` when the process is asked to end.
  static func whenInterrupted(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.action = action }
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    pthread_create(
      &thread, &attributes,
      { _ in
        Interruption.wait()
        return nil
      }, nil)
  }

  private static func wait() {
    var set = set
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      let (isFirst, action) = state.withLock { state in
        defer { state.hasHappened = true }
        return (!state.hasHappened, state.action)
      }
      guard isFirst else { _exit(ExitStatus.interrupted.rawValue) }
      action?()
    }
  }

  /// Ends the process as one ends that writes to a pipe without a reader.
  static func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    _exit(ExitStatus.lost.rawValue)
  }
}
