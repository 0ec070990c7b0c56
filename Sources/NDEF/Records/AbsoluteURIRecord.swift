/// A record whose type is an absolute URI.
///
/// The URI indicates the type of the payload. Many programs nevertheless store a link there and
/// leave the payload empty. Windows stores names of types there that are not URIs, such as
/// `windows.com/LaunchApp`; see ``hasScheme``.
///
/// Source: NFC Forum NDEF 1.0, 3.2.6; RFC 3986, 4.3; Windows hardware developer documentation, "Near field proximity",
/// Windows protocol.
public struct AbsoluteURIRecord: NDEFTypedRecord {
  /// The URI, at most 255 bytes; ``NDEFRecord/validate()`` rejects a longer one.
  public var uri: String
  /// The content, often empty.
  public var payload: [UInt8]
  public var identifier: [UInt8]

  /// Creates the record of a type and its content.
  public init(_ uri: String, payload: [UInt8] = [], identifier: [UInt8] = []) {
    self.uri = uri
    self.payload = payload
    self.identifier = identifier
  }

  /// Whether the type begins with a scheme, as every absolute URI does.
  public var hasScheme: Bool { URIRecord.scheme(of: uri) != nil }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.typeNameFormat == .absoluteURI
  }

  /// Reads a record with any absolute URI.
  ///
  /// - Throws: ``NDEFError`` if the type is not UTF-8 or has a control character, as in a ``URIRecord``, with the offset
  ///   in the type.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    if let control = record.type.firstIndex(where: { $0 <= URIRecord.lastControl }) {
      throw NDEFError(
        .invalidText, offset: control, reason: "the URI contains a control character")
    }
    self.init(
      try record.type[...].utf8Text("URI"), payload: record.payload,
      identifier: record.identifier)
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .absoluteURI, type: uri, identifier: identifier, payload: payload)
  }

  public var description: String {
    payload.isEmpty ? uri : "\(uri), \(payload.byteCountDescription)"
  }

  public static let fieldNames = ["uri"]

  public var fields: NDEFFields { ["uri": hasScheme ? .text(uri) : nil] }

  /// Reads `{"tnf":"absoluteURI","uri":"…"}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard fields["tnf"] == "absoluteURI", let uri = try fields.text("uri") else { return nil }
    self.init(uri)
  }
}
