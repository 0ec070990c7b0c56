import Testing
import TestSupport
import VirtualNFC

#if canImport(Glibc)
import Glibc

/// Tests what vpcd gets for a command of one byte, which native programs of DESFire send.
@Suite struct OneByteCommandTests {
  /// The side of vpcd: it listens, and sends a command to the card that connects.
  private final class Driver {
    private let listener: Int32
    private var connection: Int32 = -1
    let port: UInt16

    init() throws {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }
      let isListening = isBound == 0 && listen(descriptor, 1) == 0
      _ = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
      }
      listener = descriptor
      port = UInt16(bigEndian: address.sin_port)
      try #require(isListening)
    }

    deinit {
      if connection >= 0 { close(connection) }
      close(listener)
    }

    func connect() throws {
      connection = accept(listener, nil, nil)
      try #require(connection >= 0)
      var limit = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(
        connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ message: [UInt8]) throws {
      let bytes = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
      try #require(Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    func receive() throws -> [UInt8] {
      let header = try read(2)
      return try read(Int(header[0]) << 8 | Int(header[1]))
    }

    private func read(_ count: Int) throws -> [UInt8] {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var part = [UInt8](repeating: 0, count: count - bytes.count)
        let received = recv(connection, &part, part.count, 0)
        try #require(received > 0)
        bytes += part.prefix(received)
      }
      return bytes
    }
  }

  @Test(arguments: ["blank-desfire", "desfire-ev3", "type4", "ntag215", "icode-slix2"])
  func isAnswered(_ name: String) throws {
    let field = VirtualField()
    field.place(try VirtualTag.named(name))
    let driver = try Driver()
    let client = try VirtualPCSCClient(VirtualPCSCReader(field), port: driver.port)
    defer { client.close() }
    try driver.connect()
    try driver.send([0x01])
    for command: [UInt8] in [[0x60], [0x03], [0xFF], [0x6A, 0x00], [0x60]] {
      try driver.send(command)
      let answer = try driver.receive()
      #expect(!answer.isEmpty, "\(command)")
      // GetVersion, in the card's own form.
      if name.contains("desfire"), command == [0x60] { #expect(answer.first == 0xAF) }
    }
    // The control messages stay what they are.
    try driver.send([0x04])
    #expect(try driver.receive().count > 4)
  }
}
#endif
