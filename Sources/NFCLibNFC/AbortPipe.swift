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

  /// A pipe with those of its ends that this process has open.
  private struct Pipe {
    let inode: UInt64
    var ends: [Int32]
  }

  /// Returns the descriptors that are open and that libnfc can wait on.
  ///
  /// One call tells which of all numbers are open. To ask for each takes a millisecond for every opened reader.
  private static func openDescriptors() -> [Int32] {
    let descriptors = 0..<Int32(FD_SETSIZE)
    var states = descriptors.map { pollfd(fd: $0, events: 0, revents: 0) }
    // The call fails if the process may not have as many descriptors.
    guard poll(&states, nfds_t(states.count), 0) >= 0 else { return Array(descriptors) }
    return states.filter { $0.revents & Int16(POLLNVAL) == 0 }.map(\.fd)
  }

  private static func pipe(of descriptor: Int32) -> UInt64? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    return UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Returns the process's pipes.
  private static func all() -> [Pipe] {
    var all: [Pipe] = []
    for descriptor in openDescriptors() {
      guard let inode = pipe(of: descriptor) else { continue }
      if let index = all.firstIndex(where: { $0.inode == inode }) {
        all[index].ends.append(descriptor)
      } else {
        all.append(Pipe(inode: inode, ends: [descriptor]))
      }
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
    let orphan = current
    replace(abort)
    return orphan
  }

  /// Runs an abort, and finds the new pipe.
  ///
  /// - Returns: the process's pipes before and after the abort.
  @discardableResult
  private mutating func replace(_ abort: () -> Bool) -> (before: [Pipe], after: [Pipe]) {
    let before = Self.all()
    current = nil
    let isReplaced = abort()
    let after = Self.all()
    guard isReplaced else { return (before, after) }
    // libnfc's own is among these: nobody closes it before the next abort.
    let new = after.filter { pipe in
      pipe.ends.count == 2 && !before.contains { $0.inode == pipe.inode }
        && pipe.ends.allSatisfy(Self.isInherited)
    }
    if new.count == 1, let pipe = new.first, let writer = pipe.ends.first(where: Self.isWriter) {
      for end in pipe.ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      current = Orphan(descriptor: writer, pipe: pipe.inode)
    }
    return (before, after)
  }

  /// Runs the first abort, when no call waits, to replace the pipe that was created by opening.
  mutating func watchFirst(_ abort: () -> Bool) -> Orphan? {
    let (before, after) = replace(abort)
    // libnfc's own is among these, because no call has waited on it.
    let halved = after.filter { pipe in
      pipe.ends.count == 1 && before.contains { $0.inode == pipe.inode && $0.ends.count == 2 }
    }
    guard halved.count == 1, let pipe = halved.first, Self.isWriter(pipe.ends[0]) else {
      return nil
    }
    return Orphan(descriptor: pipe.ends[0], pipe: pipe.inode)
  }

  private static func isWriter(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY
  }
}
