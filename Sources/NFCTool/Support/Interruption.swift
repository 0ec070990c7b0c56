import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ctrl-C, and what else asks the process to end: the command is cancelled, so that it can switch the
/// carrier off; asked a second time, the process ends at once.
enum Interruption {
  private static let flag = Mutex(false)
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Whether the process has been asked to end.
  static var hasHappened: Bool { flag.withLock { $0 } }

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

  /// Waits on this thread for the process to be asked to end, and calls `action` then.
  static func wait(_ action: () -> Void) -> Never {
    var set = set
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      let isSecond = flag.withLock { flag in
        defer { flag = true }
        return flag
      }
      guard !isSecond else { _exit(ExitStatus.interrupted.rawValue) }
      action()
    }
  }

  /// Ends the process as one ends that writes to a pipe without a reader.
  static func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    _exit(ExitStatus.lost.rawValue)
  }
}
