import CoreNFC
import NFC
import Synchronization
import Testing
import VirtualNFC

extension SessionSuites {
  /// A card that another program has before a PC/SC reader.
  @Suite struct CardInUseTests {
    /// A service that gives its card to nobody for a while.
    private final class Service: SmartCardService {
      private let base: any SmartCardService
      private var refusals: Int

      init(_ base: any SmartCardService, refusals: Int) {
        self.base = base
        self.refusals = refusals
      }

      func connect(to reader: String) throws(SmartCardFailure) {
        guard refusals == 0 else {
          refusals -= 1
          throw .sharingViolation
        }
        try base.connect(to: reader)
      }

      func readers() throws(SmartCardFailure) -> [String] { try base.readers() }
      func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
        try base.status(of: reader)
      }
      func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure) {
        try base.waitForReaders(atMost: timeout)
      }
      func wait(
        forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
      ) throws(SmartCardFailure) {
        try base.wait(forChangeOf: reader, from: status, atMost: timeout)
      }
      var cancel: @Sendable () -> Void { base.cancel }
      func transmit(
        _ command: [UInt8], atMost timeout: Duration
      ) throws(SmartCardFailure) -> [UInt8] { try base.transmit(command, atMost: timeout) }
      func reset() throws(SmartCardFailure) { try base.reset() }
      func disconnect() { base.disconnect() }
      func close() { base.close() }
    }

    /// More than what a reader is let fail before it is taken for lost.
    private static let refusals = 8

    private func reader(_ field: VirtualField) async throws -> Reader {
      let virtual = VirtualPCSCReader(field)
      return try await Reader.open(over: {
        Service(virtual.service(), refusals: Self.refusals)
      })
    }

    @Test func sessionsWaitForIt() async throws {
      let bench = try SessionBench(.icodeSLIX2())
      NFCEnvironment.current = NFCEnvironment(
        readers: .opening { [try await reader(bench.vicinityField)] }, information: .everything,
        presenter: .none)
      let (session, delegate, tags) = try await bench.tags(.iso15693)
      #expect(tags.count == 1)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func pollingSaysItOnceAndWaits() async throws {
      let field = VirtualField()
      field.place(.icodeSLIX2())
      let problems = Mutex<[NFCError]>([])
      let reader = try await reader(field)
      let events = reader.events(pause: .milliseconds(1)) { error in
        problems.withLock { $0.append(error) }
      }
      var iterator = events.makeAsyncIterator()
      guard case .arrived(let tag) = try await iterator.next() else {
        throw Unexpected("no tag came")
      }
      #expect(tag.technology == .iso15693)
      let told = problems.withLock { $0 }
      #expect(told.count == 1)
      #expect(told.first?.isCardInUse == true)
      #expect(told.first?.description.contains("in use") == true)
      await reader.close()
    }
  }
}
