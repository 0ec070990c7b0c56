import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The descriptor with which libnfc reaches a reader. libnfc does not expose it, but it is needed
/// for functions that libnfc lacks: started programs must not inherit it, a call that does not end
/// is ended through it, and late answers of a USB reader are removed from it.
final class Line: Sendable {
  /// -1 once libnfc has closed it.
  private let descriptor: Mutex<Int32>
  private let path: String

  /// Finds the descriptor with which libnfc has opened `path`, among those of the process, and
  /// prevents started programs from inheriting it.
  ///
  /// - Parameter other: a descriptor of ours on the same path.
  init?(to path: String, excluding other: Int32?) {
    guard let found = Self.descriptor(of: path, excluding: other) else { return nil }
    _ = fcntl(found, F_SETFD, FD_CLOEXEC)
    descriptor = Mutex(found)
    self.path = path
  }

  /// libnfc waits by select(2), so its descriptors are below this.
  private static let descriptors = 0..<Int32(FD_SETSIZE)

  /// Prefers a descriptor that programs inherit, as libnfc's own is before it is found. Those of ours, with which other
  /// threads look at the same port, or which keep a terminal's number, are not inherited. A libusb 0.1 that is built on
  /// libusb 1.0 has none that are.
  private static func descriptor(of path: String, excluding other: Int32?) -> Int32? {
    let found = descriptors.filter { $0 != other && leads($0, to: path) }
    return found.first { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 } ?? found.first
  }

  private static func leads(_ descriptor: Int32, to path: String) -> Bool {
    var wanted = stat()
    var found = stat()
    return stat(path, &wanted) == 0 && fstat(descriptor, &found) == 0
      && found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino
  }

  /// libnfc has closed it.
  func retire() { descriptor.withLock { $0 = -1 } }

  /// Ends every wait of libnfc on it, permanently: every further call on it fails at once.
  func cut() { withDescriptor { Self.cut($0, on: path) } }

  /// Ends an opening that does not finish.
  static func cut(path: String, excluding other: Int32?) {
    if let descriptor = descriptor(of: path, excluding: other) { cut(descriptor, on: path) }
  }

  /// Replaces a descriptor with `/dev/null`, atomically and under the same number, so that nothing
  /// else can get that number before libnfc closes it. `/dev/null` can always be read, and has no
  /// terminal or USB calls.
  ///
  /// libnfc may be closing it at this moment, and then its number may be that of another thread's file: so nothing
  /// comes between the last look at it and its replacement.
  private static func cut(_ descriptor: Int32, on path: String) {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nothing >= 0 else { return }
    defer { close(nothing) }
    guard leads(descriptor, to: path) else { return }
    dup2(nothing, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Runs `body` with the descriptor, if it is still open. A number that libnfc has closed may
  /// belong to something else.
  func withDescriptor(_ body: (Int32) -> Void) {
    descriptor.withLock { if $0 >= 0, Self.leads($0, to: path) { body($0) } }
  }
}

/// Wakes a thread from a system call.
enum Interruption {
  /// A signal that programs ignore by default, and that any of them must be ready to get for no reason.
  private static let signal = SIGURG

  /// Allows the signal to interrupt a call, which an ignored one does not. The program's own
  /// handler is kept and works as well.
  private static let handler: Void = {
    var current = sigaction()
    sigaction(signal, nil, &current)
    #if canImport(Glibc)
    let action = current.__sigaction_handler.sa_handler
    #else
    let action = current.__sigaction_u.__sa_handler
    #endif
    let isIgnored =
      action.map { unsafeBitCast($0, to: Int.self) } ?? 0
    // SIG_DFL is 0, SIG_IGN is 1.
    guard isIgnored <= 1 else { return }
    var new = sigaction()
    #if canImport(Glibc)
    new.__sigaction_handler.sa_handler = { _ in }
    #else
    new.__sigaction_u.__sa_handler = { _ in }
    #endif
    new.sa_flags = SA_RESTART
    sigaction(signal, &new, nil)
  }()

  /// Runs `body` on a thread that the signal reaches: a thread that was started by Dispatch blocks it, and a wait
  /// without a time limit would never notice that its line was cut.
  static func allowing<Result>(_ body: () throws -> Result) rethrows -> Result {
    var wanted = sigset_t()
    var former = sigset_t()
    sigemptyset(&wanted)
    sigaddset(&wanted, signal)
    pthread_sigmask(SIG_UNBLOCK, &wanted, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    return try body()
  }

  /// - Parameter thread: a thread that has not ended.
  static func wake(_ thread: pthread_t) {
    _ = handler
    pthread_kill(thread, signal)
  }
}
