#if canImport(Glibc)
import Glibc
import NFCCore
import Synchronization

/// Shows a ``VirtualPCSCReader`` to a real PC/SC service, by way of the virtual reader driver of
/// vsmartcard (vpcd): all PC/SC programs then see its tags.
///
/// The driver listens on a TCP port of its own machine. A card that is there is one that is connected
/// to it. The reader's name is the one in the service's configuration.
public final class VirtualPCSCClient: Sendable {
  private let isClosed: Flag
  private let thread: VirtualReaderThread

  private final class Flag: Sendable {
    let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
  }

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - reader: the reader and its field.
  ///   - port: where the driver listens, on this machine; 35963 unless it is configured otherwise.
  /// - Throws: ``VirtualReader/Unavailable``.
  public init(_ reader: VirtualPCSCReader, port: UInt16 = 35963) throws {
    let flag = Flag()
    isClosed = flag
    thread = try VirtualReaderThread {
      var loop = Loop(reader: reader, port: port) { flag.isSet }
      loop.run()
    }
  }

  deinit { close() }

  /// Takes the tags from the driver. Calling it again does nothing.
  public func close() {
    isClosed.value.withLock { $0 = true }
    thread.join()
  }

  /// What runs on the thread.
  private struct Loop {
    // What the driver sends as a message of one byte (vpcd.h).
    private static let powerOff: UInt8 = 0
    private static let powerOn: UInt8 = 1
    private static let reset: UInt8 = 2
    private static let getATR: UInt8 = 4

    /// How often the field is looked at.
    private static let period: Int32 = 20
    /// The service looks for a card every 0.4 s; one that is away for less was never away.
    private static let absence: UInt32 = 900_000

    let reader: VirtualPCSCReader
    let port: UInt16
    let isClosed: () -> Bool
    private var card: (descriptor: Int32, eventCount: Int)?
    private var received: [UInt8] = []

    init(reader: VirtualPCSCReader, port: UInt16, isClosed: @escaping () -> Bool) {
      self.reader = reader
      self.port = port
      self.isClosed = isClosed
    }

    mutating func run() {
      while !isClosed() {
        let status = reader.status
        if let card {
          if reader.isUnplugged || card.eventCount != status.eventCount {
            leave()
            usleep(Self.absence)
          } else if !serve(card.descriptor) {
            leave()
          }
        } else if status.isCardPresent, !reader.isUnplugged, let descriptor = connect() {
          card = (descriptor, status.eventCount)
        } else {
          usleep(UInt32(Self.period) * 1000)
        }
      }
      leave()
    }

    private mutating func leave() {
      guard let card else { return }
      self.card = nil
      received = []
      Glibc.close(card.descriptor)
      reader.setPower(false)
    }

    private func connect() -> Int32? {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard descriptor >= 0 else { return nil }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else {
        Glibc.close(descriptor)
        return nil
      }
      return descriptor
    }

    /// Takes what the driver has sent meanwhile; `false` if it has hung up.
    private mutating func serve(_ descriptor: Int32) -> Bool {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&event, 1, Self.period) > 0 else { return true }
      // The driver sends length and message apart and waits for the first's acknowledge, which is
      // held back 40 ms if this is not asked for before each receive.
      var on: Int32 = 1
      setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return count < 0 && errno == EINTR }
      received += buffer.prefix(count)
      while let message = nextMessage() {
        guard let answer = answer(to: message) else { continue }
        guard send(answer, to: descriptor) else { return false }
      }
      return true
    }

    /// A length of 16 bits, most significant byte first, and so many bytes.
    private mutating func nextMessage() -> [UInt8]? {
      guard received.count >= 2 else { return nil }
      let length = Int(received[0]) << 8 | Int(received[1])
      guard received.count >= 2 + length else { return nil }
      let message = Array(received[2..<(2 + length)])
      received.removeFirst(2 + length)
      return message
    }

    private func answer(to message: [UInt8]) -> [UInt8]? {
      guard message.count == 1 else { return reader.transmit(message) }
      switch message[0] {
      case Self.powerOff: reader.setPower(false)
      case Self.powerOn: reader.setPower(true)
      case Self.reset:
        reader.setPower(false)
        reader.setPower(true)
      case Self.getATR: return VirtualPCSCReader.atr
      default: break
      }
      return nil
    }

    private func send(_ answer: [UInt8], to descriptor: Int32) -> Bool {
      let length = UInt16(truncatingIfNeeded: answer.count)
      var rest = ([UInt8(length >> 8), UInt8(length & 0xFF)] + answer)[...]
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
}
#endif
