import CSwiftNFCOpenSSL

// What this module uses of OpenSSL's libcrypto; no other file of it calls C.

/// Hash functions, and derivations of keys from them.
package enum Digest {
  /// SHA-256 (FIPS 180-4), 32 bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: 32)
    let succeeded = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1
    precondition(succeeded, "libcrypto refuses SHA-256")
    return digest
  }

  /// HMAC with SHA-256 (RFC 2104), 32 bytes.
  package static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var code = [UInt8](repeating: 0, count: 32)
    let result = HMAC(
      EVP_sha256(), key, Int32(truncatingIfNeeded: key.count), bytes, bytes.count, &code, nil)
    precondition(result != nil, "libcrypto refuses HMAC")
    return code
  }

  /// The first 32 bytes of ANSI X9.63's key derivation with SHA-256 (SEC 1, 3.6.1).
  static func x963(_ secret: [UInt8], sharedInfo: [UInt8]) -> [UInt8] {
    var input = secret + [0, 0, 0, 1] + sharedInfo
    defer { input.wipe() }
    return sha256(input)
  }

  /// HKDF with SHA-256 (RFC 5869).
  package static func hkdf(_ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    var extracted = hmac(secret, key: salt)
    defer { extracted.wipe() }
    var result: [UInt8] = []
    var block: [UInt8] = []
    for index in 1...255 where result.count < count {
      block = hmac(block + info + [UInt8(index)], key: extracted)
      result += block
    }
    return Array(result.prefix(count))
  }
}

/// AES-256-GCM (NIST SP 800-38D).
enum AuthenticatedCipher {
  static let tagSize = 16

  /// - Parameters:
  ///   - data: the encrypted bytes and their tag.
  ///   - key: 32 bytes.
  /// - Returns: `nil` if the tag is wrong.
  static func decrypt(
    _ data: [UInt8], key: [UInt8], nonce: [UInt8], authenticated: [UInt8]
  ) -> [UInt8]? {
    guard data.count >= tagSize, key.count == 32,
      let context = COpenSSL_newCipherContext()
    else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let body = Array(data.dropLast(tagSize))
    var tag = Array(data.suffix(tagSize))
    var plain = [UInt8](repeating: 0, count: body.count + tagSize)
    var count: Int32 = 0
    guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, nil, nil) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1,
      EVP_DecryptInit_ex(context, nil, nil, key, nonce) == 1,
      authenticated.isEmpty
        || EVP_DecryptUpdate(context, nil, &count, authenticated, Int32(authenticated.count)) == 1,
      EVP_DecryptUpdate(context, &plain, &count, body, Int32(body.count)) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &tag) == 1
    else { return nil }
    var last = [UInt8](repeating: 0, count: tagSize)
    var lastCount: Int32 = 0
    guard EVP_DecryptFinal_ex(context, &last, &lastCount) == 1 else {
      plain.wipe()
      return nil
    }
    return Array(plain.prefix(Int(count)))
  }
}

/// AES-128 in counter mode (NIST SP 800-38A, 6.5).
package enum CounterCipher {
  /// - Parameters:
  ///   - key: 16 bytes.
  ///   - counter: the first block, 16 bytes.
  package static func apply(to data: [UInt8], key: [UInt8], counter: [UInt8]) -> [UInt8]? {
    guard key.count == 16, counter.count == 16, let context = COpenSSL_newCipherContext() else {
      return nil
    }
    defer { EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: data.count + 16)
    var count: Int32 = 0
    guard EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, key, counter) == 1,
      EVP_EncryptUpdate(context, &result, &count, data, Int32(data.count)) == 1
    else { return nil }
    return Array(result.prefix(Int(count)))
  }
}

/// A private key of an elliptic curve, which OpenSSL keeps and overwrites at the end.
///
/// The key does not change after `init`, and libcrypto's functions that only read a key may be called from any thread.
final class PrivateKey: @unchecked Sendable {
  private let key: OpaquePointer

  private init(_ key: OpaquePointer) { self.key = key }

  deinit { EVP_PKEY_free(key) }

  private static let curve = "prime256v1"

  /// A key of P-256 from its number, 32 bytes.
  convenience init?(number: [UInt8]) {
    COpenSSL_initialize()
    guard let group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else { return nil }
    defer { EC_GROUP_free(group) }
    guard let order = EC_GROUP_get0_order(group), let point = EC_POINT_new(group) else {
      return nil
    }
    defer { EC_POINT_free(point) }
    guard let value = BN_secure_new() else { return nil }
    defer { BN_clear_free(value) }
    var encoded = [UInt8](repeating: 0, count: 65)
    guard BN_bin2bn(number, Int32(number.count), value) != nil, BN_is_zero(value) == 0,
      BN_cmp(value, order) < 0,
      EC_POINT_mul(group, point, value, nil, nil, nil) == 1,
      EC_POINT_point2oct(
        group, point, POINT_CONVERSION_UNCOMPRESSED, &encoded, encoded.count, nil)
        == encoded.count,
      let key = COpenSSL_newP256Key(encoded, encoded.count, value)
    else { return nil }
    self.init(key)
  }

