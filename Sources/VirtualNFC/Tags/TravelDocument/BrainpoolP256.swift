import CSwiftNFCOpenSSL

/// The curve brainpoolP256r1 (RFC 5639, 3.4).
enum BrainpoolP256 {
  /// The size of a coordinate and of a private key in bytes.
  static let size = 32

  /// Returns `scalar` times `point`, plus `other`.
  ///
  /// - Parameters:
  ///   - scalar: a number, most significant byte first.
  ///   - point: an uncompressed point; `nil` for the curve's generator.
  ///   - other: an uncompressed point that is added.
  /// - Returns: an uncompressed point; `nil` if it is at infinity, or if a point is not on the curve.
  static func product(
    _ scalar: [UInt8], of point: [UInt8]? = nil, plus other: [UInt8]? = nil
  ) -> [UInt8]? {
    COpenSSL_initialize()
    guard let group = EC_GROUP_new_by_curve_name(NID_brainpoolP256r1) else { return nil }
    defer { EC_GROUP_free(group) }
    guard let number = BN_bin2bn(scalar, Int32(scalar.count), nil) else { return nil }
    defer { BN_free(number) }
    guard let result = EC_POINT_new(group), let operand = EC_POINT_new(group) else { return nil }
    defer {
      EC_POINT_free(result)
      EC_POINT_free(operand)
    }
    if let point {
      guard decode(point, operand, group),
        EC_POINT_mul(group, result, nil, operand, number, nil) == 1
      else { return nil }
    } else {
      guard EC_POINT_mul(group, result, number, nil, nil, nil) == 1 else { return nil }
    }
    if let other {
      guard decode(other, operand, group), EC_POINT_add(group, result, result, operand, nil) == 1
      else { return nil }
    }
    guard EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1 + 2 * size)
    guard
      EC_POINT_point2oct(
        group, result, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil) == bytes.count
    else { return nil }
    return bytes
  }

  /// Fails for a point that is not on the curve, and for one in another form.
  private static func decode(
    _ bytes: [UInt8], _ point: OpaquePointer, _ group: OpaquePointer
  ) -> Bool {
    bytes.count == 1 + 2 * size && bytes[0] == 0x04
      && EC_POINT_oct2point(group, point, bytes, bytes.count, nil) == 1
  }
}
