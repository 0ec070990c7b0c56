import CSwiftNFCOpenSSL

/// A number of libcrypto that is not negative. It computes, and knows nothing of protocols.
final class BigNumber {
  private let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { self.pointer = pointer }

  /// A number from its bytes, most significant first.
  convenience init(_ bytes: [UInt8]) {
    COpenSSL_initialize()
    guard let pointer = BN_bin2bn(bytes, Int32(truncatingIfNeeded: bytes.count), nil) else {
      preconditionFailure("no memory")
    }
    self.init(pointer)
  }

  convenience init(_ value: UInt8) { self.init([value]) }

  /// Takes over a number.
  static func adopting(_ pointer: OpaquePointer) -> BigNumber { BigNumber(pointer) }

  deinit { BN_clear_free(pointer) }

  /// Calls `body` while the number exists.
  func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
    withExtendedLifetime(self) { body(pointer) }
  }

  /// The bytes without leading zeros.
  var bytes: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(pointer)) + 7) / 8)
    BN_bn2bin(pointer, &bytes)
    return bytes
  }

  /// Returns exactly this number of bytes; what does not fit is cut off.
  func bytes(_ count: Int) -> [UInt8] {
    let own = bytes
    return [UInt8](repeating: 0, count: max(0, count - own.count)) + own.suffix(count)
  }

  var isZero: Bool { BN_is_zero(pointer) == 1 }

  private func result(
    _ body: (OpaquePointer, OpaquePointer) -> Bool
  ) -> BigNumber {
    guard let result = BN_new(), let context = BN_CTX_new() else {
      preconditionFailure("no memory")
    }
    defer { BN_CTX_free(context) }
    let number = BigNumber(result)
    precondition(body(result, context), "libcrypto cannot compute this")
    return number
  }

  func plus(_ other: BigNumber, modulo modulus: BigNumber) -> BigNumber {
    result { BN_mod_add($0, pointer, other.pointer, modulus.pointer, $1) == 1 }
  }

  func negated(modulo modulus: BigNumber) -> BigNumber { modulus.minus(remainder(modulus)) }

  func times(_ other: BigNumber, modulo modulus: BigNumber) -> BigNumber {
    result { BN_mod_mul($0, pointer, other.pointer, modulus.pointer, $1) == 1 }
  }

  func power(_ exponent: BigNumber, modulo modulus: BigNumber) -> BigNumber {
    result { BN_mod_exp($0, pointer, exponent.pointer, modulus.pointer, $1) == 1 }
  }

  /// Returns the inverse; zero for a number that has none.
  func inverse(modulo modulus: BigNumber) -> BigNumber {
    result { number, context in
      if BN_mod_inverse(number, pointer, modulus.pointer, context) == nil { BN_zero_ex(number) }
      return true
    }
  }

  func remainder(_ modulus: BigNumber) -> BigNumber {
    result { BN_nnmod($0, pointer, modulus.pointer, $1) == 1 }
  }

  func minus(_ other: BigNumber) -> BigNumber {
    result { number, _ in BN_sub(number, pointer, other.pointer) == 1 }
  }

  func plus(_ other: BigNumber) -> BigNumber {
    result { number, _ in BN_add(number, pointer, other.pointer) == 1 }
  }

  func divided(by other: BigNumber) -> BigNumber {
    result { BN_div($0, nil, pointer, other.pointer, $1) == 1 }
  }

  static func == (left: BigNumber, right: BigNumber) -> Bool {
    BN_cmp(left.pointer, right.pointer) == 0
  }
}
