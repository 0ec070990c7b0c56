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
      #expect(tags[0].isAvailable)
      #expect(session.connectedTag == nil)
      try await session.connect(to: tags[0])
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

    @Test func givesOutAllTagsOfTheFieldAtOnce() async throws {
      let bench = try SessionBench(
        .ntag215(), .ntag216(), .icodeSLIX2(), try .named("suica"), try .named("tmoney"))
      let (session, delegate, tags) = try await bench.tags()
      #expect(tags.map(kind).sorted() == ["feliCa", "iso15693", "iso7816", "miFare", "miFare"])
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

    @Test func nothingIsPolledForAfterTagsUntilItIsAskedFor() async throws {
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

    @Test func aCommandNeedsAConnection() async throws {
      let bench = try SessionBench(.ntag215(), .ntag216())
      let (session, delegate, tags) = try await bench.tags()
      guard case .miFare(let one) = tags[0], case .miFare(let other) = tags[1] else {
        throw Unexpected("no MIFARE tags")
      }
      await expect(.readerTransceiveErrorTagNotConnected) {
        _ = try await one.readNDEF()
      }
      try await session.connect(to: tags[0])
      try await session.connect(to: tags[0])
      _ = try await one.queryNDEFStatus()
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
      // One that begins when the first has been told to end waits for it.
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
