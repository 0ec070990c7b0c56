import CoreNFC
import NFC
import Testing
import VirtualNFC

extension SessionSuites {
  /// Which tags are given out as what, and what Info.plist has to do with it.
  @Suite struct RecognitionTests {
    private static let ndefApplication = "D2760000850101"

    private func information(
      _ applications: [String] = [], systems: [String] = []
    ) -> NFCInformation {
      NFCInformation(
        usageDescription: "Tests", applicationIdentifiers: applications, systemCodes: systems)
    }

    /// What a session with such an Info.plist gives out of the tags, `nil` if that is nothing.
    private func found(
      _ tag: VirtualTag, _ options: NFCTagReaderSession.PollingOption = .iso14443,
      information: NFCInformation, within patience: Duration = .seconds(10),
      lifting: (inout NFCSessionLimits) -> Void = { _ in }
    ) async throws -> NFCTag? {
      let bench = try SessionBench(tag, information: information)
      lifting(&NFCEnvironment.current.limits)
      let (session, delegate) = try bench.session(options)
      try await delegate.events.expectActive()
      let event = try? await delegate.events.next(within: patience)
      session.invalidate()
      _ = try await delegate.events.end()
      guard case .tags(let tags) = event else { return nil }
      return tags.first
    }

    @Test func aDESFireIsWhatItsListedApplicationMakesIt() async throws {
      let listed = try await found(
        .named("desfire"), information: information([Self.ndefApplication]))
      guard case .iso7816(let card) = listed else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID == Self.ndefApplication)
      let unlisted = try await found(
        .named("desfire"), information: information(["A0000002471001"]))
      guard case .miFare(let tag) = unlisted else { throw Unexpected("no MIFARE tag") }
      #expect(tag.mifareFamily == .desfire)
    }

    /// It refuses SELECT with one byte, which is no status word, and is still a MIFARE tag.
    @Test(arguments: ["mifare-plus", "mifare-plus-4k", "mifare-plus-s"])
    func aMIFAREPlusIsDeliveredWhateverIsListed(name: String) async throws {
      for listed in [[], [Self.ndefApplication], ["A0000002471001", Self.ndefApplication]] {
        let found = try await found(.named(name), information: information(listed))
        guard case .miFare(let tag) = found else { throw Unexpected("no MIFARE tag: \(listed)") }
        #expect(tag.mifareFamily == .plus)
      }
    }

