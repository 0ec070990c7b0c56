#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The pipe with which libnfc's drivers for serial ports abort a wait.
///
/// `nfc_abort_command` closes its reading end, which wakes the wait on the other, and creates a new
/// one. The wait closes the writing end. If no call waits, nobody does, and every such abort would
/// leak a descriptor.
///
/// libnfc does not report which pipe it uses, but this can be derived: after an abort, one of the
/// process's pipes is new. If other threads have created pipes at the same moment, the pipe is not
/// known, and nothing is closed.
struct AbortPipe {
  /// An end that nobody closes any more, unless the wait has closed it.
  struct Orphan {
    fileprivate let descriptor: Int32
    fileprivate let pipe: UInt64

    /// Closes it. To be called when libnfc does not wait.
    func close() {
      // If it was closed before, its number may belong to something else.
      guard AbortPipe.pipe(of: descriptor) == pipe else { return }
      #if canImport(Glibc)
      _ = Glibc.close(descriptor)
      #else
      _ = Darwin.close(descriptor)
      #endif
    }
  }

  /// The writing end of libnfc's current pipe; `nil` if it is not known.
  private var current: Orphan?

  private static let descriptors = 0..<Int32(FD_SETSIZE)

  private static func pipe(of descriptor: Int32) -> UInt64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    return UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Returns the descriptors of the process's pipes.
  private static func all() -> [UInt64: [Int32]] {
    var all: [UInt64: [Int32]] = [:]
    for descriptor in descriptors {
      if let pipe = pipe(of: descriptor) { all[pipe, default: []].append(descriptor) }
    }
    return all
  }

  private static func isInherited(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
  }

  /// Runs an abort, which returns whether it has created a new pipe, and prevents started programs
  /// from inheriting that pipe: a program with the reading end would keep the next abort from
  /// having an effect.
  ///
  /// - Returns: the remaining end of the previous pipe; `nil` if that is not known.
  mutating func watch(_ abort: () -> Bool) -> Orphan? {
    let before = Self.all()
    let orphan = current
    current = nil
    guard abort() else { return orphan }
    // libnfc's own is among these: nobody closes it before the next abort.
    let new = Self.all().filter {
      $0.value.count == 2 && before[$0.key] == nil && $0.value.allSatisfy(Self.isInherited)
    }
    if new.count == 1, let (pipe, ends) = new.first, let writer = ends.first(where: Self.isWriter) {
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      current = Orphan(descriptor: writer, pipe: pipe)
    }
    return orphan
  }

  /// Runs the first abort, when no call waits, to replace the pipe that was created by opening.
  mutating func watchFirst(_ abort: () -> Bool) -> Orphan? {
    let before = Self.all()
    _ = watch(abort)
    let after = Self.all()
    // libnfc's own is among these, because no call has waited on it.
    let halved = before.filter { $0.value.count == 2 && after[$0.key]?.count == 1 }
    guard halved.count == 1, let pipe = halved.first?.key, let rest = after[pipe]?.first,
      Self.isWriter(rest)
    else { return nil }
    return Orphan(descriptor: rest, pipe: pipe)
  }

  private static func isWriter(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY
  }
}
