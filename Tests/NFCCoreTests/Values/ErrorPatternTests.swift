import NFCCore
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
}
