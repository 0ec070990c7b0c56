import NFC
import Synchronization
import Testing

@testable import VirtualNFC

extension LibNFCTests {
  /// An ACR122S on a serial port, as far as libnfc 1.8.0 gets with one.
  ///
  /// A frame is STX, a message of USB CCID 1.1, the exclusive or of its bytes, ETX; each is acknowledged by STX, two
  /// zeros, ETX (libnfc 1.8.0, drivers/acr122s.c).
  private final class ACR122S: Sendable {
    private static let (stx, etx): (UInt8, UInt8) = (0x02, 0x03)
    /// Of a message, without what stands around it.
    private static let headerLength = 10
    private static let (powerOff, block): (UInt8, UInt8) = (0x63, 0x6F)

    private let terminal: PseudoTerminal
    private let state = Mutex((messages: [[UInt8]](), isEnding: false))
    private let thread: Mutex<VirtualReaderThread?> = Mutex(nil)

    var connectionString: String { "ACR122S:\(terminal.path):9600" }
    /// What the host has sent.
    var messages: [[UInt8]] { state.withLock { $0.messages } }

    init() throws {
      terminal = try PseudoTerminal()
      let thread = try VirtualReaderThread { [weak self, terminal] in
        var received: [UInt8] = []
        while true {
          let event = terminal.wait(milliseconds: 50)
          guard let self, !self.state.withLock({ $0.isEnding }) else { return }
          guard case .bytes(let bytes) = event else { continue }
          received += bytes
          while let message = Self.takeMessage(&received) { self.answer(message) }
        }
      }
      self.thread.withLock { $0 = thread }
    }

    deinit {
      state.withLock { $0.isEnding = true }
      terminal.wake()
    }

    private static func takeMessage(_ received: inout [UInt8]) -> [UInt8]? {
      received.removeSubrange(..<(received.firstIndex(of: stx) ?? received.endIndex))
      guard received.count > headerLength else { return nil }
      let end = 1 + headerLength + Int(received[2])
      guard received.count >= end + 2 else { return nil }
      defer { received.removeSubrange(..<(end + 2)) }
      return Array(received[1..<end])
    }

    private func answer(_ message: [UInt8]) {
      state.withLock { $0.messages.append(message) }
      terminal.send([Self.stx, 0, 0, Self.etx])
      // The reader's version is the one thing that is asked in a block here.
      let data = message[0] == Self.block ? Array("ACR122S100".utf8) : []
      let kind: UInt8 = message[0] == Self.powerOff ? 0x81 : 0x80
      var answer: [UInt8] = [kind, UInt8(data.count), 0, 0, 0, 0, message[6], 0, 0, 0]
      answer += data
      terminal.send([Self.stx] + answer + [answer.reduce(0, ^), Self.etx])
    }
  }

  @Suite struct ACR122STests {
    /// GET FIRMWARE VERSION of the reader (application programming interface of the ACR122S).
    private static let getFirmwareVersion: [UInt8] = [0xFF, 0x00, 0x48]

    /// libnfc refuses its own request for the version: a reader that answers all is not opened, and the error says why.
    @Test func isNotOpenedByLibnfc() async throws {
      let reader = try ACR122S()
      let start = ContinuousClock.now
      let error = await #expect(throws: NFCError.self) {
        _ = try await Reader.open(reader.connectionString)
      }
      #expect(ContinuousClock.now - start < .seconds(10))
      #expect(error?.code == .readerUnavailable)
      #expect(error?.reason.contains("cannot open an ACR122S") == true, "\(error?.reason ?? "")")
      // What it sends is the end: ICC power off, and the release of targets.
      #expect(reader.messages.contains { $0[0] == 0x63 })
      #expect(!reader.messages.contains { $0.dropFirst(10).starts(with: Self.getFirmwareVersion) })
    }
  }
}
