@testable import CoreNFC
import Testing
import VirtualNFC

/// A delegate that leaves out what it may.
private final class PassDelegate: NSObject, NFCVASReaderSessionDelegate, Sendable {
  let events = SessionEvents()

  func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error) {
    events.add(.ended(error))
  }

  func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]) {
    events.add(.active)
  }
}

extension SessionSuites {
  /// What Apple alone has says that it is not there.
  @Suite struct ServiceTests {
    @Test func aSessionForPassesEndsAtOnce() async throws {
      let bench = try SessionBench(.ntag215())
      let delegate = PassDelegate()
      let configuration = NFCVASCommandConfiguration(
        vasMode: .normal, passTypeIdentifier: "pass.example", url: nil)
      let session = NFCVASReaderSession(
        vasCommandConfigurations: [configuration], delegate: delegate, queue: nil)
      #expect(!NFCVASReaderSession.readingAvailable)
      session.begin()
      #expect(try await delegate.events.end().code == .readerErrorUnsupportedFeature)
      #expect(!session.isReady)
      session.invalidate()
      try await delegate.events.expectNothing()
      // It has not asked the reader for anything.
      #expect(bench.virtual.statistics.commands == 0)
    }
  }
}

@Suite struct ServiceDeclarationTests {
  @Test func aConfigurationIsCopied() throws {
    let url = try #require(URL(string: "https://example.org"))
    let configuration = NFCVASCommandConfiguration(
      vasMode: .urlOnly, passTypeIdentifier: "pass.example", url: url)
    let copy = try #require(configuration.copy() as? NFCVASCommandConfiguration)
    configuration.mode = .normal
    configuration.passTypeIdentifier = "pass.other"
    configuration.url = nil
    #expect(copy.mode == .urlOnly)
    #expect(copy.passTypeIdentifier == "pass.example")
    #expect(copy.url == url)
  }

  @Test func anAnswerIsWhatTheWalletHasSent() throws {
    let answer = NFCVASResponse(
      status: .dataNotFound, vasData: Data([1]), mobileToken: Data([2]))
    let copy = try #require(answer.copy() as? NFCVASResponse)
    #expect(copy.status == VASErrorCode.VASErrorCodeDataNotFound)
    #expect(copy.status.rawValue == 0x6A83)
    #expect(copy.vasData == Data([1]))
    #expect(copy.mobileToken == Data([2]))
  }

  @Test func aSceneIsOpenedForNoEvent() throws {
    #expect(UIScene.ConnectionOptions().nfcEvent == nil)
    #expect("\(NFCWindowSceneEvent.readerDetected)" == "readerDetected")
    let coded = try JSONEncoder().encode([NFCWindowSceneEvent.presentation])
    #expect(
      try JSONDecoder().decode([NFCWindowSceneEvent].self, from: coded) == [.presentation])
  }
}
