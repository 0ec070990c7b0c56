import SwiftNFCCore
import Testing

@testable import TravelDocuments

@Suite struct BlockCipherTests {
  /// NIST SP 800-38B, appendix D: the keys of D.1 to D.3, with messages of 0, 16 and 40 bytes.
  @Test(arguments: [
    (
      BlockCipher.aes128, "2B7E151628AED2A6ABF7158809CF4F3C",
      [
        "BB1D6929E95937287FA37D129B756746", "070A16B46B4D4144F79BDD9DD04A287C",
        "DFA66747DE9AE63030CA32611497C827",
      ]
    ),
    (
      BlockCipher.aes192, "8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B",
      [
        "D17DDF46ADAACDE531CAC483DE7A9367", "9E99A7BF31E710900662F65E617C5184",
        "8A1DE5BE2EB31AAD089A82E6EE908B0E",
      ]
    ),
    (
      BlockCipher.aes256, "603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4",
      [
        "028962F61B7BF89EFC6B551F4667D983", "28A7023F452E8F82BD4BF28D8C37C35C",
        "AAF3D8F1DE5640C232F5B169B9C911E6",
      ]
    ),
  ])
  func cipherCode(_ cipher: BlockCipher, _ key: String, _ codes: [String]) {
    let message = bytes(
      """
      6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411
      """)
    for (count, code) in zip([0, 16, 40], codes) {
      #expect(
        cipher.cipherCode(Array(message.prefix(count)), key: bytes(key))?.hexadecimal == code)
    }
  }

  @Test func sizesThatFitAnAnswer() {
    let table: [(Int, Int, Int)] = [
      (250, 223, 223), (251, 223, 223), (252, 231, 223), (254, 231, 223), (258, 231, 223),
    ]
    for (limit, triple, aes) in table {
      #expect(SecureMessaging.dataLimit(.tripleDES, answer: limit) == triple)
      #expect(SecureMessaging.dataLimit(.aes256, answer: limit) == aes)
    }
    for (limit, aes) in [(514, 479), (1026, 991), (4098, 4063), (65_538, 65_503)] {
      #expect(SecureMessaging.dataLimit(.aes128, answer: limit) == aes)
    }
    #expect(SecureMessaging.dataLimit(.aes128, answer: 10) == 0)
  }

  @Test func wrongSizes() {
    #expect(
      BlockCipher.aes128.encrypt([1, 2, 3], key: bytes("2B7E151628AED2A6ABF7158809CF4F3C")) == nil)
    #expect(BlockCipher.aes256.encrypt(BlockCipher.aes256.zeros, key: [1]) == nil)
    #expect(BlockCipher.tripleDES.code([1], key: [1]) == nil)
    #expect(BlockCipher.unpadded([0, 0]) == nil)
    #expect(BlockCipher.unpadded([1, 0x80, 0]) == [1])
  }

  /// Generic chip authentication, version 1, with the keys of OpenPACE's example of TR-03110.
  @Test func chipAuthenticationSecret() throws {
    let agreement = KeyAgreement(.curve(.brainpoolP256r1))
    let secret = try #require(
      agreement.secret(
        bytes("7984674CF3B3A524BF929CE8A67FCF22173DA0BAD595EED6DEB72D22C542FA9D"),
        bytes(
          """
          045A7A377FC9CAFC03AC7FF45441A8B2909D88EAB8E6B0173847AB49B949DF3799A34EE57EC55268CF8B1C3EC489F8BF4CF4C68D
          3FD9670E89C0D5D3FFF1AAF89F
          """)))
    #expect(
      secret.hexadecimal == "791DA04273CCFE862E52DF60347E2557192E1F8D7517822CE3D306056C1CDEB4")
    #expect(
      BlockCipher.aes128.key(.encryption, from: secret).hexadecimal
        == "74DFF1029B548FA273C13D86CE775A5B")
  }
}
