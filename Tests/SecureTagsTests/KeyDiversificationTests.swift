import SwiftNFCCore
import Testing

@testable import SecureTags

/// The examples of NXP AN10922 and, for a short input, AN10957, as libfreefare publishes them.
@Suite struct KeyDiversificationTests {
  private static let input = "04782E21801D803042F54E585020416275"

  @Test(arguments: [
    // AN10922, 2.2.1, 2.3.1, 2.4.1, 2.5.1; AN10957, pages 13 and 14.
    (
      KeyDiversification.Algorithm.aes128, "00112233445566778899AABBCCDDEEFF", input,
      "A8DD63A3B89D54B37CA802473FDA9175"
    ),
    (
      .aes192, "00112233445566778899AABBCCDDEEFF0102030405060708", input,
      "CE39C8E1CD82D9A7BEDBE9D74AF59B23176755EE7586E12C"
    ),
    (
      .twoKeyTripleDES, "00112233445566778899AABBCCDDEEFF", "04782E21801D803042F54E58502041",
      "16F9587D9E8910C96B9648D006107DD7"
    ),
    (
      .threeKeyTripleDES, "00112233445566778899AABBCCDDEEFF0102030405060708",
      "04782E21801D803042F54E5850", "2E0DD03774D3FA9B5705AB0BDA91CA0B55B8E07FCDBF10EC"
    ),
    (
      .aes128, "F3F9377698707B688EAF84ABE39E3791", "04DEADBEEFFEED",
      "0BB408BAFF98B6EE9F2E1585777F6A51"
    ),
    // Computed by another project (ev3_security_test.cpp) for lengths around a block.
    (.aes128, "00112233445566778899AABBCCDDEEFF", "00", "281049D52ECBC8F60961993D34DE3D54"),
    (
      .aes128, "00112233445566778899AABBCCDDEEFF", "00010203040506",
      "E8B7F67C78C34AF1446E331EF7E6D3FF"
    ),
    (
      .aes128, "00112233445566778899AABBCCDDEEFF", "000102030405060708090A0B0C0D0E",
      "5A3C7F6F0687F24F82DEE7EDA0970D08"
    ),
    (
      .aes128, "00112233445566778899AABBCCDDEEFF", "000102030405060708090A0B0C0D0E0F",
      "FEED9FBD36CDB16819A72D30BCF9240B"
    ),
    (
      .aes128, "00112233445566778899AABBCCDDEEFF",
      "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E",
      "21C28CD89BB3147F66C7DBD4851CAB20"
    ),
  ])
  func published(
    algorithm: KeyDiversification.Algorithm, master: String, input: String, key: String
  ) throws {
    let result = try KeyDiversification.key(
      SecretKey(bytes(master)), algorithm, input: bytes(input)
    ).withUnsafeBytes { Array($0) }
    // The note sets the version in the parity bits of the first eight bytes afterwards.
    let isDES = algorithm == .twoKeyTripleDES || algorithm == .threeKeyTripleDES
    func withoutVersion(_ key: [UInt8]) -> [UInt8] {
      key.enumerated().map { isDES && $0.offset < 8 ? $0.element & 0xFE : $0.element }
    }
    #expect(withoutVersion(result) == withoutVersion(bytes(key)))
  }

  /// libfreefare's key, whose second half has the opposite parity bits.
  @Test func keysOfCards() throws {
    let master = try DESFireKey(.des, bytes: bytes("00112233445566778899AABBCCDDEEFF"))
    let key = try master.diversified(by: bytes("04782E21801D803042F54E58502041"))
    #expect(key.version == 0x55)
    #expect(
      key.secret == SecretKey(bytes("16F9587D9E8910C96B9649D007107DD6")))
    let aes = try DESFireKey(.aes, bytes: bytes("00112233445566778899AABBCCDDEEFF"), version: 16)
    let own = try aes.diversified(by: bytes(Self.input))
    #expect(own.version == 16)
    #expect(own.secret == SecretKey(bytes("A8DD63A3B89D54B37CA802473FDA9175")))
  }

  /// Neither key is shown, whatever a program prints.
  @Test(arguments: KeyDiversification.Algorithm.allCases)
  func masksItself(_ algorithm: KeyDiversification.Algorithm) throws {
    let size = algorithm == .aes128 || algorithm == .twoKeyTripleDES ? 16 : 24
    let master = SecretKey((0..<size).map { UInt8($0 * 9 + 5) })
    let own = try KeyDiversification.key(master, algorithm, input: [4, 5, 6])
    var shown =
      "\(own) \(String(reflecting: own)) \([own]) \(Mirror(reflecting: own).children.map { $0 })"
    dump(own, to: &shown)
    for wrong in [[], [UInt8](repeating: 7, count: algorithm.longestInput + 1)] {
      let error = #expect(throws: NFCError.self) {
        try KeyDiversification.key(master, algorithm, input: wrong)
      }
      shown += "\(error.map { "\($0) \(String(reflecting: $0))" } ?? "")"
    }
    let digits = shown.uppercased().filter(\.isHexDigit)
    for key in [master, own] {
      let bytes = key.withUnsafeBytes { Array($0) }
      for start in stride(from: 0, to: size, by: 4) {
        #expect(!digits.contains(bytes[start..<start + 4].hexadecimal))
        #expect(!shown.contains("\(Array(bytes[start..<start + 4]))".dropFirst().dropLast()))
      }
    }
  }

  @Test(arguments: KeyDiversification.Algorithm.allCases)
  func lengths(_ algorithm: KeyDiversification.Algorithm) throws {
    let master = SecretKey([UInt8](repeating: 7, count: algorithm.cipher.keySize))
    var keys: [SecretKey] = []
    for count in 1...algorithm.longestInput {
      let key = try KeyDiversification.key(
        master, algorithm, input: [UInt8](repeating: 0, count: count))
      #expect(key.count == algorithm.cipher.keySize)
      #expect(!keys.contains(key))
      keys.append(key)
    }
    for input in [[], [UInt8](repeating: 0, count: algorithm.longestInput + 1)] {
      #expect(throws: NFCError.self) {
        try KeyDiversification.key(master, algorithm, input: input)
      }
    }
    #expect(throws: NFCError.self) {
      try KeyDiversification.key(SecretKey([1, 2, 3]), algorithm, input: [1])
    }
  }

  private func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }
}
