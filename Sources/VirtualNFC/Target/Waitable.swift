#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A value that threads share, and whose changes they can wait for.
///
/// Unchecked because the value is used only under the lock.
final class Waitable<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Uses the value, and wakes those who wait for a change.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(lock)
    }
    return body(&value)
  }

  /// Waits until `body` returns something, at most for this time; `body` is called after each change.
  func wait<Result>(atMost limit: Duration, _ body: (inout Value) -> Result?) -> Result? {
    let end = ContinuousClock.now + limit
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = body(&value) {
        pthread_cond_broadcast(changed)
        return result
      }
      let left = end - ContinuousClock.now
      guard left > .zero else { return nil }
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      let (seconds, attoseconds) = min(left, .seconds(1)).components
      let nanoseconds = Int64(time.tv_nsec) + attoseconds / 1_000_000_000
      time.tv_sec += Int(seconds + nanoseconds / 1_000_000_000)
      time.tv_nsec = Int(nanoseconds % 1_000_000_000)
      pthread_cond_timedwait(changed, lock, &time)
    }
  }
}
