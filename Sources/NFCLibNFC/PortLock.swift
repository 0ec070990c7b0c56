import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A serial port, or an I²C or SPI bus, that libnfc is about to use or uses: a check for problems
/// that libnfc does not report, and a lock.
///
/// libnfc marks a serial port as taken with a bit of the terminal settings that glibc does not pass
/// to the kernel (`CCLAIMED` is glibc's `IBAUD0`), and buses not at all, so two programs could talk
/// to one chip at once. The lock here uses flock(2), like other programs for serial ports; it
/// disappears with the program, however that ends.
final class PortLock: Sendable {
  /// The descriptor with the lock, for distinguishing it from libnfc's own.
  let descriptor: Int32

  /// Opens and locks a port. Waits for a port that a reader of this program is just releasing.
  ///
  /// - Throws: `readerNotFound` if there is no such port, `readerUnavailable` if it cannot be used.
  init(_ path: String, isSerialPort: Bool) throws {
    let kind = isSerialPort ? "a serial port" : "a bus"
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Self.failure(path, errno == ENOENT ? .readerNotFound : .readerUnavailable)
    }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    guard status.st_mode & S_IFMT == S_IFCHR else {
      throw NFCError(
        .readerNotFound, "\(path) is \(isDirectory ? "a directory" : "a file"), not \(kind)")
    }
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path, .readerUnavailable) }
    do {
      guard !isSerialPort || isatty(descriptor) == 1 else {
        throw NFCError(.readerNotFound, "\(path) is not \(kind)")
      }
      guard Self.lock(descriptor, path) else {
        throw NFCError(
          .readerUnavailable, "\(path) is in use, by this program or another one; end that first")
      }
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { Self.release(descriptor) }

  /// Unlocks and closes. A program that another thread is just starting has, until it runs, copies of all
  /// descriptors: closing one of them would not unlock.
  private static func release(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Returns whether a program has a port locked now. Nothing is changed or written.
  static func isTaken(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { release(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static func lock(_ descriptor: Int32, _ path: String) -> Bool {
    while true {
      // Checked before the lock is tried: a port that is released in between is free.
      let isBeingClosed = ClosingPorts.contains(path)
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EINTR || isBeingClosed else { return false }
      usleep(5000)
    }
  }

  private static func failure(_ path: String, _ code: NFCError.Code) -> NFCError {
    let number = errno
    let hint =
      number == EACCES ? "; its group may, often dialout: join it and log in again" : ""
    return NFCError(
      code, "cannot open \(path)\(hint)",
      cause: .system(errno: number, text: String(cString: strerror(number))))
  }
}
