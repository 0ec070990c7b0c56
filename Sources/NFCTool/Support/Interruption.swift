import SwiftNFCCore
import ReaderThread
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Handles Ctrl-C and the other signals that ask the process to end.
///
/// The command is cancelled, so that it can switch the carrier off. If it has not ended within ``grace``, or
/// if a second signal arrives, the process ends at once. The exception is a change of a tag that would be
/// harmful if it was incomplete, such as a lock: the process waits for it.
enum Interruption {
  private static let received = Mutex<Int32?>(nil)
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// The time for which the command may continue after a signal, in microseconds.
  private static let grace: UInt32 = 700_000
  /// The time for which a change that must not be interrupted may continue after that, in microseconds, and
  /// the interval at which its end is checked. The longest change, 40 sectors of a MIFARE Classic 4K, takes
  /// two to three seconds.
  private static let sectionGrace: UInt32 = 10_000_000
  private static let interval: UInt32 = 10_000
  /// The time for which the command may continue after such a change, in microseconds.
  private static let graceAfterSection: UInt32 = 300_000

  /// The failure that says what an interruption leaves of the change that is being made.
  private static let note = Mutex<Failure?>(nil)

  /// Runs `body`, which makes a change. If the process is asked to end meanwhile, this failure takes the place of the
  /// cancellation, and is also printed if the process ends without waiting for `body`.
  static func noting<Result>(
    _ failure: Failure, _ body: () async throws -> Result
  ) async throws -> Result {
    note.withLock { $0 = failure }
    do {
      let result = try await body()
      note.withLock { $0 = nil }
      return result
    } catch is CancellationError where hasHappened {
      throw failure
    } catch {
      note.withLock { $0 = nil }
      throw error
    }
  }

  /// Prints the failure of ``noting(_:_:)`` once.
  static func printNote() {
    // Whoever comes second ends the process, and has to wait until the line is complete.
    note.withLock { note in
      if let failure = note { Output.printError(failure.line) }
      note = nil
    }
  }

  /// Whether the process has been asked to end.
  static var hasHappened: Bool { received.withLock { $0 != nil } }

  /// The exit status that a shell reports for a process that was ended by a signal: 128 plus the signal's
  /// number.
  static var status: Int32 { 128 + (received.withLock { $0 } ?? SIGINT) }

  private static var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }

  /// Blocks the signals in this thread and in all threads that it starts. Call this before there are other
  /// threads.
  static func prepare() {
    var set = set
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A shell starts background processes with SIGINT ignored, and an ignored signal cannot be waited for.
    for number in signals { signal(number, SIG_DFL) }
    // An error of write(2) indicates the same condition, and allows the reader to be closed first.
    signal(SIGPIPE, SIG_IGN)
    // The same for a file that is larger than the user's limit.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Waits on this thread until the process is asked to end, and then calls `action`.
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
        // A second signal does not interrupt a lock. The first signal has already limited its time.
        if UninterruptedSections.areRunning { continue }
        printNote()
        _exit(status)
      }
      do {
        try startThread { endAfterGrace() }
        action()
      } catch {
        // The system has no thread left. This one cannot receive a second signal meanwhile.
        action()
        endAfterGrace()
      }
    }
  }

  /// Ends the process after ``grace``, even if the command hangs in a system call.
  private static func endAfterGrace() -> Never {
    usleep(grace)
    var waited: UInt32 = 0
    while UninterruptedSections.areRunning, waited < sectionGrace {
      usleep(interval)
      waited += interval
    }
    if waited > 0 { usleep(graceAfterSection) }
    printNote()
    _exit(status)
  }

  /// Ends the process in the same way as any process that writes to a pipe that no program reads.
  static func endByBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    _exit(ExitStatus.lost.rawValue)
  }
}
