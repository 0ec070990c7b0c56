#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
import Testing
import VirtualNFC

/// Tests what a host receives on the serial line.
@Suite struct SerialLineTests {
  /// A host that sends frames as they are.
  private final class Host {
    private let descriptor: Int32

    init(_ reader: VirtualReader) throws {
      descriptor = open(reader.path, O_RDWR | O_NOCTTY)
      try #require(descriptor >= 0)
      var settings = termios()
      try #require(tcgetattr(descriptor, &settings) == 0)
      cfmakeraw(&settings)
      cfsetspeed(&settings, speed_t(B115200))
      try #require(tcsetattr(descriptor, TCSANOW, &settings) == 0)
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) { _ = write(descriptor, bytes, bytes.count) }

    /// Sends a command without its first byte, D4.
    func command(_ bytes: [UInt8]) {
      let body = [0xD4] + bytes
      let length = UInt8(body.count)
      send([0x00, 0x00, 0xFF, length, 0 &- length] + body + [0 &- body.reduce(0, &+), 0x00])
    }

    /// Returns what arrives until nothing has arrived for a while, or for longer if bytes are missing: a busy machine
    /// may take its time for them.
    func received(_ expected: Int) -> [UInt8] {
      var all: [UInt8] = []
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&state, 1, all.count < expected ? 10_000 : 150) > 0 {
        var bytes = [UInt8](repeating: 0, count: 300)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { break }
        all += bytes.prefix(count)
      }
      return all
    }
  }

  private static let acknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  private static let negativeAcknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]
  private static let wakeUp: [UInt8] = [0x55, 0x55] + [UInt8](repeating: 0, count: 14)

  /// NACK asks for the answer that was sent last (6.2.1.4). A command that still runs has none, and an older
  /// command's answer would be taken for it.
  @Test func whatRunsHasNoAnswerToRepeat() throws {
    let reader = try VirtualReader(VirtualField())
    defer { reader.close() }
    let host = try Host(reader)
    host.send(Self.wakeUp)
    host.command([0x14, 0x01])
    #expect(host.received(6 + 9).starts(with: Self.acknowledge))
    host.command([0x02])
    let version = host.received(6 + 13).dropFirst(Self.acknowledge.count)
    #expect(version.count == 13)
    host.send(Self.negativeAcknowledge)
    #expect(host.received(13) == Array(version))
    host.command([0x4A, 0x01, 0x00])
    #expect(host.received(6) == Self.acknowledge)
    host.send(Self.negativeAcknowledge)
    #expect(host.received(0) == [])
    host.send(Self.acknowledge)
    host.send(Self.negativeAcknowledge)
    #expect(host.received(0) == [])
    host.command([0x02])
    #expect(host.received(6 + 13) == Self.acknowledge + version)
  }
}
