#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads standard input line by line, without waiting for more than is available.
struct LineReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// The number of bytes at the beginning of the buffer that do not end a line.
  private var searched = 0
  private(set) var isAtEnd = false

  /// The maximum length of a line. A longer line ends the input. A spool may have messages that are longer than
  /// those of today's tags.
  private static let longestLine = 16 << 20

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Reads the available bytes; waits if there are none.
  mutating func fill() {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &bytes, bytes.count)
    if count > 0 {
      buffer.append(contentsOf: bytes.prefix(count))
      if buffer.count > Self.longestLine { isAtEnd = true }
    } else if count == 0 || errno != EINTR {
      isAtEnd = true
    }
  }

  /// Returns the next complete line; `nil` if it has not arrived yet.
  mutating func next() -> [UInt8]? {
    guard let end = buffer[searched...].firstIndex(of: 0x0A) else {
      searched = buffer.count
      return nil
    }
    searched = 0
    let line = Array(buffer[..<end])
    buffer.removeSubrange(...end)
    return line
  }

  /// Returns the next line and waits for it if necessary; `nil` at the end.
  mutating func nextBlocking() -> [UInt8]? {
    while true {
      if let line = next() { return line }
      guard !isAtEnd else { return nil }
      fill()
    }
  }
}