    @Test func aCardIsDeliveredByTheFirstApplicationThatAnswers() async throws {
      let tag = try await found(
        .named("tmoney"),
        information: information(["A0000002471001", "D4100000030001", Self.ndefApplication]))
      guard case .iso7816(let card) = tag else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID == "D4100000030001")
    }

    @Test func aCardWithoutAListedApplicationIsNotDelivered() async throws {
      #expect(
        try await found(
          .named("tmoney"), information: information(["A0000002471001"]), within: .milliseconds(400)
        ) == nil)
      #expect(
        try await found(.named("tmoney"), information: information(), within: .milliseconds(400))
          == nil)
      let tag = try await found(.named("tmoney"), information: information()) {
        $0.requiresListedApplications = false
      }
      guard case .iso7816(let card) = tag else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID.isEmpty)
    }

    @Test func theSelectedApplicationIsStillSelectedAfterAnotherTag() async throws {
      let bench = try SessionBench(.ntag215(), try .named("tmoney"))
      let (session, delegate, tags) = try await bench.tags(.iso14443)
      let card = try #require(tags.compactMap(\.card).first)
      let other = try #require(tags.first { $0.card == nil })
      try await session.connect(to: other)
      try await session.connect(to: .iso7816(card))
      // READ RECORD of T-Money's purse information answers only if the application is selected.
      let (_, sw1, sw2) = try await card.sendCommand(
        apdu: NFCISO7816APDU(
          instructionClass: 0x90, instructionCode: 0x4C, p1Parameter: 0, p2Parameter: 0,
          data: Data(), expectedResponseLength: 4))
      #expect([sw1, sw2] == [0x90, 0x00])
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func ofSeveralSystemsTheFirstListedOneIsCurrent() async throws {
      let tag = try await found(
        .named("suica"), .iso18092, information: information(systems: ["12FC", "0003"]))
      guard case .feliCa(let card) = tag else { throw Unexpected("no FeliCa card") }
      #expect(card.currentSystemCode == Data([0x00, 0x03]))
      #expect(card.currentIDm.count == 8)
      #expect(
        try await found(
          .named("suica"), .iso18092, information: information(systems: ["1234"]),
          within: .milliseconds(400))
          == nil)
    }

    @Test func classicIsDeliveredAsAFamilyThatAppleDoesNotKnow() async throws {
      let tag = try await found(.named("classic-1k"), information: information())
      guard case .miFare(let tag) = tag else { throw Unexpected("no MIFARE tag") }
      #expect(tag.mifareFamily == .unknown)
    }

    @Test func tagsThatCoreNFCDoesNotKnowAreNotDelivered() async throws {
      #expect(
        try await found(.topaz96(), information: .everything, within: .milliseconds(400)) == nil)
    }

    @Test func paceIsOnlyForPassports() async throws {
      let passport = try await found(.named("emrtd"), .pace, information: information())
      guard case .iso7816(let card) = passport else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID.isEmpty)
      #expect(
        try await found(
          .named("tmoney"), .pace, information: information(), within: .milliseconds(400)) == nil)
      #expect(
        try await found(.ntag215(), .pace, information: information(), within: .milliseconds(400))
          == nil)
    }

    // MARK: Keys that are missing

    private func refusal(
      _ options: NFCTagReaderSession.PollingOption, _ information: NFCInformation
    ) async throws -> NFCReaderError {
      let bench = try SessionBench(information: information)
      let (_, delegate) = try bench.session(options)
      return try await delegate.events.end()
    }

    @Test func withoutAUsageDescriptionThereIsNoSession() async throws {
      let error = try await refusal(.iso14443, NFCInformation())
      #expect(error.code == .readerErrorSecurityViolation)
      #expect(error.localizedDescription.hasPrefix("Missing required entitlement"))
      #expect(error.localizedDescription.contains("NFCReaderUsageDescription"))
    }

    @Test func pollingForFeliCaNeedsSystemCodes() async throws {
      let key = "com.apple.developer.nfc.readersession.felica.systemcodes"
      let error = try await refusal([.iso14443, .iso18092], information())
      #expect(error.code == .readerErrorSecurityViolation)
      #expect(error.localizedDescription.contains(key))
      for wrong in ["FFFF", "12FF", "03", "suica"] {
        let error = try await refusal(.iso18092, information(systems: [wrong]))
        #expect(error.code == .readerErrorSecurityViolation)
        #expect(error.localizedDescription.contains(key))
        #expect(error.localizedDescription.contains(wrong))
      }
    }

    /// Entries as a public iPhone program has them, whose session reports tags nevertheless.
    @Test func anEntryThatIsNotAnAIDLeavesTheOthers() async throws {
      let listed = ["D2760000850101h", "D276000001KK01", "", Self.ndefApplication]
      let tag = try await found(.named("desfire"), information: information(listed))
      guard case .iso7816(let card) = tag else { throw Unexpected("no ISO 7816 card") }
      #expect(card.initialSelectedAID == Self.ndefApplication)
    }

    @Test func anEntryThatIsNotAnAIDIsNamed() async throws {
      let notices = Notices()
      let bench = try SessionBench(
        .ntag215(), information: information(["D276000085010", "", Self.ndefApplication]),
        presenter: notices)
      let (session, delegate) = try bench.session(.iso14443)
      try await delegate.events.expectActive()
      guard case .tags = try await delegate.events.next() else { throw Unexpected("no tag") }
      session.invalidate()
      _ = try await delegate.events.end()
      let notice = try #require(notices.texts.first)
      #expect(notice.hasPrefix("Info.plist has 2 entries that are not AIDs"))
      #expect(notice.contains("D276000085010"))
      #expect(notice.contains("com.apple.developer.nfc.readersession.iso7816.select-identifiers"))
    }

    /// A session that does not poll for FeliCa does not look at its systems.
    @Test func wrongSystemsMatterOnlyForFeliCa() async throws {
      let wrong = information(systems: ["FFFF", "0003"])
      #expect(try await found(.ntag215(), information: wrong) != nil)
      #expect(
        try await refusal([.iso14443, .iso18092], wrong).code == .readerErrorSecurityViolation)
    }

    @Test func eachLimitCanBeLifted() async throws {
      let bench = try SessionBench(try .named("suica"), information: NFCInformation())
      NFCEnvironment.current.limits = .none
      let (session, delegate, tags) = try await bench.tags(.iso18092)
      guard case .feliCa(let card) = tags[0] else { throw Unexpected("no FeliCa card") }
      #expect(card.currentSystemCode == Data([0x00, 0x03]))
      session.invalidate()
      _ = try await delegate.events.end()
    }
  }
}

extension NFCTag {
  fileprivate var card: (any NFCISO7816Tag)? {
    if case .iso7816(let card) = self { card } else { nil }
  }
}
