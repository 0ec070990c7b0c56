import CSwiftNFCOpenSSL
import SwiftNFCCore

/// A key of a DESFire card.
struct DESFireKey: Hashable, Sendable {
  /// The kind of a key; all keys of an application have the same kind.
  enum Kind: UInt8, Hashable, Sendable {
    /// DES, or triple DES with two keys: 16 bytes; equal halves make it DES.
    case des = 0x00
    /// Triple DES with three keys: 24 bytes.
    case tripleDES = 0x40
    /// AES-128.
    case aes = 0x80

    var keySize: Int { self == .tripleDES ? 24 : 16 }
  }

  let kind: Kind
  let bytes: [UInt8]
  /// The version of an AES key. A DES key has its version in the parity bits.
  let aesVersion: UInt8

  init(_ kind: Kind, bytes: [UInt8], aesVersion: UInt8 = 0) {
    precondition(bytes.count == kind.keySize, "a key has the size of its kind")
    self.kind = kind
    self.bytes = bytes
    self.aesVersion = aesVersion
  }

  /// Returns the key on delivery.
  static func zero(_ kind: Kind) -> DESFireKey {
    DESFireKey(kind, bytes: [UInt8](repeating: 0, count: kind.keySize))
  }

  var version: UInt8 {
    kind == .aes ? aesVersion : bytes.prefix(8).reduce(0) { $0 << 1 | ($1 & 1) }
  }

  var cipher: DESFireCipher { DESFireCipher(kind: kind, key: bytes) }

  /// The number of random bytes that each side draws in an authentication.
  var challengeSize: Int { kind == .des ? 8 : 16 }

  /// Returns the session key from the random bytes of reader and card.
  func sessionCipher(reader: [UInt8], card: [UInt8]) -> DESFireCipher {
    func part(_ range: Range<Int>) -> [UInt8] { Array(reader[range]) + Array(card[range]) }
    switch kind {
    case .des where bytes.prefix(8) == bytes.suffix(8):
      return DESFireCipher(kind: .des, key: part(0..<4) + part(0..<4))
    case .des:
      return DESFireCipher(kind: .des, key: part(0..<4) + part(4..<8))
    case .tripleDES:
      return DESFireCipher(kind: .tripleDES, key: part(0..<4) + part(6..<10) + part(12..<16))
    case .aes:
      return DESFireCipher(kind: .aes, key: part(0..<4) + part(12..<16))
    }
  }
}

/// A block cipher with a key, and the modes of DESFire cards.
struct DESFireCipher: Hashable, Sendable {
  let kind: DESFireKey.Kind
  let key: [UInt8]

  var blockSize: Int { kind == .aes ? 16 : 8 }

  var zeroVector: [UInt8] { [UInt8](repeating: 0, count: blockSize) }

  /// Encrypts `data`, which consists of whole blocks.
  func encrypt(_ data: [UInt8], vector: [UInt8]) -> [UInt8] {
    run(data, vector: vector, encrypts: true)
  }

  /// Decrypts `data`, which consists of whole blocks.
  func decrypt(_ data: [UInt8], vector: [UInt8]) -> [UInt8] {
    run(data, vector: vector, encrypts: false)
  }

  /// Reverses a reader's operation in the first generation's scheme, in which a reader only decrypts:
  /// each block is encrypted, then combined with the previous block.
  func undoDecryptingReader(_ data: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = []
    var previous = zeroVector
    for start in stride(from: 0, to: data.count - data.count % blockSize, by: blockSize) {
      let block = Array(data[start..<(start + blockSize)])
      plain += zip(encrypt(block, vector: zeroVector), previous).map { $0 ^ $1 }
      previous = block
    }
    return plain
  }

  /// Returns a CMAC (NIST SP 800-38B) that starts from `vector`. The result is the whole block, which is
  /// the next vector.
  func authenticationCode(_ data: [UInt8], vector: [UInt8]) -> [UInt8] {
    let constant: UInt8 = blockSize == 8 ? 0x1B : 0x87
    func doubled(_ block: [UInt8]) -> [UInt8] {
      var result = block.indices.map { index in
        block[index] << 1 | (index + 1 < block.count ? block[index + 1] >> 7 : 0)
      }
      if block[0] & 0x80 != 0 { result[result.count - 1] ^= constant }
      return result
    }
    let whole = doubled(encrypt(zeroVector, vector: zeroVector))
    var padded = data
    var subkey = whole
    if data.isEmpty || data.count % blockSize != 0 {
      subkey = doubled(whole)
      padded.append(0x80)
      while padded.count % blockSize != 0 { padded.append(0) }
    }
    let last = padded.count - blockSize
    for index in 0..<blockSize { padded[last + index] ^= subkey[index] }
    return Array(encrypt(padded, vector: vector).suffix(blockSize))
  }

  /// Returns the first generation's MAC: the last four bytes of zero-padded data in CBC mode.
  func legacyAuthenticationCode(_ data: [UInt8]) -> [UInt8] {
    let code = encrypt(DESFireCipher.padded(data, to: blockSize), vector: zeroVector)
    return Array(code.suffix(blockSize).prefix(4))
  }

  /// Returns data padded with zeros to whole blocks.
  static func padded(_ data: [UInt8], to blockSize: Int) -> [UInt8] {
    let rest = data.count % blockSize
    return rest == 0 ? data : data + [UInt8](repeating: 0, count: blockSize - rest)
  }

  /// Returns data padded with 80 and zeros to whole blocks; adds at least one byte.
  static func marked(_ data: [UInt8], to blockSize: Int) -> [UInt8] {
    padded(data + [0x80], to: blockSize)
  }

  /// Returns the CRC-32 of IEEE 802.3 without the final inversion, least significant byte first.
  static func checksum(_ data: [UInt8]) -> [UInt8] {
    var register: UInt32 = 0xFFFF_FFFF
    for byte in data {
      register ^= UInt32(byte)
      for _ in 0..<8 {
        register = register & 1 != 0 ? register >> 1 ^ 0xEDB8_8320 : register >> 1
      }
    }
    return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: register >> $0) }
  }

  private func run(_ data: [UInt8], vector: [UInt8], encrypts: Bool) -> [UInt8] {
    precondition(data.count % blockSize == 0 && vector.count == blockSize, "whole blocks only")
    precondition(key.count == kind.keySize, "a key has the size of its kind")
    // Single DES is computed as DES-EDE with equal halves, because libcrypto's default provider does not
    // contain DES.
    let algorithm =
      switch kind {
      case .des: EVP_des_ede_cbc()
      case .tripleDES: EVP_des_ede3_cbc()
      case .aes: EVP_aes_128_cbc()
      }
    let context = COpenSSL_newCipherContext()
    defer { EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: data.count + blockSize)
    var count: Int32 = 0
    let succeeded =
      EVP_CipherInit_ex(context, algorithm, nil, key, vector, encrypts ? 1 : 0) == 1
      && EVP_CIPHER_CTX_set_padding(context, 0) == 1
      && EVP_CipherUpdate(context, &result, &count, data, Int32(data.count)) == 1
    precondition(succeeded && Int(count) == data.count, "libcrypto refuses DES or AES")
    return Array(result.prefix(data.count))
  }
}
