import SwiftNFCCore
import Testing

@testable import SecureTags

@Suite struct CryptographyTests {
  private static let message =
    "6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51"
    + "30C81C46A35CE411E5FBC1191A0A52EFF69F2445DF4F9B17AD2B417BE66C3710"

  struct CodeVector: Sendable {
    let algorithm: BlockCipher.Algorithm
    let key: String
    let count: Int
    let code: String
  }

  /// RFC 4493, 4; NIST's example values for SP 800-38B (AES_CMAC.pdf, TDES_CMAC.pdf).
  static let codes: [CodeVector] = [
    CodeVector(
      algorithm: .aes128, key: "2B7E151628AED2A6ABF7158809CF4F3C", count: 0,
      code: "BB1D6929E95937287FA37D129B756746"),
    CodeVector(
      algorithm: .aes128, key: "2B7E151628AED2A6ABF7158809CF4F3C", count: 16,
      code: "070A16B46B4D4144F79BDD9DD04A287C"),
    CodeVector(
      algorithm: .aes128, key: "2B7E151628AED2A6ABF7158809CF4F3C", count: 40,
      code: "DFA66747DE9AE63030CA32611497C827"),
    CodeVector(
      algorithm: .aes128, key: "2B7E151628AED2A6ABF7158809CF4F3C", count: 64,
      code: "51F0BEBF7E3B9D92FC49741779363CFE"),
    CodeVector(
      algorithm: .aes192, key: "8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B", count: 0,
      code: "D17DDF46ADAACDE531CAC483DE7A9367"),
    CodeVector(
      algorithm: .aes192, key: "8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B", count: 16,
      code: "9E99A7BF31E710900662F65E617C5184"),
    CodeVector(
      algorithm: .threeKeyTripleDES, key: "0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123",
      count: 0, code: "7DB0D37DF936C550"),
    CodeVector(
      algorithm: .threeKeyTripleDES, key: "0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123",
      count: 16, code: "30239CF1F52E6609"),
    CodeVector(
      algorithm: .threeKeyTripleDES, key: "0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123",
      count: 20, code: "6C9F3EE4923F6BE2"),
    CodeVector(
      algorithm: .threeKeyTripleDES, key: "0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123",
      count: 32, code: "99429BD0BF7904E5"),
    CodeVector(
      algorithm: .twoKeyTripleDES, key: "0123456789ABCDEF23456789ABCDEF01", count: 0,
      code: "79CE52A7F786A960"),
    CodeVector(
      algorithm: .twoKeyTripleDES, key: "0123456789ABCDEF23456789ABCDEF01", count: 20,
      code: "C06D377ECD101969"),
    CodeVector(
      algorithm: .twoKeyTripleDES, key: "0123456789ABCDEF23456789ABCDEF01", count: 32,
      code: "9CD33580F9B64DFB"),
  ]

