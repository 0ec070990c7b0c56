import CoreNFC
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// A card on a PC/SC reader that another program uses.
  @Suite struct CardInUseTests {
    /// A service that first refuses a number of connections, because another program uses the card.
    private final class Service: ForwardingService {
      private var refusals: Int

      init(_ base: any SmartCardService, refusals: Int) {
        self.refusals = refusals
        super.init(base)
      }

      override func connect(to reader: String) throws(SmartCardFailure) {
        guard refusals == 0 else {
          refusals -= 1
          throw .sharingViolation
        }
        try super.connect(to: reader)
      }
    }

    /// More failures than a reader may have before it counts as lost.
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
      let events = reader.events { error in
        problems.withLock { $0.append(error) }
      }
      var iterator = events.makeAsyncIterator()
      guard case .arrived(let tag) = try await iterator.next() else {
        throw Unexpected("no tag came")
      }
      #expect(tag.technology == .iso15693)
      let reported = problems.withLock { $0 }
      #expect(reported.count == 1)
      #expect(reported.first?.isCardInUse == true)
      #expect(reported.first?.description.contains("in use") == true)
      await reader.close()
    }
  }
}
