@testable import CoreNFC
import Glibc
import NFC
import Synchronization
import Testing
import VirtualNFC

extension SessionSuites {
  /// Readers and daemons that hold a call permanently: the program is not held.
  @Suite struct BlockedReaderTests {
    /// Opening blocks until the gate is released, whatever is cancelled.
    private static func opening(_ gate: Gate) -> NFCReaderSource {
      .opening {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async {
            gate.pass()
            continuation.resume()
          }
        }
        throw NFCError(.readerUnavailable, "it has not been opened")
      }
    }

    /// A session whose reader is held from the next call on, with a tag connected.
    private func held() async throws -> (
      session: NFCTagReaderSession, delegate: TagDelegate, tag: any NFCISO15693Tag, gate: Gate
    ) {
      let bench = try SessionBench()
      let gate = Gate()
      bench.vicinityField.place(.icodeSLIX2())
      let reader = bench.vicinityReader
      NFCEnvironment.current.readers = .opening {
        [try await Reader.open(over: { BlockedService(reader.service(), gate) })]
      }
      let (session, delegate, tag) = try await bench.connected(.iso15693)
      guard case .iso15693(let tag) = tag else { throw Unexpected("no vicinity tag") }
      gate.hold()
      return (session, delegate, tag, gate)
    }

    @Test func theLimitEndsASessionThatIsHeld() async throws {
      _ = try SessionBench()
      let gate = Gate()
      gate.hold()
      NFCEnvironment.current.readers = Self.opening(gate)
      NFCEnvironment.current.limits.sessionDuration = .milliseconds(300)
      let delegate = TagDelegate()
      let session = try #require(
        NFCTagReaderSession(pollingOption: .iso14443, delegate: delegate))
      let start = ContinuousClock.now
      session.begin()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorSessionTimeout)
      #expect(ContinuousClock.now - start < .seconds(4))
      gate.release()
      // What comes back late is reported to nobody.
      try await delegate.events.expectNothing()
    }

    @Test func theNextSessionIsServed() async throws {
      let bench = try SessionBench(.ntag215())
      let (gate, good) = (Gate(), NFCEnvironment.current.readers)
      gate.hold()
      NFCEnvironment.current.readers = Self.opening(gate)
      let (first, firstDelegate) = try bench.session(.iso14443)
      let start = ContinuousClock.now
      first.invalidate()
      #expect(!first.isReady)
      NFCEnvironment.current.readers = good
      let (second, delegate, tags) = try await bench.tags(.iso14443)
      #expect(tags.count == 1)
      #expect(
        try await firstDelegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      #expect(ContinuousClock.now - start < .seconds(5))
      second.invalidate()
      _ = try await delegate.events.end()
      gate.release()
      try await firstDelegate.events.expectNothing()
    }

    @Test func aCommandThatIsHeldCompletesWithItsSession() async throws {
      let (session, delegate, tag, gate) = try await held()
      let codes = Mutex<[NFCReaderError.Code?]>([])
      for _ in 0..<3 {
        tag.readSingleBlock(requestFlags: .highDataRate, blockNumber: 0) { _, error in
          codes.withLock { $0.append(code(error)) }
        }
      }
      try await Task.sleep(for: .milliseconds(100))
      let start = ContinuousClock.now
      session.invalidate()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      #expect(ContinuousClock.now - start < .seconds(4))
      // Before the end, as with a reader that answers, and once.
      let expected = Array(
        repeating: NFCReaderError.Code?.some(.readerTransceiveErrorSessionInvalidated), count: 3)
      #expect(codes.withLock { $0 } == expected)
      gate.release()
      try await delegate.events.expectNothing()
      #expect(codes.withLock { $0 } == expected)
    }

    @Test func nobodyWaitsForASearchThatIsHeld() throws {
      let gate = Gate()
      let searches = Mutex(0)
      let survey = ReaderSurvey {
        searches.withLock { $0 += 1 }
        gate.pass()
        return false
      }
      #expect(!survey.mayHaveReader)
      gate.hold()
      let start = ContinuousClock.now
      for _ in 0..<20 { #expect(!survey.mayHaveReader) }
      #expect(ContinuousClock.now - start < .seconds(2))
      // The one that is held is not begun again.
      #expect(searches.withLock { $0 } == 2)
      gate.release()

      let other = Gate()
      other.hold()
      let unknown = ReaderSurvey {
        other.pass()
        return false
      }
      #expect(unknown.mayHaveReader)
      other.release()
    }

    @Test func aTerminalThatWasStoppedDelaysNoOne() async throws {
      var (controller, terminal): (Int32, Int32) = (-1, -1)
      try #require(openpty(&controller, &terminal, nil, nil, nil) == 0)
      defer {
        close(controller)
        close(terminal)
      }
      try #require(tcflow(terminal, TCOOFF) == 0)
      let presenter = NFCTerminalPresenter(descriptor: terminal)
      let start = ContinuousClock.now
      for number in 0..<5 { presenter.present(.message("line \(number)")) }
      #expect(ContinuousClock.now - start < .seconds(1))
      try #require(tcflow(terminal, TCOON) == 0)
      let expected = (0..<5).map { "NFC: line \($0)\r\n" }.joined()
      var text = ""
      while text.utf8.count < expected.utf8.count {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(controller, &bytes, bytes.count)
        try #require(count > 0)
        text += String(decoding: bytes.prefix(count), as: UTF8.self)
      }
      #expect(text == expected)
    }
  }
}
