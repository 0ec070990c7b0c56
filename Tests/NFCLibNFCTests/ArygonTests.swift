import NFC
import Synchronization
import Testing

@testable import SwiftNFCLibNFC
@testable import VirtualNFC

extension LibNFCTests {
  /// The microcontroller of an Arygon reader, as far as libnfc 1.8.0 gets before it talks to the chip: `0ar` resets the
  /// chip and is answered by `FF000000`, `0av` asks for its version, for which libnfc waits without a time limit
  /// (drivers/arygon.c, `arygon_firmware`).
  private final class Arygon: Sendable {
    private let terminal: PseudoTerminal
    private let state = Mutex((received: [UInt8](), versions: 0, isEnding: false))
    private let thread: Mutex<VirtualReaderThread?> = Mutex(nil)

    var connectionString: String { "arygon:\(terminal.path)" }
    /// How often the host has asked for the version.
    var versions: Int { state.withLock { $0.versions } }

    init() throws {
      terminal = try PseudoTerminal()
      let thread = try VirtualReaderThread { [weak self, terminal] in
        while true {
          let event = terminal.wait(milliseconds: 50)
          guard let self, !self.state.withLock({ $0.isEnding }) else { return }
          if case .bytes(let bytes) = event { self.receive(bytes) }
        }
      }
      self.thread.withLock { $0 = thread }
    }

    deinit {
      state.withLock { $0.isEnding = true }
      terminal.wake()
    }

    private func receive(_ bytes: [UInt8]) {
      let isReset = state.withLock { state in
        state.received += bytes
        defer { state.received = Array(state.received.suffix(2)) }
        if state.received.suffix(3) == Array("0av".utf8)[...] { state.versions += 1 }
        return state.received.suffix(3) == Array("0ar".utf8)[...]
      }
      if isReset { terminal.send(Array("FF000000\r\n".utf8)) }
    }
  }

  @Suite struct ArygonTests {
    @Test(
      arguments: [
        ("arygon:/dev/ttyUSB0 V1.2", "arygon:/dev/ttyUSB0 V1.2"),
        ("arygon:/dev/ttyUSB0 \u{1}\u{7F}x", "arygon:/dev/ttyUSB0"),
        ("arygon:/dev/ttyUSB0 \u{FFFD}V", "arygon:/dev/ttyUSB0"), ("", ""),
      ])
    func aNameEndsBeforeWhatNobodyHasWritten(_ name: String, _ expected: String) {
      #expect(LibNFC.printable(name) == expected)
    }

    /// Nothing wakes libnfc in this wait except the signal after its line was cut.
    @Test(.timeLimit(.minutes(1))) func aVersionThatNeverComesEndsTheOpening() async throws {
      let arygon = try Arygon()
      let start = ContinuousClock.now
      let error = await #expect(throws: NFCError.self) {
        _ = try await Reader.open(arygon.connectionString)
      }
      #expect(error?.code == .readerUnavailable)
      #expect(ContinuousClock.now - start < .seconds(9))
      #expect(arygon.versions == 1)
    }

    @Test(.timeLimit(.minutes(1))) func anOpeningThatWaitsForAVersionIsCancelled() async throws {
      let arygon = try Arygon()
      let opening = Task { _ = try await Reader.open(arygon.connectionString) }
      while arygon.versions == 0 { try await Task.sleep(for: .milliseconds(20)) }
      let start = ContinuousClock.now
      opening.cancel()
      await #expect(throws: (any Error).self) { try await opening.value }
      #expect(ContinuousClock.now - start < .seconds(9))
    }
  }
}
