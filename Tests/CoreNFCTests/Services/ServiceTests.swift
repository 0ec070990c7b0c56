import CoreNFC
import Testing

/// What Apple alone can offer answers as on a device without it.
extension SessionSuites {
  @Suite struct ServiceTests {
    private final class PassDelegate: NSObject, NFCVASReaderSessionDelegate, Sendable {
      let events = SessionEvents()

      func readerSession(
        _ session: NFCVASReaderSession, didInvalidateWithError error: any Error
      ) {
        events.add(.ended(error))
      }

      func readerSession(
        _ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse]
      ) {}
    }

    @Test func passesCannotBeRead() async throws {
      _ = try SessionBench()
      let delegate = PassDelegate()
      let configuration = NFCVASCommandConfiguration(
        vasMode: .normal, passTypeIdentifier: "pass.org.example", url: nil)
      let session = NFCVASReaderSession(
        vasCommandConfigurations: [configuration], delegate: delegate, queue: nil)
      #expect(!NFCVASReaderSession.readingAvailable)
      session.begin()
      #expect(try await delegate.events.end().code == .readerErrorUnsupportedFeature)
      try await delegate.events.expectNothing(for: .milliseconds(50))
      let copy = try #require(configuration.copy() as? NFCVASCommandConfiguration)
      #expect(copy !== configuration)
      #expect(copy.passTypeIdentifier == "pass.org.example")
    }

    @Test func cardsCannotBeEmulated() async {
      #expect(!CardSession.isSupported)
      #expect(await !CardSession.isEligible)
      await #expect(throws: CardSession.Error.systemNotAvailable) { _ = try await CardSession() }
      await #expect(throws: NFCPresentmentIntentAssertion.Error.systemNotAvailable) {
        _ = try await NFCPresentmentIntentAssertion.acquire()
      }
      #expect(UIScene.ConnectionOptions().nfcEvent == nil)
    }
  }
}
