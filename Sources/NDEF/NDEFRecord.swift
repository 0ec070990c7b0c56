/// One record of an NDEF message: a payload, its type, and optionally an identifier.
///
/// Most records are created and read by their type:
///
/// ```swift
/// let link: NDEFRecord = .uri("https://example.com")
/// if let uri = try link.decoded as? URIRecord { print(uri.uri) }
/// ```
///
/// Source: NFC Forum NDEF 1.0, 2.3 and 3.2.
public struct NDEFRecord: Hashable, Sendable {
  /// The meaning of ``type``.
  public var typeNameFormat: TypeNameFormat

  /// The name of the type, at most 255 bytes.
  public var type: [UInt8]

  /// The identifier that other records use to refer to this one, at most 255 bytes; empty for none.
  ///
  /// It is a relative URI reference (NDEF 1.0, 2.4.3), stored as bytes.
  public var identifier: [UInt8]

  /// The content, at most 4 294 967 295 bytes.
  public var payload: [UInt8]

  /// Creates a record with these fields.
  ///
  /// Nothing is checked here; ``validate()`` checks whether the fields can be encoded.
  public init(
    typeNameFormat: TypeNameFormat, type: [UInt8] = [], identifier: [UInt8] = [],
    payload: [UInt8] = []
  ) {
    self.typeNameFormat = typeNameFormat
    self.type = type
    self.identifier = identifier
    self.payload = payload
  }

  /// Creates a record with these fields, with the type as text.
  public init(
    typeNameFormat: TypeNameFormat, type: String, identifier: [UInt8] = [], payload: [UInt8] = []
  ) {
    self.init(
      typeNameFormat: typeNameFormat, type: Array(type.utf8), identifier: identifier,
      payload: payload)
  }

  /// Returns whether the record is of a type.
  ///
  /// Well-known types are compared byte by byte (RTD 1.0, 3.2); media types (RFC 2045, 5.1) and
  /// external types (RTD 1.0, 3.3) without regard to the case of ASCII letters.
  public func hasType(_ format: TypeNameFormat, _ name: String) -> Bool {
    guard typeNameFormat == format, type.count == name.utf8.count else { return false }
    switch format {
    case .media, .external:
      return zip(type, name.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    default:
      return type.elementsEqual(name.utf8)
    }
  }

  /// Returns whether the record is of a media type, with or without parameters (RFC 2045, 5.1).
  func hasMediaType(_ name: String) -> Bool {
    let essence = type.prefix { $0 != UInt8(ascii: ";") }
    let end = essence.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
    return NDEFRecord(typeNameFormat: typeNameFormat, type: Array(essence[..<end]))
      .hasType(.media, name)
  }

  /// Checks that the record can be encoded, and decodes to the same record.
  ///
  /// - Throws: ``NDEFError`` with the rule of NDEF 1.0 that the record breaks: a field that is too
  ///   long, a forbidden type, or the format unchanged, which is for chunks only. The
  ///   offset is 0.
  public func validate() throws(NDEFError) {
    switch typeNameFormat {
    case .empty:
      guard type.isEmpty, identifier.isEmpty, payload.isEmpty else { throw .fieldsInEmptyRecord(0) }
    case .unknown:
      guard type.isEmpty else { throw .typeInUnknownRecord(0) }
    case .unchanged:
      throw .unexpectedChunk(0)
    case .wellKnown, .media, .absoluteURI, .external: break
    }
    guard type.count <= Self.maximumTypeLength else {
      throw NDEFError(
        .typeTooLong, offset: 0,
        reason: "a type of \(type.count) bytes is longer than \(Self.maximumTypeLength)")
    }
    guard identifier.count <= Self.maximumIdentifierLength else {
      throw NDEFError(
        .identifierTooLong, offset: 0,
        reason:
          "an identifier of \(identifier.count) bytes is longer than \(Self.maximumIdentifierLength)"
      )
    }
    guard UInt32(exactly: payload.count) != nil else {
      throw NDEFError(
        .payloadTooLong, offset: 0,
        reason: "a payload of \(payload.count) bytes is longer than \(UInt32.max)")
    }
  }
}

extension NDEFRecord: CustomStringConvertible {
  /// The record on one line for people: the link, the text or the name that it contains; otherwise
  /// its type and content.
  ///
  /// Control characters and characters that change the direction of text are escaped, so that the
  /// content of a tag can neither move a terminal's cursor nor disguise a link.
  public var description: String {
    let (value, error) = decodedLeniently
    let content = value?.description ?? undecodedDescription
    let text = error.map { "\(content), malformed: \($0)" } ?? content
    return text.escapingControls
  }

  private var undecodedDescription: String {
    "\(typeNameFormat) \(type.asciiOrHexadecimal), \(payload.byteCountDescription)"
  }
}
