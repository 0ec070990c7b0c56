import Foundation

/// Standard input in lines, without waiting for more than is there.
struct LineReader {
  private let descriptor: Int32
  private var buffer = Data()
  private(set) var isAtEnd = false

  /// A line is no longer than this; one that is ends the input.
  private static let longestLine = 4 << 20

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Reads what is there; waits if there is nothing.
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

  /// Returns the next whole line; `nil` if there is none yet.
  mutating func next() -> Data? {
    guard let end = buffer.firstIndex(of: 0x0A) else { return nil }
    let line = Data(buffer[buffer.startIndex..<end])
    buffer.removeSubrange(...end)
    return line
  }

  /// Returns the next line, however long that takes; `nil` at the end.
  mutating func nextBlocking() -> Data? {
    while true {
      if let line = next() { return line }
      guard !isAtEnd else { return nil }
      fill()
    }
  }
}
