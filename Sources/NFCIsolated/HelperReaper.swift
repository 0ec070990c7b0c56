import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Collects the exit status of helpers, so that none remains a zombie.
final class HelperReaper: Sendable {
  static let shared = HelperReaper()

  /// Processes that were killed but had not ended when the wait was over: one that the kernel
  /// blocks, for instance in a call into a USB driver, ends only when that call does.
  private let remaining = Mutex<[pid_t]>([])

  /// Waits for a process; ends it if it has not gone in time.
  ///
  /// - Returns: how it ended; `nil` if that is not known.
  func reap(_ process: pid_t, within limit: Duration) -> Int32? {
    let clock = ContinuousClock()
    var deadline = clock.now + limit
    var isKilled = false
    var pause: UInt32 = 200
    while true {
      var status: Int32 = 0
      let result = waitpid(process, &status, WNOHANG)
      if result == process { return status }
      // Somebody else has waited for it, or the program ignores SIGCHLD.
      if result < 0, errno != EINTR { return nil }
      if clock.now >= deadline {
        guard !isKilled else {
          remaining.withLock { $0.append(process) }
          return nil
        }
        kill(process, SIGKILL)
        isKilled = true
        deadline = clock.now + limit
      }
      usleep(pause)
      pause = min(2 * pause, 10_000)
    }
  }

  /// Removes processes that have ended meanwhile.
  func clear() {
    remaining.withLock { processes in
      processes.removeAll { process in
        var status: Int32 = 0
        let result = waitpid(process, &status, WNOHANG)
        return result == process || result < 0 && errno == ECHILD
      }
    }
  }
}
