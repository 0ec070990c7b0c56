/// The private key of those who issue a pass, with which its content is decrypted.
///
/// For Apple Wallet the issuer makes a key pair of the curve P-256 and writes the public key into the pass
/// (``publicKeyForPass``, `nfc.encryptionPublicKey` in `pass.json`); for Google Wallet the public key is entered in
/// the console as the key of a collector. Neither maker gives out the private key, or needs it.
///
/// The key never shows itself: descriptions and mirrors are masked, and OpenSSL overwrites the bytes when the last copy
/// is released. The identifier is not secret.
public struct MerchantKey: Sendable {
  /// The size of the private number in bytes.
  public static let size = 32

  let key: PrivateKey

  /// The first four bytes of the SHA-256 of the x coordinate of the public key, by which a phone says for which key it
  /// has encrypted (RfidResearchGroup/proxmark3, `cmdhfvas.c`).
  public let identifier: [UInt8]

  init(_ key: PrivateKey) throws(PassError) {
    self.key = key
    guard let x = key.publicPoint?.dropFirst().prefix(Self.size), x.count == Self.size else {
      throw .malformedKey
    }
    identifier = Array(Digest.sha256(Array(x)).prefix(4))
  }

  /// Creates a key from the private number, 32 bytes with the most significant byte first.
  ///
  /// - Throws: ``PassError/malformedKey`` for another number of bytes, zero, or a number that the curve does not have.
  public init(number: some Collection<UInt8>) throws(PassError) {
    guard number.count == Self.size, let key = PrivateKey(number: Array(number)) else {
      throw .malformedKey
    }
    try self.init(key)
  }

  /// Creates a key from DER: SEC 1 (`ECPrivateKey`) or PKCS 8.
  ///
  /// - Throws: ``PassError/malformedKey``, ``PassError/otherCurve``.
  public init(der: some Collection<UInt8>) throws(PassError) {
    guard let key = PrivateKey(der: Array(der)) else { throw .malformedKey }
    guard key.isP256 else { throw .otherCurve }
    try self.init(key)
  }

  /// Creates a new key at random.
  public static func generate() throws(PassError) -> MerchantKey {
    guard let key = PrivateKey.generate() else { throw .malformedKey }
    return try MerchantKey(key)
  }

  /// The public key as a point without its y coordinate, 33 bytes: 02 or 03, then x (SEC 1, 2.3.3).
  public var compressedPublicKey: [UInt8] {
    guard let point = key.publicPoint, let last = point.last else { return [] }
    return [last & 1 == 0 ? 0x02 : 0x03] + point.dropFirst().prefix(Self.size)
  }

  /// Signs bytes by ECDSA with SHA-256; the signature in DER, `nil` if OpenSSL refuses.
  package func signature(of bytes: [UInt8]) -> [UInt8]? { key.signature(of: bytes) }

  /// The x coordinate that this key has in common with a public key, 32 bytes; `nil` if that is not a point.
  package func sharedSecret(with publicKey: [UInt8]) -> [UInt8]? {
    key.sharedSecret(withPoint: publicKey)
  }

  /// The public key as `pass.json` has it in `nfc.encryptionPublicKey`: a SubjectPublicKeyInfo (RFC 5480) with the
  /// compressed point, in Base64.
  public var publicKeyForPass: String {
    Base64.encode(Self.publicKeyPrefix + compressedPublicKey)
  }

  /// SEQUENCE { SEQUENCE { id-ecPublicKey, prime256v1 }, BIT STRING of 33 bytes }.
  private static let publicKeyPrefix: [UInt8] = [
    0x30, 0x39, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x22, 0x00,
  ]
}

extension MerchantKey: Equatable {
  /// Two keys are the same if their public keys are.
  public static func == (a: MerchantKey, b: MerchantKey) -> Bool {
    a.compressedPublicKey == b.compressedPublicKey
  }
}

extension MerchantKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "MerchantKey(hidden)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