  /// Keys are created from settings in the same way as those of `SUNMessage`.
  @Test func keysFromHexadecimalText() throws {
    #expect(SecretKey(hexadecimal: "00 11:aA") == SecretKey([0x00, 0x11, 0xAA]))
    for text in ["0", "0x00", "GG", "00-11"] { #expect(SecretKey(hexadecimal: text) == nil) }
    let key = try DESFireKey(.aes, hexadecimal: String(repeating: "0F", count: 16))
    #expect(try key == DESFireKey(.aes, SecretKey([UInt8](repeating: 0x0F, count: 16))))
    for text in ["0F", "nonsense"] {
      #expect(throws: NFCError.self) { try DESFireKey(.aes, hexadecimal: text) }
    }
  }

  @Test(arguments: codes) func messageCode(_ vector: CodeVector) throws {
    let cipher = try BlockCipher(vector.algorithm, key: SecretKey(hex(vector.key)))
    let message = Array(try hex(Self.message).prefix(vector.count))
    #expect(try cipher.authenticationCode(message) == hex(vector.code))
  }

  /// NIST SP 800-38A, F.2.1 and F.2.3.
  @Test func cipherBlockChaining() throws {
    let plain = Array(try hex(Self.message).prefix(32))
    let vector = (0..<16).map { UInt8($0) }
    let values: [(BlockCipher.Algorithm, String, String)] = [
      (
        .aes128, "2B7E151628AED2A6ABF7158809CF4F3C",
        "7649ABAC8119B246CEE98E9B12E9197D5086CB9B507219EE95DB113A917678B2"
      ),
      (
        .aes192, "8E73B0F7DA0E6452C810F32B809079E562F8EAD2522C6B7B",
        "4F021DB243BC633D7178183A9FA071E8B4D9ADA9AD7DEDF4E5E738763F69145A"
      ),
    ]
    for (algorithm, key, expected) in values {
      let cipher = try BlockCipher(algorithm, key: SecretKey(hex(key)))
      let encrypted = try cipher.encrypt(plain, initialValue: vector)
      #expect(encrypted == (try hex(expected)))
      #expect(try cipher.decrypt(encrypted, initialValue: vector) == plain)
    }
    let cipher = try BlockCipher(.aes128, key: SecretKey([UInt8](repeating: 1, count: 16)))
    #expect(throws: NFCError.self) { try cipher.encrypt([1, 2, 3]) }
    #expect(throws: NFCError.self) { try cipher.encrypt([], initialValue: [0]) }
    #expect(throws: NFCError.self) { try BlockCipher(.aes128, key: SecretKey([1, 2])) }
  }

  /// The catalog of parametrised CRC algorithms: CRC-32/JAMCRC.
  @Test func checksum() {
    #expect(Checksum.crc32("123456789".utf8) == [0xD9, 0xC6, 0x0B, 0x34])
    #expect(Checksum.crc32([]) == [0xFF, 0xFF, 0xFF, 0xFF])
  }

  @Test func padding() {
    #expect(BlockCipher.marked([], blockSize: 8) == [0x80, 0, 0, 0, 0, 0, 0, 0])
    #expect(BlockCipher.marked([UInt8](1...8), blockSize: 8).count == 16)
    #expect(BlockCipher.unmarked([1, 0x80, 0, 0]) == [1])
    #expect(BlockCipher.unmarked([0x80, 0x80]) == [0x80])
    for wrong in [[], [0, 0], [1, 2], [0x80, 1, 0]] as [[UInt8]] {
      #expect(BlockCipher.unmarked(wrong) == nil)
    }
    #expect(BlockCipher.filled([1], blockSize: 4) == [1, 0, 0, 0])
    #expect(BlockCipher.filled([], blockSize: 4) == [])
  }

  @Test func secretsAreNotShown() throws {
    let bytes = [UInt8](repeating: 0xA7, count: 16)
    let secret = SecretKey(bytes)
    let key = try DESFireKey(.aes, secret, version: 3)
    for value in [secret, key, [key], ["key": key]] as [Any] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.lowercased().contains("a7") && !text.contains("167"), "\(text)")
      }
    }
    #expect("\(secret)" == "16 secret bytes")
    #expect("\(key)" == "AES key, version 03")
    #expect(secret == SecretKey(bytes))
    #expect(secret != SecretKey(bytes.dropLast()))
    #expect(secret != SecretKey([0] + bytes.dropLast()))
    var source = bytes
    #expect(SecretKey(taking: &source) == secret)
    #expect(source.isEmpty)
  }

  @Test func keyVersions() throws {
    // libfreefare's test_mifare_desfire_key.c: the parity bits contain the version.
    let des = try DESFireKey(.des, bytes: hex("1122334455667788"), version: 0x55)
    #expect(des.version == 0x55 && des.isSingleDES)
    let triple = try DESFireKey(
      .des, bytes: hex("00112233445566778899AABBCCDDEEFF"), version: 0xAA)
    #expect(triple.version == 0xAA && !triple.isSingleDES)
    #expect(try DESFireKey(.aes, bytes: hex(String(repeating: "11", count: 16))).version == 0)
    for (kind, count) in [(DESFireKey.Kind.des, 7), (.aes, 8), (.threeKeyTripleDES, 16)] {
      #expect(throws: NFCError.self) {
        try DESFireKey(kind, bytes: [UInt8](repeating: 1, count: count))
      }
    }
  }
}
