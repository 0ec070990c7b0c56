import SwiftNFCCore

/// The public key of a chip or of a certificate: SubjectPublicKeyInfo (RFC 5280, 4.1).
enum PublicKey: Hashable, Sendable {
  /// A key over a standard curve, also if its parameters are explicit; the point is uncompressed.
  case curve(StandardCurve, point: [UInt8])
  /// A Diffie-Hellman key over a standard group.
  case modular(ModularGroup, value: [UInt8])
  /// RSAPublicKey in DER, and its modulus.
  case rsa(key: [UInt8], modulus: [UInt8])

  private enum Algorithm {
    static let curve: ASN1ObjectIdentifier = "1.2.840.10045.2.1"
    /// id-ecDH (RFC 5480, 2.1.2).
    static let curveAgreement: ASN1ObjectIdentifier = "1.3.132.1.12"
    static let rsa: Set<ASN1ObjectIdentifier> = [
      "1.2.840.113549.1.1.1", "1.2.840.113549.1.1.7", "1.2.840.113549.1.1.10",
    ]
    /// ANSI X9.42 and PKCS #3.
    static let modular: Set<ASN1ObjectIdentifier> = ["1.2.840.10046.2.1", "1.2.840.113549.1.3.1"]
    /// TR-03110-3, A.2.1.1.
    static let standardizedParameters: ASN1ObjectIdentifier = ASN1ObjectIdentifier.bsi.appending(
      1, 2)
  }

  /// Decodes a key; `nil` for one of another kind or over other parameters.
  init?(_ information: BERObject) {
    guard let fields = try? information.children(), fields.count >= 2,
      let algorithm = try? fields[0].children(), let identifier = algorithm.first?.objectIdentifier,
      let bits = fields[1].wholeBits
    else { return nil }
    let parameters = algorithm.dropFirst().first
    switch identifier {
    case Algorithm.curve, Algorithm.curveAgreement:
      guard let parameters,
        let curve = parameters.objectIdentifier.flatMap({ StandardCurve($0) })
          ?? StandardCurve(explicit: parameters)
      else { return nil }
      self.init(curve, bits)
    case Algorithm.standardizedParameters:
      guard let number = parameters?.smallInteger else { return nil }
      if let curve = StandardCurve(rawValue: number) {
        self.init(curve, bits)
      } else if let group = ModularGroup(rawValue: number) {
        self.init(group, bits)
      } else {
        return nil
      }
    case let identifier where Algorithm.modular.contains(identifier):
      guard let numbers = try? parameters?.children(), numbers.count >= 2,
        let prime = numbers[0].unsignedInteger, let generator = numbers[1].unsignedInteger,
        let group = ModularGroup(prime: prime, generator: generator)
      else { return nil }
      self.init(group, bits)
    case let identifier where Algorithm.rsa.contains(identifier):
      guard let key = try? BERObject(bits), let numbers = try? key.children(), numbers.count == 2,
        let modulus = numbers[0].unsignedInteger, numbers[1].unsignedInteger != nil
      else { return nil }
      self = .rsa(key: Array(key.encoded), modulus: modulus.significant)
    default: return nil
    }
  }

  private init?(_ curve: StandardCurve, _ bits: [UInt8]) {
    guard let point = OpenSSL.uncompressed(bits, on: curve) else { return nil }
    self = .curve(curve, point: point)
  }

  private init?(_ group: ModularGroup, _ bits: [UInt8]) {
    guard let value = try? BERObject(bits).unsignedInteger,
      let padded = value.numberPadded(to: group.size)
    else { return nil }
    self = .modular(group, value: padded)
  }

  /// The domain parameters; `nil` for RSA.
  var parameters: DomainParameters? {
    switch self {
    case .curve(let curve, _): .curve(curve)
    case .modular(let group, _): .modular(group)
    case .rsa: nil
    }
  }

  /// The bytes of the public value.
  var value: [UInt8] {
    switch self {
    case .curve(_, let point): point
    case .modular(_, let value): value
    case .rsa(let key, _): key
    }
  }

  /// The algorithm and its size, for people.
  var summary: String {
    switch self {
    case .curve(let curve, _): "ECDSA \(curve)"
    case .modular(let group, _): "DH \(group)"
    case .rsa(_, let modulus): "RSA \(modulus.count * 8)"
    }
  }
}

/// A curve or a group over which two sides agree on a secret (Doc 9303-11, 9.5.1).
public enum DomainParameters: Hashable, Sendable {
  /// A curve.
  case curve(StandardCurve)
  /// Integers modulo a prime.
  case modular(ModularGroup)

  /// Returns the standardized parameters with a number.
  init?(number: Int) {
    if let curve = StandardCurve(rawValue: number) {
      self = .curve(curve)
    } else if let group = ModularGroup(rawValue: number) {
      self = .modular(group)
    } else {
      return nil
    }
  }

  /// Finds the standard parameters that an AlgorithmIdentifier describes.
  init?(_ algorithm: BERObject) {
    guard let fields = try? algorithm.children(), let parameters = fields.dropFirst().first else {
      return nil
    }
    if let number = parameters.smallInteger {
      self.init(number: number)
    } else if let curve = parameters.objectIdentifier.flatMap({ StandardCurve($0) })
      ?? StandardCurve(explicit: parameters)
    {
      self = .curve(curve)
    } else if let numbers = try? parameters.children(), numbers.count >= 2,
      let prime = numbers[0].unsignedInteger, let generator = numbers[1].unsignedInteger,
      let group = ModularGroup(prime: prime, generator: generator)
    {
      self = .modular(group)
    } else {
      return nil
    }
  }

  var number: Int {
    switch self {
    case .curve(let curve): curve.rawValue
    case .modular(let group): group.rawValue
    }
  }
}

extension DomainParameters: CustomStringConvertible {
  public var description: String {
    switch self {
    case .curve(let curve): "\(curve)"
    case .modular(let group): "\(group)"
    }
  }
}
