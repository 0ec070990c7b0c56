import NFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A serial port, or an I²C or SPI bus, that is about to be, or is, used by libnfc: what is wrong with it,
/// which libnfc does not say, and a lock on it.
///
/// libnfc marks a serial port as taken by a bit of the terminal settings that glibc does not hand to the
/// kernel (`CCLAIMED` is glibc's `IBAUD0`), and buses not at all, so two programs could talk to one chip at
/// once. The lock here is flock(2)'s, as other programs for serial ports take it; it goes with the program,
/// however that ends.
final class PortLock: Sendable {
  /// What holds the lock, for whoever looks for libnfc's own descriptor.
  let descriptor: Int32

  /// Opens and locks a port. One that a reader of this program is just giving back is waited for.
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

  deinit { close(descriptor) }

  /// Returns whether a program has a port locked now. Nothing is changed or written.
  static func isTaken(_ path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static func lock(_ descriptor: Int32, _ path: String) -> Bool {
    while true {
      // Asked before the lock is tried: who is done with it in between has let go of it.
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
      code, "cannot open \(path)\(hint)", cause: .system(number, String(cString: strerror(number))))
  }
}
