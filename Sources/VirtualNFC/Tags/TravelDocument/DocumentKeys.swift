import CSwiftNFCOpenSSL

/// The two keys with which a travel document and a reader protect what they send, and what they compute:
/// ICAO Doc 9303-11, 9.7 and 9.8.
struct DocumentKeys: Hashable, Sendable {
  /// The block cipher, and the MAC that belongs to it.
  enum Cipher: Hashable, Sendable {
    /// Triple DES with two keys, and ISO/IEC 9797-1 MAC algorithm 3.
    case tripleDES
    /// AES-128, and CMAC.
    case aes

    var blockSize: Int { self == .aes ? 16 : TwoKeyTripleDES.blockSize }
  }

  static let size = 16
  private static let encryptionCounter: UInt8 = 1
  private static let authenticationCounter: UInt8 = 2
  private static let passwordCounter: UInt8 = 3
  private static let codeSize = 8

  let cipher: Cipher
  let encryption: [UInt8]
  let authentication: [UInt8]

  /// Derives the keys from a shared secret.
  init(_ cipher: Cipher, secret: [UInt8]) {
    self.cipher = cipher
    encryption = Self.derived(cipher, secret, Self.encryptionCounter)
    authentication = Self.derived(cipher, secret, Self.authenticationCounter)
  }

  /// Derives the keys of Basic Access Control from ``TravelDocument/accessInformation``.
  init(basicAccess information: String) {
    self.init(.tripleDES, secret: Array(Self.sha1(Array(information.utf8)).prefix(Self.size)))
  }

  /// Returns the key that encrypts the nonce of PACE, from ``TravelDocument/accessInformation``.
  static func passwordKey(_ information: String) -> [UInt8] {
    derived(.aes, sha1(Array(information.utf8)), passwordCounter)
  }

  /// The low bit of each byte of a DES key makes the number of ones odd (Doc 9303-11, 9.7.1).
  private static func derived(_ cipher: Cipher, _ secret: [UInt8], _ counter: UInt8) -> [UInt8] {
    let bytes = Array(sha1(secret + [0, 0, 0, counter]).prefix(size))
    guard cipher == .tripleDES else { return bytes }
    return bytes.map { ($0 & 0xFE).nonzeroBitCount.isMultiple(of: 2) ? $0 | 1 : $0 & 0xFE }
  }

  private static func sha1(_ data: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: 20)
    let isDone = EVP_Digest(data, data.count, &digest, nil, EVP_sha1(), nil) == 1
    precondition(isDone, "SHA-1 is part of every libcrypto")
    return digest
  }

  // MARK: Encryption

  private var zeros: [UInt8] { [UInt8](repeating: 0, count: cipher.blockSize) }
  private var aes: DESFireCipher { DESFireCipher(kind: .aes, key: encryption) }

  /// The initial value is zero for triple DES, and the encrypted counter for AES (Doc 9303-11, 9.8.6).
  private func vector(_ counter: UInt64?) -> [UInt8] {
    guard cipher == .aes, let counter else { return zeros }
    return aes.encrypt(bytes(counter), vector: zeros)
  }

  /// The counter of secure messaging as one block.
  func bytes(_ counter: UInt64) -> [UInt8] {
    Array(zeros.dropLast(8))
      + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: counter >> $0) }
  }

  /// Encrypts whole blocks.
  ///
  /// - Parameter counter: the counter of secure messaging; `nil` before it has begun.
  func encrypt(_ data: [UInt8], counter: UInt64? = nil) -> [UInt8] {
    switch cipher {
    case .tripleDES:
      TwoKeyTripleDES.encrypt(data, key: encryption, initialValue: vector(counter)) ?? []
    case .aes: aes.encrypt(data, vector: vector(counter))
    }
  }

  /// Decrypts data; `nil` unless it consists of whole blocks.
  func decrypt(_ data: [UInt8], counter: UInt64? = nil) -> [UInt8]? {
    guard data.count.isMultiple(of: cipher.blockSize) else { return nil }
    return
      switch cipher
    {
    case .tripleDES:
      TwoKeyTripleDES.decrypt(data, key: encryption, initialValue: vector(counter))
    case .aes: aes.decrypt(data, vector: vector(counter))
    }
  }

  // MARK: MAC

  /// Returns the MAC of whole blocks, 8 bytes; of any data for AES.
  func code(_ blocks: [UInt8]) -> [UInt8] {
    guard cipher == .tripleDES else {
      let cipher = DESFireCipher(kind: .aes, key: authentication)
      return Array(cipher.authenticationCode(blocks, vector: zeros).prefix(Self.codeSize))
    }
    // DES with the first half of the key for every block but the last, and triple DES for that.
    let half = Array(authentication.prefix(Self.size / 2))
    let first = Array(blocks.dropLast(cipher.blockSize))
    let chained = TwoKeyTripleDES.encrypt(first, key: half + half, initialValue: zeros) ?? []
    return TwoKeyTripleDES.encrypt(
      Array(blocks.suffix(cipher.blockSize)), key: authentication,
      initialValue: first.isEmpty ? zeros : Array(chained.suffix(cipher.blockSize))) ?? []
  }

  /// Adds 80 and zeros up to a whole block: ISO/IEC 9797-1, padding method 2.
  func padded(_ data: [UInt8]) -> [UInt8] {
    DESFireCipher.marked(data, to: cipher.blockSize)
  }

  /// Removes the padding; `nil` if there is none.
  static func unpadded(_ data: [UInt8]) -> [UInt8]? {
    guard let end = data.lastIndex(where: { $0 != 0 }), data[end] == 0x80 else { return nil }
    return Array(data[..<end])
  }
}
