import NFCCore
import Testing

@testable import SecureTags

/// Tests the MACs of MIFARE Ultralight AES with recordings of real chips.
@Suite struct UltralightAESMessagingTests {
  private static func messaging(_ reader: String, _ tag: String) throws -> UltralightAESMessaging {
    try UltralightAESMessaging(
      key: BlockCipher(.aes128, key: SecretKey([UInt8](repeating: 0, count: 16))),
      reader: hex(reader), tag: hex(tag))
  }

  /// Proxmark3, traces/hf_14a_mful_aes_defaultkey_secure_message.trace: key zeros, the random numbers decrypted.
  private static func recorded() throws -> UltralightAESMessaging {
    try messaging("01010101010101010101010101010101", "0C83A4048F9118B0291224D23224012D")
  }

  @Test func recordedCommandAndAnswer() throws {
    var messaging = try Self.recorded()
    #expect(try messaging.protect([0x60]) == hex("600F27D551860270D8"))
    #expect(
      try messaging.unprotect(hex("0004030104000F030C710E842217FD95")) == hex("0004030104000F03"))
    #expect(messaging.counter == 2)
  }

  /// StuStaPay, NfcUnitTest.
  @Test func vectorOfAnotherProject() throws {
    var messaging = try Self.messaging(
      "42BDF7E08E110F14B6D3323D14F1C2B9", "0D2BBA17011098E9864C8AA5192AF796")
    #expect(try messaging.protect([0x60]) == hex("601D5DE802D6751670"))
  }

  @Test(arguments: [
    "0004030104000F030C710E842217FD94", "0004030104000F020C710E842217FD95",
    "04030104000F030C710E842217FD95", "0C710E842217FD95", "0C710E842217FD", "0C",
  ])
  func answersOfOthersAreRefused(_ answer: String) throws {
    var messaging = try Self.recorded()
    _ = try messaging.protect([0x60])
    let bytes = try hex(answer)
    let error = #expect(throws: NFCError.self) { try messaging.unprotect(bytes) }
    #expect(error?.code == .tagResponseError)
  }

  /// An answer is valid only once, because the counter has advanced.
  @Test func repeatedAnswersAreRefused() throws {
    var messaging = try Self.recorded()
    _ = try messaging.protect([0x60])
    let answer = try hex("0004030104000F030C710E842217FD95")
    _ = try messaging.unprotect(answer)
    _ = try messaging.protect([0x60])
    #expect(throws: NFCError.self) { try messaging.unprotect(answer) }
  }
}
