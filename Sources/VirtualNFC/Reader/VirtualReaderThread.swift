#if canImport(Glibc)
import Glibc
import ReaderThread
import Synchronization

/// A thread that other threads can wait for.
final class VirtualReaderThread: Sendable {
  private let handle: Mutex<pthread_t?>

  init(_ body: @escaping @Sendable () -> Void) throws {
    do {
      handle = Mutex(try startThread(isDetached: false, body))
    } catch {
      throw VirtualReader.Unavailable(description: "no thread: \(error)")
    }
  }

  /// Waits until the thread has ended. Calling it again does nothing.
  func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }
}
#endif
