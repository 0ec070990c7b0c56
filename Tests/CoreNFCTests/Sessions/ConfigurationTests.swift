import CoreNFC
import NFC
import Testing
import VirtualNFC

extension SessionSuites {
  /// Sessions that search for some of what Info.plist lists.
  @Suite struct ConfigurationTests {
    private typealias Configuration = NFCTagReaderSession.Configuration

    /// T-Money's application, which `tmoney` has, and that of passports, which it has not.
    private static let ticket = "D4100000030001"
    private static let passport = "A0000002471001"

    private func session(
      _ configuration: Configuration
    ) -> (session: NFCTagReaderSession, delegate: TagDelegate) {
      let delegate = TagDelegate()
      let session = NFCTagReaderSession(configuration: configuration, delegate: delegate)
      session.begin()
      return (session, delegate)
    }

    /// What such a session gives out of the tag, `nil` if that is nothing.
    private func found(
      _ tag: VirtualTag, _ configuration: Configuration,
      information: NFCInformation = .everything,
      within patience: Duration = .seconds(10),
      lifting: (inout NFCSessionLimits) -> Void = { _ in }
    ) async throws -> NFCTag? {
      let bench = try SessionBench(tag, information: information)
      lifting(&NFCEnvironment.current.limits)
      let (session, delegate) = session(configuration)
      try await delegate.events.expectActive()
      let event = try? await delegate.events.next(within: patience)
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
      guard case .tags(let tags) = event else { return nil }
      return tags.first
    }

    private func information(
      _ applications: [String] = [], systems: [String] = []
    ) -> NFCInformation {
      NFCInformation(
        usageDescription: "Tests", applicationIdentifiers: applications, systemCodes: systems)
    }

    @Test(arguments: [
      // Empty, twice, in lower case, and beside entries that are not listed or make no sense.
      [], [ticket, ticket], [ticket.lowercased()], ["A000000003", "no AID", ticket],
    ])
    func aListedApplicationIsSearchedFor(_ identifiers: [String]) async throws {
      let tag = try await found(
        .named("tmoney"),
        Configuration(pollingOption: .iso14443, iso7816SelectIdentifiers: identifiers))
      guard case .iso7816(let card) = tag else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID == Self.ticket)
    }

