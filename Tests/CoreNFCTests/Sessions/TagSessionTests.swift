import CoreNFC
import NFC
import Synchronization
import Testing
import VirtualNFC

extension SessionSuites {
  /// The rules of ``NFCTagReaderSession``.
  @Suite struct TagSessionTests {
    @Test func findsConnectsAndRunsCommands() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate) = try bench.session()
      #expect(session.isReady)
      try await delegate.events.expectActive()
      let tags = try await delegate.events.tags()
      #expect(tags.count == 1)
      // A tag in disconnected state is not available, by Apple's header.
      #expect(!tags[0].isAvailable)
      #expect(session.connectedTag == nil)
      try await session.connect(to: tags[0])
      #expect(tags[0].isAvailable)
      guard case .miFare(let connected) = session.connectedTag, case .miFare(let tag) = tags[0]
      else { throw Unexpected("no MIFARE tag") }
      #expect(connected === tag)
      #expect(tag.session === session)
      #expect(tag.type == .miFare)
      let (status, capacity) = try await tag.queryNDEFStatus()
      #expect(status == .readWrite)
      #expect(capacity == 492)
      session.invalidate()
      #expect(!session.isReady)
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      try await delegate.events.expectNothing()
    }

    /// All tags of a technology come at once, without waiting for the others, which the next search comes to first.
    @Test func deliversAllTagsOfATechnologyAtOnce() async throws {
      let bench = try SessionBench(
        .ntag215(), .ntag216(), .icodeSLIX2(), try .named("suica"), try .named("tmoney"))
      let (session, delegate, first) = try await bench.tags()
      var found = [first.map(kind).sorted()]
      let all: Set<[String]> = [["iso7816", "miFare", "miFare"], ["feliCa"], ["iso15693"]]
      for _ in 0..<20 where Set(found) != all {
        session.restartPolling()
        found.append(try await delegate.events.tags().map(kind).sorted())
      }
      #expect(Set(found) == all, "\(found)")
      session.invalidate()
      _ = try await delegate.events.end()
    }

    /// A PC/SC reader beside a PN532 is there for ISO 15693 alone.
    @Test func aReaderIsPolledForWhatThoseBeforeItHaveNot() async throws {
      let bench = try SessionBench(.ntag215(), .icodeSLIX2())
      // Before the PC/SC reader stands another tag now, which it could see.
      bench.vicinityField.removeAll()
      bench.vicinityField.place(.ntag216())
      let (session, delegate, tags) = try await bench.tags()
      #expect(tags.count == 1)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    private func kind(_ tag: NFCTag) -> String {
      switch tag {
      case .feliCa: "feliCa"
      case .iso7816: "iso7816"
      case .iso15693: "iso15693"
      case .miFare: "miFare"
      }
    }

    @Test func nothingIsPolledForAfterTagsUntilItIsRequested() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tags) = try await bench.tags()
      bench.virtual.setFaults([])
      try await delegate.events.expectNothing()
      #expect(bench.virtual.statistics.commands == 0)
      session.restartPolling()
      #expect(!tags[0].isAvailable)
      let again = try await delegate.events.tags()
      await expect(.readerTransceiveErrorTagConnectionLost) {
        try await session.connect(to: tags[0])
      }
      try await session.connect(to: again[0])
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aCommandGoesToTheTagThatIsConnected() async throws {
      let bench = try SessionBench(.ntag215(), .ntag216())
      let (session, delegate, tags) = try await bench.tags()
      guard case .miFare(let one) = tags[0], case .miFare(let other) = tags[1] else {
        throw Unexpected("no MIFARE tags")
      }
      try await session.connect(to: tags[0])
      try await session.connect(to: tags[0])
      _ = try await one.queryNDEFStatus()
      await expect(.readerTransceiveErrorTagNotConnected) {
        _ = try await other.queryNDEFStatus()
      }
      try await session.connect(to: tags[1])
      _ = try await other.queryNDEFStatus()
      await expect(.readerTransceiveErrorTagNotConnected) {
        _ = try await one.queryNDEFStatus()
      }
      session.invalidate()
      _ = try await delegate.events.end()
      await expect(.readerTransceiveErrorSessionInvalidated) {
        _ = try await other.queryNDEFStatus()
      }
      await expect(.readerTransceiveErrorSessionInvalidated) {
        try await session.connect(to: tags[0])
      }
    }

    /// As YubiKit 1.1.1 does, which never calls `connect(to:)`.
    @Test func theFirstCommandConnects() async throws {
      let bench = try SessionBench(.type4(), .ntag216())
      let (session, delegate, tags) = try await bench.tags()
      let cards = tags.compactMap { if case .iso7816(let card) = $0 { card } else { nil } }
      let others = tags.compactMap { if case .miFare(let tag) = $0 { tag } else { nil } }
      let (card, other) = try (#require(cards.first), #require(others.first))
      _ = try await card.queryNDEFStatus()
      guard case .iso7816(let connected) = session.connectedTag else {
        throw Unexpected("nothing is connected")
      }
      #expect(connected === card)
      // Only the program turns from one tag to another.
      await expect(.readerTransceiveErrorTagNotConnected) {
        _ = try await other.queryNDEFStatus()
      }
      session.restartPolling()
      await expect(.readerTransceiveErrorTagConnectionLost) {
        _ = try await card.queryNDEFStatus()
      }
      session.invalidate()
      _ = try await delegate.events.end()
    }

    /// A log of an iPhone shows this error for a MIFARE tag to which its program had not connected
    /// (capawesome-team/capacitor-nfc, issue 43).
    @Test func aMIFARETagIsNotConnectedByItsFirstCommand() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tags) = try await bench.tags()
      guard case .miFare(let tag) = tags[0] else { throw Unexpected("no MIFARE tag") }
      await expect(.readerTransceiveErrorTagNotConnected) {
        _ = try await tag.sendMiFareCommand(commandPacket: Data([0x30, 0x04]))
      }
      await expect(.readerTransceiveErrorTagNotConnected) { _ = try await tag.readNDEF() }
      #expect(session.connectedTag == nil)
      try await session.connect(to: tags[0])
      _ = try await tag.sendMiFareCommand(commandPacket: Data([0x30, 0x04]))
      session.invalidate()
      _ = try await delegate.events.end()
    }

    /// What a card needs that is connected to is done as well: its application is selected.
    @Test func theFirstCommandConnectsToACard() async throws {
      let bench = try SessionBench(.type4())
      let (session, delegate, tags) = try await bench.tags()
      guard case .iso7816(let card) = tags[0] else { throw Unexpected("no smart card") }
      #expect(card.initialSelectedAID == "D2760000850101")
      // The capability container of the application that was selected.
      let apdu = try #require(
        NFCISO7816APDU(data: Data([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03])))
      let (_, sw1, sw2) = try await card.sendCommand(apdu: apdu)
      #expect([sw1, sw2] == [0x90, 0x00])
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func theFirstCommandToATagThatHasGoneFails() async throws {
      let bench = try SessionBench(.type4())
      let (session, delegate, tags) = try await bench.tags()
      guard case .iso7816(let card) = tags[0] else { throw Unexpected("no smart card") }
      bench.field.removeAll()
      await expect(.readerTransceiveErrorTagConnectionLost) {
        _ = try await card.queryNDEFStatus()
      }
      #expect(session.connectedTag == nil)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aTagOfAnotherSessionIsRefused() async throws {
      let bench = try SessionBench(.ntag215())
      let (first, firstDelegate, tags) = try await bench.tags()
      first.invalidate()
      _ = try await firstDelegate.events.end()
      let (session, delegate, _) = try await bench.tags()
      await expect(.readerErrorInvalidParameter) {
        try await session.connect(to: tags[0])
      }
      session.invalidate()
      _ = try await delegate.events.end()
    }

    @Test func aTagThatLeavesIsNotAvailable() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await bench.connected()
      guard case .miFare(let miFare) = tag else { throw Unexpected("no MIFARE tag") }
      bench.field.removeAll()
      await expect(.readerTransceiveErrorTagConnectionLost) {
        _ = try await miFare.queryNDEFStatus()
      }
      #expect(!tag.isAvailable)
      #expect(session.connectedTag == nil)
      #expect(session.isReady)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    /// As Apple's sample "Creating NFC Tags from Your iPhone" waits for the tags to be taken away.
    @Test(arguments: ["ntag215", "type4", "classic-1k", "suica", "icode-slix2"])
    func isAvailableAsLongAsItIsThere(_ name: String) async throws {
      let virtual = try VirtualTag.named(name)
      let bench = try SessionBench(virtual)
      let (session, delegate, tag) = try await bench.connected()
      let held = Handover(tag)
      func isAvailable() async -> Bool {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: held.value.isAvailable) }
        }
      }
      for _ in 0..<3 {
        try await Task.sleep(for: .milliseconds(300))
        #expect(await isAvailable())
      }
      // Nothing goes over the air for an answer that is known.
      bench.virtual.setFaults([])
      for _ in 0..<5 { #expect(await isAvailable()) }
      #expect(bench.virtual.statistics.exchanges <= 3)
      bench.field.removeAll()
      bench.vicinityField.removeAll()
      try await Task.sleep(for: .milliseconds(300))
      #expect(await !isAvailable())
      #expect(session.connectedTag == nil)
      session.restartPolling()
      bench.field.place(.ntag216())
      #expect(try await delegate.events.tags().count == 1)
      session.invalidate()
      _ = try await delegate.events.end()
    }

    /// Asked on the session's own queue, in a handler, and while a command runs.
    @Test func canBeAskedWhereverItIsCalled() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, tag) = try await bench.connected()
      guard case .miFare(let miFare) = tag else { throw Unexpected("no MIFARE tag") }
      let held = Handover(miFare)
      let answers = Mutex<[Bool]>([])
      miFare.queryNDEFStatus { _, _, _ in
        Thread.sleep(forTimeInterval: 0.3)
        let isAvailable = held.value.isAvailable
        answers.withLock { $0.append(isAvailable) }
      }
      _ = try await miFare.queryNDEFStatus()
      #expect(answers.withLock { $0 } == [true])
      session.invalidate()
      #expect(!miFare.isAvailable)
      _ = try await delegate.events.end()
      #expect(!miFare.isAvailable)
    }

    @Test func theEndBreaksOffTheCommandThatIsRunning() async throws {
      let bench = try SessionBench(try .named("type4"))
      let (session, delegate, tag) = try await bench.connected()
      guard case .iso7816(let card) = tag else { throw Unexpected("no smart card") }
      // Without an end of the session the exchange would last its time-out.
      bench.virtual.setFaults([Fault(.replyLost, at: .command(0))])
      let core = Handover(session)
      let start = ContinuousClock.now
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { core.value.invalidate() }
      await expect(.readerTransceiveErrorSessionInvalidated) {
        _ = try await card.queryNDEFStatus()
      }
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test func endsWhenItsTimeIsUp() async throws {
      let bench = try SessionBench(.ntag215())
      NFCEnvironment.current.limits.sessionDuration = .milliseconds(300)
      let (session, delegate) = try bench.session()
      let error = try await delegate.events.end()
      #expect(error.code == .readerSessionInvalidationErrorSessionTimeout)
      #expect(error.localizedDescription == "Session timeout")
      #expect(!session.isReady)
      try await delegate.events.expectNothing()
    }

    @Test func theLimitIsAMinuteUnlessLifted() {
      #expect(NFCSessionLimits().sessionDuration == .seconds(60))
      #expect(NFCSessionLimits.none.sessionDuration == nil)
    }

    @Test func oneSessionHasTheReader() async throws {
      let bench = try SessionBench(.ntag215())
      let (first, delegate, _) = try await bench.tags()
      let (_, second) = try bench.session()
      let error = try await second.events.end()
      #expect(error.code == .readerSessionInvalidationErrorSystemIsBusy)
      #expect(error.localizedDescription == "System resource unavailable")
      #expect(first.isReady)
      // A session that begins after the first was asked to end waits for it.
      first.invalidate()
      let (third, thirdDelegate, tags) = try await bench.tags()
      #expect(tags.count == 1)
      _ = try await delegate.events.end()
      third.invalidate()
      _ = try await thirdDelegate.events.end()
    }

    @Test func severalSessionsHaveAReaderEachIfTheLimitIsLifted() async throws {
      let one = try SessionBench(.ntag215())
      let (first, firstDelegate, _) = try await one.tags()
      let other = try SessionBench(.ntag216())
      NFCEnvironment.current.limits.allowsOneSession = false
      let (second, secondDelegate, tags) = try await other.tags()
      #expect(tags.count == 1)
      #expect(first.isReady)
      for (session, delegate) in [(first, firstDelegate), (second, secondDelegate)] {
        session.invalidate()
        #expect(
          try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      }
    }

    @Test func isUsedOnce() async throws {
      let bench = try SessionBench(.ntag215())
      let (session, delegate, _) = try await bench.tags()
      session.begin()
      session.invalidate()
      session.invalidate(errorMessage: "again")
      _ = try await delegate.events.end()
      session.begin()
      session.restartPolling()
      try await delegate.events.expectNothing()
      #expect(!session.isReady)
    }

    @Test func aSessionThatHasNotBegunEndsToo() async throws {
      _ = try SessionBench()
      let delegate = TagDelegate()
      let session = NFCTagReaderSession(pollingOption: .iso14443, delegate: delegate)
      session?.invalidate()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      #expect(NFCTagReaderSession(pollingOption: [], delegate: delegate) == nil)
    }

    @Test func theReaderMayGo() async throws {
      let bench = try SessionBench()
      let (_, delegate) = try bench.session()
      try await delegate.events.expectActive()
      bench.virtual.setFaults([Fault(.lineCloses, at: .command(0))])
      #expect(
        try await delegate.events.end().code
          == .readerSessionInvalidationErrorSessionTerminatedUnexpectedly)
    }

    /// Each of two readers finds its tags, and one that goes leaves the other.
    @Test func oneOfSeveralReadersMayGo() async throws {
      let bench = try SessionBench()
      let field = VirtualField()
      let other = try VirtualReader(field)
      let notices = Notices()
      NFCEnvironment.current.presenter = notices
      NFCEnvironment.current.readers = .named(
        bench.virtual.connectionString, other.connectionString)
      bench.field.place(.ntag215())
      let (session, delegate, tags) = try await bench.tags(.iso14443)
      #expect(tags.count == 1)
      bench.virtual.close()
      session.restartPolling()
      let deadline = ContinuousClock.now + .seconds(10)
      while notices.texts.isEmpty, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(10))
      }
      field.place(.ntag216())
      #expect(try await delegate.events.tags().count == 1)
      #expect(notices.texts.count == 1)
      #expect(notices.texts.first?.contains(bench.virtual.path) == true)
      session.invalidate()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
    }

    @Test func withoutAReaderThereIsNoSession() async throws {
      let bench = try SessionBench()
      NFCEnvironment.current.readers = .named("pn532_uart:/nonexistent")
      #expect(!NFCTagReaderSession.readingAvailable)
      let (_, delegate) = try bench.session()
      let error = try await delegate.events.end()
      #expect(error.code == .readerErrorUnsupportedFeature)
      #expect(error.userInfo[NSUnderlyingErrorKey] is NFCError)
    }

    @Test func aReaderThatAnotherProgramHasIsBusy() async throws {
      let bench = try SessionBench()
      #expect(NFCTagReaderSession.readingAvailable)
      let other = try await Reader.open(bench.virtual.connectionString)
      let (_, delegate) = try bench.session()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorSystemIsBusy)
      await other.close()
    }

    @Test func aPN532HasNoISO15693() async throws {
      let bench = try SessionBench(.ntag215())
      let (_, delegate) = try bench.session(.iso15693)
      let error = try await delegate.events.end()
      #expect(error.code == .readerErrorUnsupportedFeature)
      #expect("\(error.userInfo)".contains("ISO 15693"))
    }
  }
}
