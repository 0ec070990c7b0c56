import Foundation
import NFC
import Testing

/// What programs print that do not look at the type of an error.
@Suite struct LocalizedErrorTests {
  @Test func errorsOfTagsSayWhatHappened() throws {
    let error: any Error = NFCError(.readOnly, "the page is locked", place: .page(4))
    #expect(error.localizedDescription == "\(error)")
    #expect(error.localizedDescription.contains("the page is locked"))
  }

  @Test func errorsOfMessagesSayWhatHappened() throws {
    let error = try #require(throws: NDEFError.self) { try NDEFMessage(decoding: [0xD1, 0x01]) }
    #expect((error as any Error).localizedDescription == "\(error)")
    #expect(!(error as any Error).localizedDescription.contains("NDEFError"))
  }
}
