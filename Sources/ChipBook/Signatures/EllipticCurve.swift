/// The short curves of originality signatures (SEC 2, 2.4 to 2.6).
package enum EllipticCurve: Hashable, Sendable {
  case secp128r1
  case secp192r1
  case secp224r1

  /// The number of bytes of a coordinate, and of each half of a signature.
  package var size: Int {
    switch self {
    case .secp128r1: 16
    case .secp192r1: 24
    case .secp224r1: 28
    }
  }
}
