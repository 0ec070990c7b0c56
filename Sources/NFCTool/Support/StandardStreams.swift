#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The three streams that the process starts with.
enum StandardStreams {
  /// Occupies the numbers of streams that the caller has closed (`nfc read >&-`).
  ///
  /// Otherwise, the next file that is opened gets the number: output would go to a reader's line, or wait forever
  /// for an event queue that accepts none. Standard input and output are opened in the opposite direction, so that
  /// their use fails, as it does in other programs. Messages to a closed standard error are discarded.
  static func occupy() {
    // `open` returns the lowest free number. Therefore, the order matters.
    for (stream, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY),
    ] where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", mode)
    }
  }
}
