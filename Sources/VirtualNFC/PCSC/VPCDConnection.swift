#if canImport(Glibc)
import Glibc

/// A connection to vsmartcard's virtual reader driver, vpcd. To the driver, a card is present as long as
/// it is connected.
///
/// A message is its length in 16 bits, most significant byte first, followed by this number of bytes.
struct VPCDConnection {
  private static let headerLength = 2

  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Connects to a driver that listens on this host and port.
  init(host: String, port: UInt16) throws(VirtualReader.Unavailable) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, "\(port)", &hints, &list)
    guard result == 0 else {
      throw VirtualReader.Unavailable(
        description: "\(host) is not known: \(String(cString: gai_strerror(result)))")
    }
    defer { freeaddrinfo(list) }
    var problem: Int32 = 0
    var next = list
    while let address = next?.pointee {
      next = address.ai_next
      let candidate = socket(
        address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
      guard candidate >= 0 else {
        problem = errno
        continue
      }
      if connect(candidate, address.ai_addr, address.ai_addrlen) == 0 {
        descriptor = candidate
        return
      }
      problem = errno
      Glibc.close(candidate)
    }
    throw VirtualReader.Unavailable(
      description: "nothing listens at \(host):\(port): \(String(cString: strerror(problem)))")
  }

  func close() { Glibc.close(descriptor) }

  /// Receives the bytes that the driver has sent so far; `false` if it has hung up.
  mutating func receive(within milliseconds: Int32) -> Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&event, 1, milliseconds) > 0 else { return true }
    // The driver sends length and message separately and waits for the acknowledge of the first. The
    // system delays that acknowledge by 40 ms unless this option is set before each receive.
    var on: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return count < 0 && errno == EINTR }
    received += buffer.prefix(count)
    return true
  }

  /// Returns the next complete message among the received bytes.
  mutating func nextMessage() -> [UInt8]? {
    guard received.count >= Self.headerLength else { return nil }
    let end = Self.headerLength + (Int(received[0]) << 8 | Int(received[1]))
    guard received.count >= end else { return nil }
    let message = Array(received[Self.headerLength..<end])
    received.removeFirst(end)
    return message
  }

  /// Sends a message; `false` if the driver has hung up.
  func send(_ message: [UInt8]) -> Bool {
    guard let length = UInt16(exactly: message.count) else { return false }
    var rest = ([UInt8(length >> 8), UInt8(length & 0xFF)] + message)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
#endif
