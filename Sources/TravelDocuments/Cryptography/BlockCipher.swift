/// The ciphers of secure messaging, with the MAC and the key derivation that belong to each (Doc 9303-11, 9.7 and
/// 9.8).
public enum BlockCipher: String, Hashable, Sendable, CaseIterable {
  /// Triple DES with two keys, and the retail MAC.
  case tripleDES = "3DES"
  /// AES with 16 bytes of key, and CMAC.
  case aes128 = "AES-128"
  /// AES with 24 bytes of key, and CMAC.
  case aes192 = "AES-192"
  /// AES with 32 bytes of key, and CMAC.
  case aes256 = "AES-256"

  var blockSize: Int { self == .tripleDES ? 8 : 16 }

  var keySize: Int {
    switch self {
    case .tripleDES, .aes128: 16
    case .aes192: 24
    case .aes256: 32
    }
  }

  /// The hash function of the key derivation (9.7.1.2 to 9.7.1.4).
  private var derivation: DigestAlgorithm {
    switch self {
    case .tripleDES, .aes128: .sha1
    case .aes192, .aes256: .sha256
    }
  }

  static let codeSize = 8

  /// A block of zeros.
  var zeros: [UInt8] { [UInt8](repeating: 0, count: blockSize) }

  // MARK: Keys

  /// What a derived key is for (9.7.1).
  enum Purpose: UInt8 {
    case encryption = 1
    case authentication = 2
    case password = 3
  }

  /// Derives a key from a shared secret (9.7.1).
  func key(_ purpose: Purpose, from secret: [UInt8]) -> [UInt8] {
    let bytes = Array(derivation(secret + [0, 0, 0, purpose.rawValue]).prefix(keySize))
    guard self == .tripleDES else { return bytes }
    // Libraries ignore the parity; the published examples have it.
    return bytes.map { ($0 & 0xFE).nonzeroBitCount.isMultiple(of: 2) ? $0 | 1 : $0 & 0xFE }
  }

  // MARK: Encryption

  /// Encrypts whole blocks in CBC mode; `nil` for a key or data of another size.
  func encrypt(_ data: [UInt8], key: [UInt8], initialValue: [UInt8]? = nil) -> [UInt8]? {
    OpenSSL.cipher(
      self, key: key, initialValue: initialValue ?? zeros, data, encrypts: true)
  }

  /// Decrypts whole blocks in CBC mode; `nil` for a key or data of another size.
  func decrypt(_ data: [UInt8], key: [UInt8], initialValue: [UInt8]? = nil) -> [UInt8]? {
    OpenSSL.cipher(
      self, key: key, initialValue: initialValue ?? zeros, data, encrypts: false)
  }

  /// Adds 80 and zeros up to a whole block (ISO/IEC 9797-1, padding method 2).
  func padded(_ data: [UInt8]) -> [UInt8] {
    let filled = data + [0x80]
    let rest = filled.count % blockSize
    return filled + [UInt8](repeating: 0, count: rest == 0 ? 0 : blockSize - rest)
  }

  /// Removes the padding; `nil` if there is none.
  static func unpadded(_ data: [UInt8]) -> [UInt8]? {
    guard let end = data.lastIndex(where: { $0 != 0 }), data[end] == 0x80 else { return nil }
    return Array(data[..<end])
  }

  // MARK: MAC

  /// Returns the MAC of any data, which is padded for triple DES: 8 bytes.
  func code(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    switch self {
    case .tripleDES: retailCode(padded(data), key: key)
    case .aes128, .aes192, .aes256:
      cipherCode(data, key: key).map { Array($0.prefix(Self.codeSize)) }
    }
  }

  /// ISO/IEC 9797-1, MAC algorithm 3: DES with the first half of the key for every block but the last, and triple DES
  /// for that. Single DES is triple DES with one key twice, because libcrypto no longer has it by default.
  private func retailCode(_ blocks: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard key.count == keySize else { return nil }
    let half = Array(key.prefix(keySize / 2))
    let first = Array(blocks.dropLast(blockSize))
    guard let chained = encrypt(first, key: half + half) else { return nil }
    return encrypt(
      Array(blocks.suffix(blockSize)), key: key,
      initialValue: first.isEmpty ? zeros : Array(chained.suffix(blockSize)))
  }

  /// CMAC, NIST SP 800-38B, 6.2.
  func cipherCode(_ data: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard let zeroBlock = encrypt(zeros, key: key) else { return nil }
    var subkey = doubled(zeroBlock)
    var last = Array(data.suffix(data.isEmpty ? 0 : (data.count - 1) % blockSize + 1))
    let start = Array(data.dropLast(last.count))
    if last.count < blockSize {
      subkey = doubled(subkey)
      last = padded(last)
    }
    let masked = zip(last, subkey).map { $0 ^ $1 }
    return encrypt(start + masked, key: key).map { Array($0.suffix(blockSize)) }
  }

  /// Multiplies by x in the field of 128 bits.
  private func doubled(_ block: [UInt8]) -> [UInt8] {
    var result = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
    if let first = block.first, first & 0x80 != 0 { result[result.count - 1] ^= 0x87 }
    return result
  }
}

extension BlockCipher: CustomStringConvertible {
  public var description: String { rawValue }
}
