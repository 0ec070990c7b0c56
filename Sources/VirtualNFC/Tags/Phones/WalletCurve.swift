import CSwiftNFCOpenSSL

/// The curve P-256 and what phones do with it. It is written for these phones only, so that a mistake of a reader is not
/// made twice.
enum WalletCurve {
  private static let size = 32

  static func newNumber() -> [UInt8]? {
    var generator = SystemRandomNumberGenerator()
    var number = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    // Below the order of the curve, which begins with FFFFFFFF.
    number[0] &= 0x7F
    return number
  }

  /// Returns `number` times `point`, or times the generator: 65 bytes.
  static func product(_ number: [UInt8], of point: [UInt8]? = nil) -> [UInt8]? {
    COpenSSL_initialize()
    guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
    defer { EC_GROUP_free(group) }
    guard let scalar = BN_bin2bn(number, Int32(number.count), nil) else { return nil }
    defer { BN_clear_free(scalar) }
    guard let result = EC_POINT_new(group), let operand = EC_POINT_new(group) else { return nil }
    defer {
      EC_POINT_free(result)
      EC_POINT_free(operand)
    }
    if let point {
      guard EC_POINT_oct2point(group, operand, point, point.count, nil) == 1,
        EC_POINT_mul(group, result, nil, operand, scalar, nil) == 1
      else { return nil }
    } else {
      guard EC_POINT_mul(group, result, scalar, nil, nil, nil) == 1 else { return nil }
    }
    guard EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1 + 2 * size)
    guard
      EC_POINT_point2oct(
        group, result, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil) == bytes.count
    else { return nil }
    return bytes
  }

  static func uncompressed(_ point: [UInt8]) -> [UInt8]? {
    product([UInt8](repeating: 0, count: size - 1) + [1], of: point)
  }

  static func compressed(_ point: [UInt8]) -> [UInt8] {
    [(point.last ?? 0) & 1 == 0 ? 0x02 : 0x03] + point.dropFirst().prefix(size)
  }

  /// Returns whether a signature in DER is right: ECDSA with SHA-256.
  static func isSignature(_ signature: [UInt8], of bytes: [UInt8], by point: [UInt8]) -> Bool {
    COpenSSL_initialize()
    guard let key = COpenSSL_newP256Key(point, point.count, nil) else { return false }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
  }

  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: size)
    _ = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    return digest
  }

  static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var code = [UInt8](repeating: 0, count: size)
    _ = HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &code, nil)
    return code
  }

  /// HKDF with SHA-256 (RFC 5869), 48 bytes.
  static func derive(_ secret: [UInt8], salt: [UInt8], info: [UInt8]) -> [UInt8] {
    let key = hmac(secret, key: salt)
    let first = hmac(info + [0x01], key: key)
    return first + hmac(first + info + [0x02], key: key).prefix(16)
  }

  /// AES-256-GCM with a nonce of 16 zero bytes; its tag of 16 bytes follows.
  static func encryptGCM(
    _ plain: [UInt8], key: [UInt8], authenticated: [UInt8]
  ) -> [UInt8]? {
    guard let context = COpenSSL_newCipherContext() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let nonce = [UInt8](repeating: 0, count: 16)
    var body = [UInt8](repeating: 0, count: plain.count + 16)
    var tag = [UInt8](repeating: 0, count: 16)
    var count: Int32 = 0
    var rest: Int32 = 0
    guard EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, nil, nil) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 16, nil) == 1,
      EVP_EncryptInit_ex(context, nil, nil, key, nonce) == 1,
      authenticated.isEmpty
        || EVP_EncryptUpdate(context, nil, &count, authenticated, Int32(authenticated.count)) == 1,
      EVP_EncryptUpdate(context, &body, &count, plain, Int32(plain.count)) == 1,
      EVP_EncryptFinal_ex(context, &tag, &rest) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
    else { return nil }
    return body.prefix(Int(count)) + tag
  }

  /// AES-128 in counter mode.
  static func applyCounter(_ data: [UInt8], key: [UInt8], counter: [UInt8]) -> [UInt8]? {
    guard let context = COpenSSL_newCipherContext() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: data.count + 16)
    var count: Int32 = 0
    guard EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, key, counter) == 1,
      EVP_EncryptUpdate(context, &result, &count, data, Int32(data.count)) == 1
    else { return nil }
    return Array(result.prefix(Int(count)))
  }
}
