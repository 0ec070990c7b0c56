import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A stream socket of this machine, with a name in the file system. Every call has a bound.
package final class LocalSocket: Sendable {
  package let descriptor: Int32
  /// The name under which this socket listens.
  private let name = Mutex<Name?>(nil)

  private struct Name {
    let path: String
    /// The file that this socket has created there.
    let file: FileIdentity
  }

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit {
    removeName()
    _ = close(descriptor)
  }

  /// The time limit for one read or write.
  private static let patience = Duration.seconds(3)

  /// The maximum length in bytes of a name (unix(7), "Address format").
  package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Listens under a name, replacing a socket that is left from before.
  package static func listen(at path: String) -> LocalSocket? {
    guard let (socket, address) = make(path) else { return nil }
    unlink(path)
    let isBound = withAddress(address) { bind(socket.descriptor, $0, $1) == 0 }
    guard isBound, Self.listen(socket.descriptor, 16) == 0 else { return nil }
    chmod(path, 0o600)
    socket.name.withLock { $0 = FileIdentity(of: path).map { Name(path: path, file: $0) } }
    return socket
  }

  /// Removes the name of a listening socket, unless another socket has replaced it.
  package func removeName() {
    name.withLock { name in
      if let name, FileIdentity(of: name.path) == name.file { unlink(name.path) }
      name = nil
    }
  }

  /// Connects to a program that listens; `nil` if none does.
  ///
  /// - Parameter deadline: the time at which the attempt ends; `nil` for the time limit of one read.
  package static func connect(
    to path: String, before deadline: ContinuousClock.Instant? = nil
  ) -> LocalSocket? {
    guard let (socket, address) = make(path) else { return nil }
    socket.limitWaits(to: deadline.map { $0 - .now } ?? patience)
    let isConnected = withAddress(address) { Self.connect(socket.descriptor, $0, $1) == 0 }
    return isConnected ? socket : nil
  }

  /// Returns whether the file of a socket has outlived the process that listened. No program notices the question: a
  /// socket of another kind finds out whether there is one, but cannot connect to it (unix(7), EPROTOTYPE).
  package static func isAbandoned(_ path: String) -> Bool {
    guard let (socket, address) = make(path, datagram) else { return false }
    return !withAddress(address) { Self.connect(socket.descriptor, $0, $1) == 0 }
      && errno == ECONNREFUSED
  }

  /// Returns the next connection to a listening socket; `nil` if there is none after all.
  package func accept() -> LocalSocket? {
    let connection = Self.accept(descriptor, nil, nil)
    guard connection >= 0 else { return nil }
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    let socket = LocalSocket(descriptor: connection)
    socket.limitWaits(to: Self.patience)
    return socket
  }

  /// Writes all bytes; `false` if the other side has closed or does not read.
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Self.send(descriptor, $0.baseAddress, $0.count, Self.noSignal)
      }
      if count < 0 {
        guard errno == EINTR else { return false }
      } else {
        rest = rest.dropFirst(count)
      }
    }
    return true
  }

  /// Reads exactly this many bytes; `nil` if they do not come before a deadline.
  package func receive(_ count: Int, before deadline: ContinuousClock.Instant) -> [UInt8]? {
    limitWaits(to: deadline - .now)
    return receive(count)
  }

  /// Reads exactly this many bytes; `nil` if they do not come.
  package func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: done), count - done, 0)
      }
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { return nil }
      done += read
    }
    return bytes
  }

  /// Whether the other side has closed the connection.
  package var isClosed: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Self.peek)
    return count == 0 || count < 0 && ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
  }

  /// - Parameter limit: the time limit for each read and write from now on.
  private func limitWaits(to limit: Duration) {
    // Zero would be no limit (socket(7), SO_RCVTIMEO).
    let (seconds, attoseconds) = max(limit, .milliseconds(1)).components
    var time = timeval()
    time.tv_sec = Int(seconds)
    time.tv_usec = .init(attoseconds / 1_000_000_000_000)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  // MARK: C

  private static func make(
    _ path: String, _ kind: Int32 = stream
  ) -> (LocalSocket, sockaddr_un)? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(path.utf8) + [0]
    guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return (LocalSocket(descriptor: descriptor), address)
  }

  private static func withAddress(
    _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  #if canImport(Glibc)
  private static let stream = Int32(SOCK_STREAM.rawValue)
  private static let datagram = Int32(SOCK_DGRAM.rawValue)
  #else
  private static let stream = SOCK_STREAM
  private static let datagram = SOCK_DGRAM
  #endif

  #if canImport(Glibc)
  private static let peek = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
  #else
  private static let peek = MSG_PEEK | MSG_DONTWAIT
  #endif

  /// No SIGPIPE if the other side has closed.
  #if canImport(Glibc)
  private static let noSignal = Int32(MSG_NOSIGNAL)
  #else
  private static let noSignal: Int32 = 0
  #endif

  // The type has members of these names.
  #if canImport(Glibc)
  private static let listen = Glibc.listen
  private static let accept = Glibc.accept
  private static let connect = Glibc.connect
  private static let send = Glibc.send
  #else
  private static let listen = Darwin.listen
  private static let accept = Darwin.accept
  private static let connect = Darwin.connect
  private static let send = Darwin.send
  #endif
}
