import CoreNFC
import NFC
import Synchronization
import Testing
import VirtualNFC

extension SessionSuites {
  /// Connecting to one of several tags, and to one that is no longer there.
  @Suite struct ConnectionTests {
    /// The tag that was connected before receives no commands any more, so that it is connected to again.
    @Test func aFailedConnectionLeavesTheOtherTagUsable() async throws {
      let (one, other) = (VirtualTag.ntag215(), VirtualTag.ntag216())
      let bench = try SessionBench(one, other)
      let (session, delegate, tags) = try await bench.tags()
      func tag(_ virtual: VirtualTag) throws -> NFCTag {
        try #require(tags.first { $0.miFare?.identifier == Data(virtual.identifier) })
      }
      let (stays, leaves) = (try tag(one), try tag(other))
      try await session.connect(to: stays)
      bench.field.remove(other)
      await expect(.readerTransceiveErrorTagConnectionLost) {
        try await session.connect(to: leaves)
      }
      #expect(session.connectedTag == nil)
      try await session.connect(to: stays)
      #expect(try await stays.miFare?.queryNDEFStatus().0 == .readWrite)
      #expect(session.connectedTag?.miFare === stays.miFare)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    /// As after any end of a connection: the first command connects.
    @Test func afterAFailedConnectionTheNextCommandConnects() async throws {
      let other = VirtualTag.ntag216()
      let bench = try SessionBench(.type4(), other)
      let (session, delegate, tags) = try await bench.tags()
      let stays = try #require(
        tags.compactMap { if case .iso7816(let card) = $0 { card } else { nil } }.first)
      let leaves = try #require(tags.first { $0.miFare != nil })
      try await session.connect(to: .iso7816(stays))
      bench.field.remove(other)
      await expect(.readerTransceiveErrorTagConnectionLost) {
        try await session.connect(to: leaves)
      }
      #expect(try await stays.queryNDEFStatus().0 == .readWrite)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    /// A delegate that does not return keeps only itself waiting: the reader is released when the session ends.
    @Test func aDelegateThatBlocksDoesNotKeepTheReader() async throws {
      let bench = try SessionBench(.ntag215())
      let delegate = BlockedDelegate()
      let session = try #require(
        NFCTagReaderSession(pollingOption: .iso14443, delegate: delegate))
      session.begin()
      try await delegate.events.expectActive()
      #expect(try await delegate.events.tags().count == 1)
      session.invalidate()
      let reader = try await Self.opened(bench.virtual.connectionString)
      await reader.close()
      // The end comes after the call that is running, as on any serial queue.
      try await delegate.events.expectNothing()
      delegate.gate.release()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      try await delegate.events.expectNothing()
    }

    /// A queue that never runs anything is not waited for, either.
    @Test func aQueueThatIsSuspendedDoesNotKeepTheReader() async throws {
      let bench = try SessionBench(.ntag215())
      let queue = DispatchQueue(label: "suspended")
      queue.suspend()
      let (session, delegate) = try bench.session(queue: queue)
      try await Task.sleep(for: .milliseconds(300))
      session.invalidate()
      let reader = try await Self.opened(bench.virtual.connectionString)
      await reader.close()
      queue.resume()
      // It has not become active before it ended.
      guard case .ended = try await delegate.events.next() else {
        throw Unexpected("something before the end")
      }
    }

    /// Opens a reader that a session is about to release.
    private static func opened(_ name: String) async throws -> Reader {
      let deadline = ContinuousClock.now + .seconds(5)
      while true {
        do {
          return try await Reader.open(name)
        } catch let error as NFCError
          where error.code == .readerUnavailable && ContinuousClock.now < deadline
        {
          try await Task.sleep(for: .milliseconds(50))
        }
      }
    }

    /// A connection that is established after polling was restarted is one to a tag of before.
    @Test func aConnectionThatARestartOvertakesFails() async throws {
      let bench = try SessionBench()
      let gate = Gate()
      bench.vicinityField.place(.type4())
      let reader = bench.vicinityReader
      NFCEnvironment.current.readers = .opening {
        [try await Reader.open(over: { BlockedService(reader.service(), gate) })]
      }
      let (session, delegate, tags) = try await bench.tags(.iso14443)
      gate.hold()
      let (connecting, found) = (Handover(session), Handover(tags[0]))
      // The application is selected again, which takes an exchange.
      async let failure: NFCReaderError.Code? = withCheckedContinuation { continuation in
        connecting.value.connect(to: found.value) { continuation.resume(returning: code($0)) }
      }
      try await Task.sleep(for: .milliseconds(100))
      session.restartPolling()
      gate.release()
      #expect(await failure == .readerTransceiveErrorTagConnectionLost)
      let again = try await delegate.events.tags()
      #expect(session.connectedTag == nil)
      let card = try #require(again[0].iso7816)
      let apdu = try #require(
        NFCISO7816APDU(data: Data([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03])))
      // The first command connects.
      let (_, sw1, sw2) = try await card.sendCommand(apdu: apdu)
      #expect([sw1, sw2] == [0x90, 0x00])
      session.invalidate()
      _ = try await delegate.events.end()
    }
  }
}

/// A delegate that keeps its queue when it receives tags.
private final class BlockedDelegate: NSObject, NFCTagReaderSessionDelegate, Sendable {
  let events = SessionEvents()
  let gate = Gate()

  override init() {
    super.init()
    gate.hold()
  }

  func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) { events.add(.active) }

  func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
    events.add(.ended(error))
  }

  func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
    events.add(.tags(tags))
    gate.pass()
  }
}
