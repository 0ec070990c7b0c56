import SwiftNFCCore
import Testing

/// Errors are caught by their group and by their code.
@Suite struct ErrorPatternTests {
  private func caught(_ error: any Error) -> String {
    do {
      throw error
    } catch NFCError.Code.readOnly {
      return "readOnly"
    } catch NFCError.Group.connection {
      return "connection"
    } catch {
      return "other"
    }
  }

  @Test func aCatchMatchesACodeOrAGroup() {
    #expect(caught(NFCError(.readOnly, "locked")) == "readOnly")
    #expect(caught(NFCError(.tagConnectionLost, "gone")) == "connection")
    #expect(caught(NFCError(.readerLost, "gone")) == "connection")
    #expect(caught(NFCError(.tagRefused, "no")) == "other")
    #expect(caught(CancellationError()) == "other")
  }

  /// A cause follows the reason where it says more: not that an answer is missing or broken, or that the reader has no
  /// such command, which the reason says.
  @Test(
    arguments: [
      (.negativeAcknowledge(0), "the tag has refused (page 4): NAK 0"),
      (.checksum, "the tag has refused (page 4)"), (.noAnswer, "the tag has refused (page 4)"),
      (.unsupportedByReader, "the tag has refused (page 4)"), (nil, "the tag has refused (page 4)"),
    ] as [(NFCError.Cause?, String)])
  func theCauseIsShownIfItSaysMore(_ cause: NFCError.Cause?, _ text: String) {
    let error = NFCError(.tagRefused, "the tag has refused", cause: cause, place: .page(4))
    #expect("\(error)" == text)
  }
}
