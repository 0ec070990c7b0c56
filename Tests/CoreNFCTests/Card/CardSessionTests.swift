import CoreNFC
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

extension SessionSuites {
  /// Programs with `CardSession`, as they are written for an iPhone, and scripted phones at the other side.
  @Suite struct CardSessionTests {
    /// The events of a session, in words, and what is done at each.
    private func words(_ event: CardSession.Event) -> String {
      switch event {
      case .sessionStarted: "started"
      case .readerDetected: "detected"
      case .received(let command): command.debugDescription
      case .readerDeselected: "deselected"
      case .sessionInvalidated(let reason): "invalidated \(reason)"
      }
    }

    private static let select: [UInt8] = [0x00, 0xA4, 0x04, 0x00, 0x05, 0xF0, 1, 2, 3, 4]
    private static let answer: [UInt8] = [0x90, 0x00]

    /// Where a program calls `startEmulation()`.
    enum Start: CaseIterable {
      case beforeTheEvents
      case whenTheSessionStarts
      case whenAReaderIsDetected
    }

    @Test(arguments: Start.allCases)
    func allOrdersOfCalls(_ start: Start) async throws {
      let bench = try SessionBench()
      let session = try await CardSession()
      session.alertMessage = "Hold near reader"
      if start == .beforeTheEvents { try await session.startEmulation() }
      let antenna = bench.virtual.antenna
      let phone = Task {
        try await withPhone {
          let phone = ScriptedPhone(antenna)
          try phone.tap()
          let answer = try phone.send(Self.select)
          try phone.deselect()
          phone.fieldOff()
          return answer
        }
      }
      var seen: [String] = []
      for try await event in session.eventStream {
        seen.append(words(event))
        switch event {
        case .sessionStarted:
          if start == .whenTheSessionStarts { try await session.startEmulation() }
        case .readerDetected:
          if start == .whenAReaderIsDetected { try await session.startEmulation() }
        case .received(let command):
          #expect(await session.isEmulationInProgress)
          try await command.respond(response: Data(Self.answer))
        case .readerDeselected:
          await session.stopEmulation(status: .success)
          #expect(await !session.isEmulationInProgress)
          session.invalidate()
        case .sessionInvalidated: break
        }
      }
      #expect(try await phone.value == Self.answer)
      #expect(
        seen == [
          "started", "detected", "00A4040005F001020304", "deselected", "invalidated invalidated",
        ])
    }

