import SwiftNFCCore

/// The curves over which travel documents compute (Doc 9303-11, 9.5.1), by the numbers of their domain parameters.
public enum StandardCurve: Int, Hashable, Sendable, CaseIterable {
  /// 192 bits, SEC 2.
  case secp192r1 = 8
  /// 192 bits, RFC 5639.
  case brainpoolP192r1 = 9
  /// 224 bits, SEC 2.
  case secp224r1 = 10
  /// 224 bits, RFC 5639.
  case brainpoolP224r1 = 11
  /// 256 bits, SEC 2.
  case secp256r1 = 12
  /// 256 bits, RFC 5639.
  case brainpoolP256r1 = 13
  /// 320 bits, RFC 5639.
  case brainpoolP320r1 = 14
  /// 384 bits, SEC 2.
  case secp384r1 = 15
  /// 384 bits, RFC 5639.
  case brainpoolP384r1 = 16
  /// 512 bits, RFC 5639.
  case brainpoolP512r1 = 17
  /// 521 bits, SEC 2.
  case secp521r1 = 18

  /// The size of a coordinate in bytes. The order of each of these curves has the same size.
  var size: Int { (bits + 7) / 8 }

  var bits: Int {
    switch self {
    case .secp192r1, .brainpoolP192r1: 192
    case .secp224r1, .brainpoolP224r1: 224
    case .secp256r1, .brainpoolP256r1: 256
    case .brainpoolP320r1: 320
    case .secp384r1, .brainpoolP384r1: 384
    case .brainpoolP512r1: 512
    case .secp521r1: 521
    }
  }

  /// The identifier of the named curve: SEC 2, A.2, and RFC 5639, 4.1.
  var identifier: ASN1ObjectIdentifier {
    switch self {
    case .secp192r1: "1.2.840.10045.3.1.1"
    case .secp224r1: "1.3.132.0.33"
    case .secp256r1: "1.2.840.10045.3.1.7"
    case .secp384r1: "1.3.132.0.34"
    case .secp521r1: "1.3.132.0.35"
    case .brainpoolP192r1: "1.3.36.3.3.2.8.1.1.3"
    case .brainpoolP224r1: "1.3.36.3.3.2.8.1.1.5"
    case .brainpoolP256r1: "1.3.36.3.3.2.8.1.1.7"
    case .brainpoolP320r1: "1.3.36.3.3.2.8.1.1.9"
    case .brainpoolP384r1: "1.3.36.3.3.2.8.1.1.11"
    case .brainpoolP512r1: "1.3.36.3.3.2.8.1.1.13"
    }
  }

  init?(_ identifier: ASN1ObjectIdentifier) {
    guard let found = Self.allCases.first(where: { $0.identifier == identifier }) else {
      return nil
    }
    self = found
  }

  /// A list of authorities has many keys with explicit parameters.
  private static let numbers: [StandardCurve: OpenSSL.CurveNumbers] = Dictionary(
    allCases.compactMap { curve in OpenSSL.numbers(of: curve).map { (curve, $0) } }
  ) { first, _ in first }

  /// Finds the standard curve that explicit parameters describe: ECParameters of SEC 1, C.2. Nothing is ever computed
  /// with numbers that a document or a certificate supplies (CVE-2020-0601).
  init?(explicit parameters: BERObject) {
    guard let fields = try? parameters.children(), fields.count >= 5,
      let field = try? fields[1].children(), field.count >= 2,
      let prime = field[1].unsignedInteger, let curve = try? fields[2].children(),
      curve.count >= 2, let order = fields[4].unsignedInteger
    else { return nil }
    let (a, b) = (curve[0].bytes, curve[1].bytes)
    let generator = fields[3].bytes
    let cofactor = fields.count > 5 ? fields[5].unsignedInteger : [1]
    for candidate in Self.allCases {
      guard let numbers = Self.numbers[candidate] else { continue }
      if numbers.prime.significant == prime.significant,
        numbers.a.significant == a.significant, numbers.b.significant == b.significant,
        numbers.order.significant == order.significant,
        numbers.cofactor.significant == cofactor?.significant,
        OpenSSL.uncompressed(generator, on: candidate) == numbers.generator
      {
        self = candidate
        return
      }
    }
    return nil
  }
}

extension StandardCurve: CustomStringConvertible {
  /// The name of the curve, as in Doc 9303-11, 9.5.1.
  public var description: String {
    switch self {
    case .secp192r1: "secp192r1"
    case .brainpoolP192r1: "brainpoolP192r1"
    case .secp224r1: "secp224r1"
    case .brainpoolP224r1: "brainpoolP224r1"
    case .secp256r1: "secp256r1"
    case .brainpoolP256r1: "brainpoolP256r1"
    case .brainpoolP320r1: "brainpoolP320r1"
    case .secp384r1: "secp384r1"
    case .brainpoolP384r1: "brainpoolP384r1"
    case .brainpoolP512r1: "brainpoolP512r1"
    case .secp521r1: "secp521r1"
    }
  }
}

extension [UInt8] {
  /// The bytes of a number without leading zeros.
  var significant: [UInt8] { Array(drop { $0 == 0 }) }

  /// The bytes of a number with exactly this size; `nil` if it is larger.
  func numberPadded(to size: Int) -> [UInt8]? {
    let number = significant
    guard number.count <= size else { return nil }
    return [UInt8](repeating: 0, count: size - number.count) + number
  }
}
