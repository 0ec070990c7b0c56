import Synchronization

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
/// libnfc does not report which pipe it uses, but this can be derived from the process's pipes before and
/// after an abort: the previous pipe has just lost its reading end, and the current one is new. One abort at a
/// time is watched, so that no other reader's pipe looks the same.
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

  /// The pipes of which one is libnfc's current one: there are several if a reader was opened, or a part of
  /// the program created a pipe, during the last abort. Empty before the first abort.
  private var candidates: Set<UInt64> = []

  /// Whether libnfc's current pipe is known, so that programs do not inherit it.
  var isKnown: Bool { candidates.count == 1 }

  /// Held while an abort is watched, by the readers of all threads.
  private static let turn = Mutex<Void>(())

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
  /// - Returns: the remaining end of the previous pipe; `nil` if there is none, or if it is not known.
  mutating func watch(_ abort: () -> Bool) -> Orphan? {
    Self.turn.withLock { _ in
      let before = Self.all()
      let isReplaced = abort()
      let after = Self.all()
      // libnfc still has the end of the previous pipe if it could not create a new one.
      let orphan = isReplaced ? orphan(before, after) : nil
      candidates = isReplaced ? Self.new(before, after) : []
      return orphan
    }
  }

  /// Returns the pipe that has lost its reading end between two moments. It had both ends, because no wait
  /// closes the writing end before an abort.
  private func orphan(_ before: [Pipe], _ after: [Pipe]) -> Orphan? {
    let halved = after.filter { pipe in
      guard pipe.ends.count == 1, Self.isWriter(pipe.ends[0]),
        before.contains(where: { $0.inode == pipe.inode && $0.ends.count == 2 })
      else { return false }
      return candidates.isEmpty ? Self.isInherited(pipe.ends[0]) : candidates.contains(pipe.inode)
    }
    guard halved.count == 1, let pipe = halved.first else { return nil }
    return Orphan(descriptor: pipe.ends[0], pipe: pipe.inode)
  }

  /// Returns the pipes that were created between two moments and can be libnfc's. Its own is among them,
  /// because nobody closes it before the next abort. If it is the only one, programs do not inherit it.
  private static func new(_ before: [Pipe], _ after: [Pipe]) -> Set<UInt64> {
    let new = after.filter { pipe in
      pipe.ends.count == 2 && !before.contains { $0.inode == pipe.inode }
        && pipe.ends.allSatisfy(isInherited)
    }
    if new.count == 1 {
      for end in new[0].ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    return Set(new.map(\.inode))
  }

  private static func isWriter(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, F_GETFL) & O_ACCMODE == O_WRONLY
  }
}
