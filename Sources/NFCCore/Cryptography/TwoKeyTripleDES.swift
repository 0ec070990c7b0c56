import CSwiftNFCOpenSSL

/// Triple DES with two keys in CBC mode, without padding: ISO/IEC 10116, and FIPS 46-3 with K3 = K1.
enum TwoKeyTripleDES {
  static let blockSize = 8
  static let keySize = 16

  /// `nil` if the sizes are wrong: 16 bytes of key, one block of initial value, whole blocks of data.
  static func encrypt(_ data: [UInt8], key: [UInt8], initialValue: [UInt8]) -> [UInt8]? {
    run(data, key, initialValue, direction: 1)
  }

  /// As ``encrypt(_:key:initialValue:)``.
  static func decrypt(_ data: [UInt8], key: [UInt8], initialValue: [UInt8]) -> [UInt8]? {
    run(data, key, initialValue, direction: 0)
  }

  private static func run(
    _ data: [UInt8], _ key: [UInt8], _ initialValue: [UInt8], direction: Int32
  ) -> [UInt8]? {
    guard key.count == keySize, initialValue.count == blockSize, data.count % blockSize == 0,
      let size = Int32(exactly: data.count), let context = COpenSSL_newCipherContext()
    else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_CipherInit_ex(context, EVP_des_ede_cbc(), nil, key, initialValue, direction) == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1
    else { return nil }
    // The library may write one block more than it announces.
    var output = [UInt8](repeating: 0, count: data.count + blockSize)
    var written: Int32 = 0
    guard EVP_CipherUpdate(context, &output, &written, data, size) == 1, written == size
    else { return nil }
    return Array(output.prefix(data.count))
  }
}
