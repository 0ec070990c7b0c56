/// A hash function of Doc 9303-12, 4.
public enum DigestAlgorithm: String, Hashable, Sendable, CaseIterable {
  /// 20 bytes; of older documents, and of access.
  case sha1 = "SHA-1"
  /// 28 bytes.
  case sha224 = "SHA-224"
  /// 32 bytes.
  case sha256 = "SHA-256"
  /// 48 bytes.
  case sha384 = "SHA-384"
  /// 64 bytes.
  case sha512 = "SHA-512"

  /// The size of a digest in bytes.
  public var size: Int {
    switch self {
    case .sha1: 20
    case .sha224: 28
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// Returns the digest of bytes.
  public func callAsFunction(_ data: [UInt8]) -> [UInt8] { OpenSSL.digest(self, data) }

  /// The identifiers of RFC 8017, A.2.4, and of FIPS 180-4 in NIST's arc.
  var identifier: ASN1ObjectIdentifier {
    switch self {
    case .sha1: "1.3.14.3.2.26"
    case .sha224: "2.16.840.1.101.3.4.2.4"
    case .sha256: "2.16.840.1.101.3.4.2.1"
    case .sha384: "2.16.840.1.101.3.4.2.2"
    case .sha512: "2.16.840.1.101.3.4.2.3"
    }
  }

  init?(_ identifier: ASN1ObjectIdentifier) {
    guard let found = Self.allCases.first(where: { $0.identifier == identifier }) else {
      return nil
    }
    self = found
  }

  /// The name that libcrypto uses.
  var libraryName: String { rawValue.lowercased().filter { $0 != "-" } }
}

extension DigestAlgorithm: CustomStringConvertible {
  public var description: String { rawValue }
}
