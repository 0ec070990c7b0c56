/// Content of a media type: the type name format media.
///
/// Source: NFC Forum NDEF 1.0, 3.2.6; RFC 2046.
public struct MIMERecord: NDEFTypedRecord {
  /// The media type, such as `image/png`, with upper and lower case as in the record.
  public var mediaType: String
  /// The content.
  public var payload: [UInt8]
  public var identifier: [UInt8]

  /// Creates the record of a content.
  public init(mediaType: String, payload: [UInt8], identifier: [UInt8] = []) {
    self.mediaType = mediaType
    self.payload = payload
    self.identifier = identifier
  }

  /// The content as text, if it is valid UTF-8.
  ///
  /// Images, sounds, films and fonts have no text. Content of other types than `text/…`, JSON (RFC 8259) and XML (RFC
  /// 7303) is a text only if it is not empty, and has no control characters except tabs and line ends.
  public var text: String? {
    let essence = mediaType.prefix { $0 != ";" }.lowercased().trimmingBlanks
    let kind = essence.prefix { $0 != "/" }
    guard !["image", "audio", "video", "font"].contains(kind),
      let text = String(validating: payload, as: UTF8.self)
    else { return nil }
    let isTextual =
      kind == "text" || ["json", "xml"].contains { essence.hasSuffix("/\($0)") }
      || ["+json", "+xml"].contains { essence.hasSuffix($0) }
    return isTextual || text.isReadable ? text : nil
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.typeNameFormat == .media
  }

  /// Reads content of any media type.
  ///
  /// - Throws: ``NDEFError`` if the type is not printable US-ASCII.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    self.init(
      mediaType: try record.type[...].asciiText("media type"), payload: record.payload,
      identifier: record.identifier)
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .media, type: mediaType, identifier: identifier, payload: payload)
  }

  public var description: String {
    text.map { "\($0) (\(mediaType))" } ?? "\(mediaType), \(payload.byteCountDescription)"
  }

  public static let fieldNames = ["mediaType", "content"]

  public var fields: NDEFFields {
    ["mediaType": .text(mediaType), "content": text.map { .text($0) }]
  }

  /// Reads `{"mediaType":"text/plain","content":"…"}`; `tnf` and `type` may replace `mediaType`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.text("content") else { return nil }
    var mediaType = try fields.text("mediaType")
    if mediaType == nil, fields["tnf"] == "media" { mediaType = try fields.requiredText("type") }
    guard let mediaType else { return nil }
    self.init(mediaType: mediaType, payload: Array(content.utf8))
  }
}

extension NDEFRecord {
  /// Returns the record of a content of a media type.
  public static func media(_ mediaType: String, _ payload: [UInt8]) -> NDEFRecord {
    MIMERecord(mediaType: mediaType, payload: payload).record
  }
}
