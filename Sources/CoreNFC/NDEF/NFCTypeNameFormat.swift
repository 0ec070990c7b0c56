import NDEF

/// The meaning of a record's type: the TNF field (NFC Forum NDEF 1.0, 3.2.6).
public enum NFCTypeNameFormat: UInt8, Sendable {
  /// There is no type, identifier or payload.
  case empty = 0x00
  /// A type that the NFC Forum defines, such as `U`.
  case nfcWellKnown = 0x01
  /// A media type (RFC 2046), such as `text/vcard`.
  case media = 0x02
  /// An absolute URI (RFC 3986, 4.3), which is the type itself.
  case absoluteURI = 0x03
  /// A type that an organization defines under its domain name, such as `example.com:ticket`.
  case nfcExternal = 0x04
  /// A payload of an unknown type.
  case unknown = 0x05
  /// The second and later chunks of a chunked record. No complete record has it.
  case unchanged = 0x06
}

extension NFCTypeNameFormat {
  init(_ native: TypeNameFormat) {
    switch native {
    case .empty: self = .empty
    case .wellKnown: self = .nfcWellKnown
    case .media: self = .media
    case .absoluteURI: self = .absoluteURI
    case .external: self = .nfcExternal
    case .unknown: self = .unknown
    case .unchanged: self = .unchanged
    }
  }

  var native: TypeNameFormat {
    switch self {
    case .empty: .empty
    case .nfcWellKnown: .wellKnown
    case .media: .media
    case .absoluteURI: .absoluteURI
    case .nfcExternal: .external
    case .unknown: .unknown
    case .unchanged: .unchanged
    }
  }
}
