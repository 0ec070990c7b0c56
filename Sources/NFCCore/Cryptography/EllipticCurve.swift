import CSwiftNFCOpenSSL

/// ECDSA over the short curves of originality signatures.
extension EllipticCurve {
  private var identifier: Int32 {
    switch self {
    case .secp128r1: NID_secp128r1
    case .secp192r1: NID_X9_62_prime192v1
    case .secp224r1: NID_secp224r1
    }
  }

  /// SHA-256 (FIPS 180-4); empty if the library has none.
  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else { return [] }
    return digest
  }

  /// Verifies an ECDSA signature (SEC 1, 4.1.4) of a number that was already computed from the
  /// message.
  ///
  /// - Parameters:
  ///   - message: the number; as many of its bytes are used as the curve's order has.
  ///   - signature: r and s.
  ///   - publicKey: an uncompressed point.
  /// - Returns: `false` for anything that is not well-formed.
  func verify(_ message: [UInt8], signature: [UInt8], publicKey: [UInt8]) -> Bool {
    COpenSSL_initialize()
    guard signature.count == 2 * size, let group = EC_GROUP_new_by_curve_name(identifier)
    else { return false }
    defer { EC_GROUP_free(group) }
    guard let context = BN_CTX_new() else { return false }
    defer { BN_CTX_free(context) }
    guard let order = EC_GROUP_get0_order(group), let point = EC_POINT_new(group),
      let sum = EC_POINT_new(group)
    else { return false }
    defer {
      EC_POINT_free(point)
      EC_POINT_free(sum)
    }
    BN_CTX_start(context)
    defer { BN_CTX_end(context) }
    // The last one is nil if any is.
    guard let r = BN_CTX_get(context), let s = BN_CTX_get(context), let e = BN_CTX_get(context),
      let inverse = BN_CTX_get(context), let first = BN_CTX_get(context),
      let second = BN_CTX_get(context), let x = BN_CTX_get(context), let v = BN_CTX_get(context)
    else { return false }
    guard Self.set(r, signature.prefix(size)), Self.set(s, signature.suffix(size)),
      Self.set(e, message.prefix(size)),
      BN_is_zero(r) == 0, BN_is_zero(s) == 0, BN_cmp(r, order) < 0, BN_cmp(s, order) < 0,
      // Checks that the point is on the curve.
      EC_POINT_oct2point(group, point, publicKey, publicKey.count, context) == 1,
      BN_mod_inverse(inverse, s, order, context) != nil,
      BN_mod_mul(first, e, inverse, order, context) == 1,
      BN_mod_mul(second, r, inverse, order, context) == 1,
      EC_POINT_mul(group, sum, first, point, second, context) == 1,
      EC_POINT_is_at_infinity(group, sum) == 0,
      EC_POINT_get_affine_coordinates(group, sum, x, nil, context) == 1,
      BN_nnmod(v, x, order, context) == 1
    else { return false }
    return BN_cmp(v, r) == 0
  }

  private static func set(_ number: OpaquePointer, _ bytes: ArraySlice<UInt8>) -> Bool {
    BN_bin2bn(Array(bytes), Int32(truncatingIfNeeded: bytes.count), number) != nil
  }
}
