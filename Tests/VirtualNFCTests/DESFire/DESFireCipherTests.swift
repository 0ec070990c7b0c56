import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite("DESFire ciphers")
struct DESFireCipherTests {
  private func bytes(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text))
  }

  /// NIST SP 800-38B, appendix D: AES-128, three-key and two-key TDEA.
  @Test(arguments: [
    (
      DESFireKey.Kind.aes, "2B7E151628AED2A6ABF7158809CF4F3C", "",
      "BB1D6929E95937287FA37D129B756746"
    ),
    (
      .aes, "2B7E151628AED2A6ABF7158809CF4F3C", "6BC1BEE22E409F96E93D7E117393172A",
      "070A16B46B4D4144F79BDD9DD04A287C"
    ),
    (
      .aes, "2B7E151628AED2A6ABF7158809CF4F3C",
      "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E5130C81C46A35CE411",
      "DFA66747DE9AE63030CA32611497C827"
    ),
    (
      .tripleDES, "8AA83BF8CBDA10620BC1BF19FBB6CD58BC313D4A371CA8B5", "", "B7A688E122FFAF95"
    ),
    (
      .tripleDES, "8AA83BF8CBDA10620BC1BF19FBB6CD58BC313D4A371CA8B5", "6BC1BEE22E409F96",
      "8E8F293136283797"
    ),
    (
      .des, "4CF15134A2850DD58A3D10BA80570D38", "6BC1BEE22E409F96E93D7E117393172AAE2D8A57",
      "62DD1B471902BD4E"
    ),
  ])
  func authenticationCodes(
    kind: DESFireKey.Kind, key: String, message: String, code: String
  ) throws {
    let cipher = DESFireCipher(kind: kind, key: try bytes(key))
    let result = cipher.authenticationCode(try bytes(message), vector: cipher.zeroVector)
    #expect(result.hexadecimal == code)
  }

  /// A DES key with two equal halves: the example of FIPS 81's "Now is the time for all ".
  @Test func singleDES() throws {
    let cipher = DESFireCipher(kind: .des, key: try bytes("0123456789ABCDEF0123456789ABCDEF"))
    let plain = try bytes("4E6F772069732074")
    #expect(cipher.encrypt(plain, vector: cipher.zeroVector).hexadecimal == "3FA40E8A984D4815")
    #expect(
      try cipher.decrypt(bytes("3FA40E8A984D4815"), vector: cipher.zeroVector) == plain)
  }

  /// The widely published example of AuthenticateAES with the key of zeros.
  @Test func authenticationWithAES() throws {
    let authentication = DESFireAuthentication(
      scheme: .standard, keyNumber: 0, key: .zero(.aes),
      challenge: try bytes("C05DDD714FD788A6B7B754F3C4D066E8"))
    #expect(authentication.firstAnswer.hexadecimal == "B969FDFE56FD91FC9DE6F6F213B8FD1E")
    let token = try bytes("36AAD7DF6E436BA08D18613830A70D5AD43E3D3F4A8D47541EEE623A934E4774")
    let (answer, session) = try #require(authentication.finish(token))
    #expect(answer.hexadecimal == "800DB680BC146BD121D6578F2D2E2059")
    #expect(session.cipher.key.hexadecimal == "F44B26F5C05DDD7110772281C4D066E8")
    #expect(authentication.finish(Array(token.dropLast())) == nil)
    #expect(authentication.finish([UInt8](repeating: 0, count: 32)) == nil)
  }

  /// CRC-32/JAMCRC of "123456789", the catalog's check value 340BC6D9.
  @Test func checksum() {
    #expect(DESFireCipher.checksum(Array("123456789".utf8)).hexadecimal == "D9C60B34")
  }

  @Test func keyVersions() throws {
    let key = DESFireKey(.des, bytes: try bytes("00010000000000010000000000000000"))
    #expect(key.version == 0x41)
    #expect(
      DESFireKey(.aes, bytes: try bytes("00010000000000010000000000000000"), aesVersion: 9).version
        == 9)
  }
}
