import NFC
import Testing

@testable import SwiftNFCTool

/// What `nfc plus` advises after an error.
@Suite struct PlusAdviceTests {
  /// A MIFARE Plus S refuses encrypted data with a status; another communication helps.
  @Test func aRefusedCommandMayNeedPlainText() {
    let error = NFCError(.unsupported, "unknown command", cause: .desfireStatus(0x0B))
    #expect(SelectedPlus.advice(for: error)?.contains("--plain") == true)
  }

  /// For a card that requires the messaging of EV1, it does not help.
  @Test func anotherMessagingIsNotPlainText() {
    let error = NFCError(.unsupported, "the card requires the secure messaging of MIFARE Plus EV1")
    #expect(SelectedPlus.advice(for: error) == nil)
  }
}
