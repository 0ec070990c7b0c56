import CoreNFC
import Foundation
import Synchronization
import Testing
import VirtualNFC

/// A delegate as a program has it.
private final class PassDelegate: NSObject, NFCVASReaderSessionDelegate, Sendable {
  let events = SessionEvents()
  private let responses = Mutex<[[(status: NFCVASResponse.ErrorCode, data: Data, token: Data)]]>([])

  func readerSessionDidBecomeActive(_ session: NFCVASReaderSession) { events.add(.active) }

  func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error) {
    events.add(.ended(error))
  }

  func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]) {
    self.responses.withLock { list in
      list.append(responses.map { ($0.status, $0.vasData, $0.mobileToken) })
    }
  }

  func next(
    within limit: Duration = .seconds(20)
  ) async throws -> [(status: NFCVASResponse.ErrorCode, data: Data, token: Data)] {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if let first = responses.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return first }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw Unexpected("no answers in time")
  }
}

/// A delegate that leaves out what it may.
private final class ShortDelegate: NSObject, NFCVASReaderSessionDelegate, Sendable {
  let events = SessionEvents()

  func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error) {
    events.add(.ended(error))
  }

  func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]) {}
}

extension SessionSuites {
  /// Passes of phones, as a program for an iPhone reads them.
  @Suite struct PassSessionTests {
    private func session(
      _ passTypes: [String], _ delegate: any NFCVASReaderSessionDelegate, url: String? = nil
    ) -> NFCVASReaderSession {
      NFCVASReaderSession(
        vasCommandConfigurations: passTypes.map {
          NFCVASCommandConfiguration(
            vasMode: .normal, passTypeIdentifier: $0, url: url.flatMap { URL(string: $0) })
        }, delegate: delegate, queue: nil)
    }

    @Test func theAnswersComeInTheOrderOfTheConfigurations() async throws {
      var behavior = AppleWallet.Behavior()
      behavior.token = [7, 8]
      let bench = try SessionBench(VirtualTag(WalletPhone.apple(behavior: behavior)))
      let delegate = PassDelegate()
      let session = session(["pass.none", "pass.com.example.card"], delegate)
      #expect(NFCVASReaderSession.readingAvailable)
      session.begin()
      try await delegate.events.expectActive()
      for _ in 0..<2 {
        let answers = try await delegate.next()
        #expect(answers.map(\.status) == [.dataNotFound, .success])
        #expect(answers[0].data.isEmpty && answers[0].token.isEmpty)
        // The content as the phone has encrypted it: the identifier of the key comes first.
        #expect(answers[1].data.starts(with: [0x8B, 0xE5, 0x90, 0xBC]))
        #expect(answers[1].data.count == 60 && answers[1].token == Data([7, 8]))
      }
      session.invalidate()
      #expect(try await delegate.events.end().code == .readerSessionInvalidationErrorUserCanceled)
      withExtendedLifetime(bench) {}
    }

    @Test func everyStatusOfAWallet() async throws {
      for status: NFCVASResponse.ErrorCode in [
        .dataNotActivated, .wrongParameters, .wrongLCField, .userIntervention, .incorrectData,
        .unsupportedApplicationVersion,
      ] {
        var behavior = AppleWallet.Behavior()
        behavior.statusWords = [UInt16(status.rawValue)]
        let bench = try SessionBench(VirtualTag(WalletPhone.apple(behavior: behavior)))
        let delegate = PassDelegate()
        let session = session(["pass.com.example.card"], delegate)
        session.begin()
        #expect(try await delegate.next().map(\.status) == [status])
        session.invalidate()
        _ = try await delegate.events.end()
        withExtendedLifetime(bench) {}
      }
    }

    @Test func aTagIsNotAPhone() async throws {
      let bench = try SessionBench(.ntag215(), .type4())
      let delegate = PassDelegate()
      let session = session(["pass.com.example.card"], delegate)
      session.begin()
      try await delegate.events.expectActive()
      await #expect(throws: Unexpected.self) {
        _ = try await delegate.next(within: .milliseconds(700))
      }
      #expect(session.isReady)
      session.invalidate()
      _ = try await delegate.events.end()
      withExtendedLifetime(bench) {}
    }

    @Test func requestsThatMakeNoSense() async throws {
      let bench = try SessionBench(.ntag215())
      let long = "https://example.com/" + String(repeating: "a", count: 60)
      for session in [
        { self.session([], $0) }, { self.session(["pass.a"], $0, url: long) },
      ] as [(ShortDelegate) -> NFCVASReaderSession] {
        let delegate = ShortDelegate()
        let session = session(delegate)
        session.begin()
        #expect(try await delegate.events.end().code == .readerErrorInvalidParameter)
      }
      // Nothing was asked of the reader.
      #expect(bench.virtual.statistics.commands == 0)
    }

    @Test func theSessionEndsAfterItsTime() async throws {
      let bench = try SessionBench(.ntag215())
      var environment = NFCEnvironment.current
      environment.limits.sessionDuration = .milliseconds(300)
      NFCEnvironment.current = environment
      let delegate = ShortDelegate()
      let session = session(["pass.com.example.card"], delegate)
      session.begin()
      #expect(
        try await delegate.events.end().code == .readerSessionInvalidationErrorSessionTimeout)
      withExtendedLifetime(bench) {}
    }
  }
}
