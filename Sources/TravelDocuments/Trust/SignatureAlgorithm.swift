import SwiftNFCCore

/// How a signature is made (Doc 9303-12, 4; RFC 3279, 4055, 5758; TR-03111, 5.2.1).
struct SignatureAlgorithm: Hashable, Sendable {
  enum Scheme: Hashable, Sendable {
    case rsa(RSAPadding)
    /// With r and s in a sequence.
    case ecdsa
    /// With r and s one after the other.
    case plainECDSA
  }

  let scheme: Scheme
  let digest: DigestAlgorithm

  private static let rsaArc: ASN1ObjectIdentifier = "1.2.840.113549.1.1"
  private static let rsaDigests: [Int: DigestAlgorithm] = [
    5: .sha1, 11: .sha256, 12: .sha384, 13: .sha512, 14: .sha224,
  ]
  private static let (rsaEncryption, rsaPSS, maskFunction) = (1, 10, 8)
  private static let ecdsaSHA1: ASN1ObjectIdentifier = "1.2.840.10045.4.1"
  private static let ecdsaSHA2: ASN1ObjectIdentifier = "1.2.840.10045.4.3"
  /// A key, which some signers have in the place of the algorithm.
  private static let ecPublicKey: ASN1ObjectIdentifier = "1.2.840.10045.2.1"
  private static let plainArc = ASN1ObjectIdentifier.bsi.appending(1, 1, 4, 1)
  private static let plainDigests: [DigestAlgorithm] = [.sha1, .sha224, .sha256, .sha384, .sha512]

  /// Decodes an AlgorithmIdentifier.
  ///
  /// - Parameter digest: the hash function, where the algorithm does not name one.
  init?(_ algorithm: BERObject, digest given: DigestAlgorithm? = nil) {
    guard let fields = try? algorithm.children(), let identifier = fields.first?.objectIdentifier
    else { return nil }
    let parameters = fields.dropFirst().first
    if let numbers = identifier.numbers(below: Self.rsaArc), numbers.count == 1 {
      if let digest = Self.rsaDigests[numbers[0]] {
        self.init(.rsa(.pkcs1), digest)
      } else if numbers[0] == Self.rsaEncryption, let given {
        self.init(.rsa(.pkcs1), given)
      } else if numbers[0] == Self.rsaPSS {
        self.init(pss: parameters, given)
      } else {
        return nil
      }
      return
    }
    if identifier == Self.ecdsaSHA1 {
      self.init(.ecdsa, .sha1)
    } else if let numbers = identifier.numbers(below: Self.ecdsaSHA2), numbers.count == 1,
      (1...4).contains(numbers[0])
    {
      self.init(.ecdsa, Self.plainDigests[numbers[0]])
    } else if identifier == Self.ecPublicKey, let given {
      self.init(.ecdsa, given)
    } else if let digest = Self.digest(ofPlainECDSA: identifier) {
      self.init(.plainECDSA, digest)
    } else {
      return nil
    }
  }

  private init(_ scheme: Scheme, _ digest: DigestAlgorithm) {
    self.scheme = scheme
    self.digest = digest
  }

  /// RSASSA-PSS-params (RFC 4055, 3.1), whose defaults are SHA-1 and 20 bytes of salt.
  private init?(pss parameters: BERObject?, _ given: DigestAlgorithm?) {
    var digest: DigestAlgorithm = .sha1
    var mask: DigestAlgorithm = .sha1
    var salt: Int? = 20
    for field in (try? parameters?.children()) ?? [] {
      guard let value = try? BERObject(field.content) else { return nil }
      switch field.tag {
      case 0xA0:
        guard let found = Self.digest(value) else { return nil }
        digest = found
      case 0xA1:
        guard let parts = try? value.children(), parts.count == 2,
          parts[0].objectIdentifier == Self.rsaArc.appending(UInt8(Self.maskFunction)),
          let found = Self.digest(parts[1])
        else { return nil }
        mask = found
      case 0xA2: salt = value.smallInteger
      default: break
      }
    }
    self.init(.rsa(.pss(mask: mask, saltSize: salt)), digest)
  }

  /// Decodes the AlgorithmIdentifier of a hash function.
  static func digest(_ algorithm: BERObject) -> DigestAlgorithm? {
    (try? algorithm.children())?.first?.objectIdentifier.flatMap { DigestAlgorithm($0) }
  }

  /// Returns the hash function of an algorithm of TR-03111 with r and s one after the other.
  static func digest(ofPlainECDSA identifier: ASN1ObjectIdentifier) -> DigestAlgorithm? {
    guard let numbers = identifier.numbers(below: plainArc), numbers.count == 1,
      (1...plainDigests.count).contains(numbers[0])
    else { return nil }
    return plainDigests[numbers[0] - 1]
  }

  // MARK: Verification

  /// What is known of a signature.
  enum Result: Hashable, Sendable {
    case valid
    case wrong
    /// The algorithm or the key is of a kind that is not supported here.
    case unsupported
  }

  /// Verifies the signature of data.
  func verify(_ signature: [UInt8], of data: [UInt8], by key: PublicKey) -> Result {
    let hash = digest(data)
    switch (scheme, key) {
    case (.rsa(let padding), .rsa(let key, let modulus)):
      guard let signature = signature.numberPadded(to: modulus.count) else { return .wrong }
      var isValid = OpenSSL.verifyRSA(
        digest: hash, digest, signature: signature, key: key, padding: padding)
      // Some signers use a salt of another size than they say (two authorities in the German list).
      if isValid == false, case .pss(let mask, _?) = padding {
        isValid = OpenSSL.verifyRSA(
          digest: hash, digest, signature: signature, key: key,
          padding: .pss(mask: mask, saltSize: nil))
      }
      return isValid.map { $0 ? .valid : .wrong } ?? .unsupported
    case (.ecdsa, .curve(let curve, let point)):
      guard let pair = Self.pair(signature, curve) else { return .wrong }
      return OpenSSL.verifyECDSA(digest: hash, signature: pair, point: point, on: curve)
        ? .valid : .wrong
    case (.plainECDSA, .curve(let curve, let point)):
      return OpenSSL.verifyECDSA(digest: hash, signature: signature, point: point, on: curve)
        ? .valid : .wrong
    default: return .unsupported
    }
  }

  /// Returns r and s one after the other, from a sequence of both.
  static func pair(_ sequence: [UInt8], _ curve: StandardCurve) -> [UInt8]? {
    guard let object = try? BERObject(sequence), object.tag == BERObject.Universal.sequence,
      let numbers = try? object.children(), numbers.count == 2,
      let r = numbers[0].unsignedInteger?.numberPadded(to: curve.size),
      let s = numbers[1].unsignedInteger?.numberPadded(to: curve.size)
    else { return nil }
    return r + s
  }
}
