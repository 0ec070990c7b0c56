#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A condition that stays raised until a thread has waited for it.
///
/// Unchecked because it owns a pthread mutex and condition, which are made to be shared and whose
/// addresses never change.
package final class ThreadSignal: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isRaised = false

  package init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    condition.deallocate()
  }

  package func raise() {
    pthread_mutex_lock(mutex)
    isRaised = true
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Blocks the thread until the signal is raised, and lowers it.
  package func wait() {
    pthread_mutex_lock(mutex)
    while !isRaised { pthread_cond_wait(condition, mutex) }
    isRaised = false
    pthread_mutex_unlock(mutex)
  }
}