  /// A key of any curve from SEC 1 or PKCS 8.
  convenience init?(der: [UInt8]) {
    COpenSSL_initialize()
    let key = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var start = bytes.baseAddress
      return d2i_AutoPrivateKey(nil, &start, bytes.count)
    }
    guard let key else { return nil }
    guard
      EVP_PKEY_is_a(key, "EC") == 1 || EVP_PKEY_is_a(key, "ED25519") == 1
        || EVP_PKEY_is_a(key, "X25519") == 1 || EVP_PKEY_is_a(key, "RSA") == 1
    else {
      EVP_PKEY_free(key)
      return nil
    }
    self.init(key)
  }

  static func generate() -> PrivateKey? {
    COpenSSL_initialize()
    guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_group_name(context, curve) == 1,
      EVP_PKEY_generate(context, &key) == 1, let key
    else { return nil }
    return PrivateKey(key)
  }

  var isP256: Bool {
    guard EVP_PKEY_is_a(key, "EC") == 1 else { return false }
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return false }
    return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
      == Self.curve
  }

  /// The public key as an uncompressed point, 65 bytes.
  var publicPoint: [UInt8]? {
    // The form in which the key keeps its point depends on the file that it came from.
    var x: OpaquePointer?
    var y: OpaquePointer?
    guard EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &x) == 1,
      EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_Y, &y) == 1
    else {
      BN_free(x)
      return nil
    }
    defer {
      BN_free(x)
      BN_free(y)
    }
    var point = [UInt8](repeating: 0, count: 64)
    let isWritten = point.withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return BN_bn2binpad(x, start, 32) == 32 && BN_bn2binpad(y, start + 32, 32) == 32
    }
    return isWritten ? [0x04] + point : nil
  }

  /// SEC 1, `ECPrivateKey`.
  var der: [UInt8] {
    let count = i2d_PrivateKey(key, nil)
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    let written = bytes.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return i2d_PrivateKey(key, &start)
    }
    return written == count ? bytes : []
  }

  /// The x coordinate that this key and a public key have in common (SEC 1, 3.3.1), 32 bytes.
  ///
  /// - Parameter point: compressed or not.
  /// - Returns: `nil` if it is not a point of the curve.
  func sharedSecret(withPoint point: [UInt8]) -> [UInt8]? {
    guard let other = COpenSSL_newP256Key(point, point.count, nil) else { return nil }
    defer { EVP_PKEY_free(other) }
    guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var count = 32
    var secret = [UInt8](repeating: 0, count: count)
    guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other) == 1,
      EVP_PKEY_derive(context, &secret, &count) == 1, count == 32
    else { return nil }
    return secret
  }

  /// Signs bytes by ECDSA with SHA-256; the signature in DER.
  func signature(of bytes: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var count = 0
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
      EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
    else { return nil }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { return nil }
    return Array(signature.prefix(count))
  }
}

/// Base64 (RFC 4648, 4).
enum Base64 {
  static func encode(_ bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = EVP_EncodeBlock(&text, bytes, Int32(truncatingIfNeeded: bytes.count))
    return String(decoding: text.prefix(max(0, Int(count))), as: UTF8.self)
  }

  static func decode(_ text: String) -> [UInt8]? {
    let padding = text.reversed().prefix { $0 == "=" }.count
    guard text.utf8.count % 4 == 0, padding <= 2, !text.isEmpty else { return nil }
    var bytes = [UInt8](repeating: 0, count: text.utf8.count / 4 * 3)
    let count = EVP_DecodeBlock(
      &bytes, Array(text.utf8), Int32(truncatingIfNeeded: text.utf8.count))
    guard count == bytes.count else { return nil }
    return Array(bytes.dropLast(padding))
  }
}

extension [UInt8] {
  /// Overwrites the bytes and empties the array.
  package mutating func wipe() {
    withUnsafeMutableBytes { bytes in
      if let address = bytes.baseAddress { OPENSSL_cleanse(address, bytes.count) }
    }
    removeAll()
  }

  /// Returns whether the bytes are equal, in a time that depends only on their number.
  package func equalsInConstantTime(_ other: [UInt8]) -> Bool {
    count == other.count && (isEmpty || CRYPTO_memcmp(self, other, count) == 0)
  }
}
