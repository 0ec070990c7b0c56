import CSwiftNFCOpenSSL

/// libcrypto. No other file of this module calls C.
///
/// Numbers are bytes, most significant first, and points are uncompressed: 04, x, y. What is impossible, such as a
/// point that is not on its curve, is `nil`.
enum OpenSSL {
  // MARK: Digests and ciphers

  static func digest(_ algorithm: DigestAlgorithm, _ data: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: algorithm.size)
    let isDone = EVP_Digest(data, data.count, &digest, nil, function(algorithm), nil) == 1
    precondition(isDone, "\(algorithm) is part of every libcrypto")
    return digest
  }

  private static func function(_ algorithm: DigestAlgorithm) -> OpaquePointer? {
    switch algorithm {
    case .sha1: EVP_sha1()
    case .sha224: EVP_sha224()
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .sha512: EVP_sha512()
    }
  }

  /// Encrypts or decrypts whole blocks in CBC mode, without padding.
  static func cipher(
    _ algorithm: BlockCipher, key: [UInt8], initialValue: [UInt8], _ data: [UInt8], encrypts: Bool
  ) -> [UInt8]? {
    guard key.count == algorithm.keySize, initialValue.count == algorithm.blockSize,
      data.count.isMultiple(of: algorithm.blockSize), let size = Int32(exactly: data.count),
      let context = COpenSSL_newCipherContext()
    else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    // The library may write one block more than it announces.
    var output = [UInt8](repeating: 0, count: data.count + algorithm.blockSize)
    var written: Int32 = 0
    guard
      EVP_CipherInit_ex(context, function(algorithm), nil, key, initialValue, encrypts ? 1 : 0)
        == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1,
      EVP_CipherUpdate(context, &output, &written, data, size) == 1, Int(written) == data.count
    else { return nil }
    return Array(output.prefix(data.count))
  }

  private static func function(_ algorithm: BlockCipher) -> OpaquePointer? {
    switch algorithm {
    case .tripleDES: EVP_des_ede_cbc()
    case .aes128: EVP_aes_128_cbc()
    case .aes192: EVP_aes_192_cbc()
    case .aes256: EVP_aes_256_cbc()
    }
  }

  static func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { bytes in
      if let address = bytes.baseAddress { OPENSSL_cleanse(address, bytes.count) }
    }
    bytes.removeAll()
  }

  /// Returns whether the bytes are equal, in a time that depends only on their number.
  static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
  }

  // MARK: Numbers

  /// An operation on numbers modulo another one.
  enum ModularOperation {
    case sum, product, power, inverse, remainder
  }

  /// Returns `operation` of two numbers modulo `modulus`, with as many bytes as the modulus.
  static func modular(
    _ operation: ModularOperation, _ first: [UInt8], _ second: [UInt8] = [], modulus: [UInt8]
  ) -> [UInt8]? {
    COpenSSL_initialize()
    guard let context = BN_CTX_new() else { return nil }
    defer { BN_CTX_free(context) }
    guard let a = number(first), let b = number(second), let m = number(modulus),
      let result = BN_new()
    else { return nil }
    defer { for number in [a, b, m, result] { BN_clear_free(number) } }
    guard BN_is_zero(m) == 0 else { return nil }
    let isDone: Bool
    switch operation {
    case .sum: isDone = BN_mod_add(result, a, b, m, context) == 1
    case .product: isDone = BN_mod_mul(result, a, b, m, context) == 1
    case .power: isDone = BN_is_odd(m) == 1 && BN_mod_exp(result, a, b, m, context) == 1
    case .inverse: isDone = BN_mod_inverse(result, a, m, context) != nil
    case .remainder: isDone = BN_nnmod(result, a, m, context) == 1
    }
    guard isDone else { return nil }
    return bytes(result, count: modulus.count)
  }

  /// Returns `first` minus `second`, with as many bytes as `first`; `nil` if that is negative.
  static func difference(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
    guard let a = number(first), let b = number(second), let result = BN_new() else { return nil }
    defer { for number in [a, b, result] { BN_clear_free(number) } }
    guard BN_sub(result, a, b) == 1, BN_is_negative(result) == 0 else { return nil }
    return bytes(result, count: first.count)
  }

  /// Returns the quotient of two numbers without the remainder, with as many bytes as the first.
  static func quotient(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
    guard let context = BN_CTX_new() else { return nil }
    defer { BN_CTX_free(context) }
    guard let a = number(first), let b = number(second), let result = BN_new() else { return nil }
    defer { for number in [a, b, result] { BN_clear_free(number) } }
    guard BN_div(result, nil, a, b, context) == 1 else { return nil }
    return bytes(result, count: first.count)
  }

  private static func number(_ bytes: [UInt8]) -> OpaquePointer? {
    BN_bin2bn(bytes, Int32(truncatingIfNeeded: bytes.count), nil)
  }

  private static func bytes(_ number: OpaquePointer, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard let size = Int32(exactly: count), BN_bn2binpad(number, &bytes, size) == size else {
      return nil
    }
    return bytes
  }

  // MARK: Curves

  private static func identifier(_ curve: StandardCurve) -> Int32 {
    switch curve {
    case .secp192r1: NID_X9_62_prime192v1
    case .brainpoolP192r1: NID_brainpoolP192r1
    case .secp224r1: NID_secp224r1
    case .brainpoolP224r1: NID_brainpoolP224r1
    case .secp256r1: NID_X9_62_prime256v1
    case .brainpoolP256r1: NID_brainpoolP256r1
    case .brainpoolP320r1: NID_brainpoolP320r1
    case .secp384r1: NID_secp384r1
    case .brainpoolP384r1: NID_brainpoolP384r1
    case .brainpoolP512r1: NID_brainpoolP512r1
    case .secp521r1: NID_secp521r1
    }
  }

  /// The numbers that define a curve.
  struct CurveNumbers: Hashable {
    var prime, a, b, generator, order, cofactor: [UInt8]
  }

  static func numbers(of curve: StandardCurve) -> CurveNumbers? {
    withGroup(curve) { group, context in
      guard let p = BN_new(), let a = BN_new(), let b = BN_new(), let x = BN_new(),
        let y = BN_new()
      else { return nil }
      defer { for number in [p, a, b, x, y] { BN_free(number) } }
      let size = curve.size
      guard EC_GROUP_get_curve(group, p, a, b, context) == 1,
        let generator = EC_GROUP_get0_generator(group),
        EC_POINT_get_affine_coordinates(group, generator, x, y, context) == 1,
        let order = EC_GROUP_get0_order(group), let cofactor = EC_GROUP_get0_cofactor(group),
        let primeBytes = bytes(p, count: size), let aBytes = bytes(a, count: size),
        let bBytes = bytes(b, count: size), let xBytes = bytes(x, count: size),
        let yBytes = bytes(y, count: size), let orderBytes = bytes(order, count: size),
        let cofactorBytes = bytes(cofactor, count: 1)
      else { return nil }
      return CurveNumbers(
        prime: primeBytes, a: aBytes, b: bBytes, generator: [0x04] + xBytes + yBytes,
        order: orderBytes, cofactor: cofactorBytes)
    }
  }

  /// Returns `scalar` times `point`, plus `other`.
  ///
  /// - Parameter point: `nil` for the curve's generator.
  /// - Returns: `nil` if it is at infinity, or if a point is not on the curve.
  static func product(
    _ scalar: [UInt8], of point: [UInt8]? = nil, plus other: [UInt8]? = nil, on curve: StandardCurve
  ) -> [UInt8]? {
    withGroup(curve) { group, context in
      guard let number = number(scalar), let result = EC_POINT_new(group),
        let operand = EC_POINT_new(group)
      else { return nil }
      defer {
        BN_clear_free(number)
        EC_POINT_clear_free(result)
        EC_POINT_free(operand)
      }
      if let point {
        guard decode(point, operand, group, curve),
          EC_POINT_mul(group, result, nil, operand, number, context) == 1
        else { return nil }
      } else {
        guard EC_POINT_mul(group, result, number, nil, nil, context) == 1 else { return nil }
      }
      if let other {
        guard decode(other, operand, group, curve),
          EC_POINT_add(group, result, result, operand, context) == 1
        else { return nil }
      }
      guard EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 1 + 2 * curve.size)
      guard
        EC_POINT_point2oct(
          group, result, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, context)
          == bytes.count
      else { return nil }
      return bytes
    }
  }

  /// Returns the uncompressed form of a point; `nil` if it is not on the curve.
  static func uncompressed(_ point: [UInt8], on curve: StandardCurve) -> [UInt8]? {
    withGroup(curve) { group, context in
      guard let result = EC_POINT_new(group) else { return nil }
      defer { EC_POINT_free(result) }
      var bytes = [UInt8](repeating: 0, count: 1 + 2 * curve.size)
      guard EC_POINT_oct2point(group, result, point, point.count, context) == 1,
        EC_POINT_is_at_infinity(group, result) == 0,
        EC_POINT_point2oct(
          group, result, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, context)
          == bytes.count
      else { return nil }
      return bytes
    }
  }

  /// Fails for a point that is not on the curve, and for one in another form.
  private static func decode(
    _ bytes: [UInt8], _ point: OpaquePointer, _ group: OpaquePointer, _ curve: StandardCurve
  ) -> Bool {
    bytes.count == 1 + 2 * curve.size && bytes[0] == 0x04
      && EC_POINT_oct2point(group, point, bytes, bytes.count, nil) == 1
  }

  private static func withGroup<Result>(
    _ curve: StandardCurve, _ body: (OpaquePointer, OpaquePointer) -> Result?
  ) -> Result? {
    COpenSSL_initialize()
    guard let group = EC_GROUP_new_by_curve_name(identifier(curve)) else { return nil }
    defer { EC_GROUP_free(group) }
    guard let context = BN_CTX_new() else { return nil }
    defer { BN_CTX_free(context) }
    return body(group, context)
  }

  // MARK: Signatures

  /// Verifies ECDSA (SEC 1, 4.1.4) of a digest; `signature` is r and s, each with half of its bytes.
  static func verifyECDSA(
    digest: [UInt8], signature: [UInt8], point: [UInt8], on curve: StandardCurve
  ) -> Bool {
    withGroup(curve) { group, context -> Bool? in
      let half = signature.count / 2
      guard signature.count == 2 * half, let order = EC_GROUP_get0_order(group),
        let publicPoint = EC_POINT_new(group), let sum = EC_POINT_new(group)
      else { return nil }
      defer {
        EC_POINT_free(publicPoint)
        EC_POINT_free(sum)
      }
      BN_CTX_start(context)
      defer { BN_CTX_end(context) }
      // The last one is nil if any is.
      guard let r = BN_CTX_get(context), let s = BN_CTX_get(context),
        let e = BN_CTX_get(context), let inverse = BN_CTX_get(context),
        let first = BN_CTX_get(context), let second = BN_CTX_get(context),
        let x = BN_CTX_get(context), let v = BN_CTX_get(context)
      else { return nil }
      // The bits of all orders but that of secp521r1, to which no digest is too long, fill whole bytes.
      guard set(r, signature.prefix(half)), set(s, signature.suffix(half)),
        set(e, digest.prefix(curve.size)), BN_is_zero(r) == 0, BN_is_zero(s) == 0,
        BN_cmp(r, order) < 0, BN_cmp(s, order) < 0,
        // Checks that the point is on the curve.
        EC_POINT_oct2point(group, publicPoint, point, point.count, context) == 1,
        BN_mod_inverse(inverse, s, order, context) != nil,
        BN_mod_mul(first, e, inverse, order, context) == 1,
        BN_mod_mul(second, r, inverse, order, context) == 1,
        EC_POINT_mul(group, sum, first, publicPoint, second, context) == 1,
        EC_POINT_is_at_infinity(group, sum) == 0,
        EC_POINT_get_affine_coordinates(group, sum, x, nil, context) == 1,
        BN_nnmod(v, x, order, context) == 1
      else { return false }
      return BN_cmp(v, r) == 0
    } ?? false
  }

  private static func set(_ number: OpaquePointer, _ bytes: ArraySlice<UInt8>) -> Bool {
    BN_bin2bn(Array(bytes), Int32(truncatingIfNeeded: bytes.count), number) != nil
  }

  /// Verifies an RSA signature of a digest; `nil` if this library does not support the algorithm.
  ///
  /// - Parameter key: RSAPublicKey (RFC 8017, A.1.1).
  static func verifyRSA(
    digest: [UInt8], _ algorithm: DigestAlgorithm, signature: [UInt8], key: [UInt8],
    padding: RSAPadding
  ) -> Bool? {
    withRSA(key) { context -> Bool? in
      guard EVP_PKEY_verify_init(context) == 1 else { return nil }
      switch padding {
      case .pkcs1:
        guard EVP_PKEY_CTX_ctrl_str(context, "rsa_padding_mode", "pkcs1") == 1 else { return nil }
      case .pss(let mask, let salt):
        guard EVP_PKEY_CTX_ctrl_str(context, "rsa_padding_mode", "pss") == 1,
          EVP_PKEY_CTX_ctrl_str(context, "rsa_pss_saltlen", salt.map(String.init) ?? "auto") == 1,
          EVP_PKEY_CTX_ctrl_str(context, "rsa_mgf1_md", mask.libraryName) == 1
        else { return nil }
      }
      guard EVP_PKEY_CTX_set_signature_md(context, function(algorithm)) == 1 else { return nil }
      return EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
  }

  /// Returns what a signature without padding contains, with as many bytes as the modulus.
  static func recoverRSA(_ signature: [UInt8], key: [UInt8]) -> [UInt8]? {
    withRSA(key) { context in
      guard EVP_PKEY_verify_recover_init(context) == 1,
        EVP_PKEY_CTX_ctrl_str(context, "rsa_padding_mode", "none") == 1
      else { return nil }
      var size = 0
      guard EVP_PKEY_verify_recover(context, nil, &size, signature, signature.count) == 1,
        (1...65_536).contains(size)
      else { return nil }
      var bytes = [UInt8](repeating: 0, count: size)
      guard EVP_PKEY_verify_recover(context, &bytes, &size, signature, signature.count) == 1 else {
        return nil
      }
      return Array(bytes.prefix(size))
    }
  }

  private static func withRSA<Result>(
    _ key: [UInt8], _ body: (OpaquePointer) -> Result?
  ) -> Result? {
    COpenSSL_initialize()
    let loaded = key.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var pointer = buffer.baseAddress
      return d2i_PublicKey(EVP_PKEY_RSA, nil, &pointer, buffer.count)
    }
    guard let loaded else { return nil }
    defer { EVP_PKEY_free(loaded) }
    guard let context = EVP_PKEY_CTX_new(loaded, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    return body(context)
  }
}

/// How a digest is padded to the size of an RSA key.
enum RSAPadding: Hashable, Sendable {
  /// RFC 8017, 8.2.
  case pkcs1
  /// RFC 8017, 8.1: the digest of the mask, and the size of the salt; `nil` for any size.
  case pss(mask: DigestAlgorithm, saltSize: Int?)
}
