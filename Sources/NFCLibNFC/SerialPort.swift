import NFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A serial port that is about to be, or is, used by libnfc: what is wrong with it, which libnfc does
/// not tell, and a lock on it.
///
/// libnfc marks a port as taken by a bit of the terminal settings that glibc does not hand to the kernel
/// (`CCLAIMED` is glibc's `IBAUD0`), so two programs could talk to one chip at once. The lock here is
/// flock(2)'s, as other programs for serial ports take it; it goes with the program, however that ends.
struct SerialPort: ~Copyable {
  private let descriptor: Int32

  /// Opens and locks a port.
  ///
  /// - Throws: `readerNotFound` if there is no such port, `readerUnavailable` if it cannot be used.
  init(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw Self.failure(path, errno == ENOENT ? .readerNotFound : .readerUnavailable)
    }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    guard status.st_mode & S_IFMT == S_IFCHR else {
      throw NFCError(
        .readerNotFound, "\(path) is \(isDirectory ? "a directory" : "a file"), not a serial port")
    }
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path, .readerUnavailable) }
    do {
      guard isatty(descriptor) == 1 else {
        throw NFCError(.readerNotFound, "\(path) is not a serial port")
      }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
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

  private static func failure(_ path: String, _ code: NFCError.Code) -> NFCError {
    let number = errno
    let hint =
      number == EACCES ? "; its group may, often dialout: join it and log in again" : ""
    return NFCError(
      code, "cannot open \(path)\(hint)", cause: .system(number, String(cString: strerror(number))))
  }
}
