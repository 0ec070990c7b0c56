/// A link: the well-known type `U`.
///
/// Source: NFC Forum URI RTD 1.0.
public struct URIRecord: NDEFTolerantRecord {
  /// The URI or IRI, with its prefix expanded.
  public var uri: String
  public var identifier: [UInt8]

  /// Creates the record of a link.
  ///
  /// Control characters (U+0000 to U+001F), which the type does not allow, are percent-encoded when
  /// the record is written.
  public init(_ uri: String, identifier: [UInt8] = []) {
    self.uri = uri
    self.identifier = identifier
  }

  /// The prefixes for a payload's first byte, by its value 0x00 to 0x23 (URI RTD 1.0, 3.2.2).
  package static let prefixes = [
    "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:",
    "ftp://anonymous:anonymous@", "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://", "ftp://",
    "dav://", "news:", "telnet://", "imap:", "rtsp://", "urn:", "pop:", "sip:", "sips:", "tftp:",
    "btspp://", "btl2cap://", "btgoep://", "tcpobex://", "irdaobex://", "file://", "urn:epc:id:",
    "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
  ]

  /// The highest byte that must not occur in a URI (URI RTD 1.0, 3.2.3).
  static let lastControl: UInt8 = 0x1F

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "U")
  }

  /// Reads a link; leniently, the prefix codes 0x24 to 0xFF, which are reserved, stand for no prefix (URI RTD 1.0,
  /// 3.2.2).
  ///
  /// A program that leaves the code out puts the first letter of the scheme in its place. The error says so.
  ///
  /// - Throws: ``NDEFError`` for a missing or reserved prefix code, text that is not UTF-8, or a control
  ///   character (URI RTD 1.0, 3.2.3).
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let code = Int(try reader.readByte("URI prefix code"))
    let rest = reader.readRest()
    if let control = rest.firstIndex(where: { $0 <= Self.lastControl }) {
      throw NDEFError(
        .invalidText, offset: control, reason: "the URI contains a control character")
    }
    let text = try rest.utf8Text("URI")
    guard !Self.prefixes.indices.contains(code) else {
      self.init(Self.prefixes[code] + text, identifier: record.identifier)
      return
    }
    self.init(text, identifier: record.identifier)
    let hasScheme = Self.scheme(of: String(decoding: record.payload, as: UTF8.self)) != nil
    try tolerance.report(
      NDEFError(
        .reservedValue, offset: 0,
        reason: "the URI's code \([UInt8(clamping: code)].hexadecimal) is reserved"
          + (hasScheme ? "; the scheme stands in the payload" : "")))
  }

  public var record: NDEFRecord {
    let bytes = Array(uri.utf8)
    var code: UInt8 = 0
    var prefixLength = 0
    for (index, prefix) in Self.prefixes.enumerated()
    where prefix.utf8.count > prefixLength && bytes.starts(with: prefix.utf8) {
      code = UInt8(clamping: index)
      prefixLength = prefix.utf8.count
    }
    var payload = [code]
    for byte in bytes.dropFirst(prefixLength) {
      if byte <= Self.lastControl {
        payload += "%\([byte].hexadecimal)".utf8
      } else {
        payload.append(byte)
      }
    }
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "U", identifier: identifier, payload: payload)
  }

  public var description: String { uri }

  public static let fieldNames = ["uri"]

  public var fields: NDEFFields { ["uri": .text(uri)] }

  /// Reads `{"uri":"…"}`, unless `tnf` indicates that the URI is the type of a record.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard fields["tnf"] != "absoluteURI", let uri = try fields.text("uri") else { return nil }
    self.init(uri)
  }
}

extension NDEFRecord {
  /// Returns the record of a link.
  public static func uri(_ uri: String) -> NDEFRecord { URIRecord(uri).record }
}
