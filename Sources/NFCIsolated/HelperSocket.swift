#if canImport(Glibc)
import Glibc

private let streamSocket = Int32(SOCK_STREAM.rawValue)
private let noSignal = Int32(MSG_NOSIGNAL)
#else
import Darwin

private let streamSocket = SOCK_STREAM
private let noSignal: Int32 = 0
#endif

/// One end of a socket pair, with limited reads and writes.
struct HelperSocket: Sendable {
  let descriptor: Int32

  /// The reason why a message was not sent or received.
  enum Problem: Error {
    /// The other end is closed.
    case ended
    /// The time has passed.
    case late
    /// The other end has sent what cannot be a message.
    case malformed
  }

  /// Two ends that no program inherits, both beyond the standard descriptors, so that either can be put in place
  /// of one of these; `nil` with `errno` set if the system has none left.
  static func pair() -> (HelperSocket, HelperSocket)? {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, streamSocket, 0, &ends) == 0 else { return nil }
    let own = ends.map { end in
      let moved = fcntl(end, F_DUPFD_CLOEXEC, 10)
      _ = close(end)
      return moved
    }
    guard own.allSatisfy({ $0 >= 0 }) else {
      let number = errno
      for end in own where end >= 0 { _ = close(end) }
      errno = number
      return nil
    }
    #if canImport(Darwin)
    for end in own {
      var on: Int32 = 1
      setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    #endif
    return (HelperSocket(descriptor: own[0]), HelperSocket(descriptor: own[1]))
  }

  func end() { _ = close(descriptor) }

  /// Sends all bytes, or as many as the other end accepts at once.
  func send(_ bytes: [UInt8]) throws(Problem) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Self.send(descriptor, $0) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw .ended
      }
    }
  }

  private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
    #else
    Darwin.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
    #endif
  }

  /// Receives exactly this many bytes.
  ///
  /// - Parameter limit: returns the time that the other end still has; `nil` for no limit.
  func receive(_ count: Int, within limit: (() -> Duration)?) throws(Problem) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      if let limit { try wait(limit) }
      let result = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
      }
      if result > 0 {
        filled += result
      } else if result == 0 || errno != EINTR {
        throw .ended
      }
    }
    return bytes
  }

  /// The interval for checking the limit while nothing arrives: it becomes shorter when a task is
  /// cancelled.
  private static let slice = Duration.milliseconds(50)

  private func wait(_ limit: () -> Duration) throws(Problem) {
    while true {
      let rest = limit()
      guard rest > .zero else { throw .late }
      var waiting = pollfd(descriptor: descriptor)
      let milliseconds = Int32(min(rest, Self.slice) / .milliseconds(1)) + 1
      if poll(&waiting, 1, milliseconds) > 0 { return }
    }
  }

  /// Receives a message, which begins with its length.
  func receiveMessage(within limit: (() -> Duration)?) throws(Problem) -> [UInt8] {
    let length = try receive(4, within: limit).reduce(0) { $0 << 8 | Int($1) }
    guard length <= HelperProtocol.maximumLength else { throw .malformed }
    return try receive(length, within: limit)
  }
}

extension pollfd {
  fileprivate init(descriptor: Int32) {
    self.init(fd: descriptor, events: Int16(POLLIN), revents: 0)
  }
}
