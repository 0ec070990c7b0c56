import NFCCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ctrl-C, and what else asks the process to end: the command is cancelled, so that it can switch
/// the carrier off. One that has not ended within ``grace``, or is asked a second time, ends at once; except
/// that a change of a tag which would be harmful half done, such as a lock, is waited for.
enum Interruption {
  private static let received = Mutex<Int32?>(nil)
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// How long the command has to end by itself, in microseconds.
  private static let grace: UInt32 = 700_000
  /// How long a change that must not stop half-way is waited for after that, and how often is looked, in
  /// microseconds. The longest, 40 sectors of a MIFARE Classic 4K, takes two to three seconds.
  private static let sectionGrace: UInt32 = 10_000_000
  private static let interval: UInt32 = 10_000
  /// How long the command has for what comes after such a change.
  private static let graceAfterSection: UInt32 = 300_000

  /// Whether the process has been asked to end.
  static var hasHappened: Bool { received.withLock { $0 != nil } }

  /// What a process that a signal ends leaves to its shell: 128 and the signal's number.
  static var status: Int32 { 128 + (received.withLock { $0 } ?? SIGINT) }

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
    // A shell starts what runs in the background with SIGINT ignored, and then it could not be
    // waited for.
    for number in signals { signal(number, SIG_DFL) }
    // An error of write(2) indicates the same, and lets the reader be closed first.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits on this thread for the process to be asked to end, and calls `action` then.
  static func wait(_ action: () -> Void) -> Never {
    var set = set
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      let isSecond = received.withLock { received in
        defer { received = received ?? number }
        return received != nil
      }
      guard !isSecond else {
        // Impatience is no reason to cut a lock in two; the first signal has set its end.
        if UninterruptedSections.areRunning { continue }
        _exit(status)
      }
      endAfterGrace()
      action()
    }
  }

  /// A command that hangs in a call to the system ends nevertheless.
  private static func endAfterGrace() {
    #if canImport(Glibc)
    var thread = pthread_t()
    #else
    var thread: pthread_t?
    #endif
    pthread_create(
      &thread, nil,
      { _ in
        usleep(Interruption.grace)
        var waited: UInt32 = 0
        while UninterruptedSections.areRunning, waited < Interruption.sectionGrace {
          usleep(Interruption.interval)
          waited += Interruption.interval
        }
        if waited > 0 { usleep(Interruption.graceAfterSection) }
        _exit(Interruption.status)
      }, nil)
  }

  /// Ends the process as one ends that writes to a pipe that nobody reads.
  static func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    _exit(ExitStatus.lost.rawValue)
  }
}
