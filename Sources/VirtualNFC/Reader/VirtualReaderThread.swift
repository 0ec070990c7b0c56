#if canImport(Glibc)
import Glibc
import Synchronization

/// A thread that other threads can wait for.
final class VirtualReaderThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let handle: Mutex<pthread_t?>

  init(_ body: @escaping @Sendable () -> Void) throws {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Body(body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      box.release()
      throw VirtualReader.Unavailable(description: "no thread: \(String(cString: strerror(code)))")
    }
    handle = Mutex(thread)
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
