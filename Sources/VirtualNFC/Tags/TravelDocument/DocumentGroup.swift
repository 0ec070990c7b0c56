import CSwiftNFCOpenSSL

/// A curve or a group of integers over which a chip computes, by the number of its standardized domain parameters
/// (ICAO Doc 9303-11, 9.5.1; RFC 5114, RFC 5639 and FIPS 186-4).
package struct DocumentGroup: Hashable, Sendable {
  package let number: Int

  /// `nil` for a number that has no parameters.
  package init?(_ number: Int) {
    guard Self.modularNames[number] != nil || Self.curves[number] != nil else { return nil }
    self.number = number
  }

  private static let modularNames = [0: "dh_1024_160", 1: "dh_2048_224", 2: "dh_2048_256"]
  /// The curves, with the sizes of their coordinates in bytes.
  private static let curves: [Int: (name: Int32, size: Int)] = [
    8: (NID_X9_62_prime192v1, 24), 9: (NID_brainpoolP192r1, 24), 10: (NID_secp224r1, 28),
    11: (NID_brainpoolP224r1, 28), 12: (NID_X9_62_prime256v1, 32), 13: (NID_brainpoolP256r1, 32),
    14: (NID_brainpoolP320r1, 40), 15: (NID_secp384r1, 48), 16: (NID_brainpoolP384r1, 48),
    17: (NID_brainpoolP512r1, 64), 18: (NID_secp521r1, 66),
  ]

  var isCurve: Bool { number >= 8 }

  /// The size of a coordinate, or of an integer, in bytes.
  var size: Int { Self.curves[number]?.size ?? (number == 0 ? 128 : 256) }

  /// The size of a private key in bytes.
  package var keySize: Int { isCurve ? size : order.bytes.count }

  // MARK: Numbers

  private struct Integers {
    let prime, order, generator: BigNumber
  }

  private var integers: Integers {
    var (prime, order, generator): (OpaquePointer?, OpaquePointer?, OpaquePointer?) = (
      nil, nil, nil
    )
    guard
      COpenSSL_modularGroup(Self.modularNames[number] ?? "", &prime, &order, &generator) == 1,
      let prime, let order, let generator
    else { preconditionFailure("libcrypto has the groups of RFC 5114") }
    return Integers(
      prime: .adopting(prime), order: .adopting(order), generator: .adopting(generator))
  }

  private func withCurve<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    COpenSSL_initialize()
    guard let group = EC_GROUP_new_by_curve_name(Self.curves[number]?.name ?? 0) else {
      preconditionFailure("libcrypto has the standard curves")
    }
    defer { EC_GROUP_free(group) }
    return body(group)
  }

  /// The order of the generator.
  var order: BigNumber {
    guard isCurve else { return integers.order }
    return withCurve { group in
      guard let order = EC_GROUP_get0_order(group), let copy = BN_dup(order) else {
        preconditionFailure("a curve has an order")
      }
      return .adopting(copy)
    }
  }

  /// The prime of the field.
  var prime: BigNumber { isCurve ? coefficients.prime : integers.prime }

  /// The prime and the coefficients of the curve's equation.
  var coefficients: (prime: BigNumber, a: BigNumber, b: BigNumber) {
    withCurve { group in
      let (prime, a, b) = (BigNumber([]), BigNumber([]), BigNumber([]))
      prime.withPointer { p in
        a.withPointer { a in _ = b.withPointer { EC_GROUP_get_curve(group, p, a, $0, nil) } }
      }
      return (prime: prime, a: a, b: b)
    }
  }

  // MARK: Elements

  /// Returns a multiple of a point, or a power of an integer; of the generator for `nil`.
  ///
  /// - Returns: `nil` for an element that is not one, and for a result at infinity.
  package func multiple(_ scalar: [UInt8], of element: [UInt8]? = nil) -> [UInt8]? {
    guard isCurve else {
      let integers = integers
      let base = element.map { BigNumber($0) } ?? integers.generator
      if element != nil {
        guard !base.isZero, !base.minus(integers.prime).bytes.isEmpty else { return nil }
        // An element of a smaller group would give the key away.
        guard base.power(integers.order, modulo: integers.prime) == BigNumber(1) else { return nil }
      }
      return base.power(BigNumber(scalar), modulo: integers.prime).bytes
    }
    return withCurve { group in
      guard let result = EC_POINT_new(group) else { return nil }
      defer { EC_POINT_clear_free(result) }
      let number = BigNumber(scalar)
      if let element {
        guard let point = decode(element, group) else { return nil }
        defer { EC_POINT_free(point) }
        guard number.withPointer({ EC_POINT_mul(group, result, nil, point, $0, nil) }) == 1 else {
          return nil
        }
      } else {
        guard number.withPointer({ EC_POINT_mul(group, result, $0, nil, nil, nil) }) == 1 else {
          return nil
        }
      }
      return encode(result, group)
    }
  }

  /// Returns the sum of two points, or the product of two integers.
  func combined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
    guard isCurve else {
      return BigNumber(first).times(BigNumber(second), modulo: integers.prime).bytes
    }
    return withCurve { group in
      guard let left = decode(first, group) else { return nil }
      defer { EC_POINT_free(left) }
      guard let right = decode(second, group), EC_POINT_add(group, left, left, right, nil) == 1
      else { return nil }
      defer { EC_POINT_free(right) }
      return encode(left, group)
    }
  }

  /// Returns what two sides share: the x coordinate of a point, or an integer, with all its bytes.
  func secret(_ element: [UInt8]) -> [UInt8] {
    isCurve ? Array(element.dropFirst().prefix(size)) : BigNumber(element).bytes(size)
  }

  /// Fails for a point that is not on the curve, and for one in another form than 04, x, y.
  private func decode(_ bytes: [UInt8], _ group: OpaquePointer) -> OpaquePointer? {
    guard bytes.count == 1 + 2 * size, bytes[0] == 0x04, let point = EC_POINT_new(group) else {
      return nil
    }
    guard EC_POINT_oct2point(group, point, bytes, bytes.count, nil) == 1 else {
      EC_POINT_free(point)
      return nil
    }
    return point
  }

  private func encode(_ point: OpaquePointer, _ group: OpaquePointer) -> [UInt8]? {
    guard EC_POINT_is_at_infinity(group, point) == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1 + 2 * size)
    guard
      EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        == bytes.count
    else { return nil }
    return bytes
  }

  // MARK: Signatures

  /// Signs a digest by ECDSA (FIPS 186-4, 6.4); returns r and s.
  package func signature(_ digest: [UInt8], _ privateKey: [UInt8], number: [UInt8]) -> (
    r: [UInt8], s: [UInt8]
  )? {
    let order = order
    let k = BigNumber(number).remainder(order)
    guard isCurve, !k.isZero, let point = multiple(k.bytes) else { return nil }
    let r = BigNumber(Array(point.dropFirst().prefix(size))).remainder(order)
    // The leftmost bits of a digest that is longer than the order; all orders here but one have whole bytes.
    let hash = BigNumber(Array(digest.prefix(order.bytes.count)))
    let sum = hash.plus(r.times(BigNumber(privateKey), modulo: order), modulo: order)
    let s = k.inverse(modulo: order).times(sum, modulo: order)
    guard !r.isZero, !s.isZero else { return nil }
    return (r.bytes(size), s.bytes(size))
  }
}