    @Test func onlyListedApplicationsAreDelivered() async throws {
      var information = NFCInformation.everything
      information.cardApplicationIdentifiers = ["F001020304"]
      let bench = try SessionBench(information: information)
      let session = try await CardSession()
      try await session.startEmulation()
      let antenna = bench.virtual.antenna
      let phone = Task {
        try await withPhone {
          let phone = ScriptedPhone(antenna)
          try phone.tap()
          var answers = [try phone.send([0x00, 0xA4, 0x04, 0x00, 0x05, 0xA0, 0, 0, 0, 4])]
          // An identifier that begins with the listed one.
          answers.append(
            try phone.send([0x00, 0xA4, 0x04, 0x00, 0x06, 0xF0, 1, 2, 3, 4, 5]))
          answers.append(try phone.send([0x80, 0xCA, 0, 0, 0]))
          answers.append(try phone.send([0x00, 0xA4, 0x04, 0x00, 0x05, 0xA0, 0, 0, 0, 4]))
          // The session may have ended by now, and the card be silent.
          _ = try? phone.send([0x80, 0xCA, 0, 0, 0])
          phone.fieldOff()
          return answers
        }
      }
      var seen: [String] = []
      for try await event in session.eventStream {
        seen.append(words(event))
        if case .received(let command) = event {
          try await command.respond(response: Data(Self.answer))
        }
        if seen.last == "deselected" { session.invalidate() }
      }
      let refusal: [UInt8] = [0x6A, 0x82]
      #expect(try await phone.value == [refusal, Self.answer, Self.answer, refusal])
      #expect(
        seen.prefix(5) == [
          "started", "detected", "00A4040006F00102030405", "80CA000000", "deselected",
        ])
    }

    @Test func afterSixtySecondsItEnds() async throws {
      let bench = try SessionBench()
      NFCEnvironment.current.limits.sessionDuration = .milliseconds(300)
      let session = try await CardSession()
      try await session.startEmulation()
      var last = ""
      for try await event in session.eventStream { last = words(event) }
      #expect(last == "invalidated maxSessionDurationReached")
      await #expect(throws: CardSession.Error.maxSessionDurationReached) {
        try await session.startEmulation()
      }
      _ = bench
    }

    @Test func aReaderThatIsUnpluggedEndsIt() async throws {
      let bench = try SessionBench()
      let session = try await CardSession()
      try await session.startEmulation()
      bench.virtual.close()
      var last = ""
      for try await event in session.eventStream { last = words(event) }
      #expect(last == "invalidated systemNotAvailable")
    }

    @Test func withoutSuchAReaderThereIsNone() async throws {
      NFCEnvironment.current.readers = .opening { [try await DirectReader(VirtualField()).open()] }
      await #expect(throws: CardSession.Error.systemNotAvailable) { try await CardSession() }
      #expect(await !CardSession.isEligible)
    }

    @Test func oneSessionAtATime() async throws {
      let bench = try SessionBench()
      #expect(CardSession.isSupported)
      #expect(await CardSession.isEligible)
      let session = try await CardSession()
      await #expect(throws: CardSession.Error.systemNotAvailable) { try await CardSession() }
      session.invalidate()
      for try await _ in session.eventStream {}
      let next = try await CardSession()
      next.invalidate()
      for try await _ in next.eventStream {}
      _ = bench
    }

    @Test func anAnswerAfterTheReaderHasGone() async throws {
      let bench = try SessionBench()
      let session = try await CardSession()
      try await session.startEmulation()
      let antenna = bench.virtual.antenna
      let phone = Task {
        try? await withPhone {
          let phone = ScriptedPhone(antenna)
          phone.patience = .milliseconds(200)
          try phone.tap()
          _ = try? phone.send(Self.select)
          phone.fieldOff()
        }
      }
      for try await event in session.eventStream {
        guard case .received(let command) = event else { continue }
        _ = await phone.value
        await #expect(throws: CardSession.Error.emulationStopped) {
          try await command.respond(response: Data(Self.answer))
        }
        session.invalidate()
      }
    }

    /// A command that is released without an answer ends emulation; the session continues.
    @Test func aDroppedCommandEndsEmulation() async throws {
      let bench = try SessionBench()
      let session = try await CardSession()
      try await session.startEmulation()
      let antenna = bench.virtual.antenna
      let phone = Task {
        try? await withPhone {
          let phone = ScriptedPhone(antenna)
          try phone.tap()
          // Refused, or the card is silent.
          let answer = try? phone.send(Self.select)
          phone.fieldOff()
          return answer
        }
      }
      var seen: [String] = []
      var isInProgress = true
      for try await event in session.eventStream {
        seen.append(words(event))
        guard case .readerDeselected = event else { continue }
        isInProgress = await session.isEmulationInProgress
        session.invalidate()
      }
      #expect(!isInProgress)
      #expect(seen.contains("00A4040005F001020304"))
      #expect(seen.last == "invalidated invalidated")
      #expect(await phone.value != Self.answer)
    }

    private final class Recorder: NFCPresenter {
      let moments = Mutex<[NFCPresentation]>([])
      func present(_ moment: NFCPresentation) { moments.withLock { $0.append(moment) } }
    }

    @Test func thePersonMayCancel() async throws {
      let recorder = Recorder()
      let bench = try SessionBench(presenter: recorder)
      let session = try await CardSession()
      session.alertMessage = "Hold near reader"
      try await session.startEmulation()
      guard case .began(let message, let cancel) = recorder.moments.withLock({ $0.first }) else {
        throw Unexpected("nothing was presented")
      }
      #expect(message == "Hold near reader")
      cancel()
      var last = ""
      for try await event in session.eventStream { last = words(event) }
      #expect(last == "invalidated userInvalidated")
      withExtendedLifetime(bench) {}
    }

    @Test func anAssertionEndsAndPauses() async throws {
      NFCEnvironment.current.limits.presentmentIntentDuration = .milliseconds(200)
      NFCEnvironment.current.limits.presentmentIntentPause = .milliseconds(200)
      let assertion = try await NFCPresentmentIntentAssertion.acquire()
      #expect(assertion.isValid)
      await #expect(throws: NFCPresentmentIntentAssertion.Error.systemNotAvailable) {
        try await NFCPresentmentIntentAssertion.acquire()
      }
      try await Task.sleep(for: .milliseconds(250))
      #expect(!assertion.isValid)
      await #expect(throws: NFCPresentmentIntentAssertion.Error.systemNotAvailable) {
        try await NFCPresentmentIntentAssertion.acquire()
      }
      try await Task.sleep(for: .milliseconds(250))
      let next = try await NFCPresentmentIntentAssertion.acquire()
      #expect(next.isValid)
    }
  }
}
