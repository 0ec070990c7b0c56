import CSwiftNFCOpenSSL
import SwiftNFCCore

/// A block cipher with its key, in CBC mode without padding (NIST SP 800-38A, 6.2), implemented by
/// libcrypto.
package struct BlockCipher: Sendable {
  package enum Algorithm: Hashable, Sendable {
    case aes128
    case aes192
    /// Triple DES with two keys; equal halves make it DES.
    case twoKeyTripleDES
    case threeKeyTripleDES

    package var keySize: Int {
      switch self {
      case .aes128, .twoKeyTripleDES: 16
      case .aes192, .threeKeyTripleDES: 24
      }
    }

    package var blockSize: Int {
      switch self {
      case .aes128, .aes192: 16
      case .twoKeyTripleDES, .threeKeyTripleDES: 8
      }
    }

    fileprivate var function: OpaquePointer? {
      switch self {
      case .aes128: EVP_aes_128_cbc()
      case .aes192: EVP_aes_192_cbc()
      case .twoKeyTripleDES: EVP_des_ede_cbc()
      case .threeKeyTripleDES: EVP_des_ede3_cbc()
      }
    }
  }

  package let algorithm: Algorithm
  private let key: SecretKey

  /// - Throws: `invalidParameter` if the key does not have the algorithm's size.
  package init(_ algorithm: Algorithm, key: SecretKey) throws {
    guard key.count == algorithm.keySize else {
      throw NFCError(
        .invalidParameter,
        "a key for this algorithm has \(algorithm.keySize) bytes, not \(key.count)")
    }
    self.algorithm = algorithm
    self.key = key
  }

  package var blockSize: Int { algorithm.blockSize }

  /// A block of zeros, the first initial value of most protocols.
  package var zeroBlock: [UInt8] { [UInt8](repeating: 0, count: blockSize) }

  /// - Parameters:
  ///   - data: whole blocks.
  ///   - initialValue: one block; `nil` for zeros.
  package func encrypt(_ data: [UInt8], initialValue: [UInt8]? = nil) throws -> [UInt8] {
    try run(data, initialValue ?? zeroBlock, direction: 1)
  }

  /// Decrypts whole blocks. The parameters are those of ``encrypt(_:initialValue:)``.
  package func decrypt(_ data: [UInt8], initialValue: [UInt8]? = nil) throws -> [UInt8] {
    try run(data, initialValue ?? zeroBlock, direction: 0)
  }

  private func run(_ data: [UInt8], _ initialValue: [UInt8], direction: Int32) throws -> [UInt8] {
    guard data.count % blockSize == 0, initialValue.count == blockSize,
      let size = Int32(exactly: data.count)
    else { throw NFCError(.invalidParameter, "a block cipher takes whole blocks") }
    guard let context = COpenSSL_newCipherContext() else { throw Self.failure }
    defer { EVP_CIPHER_CTX_free(context) }
    // The library may write one block more than it announces.
    var output = [UInt8](repeating: 0, count: data.count + blockSize)
    var written: Int32 = 0
    let isDone = key.withUnsafeBytes { key in
      EVP_CipherInit_ex(
        context, algorithm.function, nil, key.bindMemory(to: UInt8.self).baseAddress, initialValue,
        direction) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_CipherUpdate(context, &output, &written, data, size) == 1 && written == size
    }
    guard isDone else { throw Self.failure }
    output.removeLast(blockSize)
    return output
  }

  /// The error for a library that was built or configured without DES.
  private static var failure: NFCError {
    NFCError(.unsupported, "the cryptographic library of this system refuses the cipher")
  }
}
