#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads standard input line by line, without waiting for more than is available.
struct LineReader {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private(set) var isAtEnd = false

  /// The maximum length of a line. A longer line ends the input.
  private static let longestLine = 4 << 20

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
    guard let end = buffer.firstIndex(of: 0x0A) else { return nil }
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
