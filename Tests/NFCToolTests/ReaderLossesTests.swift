import NFC
import Testing

@testable import SwiftNFCTool

@Suite struct ReaderLossesTests {
  @Test func reportsALossOnceUntilTheReaderWorks() {
    let losses = ReaderLosses()
    #expect(losses.isNews("a", of: "pcsc:A", at: .seconds(1)))
    losses.returns("pcsc:A", at: .milliseconds(1500))
    #expect(!losses.isNews("a", of: "pcsc:A", at: .seconds(2)))
    #expect(losses.isNews("a", of: "pcsc:B", at: .seconds(2)))
    losses.returns("pcsc:A", at: .milliseconds(2500))
    #expect(losses.isNews("b", of: "pcsc:A", at: .seconds(3)))
    losses.returns("pcsc:A", at: .seconds(4))
    #expect(losses.isNews("b", of: "pcsc:A", at: .seconds(6)))
  }

  /// Other failures of a reader that it repeats mean that it is lost.
  @Test func aRefusalByTheServiceIsNoLostReader() {
    func failure(_ meaning: NFCError.DriverFailure.Meaning?) -> Failure {
      Failure(
        NFCError(
          .readerLost, "to use the cards on A, allow access_card in polkit",
          cause: .driver(
            NFCError.DriverFailure(domain: "pcsc", code: 1, text: "refused", meaning: meaning))))
    }
    #expect(failure(.notPermitted).status == .noReader)
    #expect(failure(.notPermitted).advice == "nfc doctor says more")
    #expect(failure(nil).status == .lost)
  }
}
