/// Content of a type that an organization defines: the type name format external.
///
/// Source: NFC Forum RTD 1.0, 3.3.
public struct ExternalRecord: NDEFTypedRecord {
  /// The type: a domain name, a colon, a name, such as `example.com:ticket`.
  ///
  /// It is stored without `urn:nfc:ext:` and is compared without regard to case.
  public var type: String
  /// The content.
  public var payload: [UInt8]
  public var identifier: [UInt8]

  /// Creates the record of a content.
  public init(type: String, payload: [UInt8], identifier: [UInt8] = []) {
    self.type = type
    self.payload = payload
    self.identifier = identifier
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.typeNameFormat == .external
  }

  /// Reads content of any external type.
  ///
  /// - Throws: ``NDEFError`` if the type is not printable US-ASCII.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    self.init(
      type: try record.type[...].asciiText("external type"), payload: record.payload,
      identifier: record.identifier)
  }

  public var record: NDEFRecord {
    NDEFRecord(typeNameFormat: .external, type: type, identifier: identifier, payload: payload)
  }

  /// The content as text, if it is UTF-8 without control characters except tabs and line ends.
  public var text: String? {
    guard let text = String(validating: payload, as: UTF8.self),
      payload.isEmpty || text.isReadable
    else { return nil }
    return text
  }

  public var description: String {
    text.map { "\(type): \($0)" } ?? "\(type), \(payload.byteCountDescription)"
  }

  public static let fieldNames = ["content"]

  public var fields: NDEFFields { ["content": text.map { .text($0) }] }

  /// Reads `{"tnf":"external","type":"example.com:ticket","content":"…"}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard fields["tnf"] == "external", let content = try fields.text("content") else { return nil }
    self.init(type: "", payload: Array(content.utf8))
    guard let type = try fields.marked("type") else { throw .missing("type") }
    self.type = String(decoding: type, as: UTF8.self)
  }
}

extension NDEFRecord {
  /// Returns the record of a content of an external type.
  public static func external(_ type: String, _ payload: [UInt8]) -> NDEFRecord {
    ExternalRecord(type: type, payload: payload).record
  }
}
