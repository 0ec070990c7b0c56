import CSwiftNFCOpenSSL

/// Triple DES with two keys in CBC mode, without padding: ISO/IEC 10116, and FIPS 46-3 with K3 =
/// K1.
enum TwoKeyTripleDES {
  static let blockSize = 8

  /// Encrypts data; `nil` if the sizes are wrong: 16 bytes of key, one block of initial value, whole
  /// blocks of data.
  static func encrypt(_ data: [UInt8], key: [UInt8], initialValue: [UInt8]) -> [UInt8]? {
    transform(data, key: key, initialValue: initialValue, encrypts: true)
  }

  /// Decrypts data, with the parameters of ``encrypt(_:key:initialValue:)``.
  static func decrypt(_ data: [UInt8], key: [UInt8], initialValue: [UInt8]) -> [UInt8]? {
    transform(data, key: key, initialValue: initialValue, encrypts: false)
  }

  private static func transform(
    _ data: [UInt8], key: [UInt8], initialValue: [UInt8], encrypts: Bool
  ) -> [UInt8]? {
    guard key.count == 2 * blockSize, initialValue.count == blockSize,
      data.count % blockSize == 0, let length = Int32(exactly: data.count),
      let context = COpenSSL_newCipherContext()
    else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    guard
      EVP_CipherInit_ex(context, EVP_des_ede_cbc(), nil, key, initialValue, encrypts ? 1 : 0) == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else { return nil }
    // OpenSSL may use one block more than it returns.
    var output = [UInt8](repeating: 0, count: data.count + blockSize)
    var count: Int32 = 0
    guard EVP_CipherUpdate(context, &output, &count, data, length) == 1, count == length
    else { return nil }
    return Array(output.prefix(data.count))
  }
}
