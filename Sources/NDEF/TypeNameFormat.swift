/// The meaning of a record's type: the TNF field.
///
/// Source: NFC Forum NDEF 1.0, 3.2.6. The eighth value, 7, is reserved: a record with it is read as
/// ``unknown``, without its type, and none is written.
public enum TypeNameFormat: UInt8, Hashable, Sendable, CaseIterable {
  /// There is no type, identifier or payload.
  case empty = 0x00
  /// A type that the NFC Forum defines (NFC Forum RTD 1.0), such as `U` or `Sp`.
  case wellKnown = 0x01
  /// A media type (RFC 2046), such as `text/vcard`.
  case media = 0x02
  /// An absolute URI (RFC 3986, 4.3), which is the type itself.
  case absoluteURI = 0x03
  /// A type that an organization defines under its domain name (NFC Forum RTD 1.0), such as
  /// `example.com:ticket`.
  case external = 0x04
  /// A payload of an unknown type; there is no type field.
  case unknown = 0x05
  /// The second and later chunks of a chunked record. No complete record has it.
  case unchanged = 0x06
}

extension TypeNameFormat: CustomStringConvertible {
  /// The name of the case, as in the `tnf` of a JSON record.
  public var description: String {
    switch self {
    case .empty: "empty"
    case .wellKnown: "wellKnown"
    case .media: "media"
    case .absoluteURI: "absoluteURI"
    case .external: "external"
    case .unknown: "unknown"
    case .unchanged: "unchanged"
    }
  }

  /// Creates the format with a name, or `nil` if there is none.
  init?(name: String) {
    guard let format = Self.allCases.first(where: { $0.description == name }) else { return nil }
    self = format
  }
}
