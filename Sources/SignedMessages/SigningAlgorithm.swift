import NDEF

/// How a signature record is signed: the kind of key, its size or curve, and the hash function.
struct SigningAlgorithm: Hashable, Sendable {
  enum Scheme: Hashable, Sendable {
    case rsaPSS
    case rsaPKCS1
    case dsa
    /// The curve's name in libcrypto.
    case ecdsa(curve: String)
  }

  let scheme: Scheme
  /// The size of the key in bits; `nil` for any.
  let keySize: Int?
  let usesSHA1: Bool

  /// Returns the algorithm of a record; `nil` for one that is reserved, or has another hash function than those of the
  /// specifications.
  init?(_ record: SignatureRecord) {
    self.init(record.algorithm, version: record.version)
    guard record.version == .one || record.hash == .sha256 else { return nil }
  }

  init?(_ algorithm: SignatureRecord.Algorithm, version: SignatureRecord.Version) {
    guard let (scheme, size) = Self.known[algorithm.rawValue] else { return nil }
    // Version 1 has four algorithms, SHA-1, and no size of keys but that of the curve (1.0, table 4).
    guard version != .one || algorithm.rawValue <= SignatureRecord.Algorithm.ecdsaP192.rawValue
    else { return nil }
    self.scheme = scheme
    keySize = version == .one ? nil : size
    usesSHA1 = version == .one
  }

  private static let known: [UInt8: (scheme: Scheme, keySize: Int?)] = [
    0x01: (.rsaPSS, 1024), 0x02: (.rsaPKCS1, 1024), 0x03: (.dsa, 1024),
    0x04: (.ecdsa(curve: "prime192v1"), nil), 0x05: (.rsaPSS, 2048), 0x06: (.rsaPKCS1, 2048),
    0x07: (.dsa, 2048), 0x08: (.ecdsa(curve: "secp224r1"), nil),
    0x09: (.ecdsa(curve: "sect233k1"), nil), 0x0A: (.ecdsa(curve: "sect233r1"), nil),
    0x0B: (.ecdsa(curve: "prime256v1"), nil),
  ]

  /// Returns the algorithm of version 2.0 with which a key signs; `nil` if there is none.
  static func forSigning(_ key: SignatureKey) -> SignatureRecord.Algorithm? {
    // PKCS #1 recommends PSS for new applications (RFC 8017, 8).
    known.keys.sorted().lazy.filter { $0 != 0x02 && $0 != 0x06 }
      .map { SignatureRecord.Algorithm(rawValue: $0) }
      .first { Self($0, version: .two)?.fits(key) ?? false }
  }

  /// Whether a key is of this algorithm.
  func fits(_ key: SignatureKey) -> Bool {
    switch scheme {
    case .rsaPSS: return (key.isOf("RSA") || key.isOf("RSA-PSS")) && hasSize(key)
    case .rsaPKCS1: return key.isOf("RSA") && hasSize(key)
    case .dsa: return key.isOf("DSA") && hasSize(key)
    case .ecdsa(let curve): return key.isOf("EC") && key.groupName == curve
    }
  }

  private func hasSize(_ key: SignatureKey) -> Bool { keySize.map { $0 == key.bits } ?? true }

  /// Verifies a signature. Of DSA and ECDSA, both forms are read: the two numbers one after the other, as ndeflib's
  /// example writes them, and a sequence of both in DER.
  func verifies(_ signature: [UInt8], of content: [UInt8], by key: SignatureKey) -> Bool {
    var forms = [signature]
    if hasPairs, let sequence = SignaturePair.sequence(ofPlain: signature) {
      forms.append(sequence)
    }
    return forms.contains { key.verifies($0, of: content, self) }
  }

  /// Signs; the two numbers of DSA and ECDSA one after the other. `nil` if libcrypto refuses.
  func signature(of content: [UInt8], by key: SignatureKey) -> [UInt8]? {
    guard let signature = key.signature(of: content, self) else { return nil }
    guard hasPairs else { return signature }
    return SignaturePair.plain(ofSequence: signature, numberSize: key.numberSize)
  }

  private var hasPairs: Bool {
    switch scheme {
    case .dsa, .ecdsa: true
    case .rsaPSS, .rsaPKCS1: false
    }
  }
}
