/// A signature over the records before it: the well-known type `Sig`, versions 1 and 2.0.
///
/// The signature is decoded but not verified. It covers the records since the last signature or the start of the message:
/// see ``coveredBytes(of:version:beginsMessage:)``.
///
/// Source: NFC Forum Signature RTD 1.0; for version 2.0, ndeflib (docs/records/signature.rst).
public struct SignatureRecord: NDEFTolerantRecord {
  /// The signature's algorithm and key length.
  public struct Algorithm: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in the record.
    public let rawValue: UInt8

    /// Creates an algorithm from its number, of which only the low seven bits are used.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x7F }

    /// No signature: the preceding records are deliberately unsigned.
    public static let noSignature = Algorithm(rawValue: 0x00)
    /// RSASSA-PSS, 1024 bits.
    public static let rsaPSS1024 = Algorithm(rawValue: 0x01)
    /// RSASSA-PKCS1-v1_5, 1024 bits.
    public static let rsaPKCS1024 = Algorithm(rawValue: 0x02)
    /// DSA, 1024 bits.
    public static let dsa1024 = Algorithm(rawValue: 0x03)
    /// ECDSA on the curve P-192.
    public static let ecdsaP192 = Algorithm(rawValue: 0x04)
    /// RSASSA-PSS, 2048 bits.
    public static let rsaPSS2048 = Algorithm(rawValue: 0x05)
    /// RSASSA-PKCS1-v1_5, 2048 bits.
    public static let rsaPKCS2048 = Algorithm(rawValue: 0x06)
    /// DSA, 2048 bits.
    public static let dsa2048 = Algorithm(rawValue: 0x07)
    /// ECDSA on the curve P-224.
    public static let ecdsaP224 = Algorithm(rawValue: 0x08)
    /// ECDSA on the curve K-233.
    public static let ecdsaK233 = Algorithm(rawValue: 0x09)
    /// ECDSA on the curve B-233.
    public static let ecdsaB233 = Algorithm(rawValue: 0x0A)
    /// ECDSA on the curve P-256.
    public static let ecdsaP256 = Algorithm(rawValue: 0x0B)

    static let names = [
      "none", "RSASSA-PSS-1024", "RSASSA-PKCS1-v1_5-1024", "DSA-1024", "ECDSA-P192",
      "RSASSA-PSS-2048", "RSASSA-PKCS1-v1_5-2048", "DSA-2048", "ECDSA-P224", "ECDSA-K233",
      "ECDSA-B233", "ECDSA-P256",
    ]

