#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Standard output and standard error, a line at a time and without a buffer: a program at the
/// other end of a pipe sees each line at once.
enum Output {
  /// Nobody reads standard output any more.
  struct ReaderGone: Error {}

  /// Writes a line to standard output.
  static func line(_ text: String) throws {
    guard let number = write(text + "\n", to: STDOUT_FILENO) else { return }
    guard number != EPIPE else { throw ReaderGone() }
    throw Failure(
      .lost, "cannot write to standard output: \(String(cString: strerror(number)))")
  }

  /// Writes a fact for people, its name before it.
  static func fact(_ name: String, _ value: String) throws {
    let width = 18
    try line(name + String(repeating: " ", count: max(1, width - name.count)) + value)
  }

  /// Writes a line to standard error. Nothing can be done if that fails.
  static func complain(_ line: String) {
    _ = write(line + "\n", to: STDERR_FILENO)
  }

  /// Writes a line to standard error if a person sees it.
  static func remark(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    complain(line)
  }

  /// Writes all of a text; gives the errno if that fails.
  static func write(_ text: String, to descriptor: Int32) -> Int32? {
    write(Array(text.utf8), to: descriptor)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR else { return errno }
      } else {
        rest = rest.dropFirst(count)
      }
    }
    return nil
  }

  private static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
    Glibc.write(descriptor, bytes, count)
    #else
    Darwin.write(descriptor, bytes, count)
    #endif
  }
}
