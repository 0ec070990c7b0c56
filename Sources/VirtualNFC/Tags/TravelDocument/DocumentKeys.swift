import CSwiftNFCOpenSSL

/// The two keys with which a travel document and a reader protect what they send, and what they compute:
/// ICAO Doc 9303-11, 9.7 and 9.8.
struct DocumentKeys: Hashable, Sendable {
  /// The block cipher, and the MAC that belongs to it: ISO/IEC 9797-1 MAC algorithm 3 for triple DES, CMAC for AES.
  typealias Cipher = TravelDocument.Cipher

  /// The size of the keys of triple DES and AES-128 in bytes.
  static let size = 16
  private static let encryptionCounter: UInt8 = 1
  private static let authenticationCounter: UInt8 = 2
  private static let passwordCounter: UInt8 = 3

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

  /// Returns the key that encrypts the nonce of PACE, from the password's bytes: the hash of
  /// ``TravelDocument/accessInformation``, or the card access number.
  static func passwordKey(_ cipher: Cipher, _ password: [UInt8]) -> [UInt8] {
    derived(cipher, password, passwordCounter)
  }

  /// SHA-1, or SHA-256 for longer keys; the low bit of each byte of a DES key makes the number of ones odd
  /// (Doc 9303-11, 9.7.1).
  private static func derived(_ cipher: Cipher, _ secret: [UInt8], _ counter: UInt8) -> [UInt8] {
    let input = secret + [0, 0, 0, counter]
    let hash = cipher.keySize > size ? sha256(input) : sha1(input)
    let bytes = Array(hash.prefix(cipher.keySize))
    guard cipher == .tripleDES else { return bytes }
    return bytes.map { ($0 & 0xFE).nonzeroBitCount.isMultiple(of: 2) ? $0 | 1 : $0 & 0xFE }
  }

  static func sha1(_ data: [UInt8]) -> [UInt8] { digest(data, EVP_sha1(), 20) }
  static func sha256(_ data: [UInt8]) -> [UInt8] { digest(data, EVP_sha256(), 32) }

  private static func digest(_ data: [UInt8], _ algorithm: OpaquePointer?, _ size: Int) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: size)
    let isDone = EVP_Digest(data, data.count, &digest, nil, algorithm, nil) == 1
    precondition(isDone, "SHA-1 and SHA-256 are part of every libcrypto")
    return digest
  }

  // MARK: Encryption

  private var zeros: [UInt8] { [UInt8](repeating: 0, count: cipher.blockSize) }
  private var mode: BlockMode { BlockMode(cipher, key: encryption) }

  /// The initial value is zero for triple DES, and the encrypted counter for AES (Doc 9303-11, 9.8.6).
  private func vector(_ counter: UInt64?) -> [UInt8] {
    guard cipher != .tripleDES, let counter else { return zeros }
    return mode.encrypt(bytes(counter), zeros)
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
    mode.encrypt(data, vector(counter))
  }

  /// Encrypts what proves the key of the mapping: the initial value is an encrypted block of ones (Doc 9303-11,
  /// 4.4.3.5.2).
  func encryptProof(_ data: [UInt8]) -> [UInt8] {
    mode.encrypt(
      padded(data), mode.encrypt([UInt8](repeating: 0xFF, count: cipher.blockSize), zeros))
  }

  /// Decrypts data; `nil` unless it consists of whole blocks.
  func decrypt(_ data: [UInt8], counter: UInt64? = nil) -> [UInt8]? {
    guard data.count.isMultiple(of: cipher.blockSize) else { return nil }
    return mode.decrypt(data, vector(counter))
  }

  // MARK: MAC

  /// Returns the MAC of whole blocks, 8 bytes; of any data for AES.
  func code(_ blocks: [UInt8]) -> [UInt8] {
    guard cipher == .tripleDES else {
      return BlockMode(cipher, key: authentication).cmac(blocks)
    }
    // DES with the first half of the key for every block but the last, and triple DES for that.
    let half = Array(authentication.prefix(Self.size / 2))
    let first = Array(blocks.dropLast(cipher.blockSize))
    let chained = BlockMode(cipher, key: half + half).encrypt(first, zeros)
    return BlockMode(cipher, key: authentication).encrypt(
      Array(blocks.suffix(cipher.blockSize)),
      first.isEmpty ? zeros : Array(chained.suffix(cipher.blockSize)))
  }

  /// Returns the MAC of any data that is not padded yet; CMAC pads by itself.
  func tokenCode(_ data: [UInt8]) -> [UInt8] {
    code(cipher == .tripleDES ? padded(data) : data)
  }

  /// Adds 80 and zeros up to a whole block: ISO/IEC 9797-1, padding method 2.
  func padded(_ data: [UInt8]) -> [UInt8] {
    let rest = (data.count + 1) % cipher.blockSize
    return data + [0x80] + [UInt8](repeating: 0, count: rest == 0 ? 0 : cipher.blockSize - rest)
  }

  /// Removes the padding; `nil` if there is none.
  static func unpadded(_ data: [UInt8]) -> [UInt8]? {
    guard let end = data.lastIndex(where: { $0 != 0 }), data[end] == 0x80 else { return nil }
    return Array(data[..<end])
  }
}