    /// The algorithm's name, or its number if it is reserved.
    public var description: String {
      Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "\(rawValue)"
    }
  }

  /// The hash algorithm of the signature.
  public struct Hash: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in the record.
    public let rawValue: UInt8

    /// Creates a hash algorithm from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// SHA-256.
    public static let sha256 = Hash(rawValue: 0x02)

    /// The name, or the number if it is reserved.
    public var description: String { self == .sha256 ? "SHA-256" : "\(rawValue)" }
  }

  /// The form of the certificates.
  public struct CertificateFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in the record.
    public let rawValue: UInt8

    /// Creates a format from its number, of which only the low three bits are used.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x07 }

    /// X.509.
    public static let x509 = CertificateFormat(rawValue: 0x00)
    /// M2M, designed for small tags.
    public static let m2m = CertificateFormat(rawValue: 0x01)

    /// The name, or the number if it is reserved.
    public var description: String {
      switch self {
      case .x509: "X.509"
      case .m2m: "M2M"
      default: "\(rawValue)"
      }
    }
  }

  /// The signature, or where to find it; at most 65535 bytes.
  @nonexhaustive
  public enum Signature: Hashable, Sendable {
    /// The signature itself.
    case bytes([UInt8])
    /// The URI where the signature can be found.
    case uri(String)
  }

  /// The versions of the record.
  public struct Version: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The byte in the record.
    public let rawValue: UInt8

    /// Creates a version from its byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Version 1, which has no hash algorithm of its own.
    public static let one = Version(rawValue: 0x01)
    /// Version 2.0.
    public static let two = Version(rawValue: 0x20)

    /// `1` or `2.0`.
    public var description: String {
      self == .one ? "1" : "\(rawValue >> 4).\(rawValue & 0x0F)"
    }
  }

  /// The version of the record.
  public var version = Version.two
  /// The signature's algorithm.
  public var algorithm: Algorithm
  /// The hash algorithm; not written in version 1.
  public var hash: Hash
  /// The signature, or where to find it.
  public var signature: Signature
  /// The format of the certificates.
  public var certificateFormat: CertificateFormat
  /// The certificates, starting with the signer's; at most 15 of at most 65535 bytes.
  public var certificates: [[UInt8]]
  /// Where to find the next certificate, at most 65535 bytes.
  public var certificateURI: String?
  public var identifier: [UInt8]

  /// Creates the record of a signature.
  public init(
    algorithm: Algorithm, hash: Hash = .sha256, signature: Signature,
    certificateFormat: CertificateFormat = .x509, certificates: [[UInt8]] = [],
    certificateURI: String? = nil, identifier: [UInt8] = []
  ) {
    self.algorithm = algorithm
    self.hash = hash
    self.signature = signature
    self.certificateFormat = certificateFormat
    self.certificates = certificates
    self.certificateURI = certificateURI
    self.identifier = identifier
  }

  /// The bit of the signature and certificate fields that indicates a URI.
  private static let uriPresent: UInt8 = 0x80
  private static let certificateFormatShift = 4
  private static let certificateCountMask: UInt8 = 0x0F

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "Sig")
  }

  /// Reads a signature; leniently also one with a reserved algorithm or certificate format.
  ///
  /// - Throws: ``NDEFError`` for another version than 1 and 2.0, a reserved value, a field that exceeds the payload, a URI
  ///   that is not UTF-8, or bytes after the last field.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    version = Version(rawValue: try reader.readByte("version"))
    guard [.one, .two].contains(version) else {
      throw NDEFError(
        .unsupportedVersion, offset: 0, reason: "the signature's version \(version) is not known")
    }
    let signatureType = try reader.readByte("signature type")
    algorithm = Algorithm(rawValue: signatureType)
    if !Algorithm.names.indices.contains(Int(algorithm.rawValue)) {
      try tolerance.report(.reserved("the signature type", "\(algorithm)", offset: 1))
    }
    // A mark of where signing begins may end here (1.0, 3.3.3).
    if reader.isAtEnd, signatureType == Algorithm.noSignature.rawValue {
      (hash, signature, certificateFormat, certificates) = (.sha256, .bytes([]), .x509, [])
      identifier = record.identifier
      return
    }
    hash = version == .one ? .sha256 : Hash(rawValue: try reader.readByte("hash type"))
    if hash != .sha256, algorithm != .noSignature {
      try tolerance.report(.reserved("the hash type", "\(hash)", offset: 2))
    }
    let value = try reader.readBytes16("signature")
    signature =
      signatureType & Self.uriPresent != 0
      ? .uri(try value.utf8Text("signature URI")) : .bytes(Array(value))
    let chainOffset = reader.offset
    let chain = try reader.readByte("certificate chain")
    certificateFormat = CertificateFormat(rawValue: chain >> Self.certificateFormatShift)
    if certificateFormat != .x509, certificateFormat != .m2m {
      try tolerance.report(
        .reserved("the certificate format", "\(certificateFormat)", offset: chainOffset))
    }
    certificates = []
    for _ in 0..<(chain & Self.certificateCountMask) {
      certificates.append(Array(try reader.readBytes16("certificate")))
    }
    if chain & Self.uriPresent != 0 {
      certificateURI = try reader.readBytes16("certificate URI").utf8Text("certificate URI")
    }
    try reader.expectEnd("certificate chain")
    identifier = record.identifier
  }

  public var record: NDEFRecord {
    var payload = [version.rawValue]
    if version == .one, isMark {
      return NDEFRecord(
        typeNameFormat: .wellKnown, type: "Sig", identifier: identifier,
        payload: payload + [algorithm.rawValue])
    }
    let hash: [UInt8] = version == .one ? [] : [self.hash.rawValue]
    switch signature {
    case .bytes(let bytes):
      payload += [algorithm.rawValue] + hash
      payload.appendWithLength16(bytes)
    case .uri(let uri):
      payload += [algorithm.rawValue | Self.uriPresent] + hash
      payload.appendWithLength16(uri.utf8Prefix(Int(UInt16.max)))
    }
    let chain = certificates.prefix(Int(Self.certificateCountMask))
    payload.append(
      (certificateURI == nil ? 0 : Self.uriPresent)
        | certificateFormat.rawValue << Self.certificateFormatShift
        | UInt8(clamping: chain.count))
    for certificate in chain { payload.appendWithLength16(certificate) }
    if let certificateURI {
      payload.appendWithLength16(certificateURI.utf8Prefix(Int(UInt16.max)))
    }
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "Sig", identifier: identifier, payload: payload)
  }

  /// Whether the record has no signature, and only separates records that are signed from those that are not.
  public var isMark: Bool {
    algorithm == .noSignature && signature == .bytes([]) && certificates.isEmpty
      && certificateURI == nil
  }

  public var description: String {
    if algorithm == .noSignature { return "signature: none" }
    return version == .one
      ? "signature \(algorithm) of version 1, not verified"
      : "signature \(algorithm) with \(hash), not verified"
  }
}
