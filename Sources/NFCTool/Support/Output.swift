import NFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes to standard output and standard error, one line at a time and without a buffer. A program that
/// reads from a pipe receives each line at once.
enum Output {
  /// The reading end of the pipe was closed (EPIPE).
  struct StandardOutputClosed: Error {}

  /// Writes a line to standard output.
  static func line(_ text: String) throws { try bytes(Array((text + "\n").utf8)) }

  /// Writes bytes to standard output.
  static func bytes(_ bytes: [UInt8]) throws {
    Terminal.clearStatus()
    guard let number = try writeAll(bytes, to: STDOUT_FILENO) else { return }
    guard number != EPIPE else { throw StandardOutputClosed() }
    throw Failure(
      .lost, "cannot write to standard output: \(String(cString: strerror(number)))")
  }

  /// Writes a fact for people, preceded by its name. The value may be that of a tag or device.
  static func fact(_ name: String, _ value: String) throws {
    let width = 18
    try line(name + String(repeating: " ", count: max(1, width - name.count)) + value.onOneLine)
  }

  /// Writes a line to standard error. An error of the write is ignored, because nothing can be done about it.
  ///
  /// The text may contain names of readers, files and arguments, which must not control the terminal.
  static func printError(_ line: String) {
    Terminal.clearStatus()
    _ = try? writeAll(Array((line.onLines + "\n").utf8), to: STDERR_FILENO)
  }

  /// Whether standard output is a terminal, so that a person sees it.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes a line to standard error if it is a terminal.
  static func printNotice(_ line: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    printError(line)
  }

  /// Writes a complete text. Returns the errno if that fails.
  static func write(_ text: String, to descriptor: Int32) -> Int32? {
    (try? writeAll(Array(text.utf8), to: descriptor)) ?? nil
  }

  /// The number of bytes that POSIX guarantees a writable pipe to accept at once (`_POSIX_PIPE_BUF`). The
  /// limit of an operating system may be larger.
  private static let portion = 512

  /// Writes all bytes, and returns the errno if that fails. A file of the program's own, such as one on a full disk, then
  /// ends where it did before. The call does not wait for a full pipe after the process has been asked to end.
  ///
  /// - Throws: `CancellationError` if the process has been asked to end and no program reads the bytes.
  static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws -> Int32? {
    var rest = bytes[...]
    var isPipe = true
    var information = stat()
    if fstat(descriptor, &information) == 0 { isPipe = information.st_mode & S_IFMT != S_IFREG }
    while !rest.isEmpty {
      if isPipe { try waitForRoom(descriptor) }
      let part = isPipe ? rest.prefix(portion) : rest
      let count = part.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        guard errno == EINTR || errno == EAGAIN else {
          let number = errno
          if !isPipe, descriptor > STDERR_FILENO {
            cut(descriptor, by: bytes.count - rest.count)
          }
          return number
        }
      } else {
        rest = rest.dropFirst(count)
      }
    }
    return nil
  }

  /// Removes the last bytes of a file, which are a part of something.
  private static func cut(_ descriptor: Int32, by count: Int) {
    guard count > 0 else { return }
    let end = lseek(descriptor, 0, SEEK_CUR)
    guard end >= count, ftruncate(descriptor, end - off_t(count)) == 0 else { return }
    lseek(descriptor, -off_t(count), SEEK_CUR)
  }

  /// Waits until the descriptor accepts bytes. Output that has begun when the process is asked to end is
  /// completed if a program reads it.
  private static func waitForRoom(_ descriptor: Int32) throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    if poll(&entry, 1, 0) == 0 { try File.wait(for: descriptor, POLLOUT) }
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

  /// Whether standard output is a pipe that no program reads any longer.
  static var isUnread: Bool {
    var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&entry, 1, 0) > 0 && Int32(entry.revents) & POLLERR != 0
  }

  /// Runs code that prints at intervals, until it ends or no program reads standard output any longer.
  static func whileRead(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask {
        while !isUnread { try await Task.sleep(for: .milliseconds(100)) }
        throw StandardOutputClosed()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
