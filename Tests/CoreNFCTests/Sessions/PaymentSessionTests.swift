import CoreNFC
import Testing
import VirtualNFC

extension SessionSuites {
  /// Sessions for payment cards.
  @Suite struct PaymentSessionTests {
    /// T-Money's application, which `tmoney` has, and that of passports.
    private static let ticket = "D4100000030001"
    private static let passport = "A0000002471001"

    private func session() -> (session: NFCPaymentTagReaderSession, delegate: TagDelegate) {
      let delegate = TagDelegate()
      let session = NFCPaymentTagReaderSession(delegate: delegate)
      session.begin()
      return (session, delegate)
    }

    /// The applications that were selected on the cards that the session reports next.
    private func selected(_ delegate: TagDelegate) async throws -> [String] {
      try await delegate.events.tags().map { tag in
        guard case .iso7816(let card) = tag else { throw Unexpected("no ISO 7816 card") }
        return card.initialSelectedAID
      }
    }

    @Test func aCardWithAListedApplicationIsReported() async throws {
      let bench = try SessionBench(.ntag215(), .desfire(), .suica(), try .named("tmoney"))
      NFCEnvironment.current.information.applicationIdentifiers = [Self.passport, Self.ticket]
      let (session, delegate) = session()
      #expect(NFCPaymentTagReaderSession.readingAvailable)
      try await delegate.events.expectActive()
      #expect(try await selected(delegate) == [Self.ticket])
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
    }

    @Test func aCardWithoutOneIsNotReportedAsMIFAREEither() async throws {
      let bench = try SessionBench(.desfire())
      NFCEnvironment.current.information.applicationIdentifiers = [Self.ticket]
      let (session, delegate) = session()
      try await delegate.events.expectActive()
      try await delegate.events.expectNothing()
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
    }

    @Test func aConfigurationChoosesOnlyApplications() async throws {
      let bench = try SessionBench(try .named("tmoney"), try .named("emrtd"), .suica())
      NFCEnvironment.current.information.applicationIdentifiers = [Self.passport, Self.ticket]
      let (session, delegate) = session()
      try await delegate.events.expectActive()
      #expect(try await Set(selected(delegate)) == [Self.passport, Self.ticket])
      session.restartPolling(
        configuration: NFCTagReaderSession.Configuration(
          pollingOption: .iso18092, iso7816SelectIdentifiers: [Self.ticket]))
      #expect(try await selected(delegate) == [Self.ticket])
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
    }
  }
}