    @Test func whatIsNotNamedOrNotListedIsNotSearchedFor() async throws {
      #expect(
        try await found(
          .named("tmoney"),
          Configuration(pollingOption: .iso14443, iso7816SelectIdentifiers: [Self.passport]),
          within: .milliseconds(400))
          == nil)
      let unlisted = Configuration(
        pollingOption: .iso14443, iso7816SelectIdentifiers: [Self.ticket])
      #expect(
        try await found(
          .named("tmoney"), unlisted, information: information([Self.passport]),
          within: .milliseconds(400))
          == nil)
      let lifted = try await found(
        .named("tmoney"), unlisted, information: information([Self.passport])
      ) {
        $0.requiresListedApplications = false
      }
      guard case .iso7816(let card) = lifted else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID == Self.ticket)
    }

    @Test func aSystemIsChosenLikeAnApplication() async throws {
      let systems = information(systems: ["12FC", "0003"])
      for codes in [[], ["0003"], ["FFFF", "0003"]] {
        let tag = try await found(
          .named("suica"), Configuration(pollingOption: .iso18092, feliCaSystemCodes: codes),
          information: systems)
        guard case .feliCa(let card) = tag else { throw Unexpected("no FeliCa card") }
        #expect(card.currentSystemCode == Data([0x00, 0x03]))
      }
      for codes in [["12FC"], ["FFFF"]] {
        #expect(
          try await found(
            .named("suica"), Configuration(pollingOption: .iso18092, feliCaSystemCodes: codes),
            information: systems, within: .milliseconds(400)) == nil)
      }
    }

    @Test func paceCombinesWithTheOtherOptionsInAConfigurationAlone() async throws {
      let both = Configuration(pollingOption: [.iso14443, .pace])
      let passport = try await found(.named("emrtd"), both, information: information())
      guard case .iso7816(let card) = passport else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID.isEmpty)
      let tag = try await found(.ntag215(), both, information: information())
      guard case .miFare = tag else { throw Unexpected("no MIFARE tag") }
      // It refuses SELECT of a file, too, with one byte.
      let plus = try await found(.named("mifare-plus"), both, information: information())
      guard case .miFare = plus else { throw Unexpected("no MIFARE Plus") }
      let pace = Configuration(pollingOption: .pace)
      #expect(
        try await found(.ntag215(), pace, information: information(), within: .milliseconds(400))
          == nil)

      let bench = try SessionBench(.ntag215())
      let (session, delegate) = try bench.session([.iso14443, .pace])
      try await delegate.events.expectActive()
      try await delegate.events.expectNothing()
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aCardSaysWhetherItSupportsPACE() async throws {
      let both = Configuration(pollingOption: [.iso14443, .pace])
      let one = Configuration(pollingOption: .iso14443)
      for (name, configuration, application, supportsPACE) in [
        ("emrtd", both, Self.passport, true), ("emrtd", one, Self.passport, false),
        ("tmoney", both, Self.ticket, false),
      ] {
        let bench = try SessionBench(try .named(name))
        let (session, delegate) = session(configuration)
        try await delegate.events.expectActive()
        let tag = try await delegate.events.tags()[0]
        guard case .iso7816(let card) = tag else { throw Unexpected("no ISO 7816 card") }
        #expect(card.initialSelectedAID == application)
        #expect(card.supportsPACE == supportsPACE)
        // The application is selected, whatever was read before.
        try await session.connect(to: tag)
        if application == Self.passport {
          let challenge = NFCISO7816APDU(
            instructionClass: 0x00, instructionCode: 0x84, p1Parameter: 0, p2Parameter: 0,
            data: Data(), expectedResponseLength: 8)
          let answer: NFCISO7816ResponseAPDU = try await card.sendCommand(apdu: challenge)
          #expect(answer.payload?.count == 8)
        }
        session.invalidate()
        _ = try await delegate.events.end()
        withExtendedLifetime(bench) {}
      }
      let pace = try await found(
        .named("emrtd"), Configuration(pollingOption: .pace), information: information())
      guard case .iso7816(let card) = pace else { throw Unexpected("no ISO 7816 card") }
      #expect(card.supportsPACE)
    }

    @Test func aSessionThatPollsForNothingEnds() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate) = session(Configuration(pollingOption: []))
      #expect(try await delegate.events.end().code == .readerErrorInvalidParameter)
      withExtendedLifetime((bench, session)) {}
    }

    @Test func aSearchIsReplacedUntilPollingIsRestarted() async throws {
      let bench = try SessionBench(.ntag215(), try .named("tmoney"))
      let (session, delegate) = session(Configuration(pollingOption: .iso14443))
      try await delegate.events.expectActive()
      let first = try await delegate.events.tags()
      #expect(first.count == 2)
      session.restartPolling(
        configuration: Configuration(
          pollingOption: .iso14443, iso7816SelectIdentifiers: [Self.passport]))
      #expect(try await delegate.events.tags().count == 1)
      await expect(.readerTransceiveErrorTagConnectionLost) {
        try await session.connect(to: first[0])
      }
      session.restartPolling()
      #expect(try await delegate.events.tags().count == 2)
      session.invalidate()
      _ = try await delegate.events.end()
      // A session that has ended does nothing.
      session.restartPolling(configuration: Configuration(pollingOption: .iso14443))
      try await delegate.events.expectNothing()
      withExtendedLifetime(bench) {}
    }

    @Test func aSearchThatFindsNothingIsReplaced() async throws {
      let bench = try SessionBench(try .named("tmoney"))
      let (session, delegate) = session(Configuration(pollingOption: .pace))
      try await delegate.events.expectActive()
      try await delegate.events.expectNothing()
      session.restartPolling(configuration: Configuration(pollingOption: .iso14443))
      let tags = try await delegate.events.tags()
      try await session.connect(to: tags[0])
      try await delegate.events.expectNothing()
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
    }
  }
}
