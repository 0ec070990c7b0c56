#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What a thread executes, in an object whose address a thread can be given.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a thread, which may block and ends with `body`.
///
/// - Parameter isDetached: whether nobody joins the thread. Otherwise somebody must, because the thread
///   keeps its memory until then.
/// - Throws: ``ReaderThread/Failure`` if the system cannot create a thread.
@discardableResult
package func startThread(
  isDetached: Bool = true, _ body: @escaping @Sendable () -> Void
) throws(ReaderThread.Failure) -> pthread_t {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  let state = isDetached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE
  pthread_attr_setdetachstate(&attributes, Int32(state))
  let box = Unmanaged.passRetained(ThreadBody(body))
  #if canImport(Glibc)
  var thread = pthread_t()
  #else
  var thread: pthread_t?
  #endif
  let code = pthread_create(&thread, &attributes, { runBody($0) }, box.toOpaque())
  guard code == 0 else {
    box.release()
    throw ReaderThread.Failure(code: code)
  }
  #if canImport(Glibc)
  return thread
  #else
  guard let thread else { throw ReaderThread.Failure(code: EAGAIN) }
  return thread
  #endif
}

private func runBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
  return nil
}
