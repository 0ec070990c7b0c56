import SwiftNFCCore
import Testing

@testable import SecureTags

/// Tests the MACs of MIFARE Ultralight AES with recordings of real chips.
@Suite struct UltralightAESMessagingTests {
  private static func messaging(
    _ reader: String, _ tag: String, key: String = "00000000000000000000000000000000"
  ) throws -> UltralightAESMessaging {
    try UltralightAESMessaging(
      key: BlockCipher(.aes128, key: SecretKey(hex(key))),
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
    // libpretixnfc, from a tag with another key.
    var other = try Self.messaging(
      "0293746D6CBE0D637672BD9D3BEC4422", "4F8A30AFA500343A9E850485FBA905D7",
      key: "000102030405060708090A0B0C0D0E0F")
    #expect(try other.protect([0x30, 0x29]) == hex("3029218F09E0C13B5EE1"))
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
