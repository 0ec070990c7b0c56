/// A text in one language: the well-known type `T`.
///
/// Source: NFC Forum Text RTD 1.0.
public struct TextRecord: NDEFTolerantRecord {
  /// The encoding of the text in the payload.
  public enum Encoding: Hashable, Sendable {
    /// UTF-8; written without a byte order mark, read with or without one.
    case utf8
    /// UTF-16; written in big-endian order without a byte order mark, read in either order with
    /// one.
    case utf16
  }

  /// The text.
  public var text: String
  /// The language as a tag of BCP 47 such as `en` or `de-AT`; empty only where a record leaves it out, although it may
  /// not be omitted (Text RTD 1.0, 3.3).
  ///
  /// At most 63 bytes are written; a longer tag loses subtags from its end (RFC 5646, 4.4.2), and
  /// characters that are not printable US-ASCII are left out.
  public var language: String
  /// The encoding of the text.
  public var encoding: Encoding
  public var identifier: [UInt8]

  /// Creates the record of a text.
  public init(
    _ text: String, language: String = "en", encoding: Encoding = .utf8, identifier: [UInt8] = []
  ) {
    self.text = text
    self.language = language
    self.encoding = encoding
    self.identifier = identifier
  }

  // The status byte (Text RTD 1.0, 3.2.1). Bit 6 is reserved.
  private static let utf16Flag: UInt8 = 0x80
  private static let languageLengthMask: UInt8 = 0x3F

  private static let utf8ByteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let byteOrderMark: UInt16 = 0xFEFF
  private static let swappedByteOrderMark: UInt16 = 0xFFFE

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "T")
  }

  /// Reads a text; leniently, what is not valid in its encoding is replaced by U+FFFD, and a language that is not
  /// US-ASCII is left out, and so is the reserved bit of the status byte.
  ///
  /// A byte order mark at its start is not part of the text; UTF-16 without one is big-endian (Text
  /// RTD 1.0, 3.4).
  ///
  /// - Throws: ``NDEFError`` for a payload that is too short, a reserved bit in the status byte, a missing language or
  ///   one that is not US-ASCII, or a text that is not valid in its encoding.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let status = try reader.readByte("status byte")
    let languageLength = Int(status & Self.languageLengthMask)
    let tag = try reader.readBytes(languageLength, "language")
    let reserved = NDEFError.reservedBits(
      "the status byte", status, known: Self.utf16Flag | Self.languageLengthMask, offset: 0)
    if let reserved { try tolerance.report(reserved) }
    let isUTF16 = status & Self.utf16Flag != 0
    self.init(
      "", language: "", encoding: isUTF16 ? .utf16 : .utf8, identifier: record.identifier)
    do throws(NDEFError) {
      language = try tag.asciiText("language")
      guard languageLength > 0 else {
        throw NDEFError(.missingField, offset: 0, reason: "the text has no language")
      }
    } catch {
      try tolerance.report(error)
    }
    let bytes = reader.readRest()
    if isUTF16 {
      text = try Self.utf16Text(bytes, tolerance: &tolerance)
    } else {
      let hasMark = bytes.starts(with: Self.utf8ByteOrderMark)
      text = try bytes.dropFirst(hasMark ? Self.utf8ByteOrderMark.count : 0)
        .utf8Text("text", tolerance: &tolerance)
    }
  }

  private static func utf16Text(
    _ bytes: ArraySlice<UInt8>, tolerance: inout NDEFTolerance
  ) throws(NDEFError) -> String {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var high: UInt8?
    for byte in bytes {
      if let first = high {
        units.append(UInt16(first) << 8 | UInt16(byte))
        high = nil
      } else {
        high = byte
      }
    }
    if high != nil {
      try tolerance.report(
        NDEFError(
          .invalidText, offset: bytes.startIndex,
          reason: "a text in UTF-16 has an odd number of bytes"))
    }
    if units.first == swappedByteOrderMark { units = units.map(\.byteSwapped) }
    if units.first == byteOrderMark { units.removeFirst() }
    if let text = String(validating: units, as: UTF16.self) { return text }
    try tolerance.report(
      NDEFError(.invalidText, offset: bytes.startIndex, reason: "the text is not valid UTF-16"))
    return String(decoding: units, as: UTF16.self)
  }

  public var record: NDEFRecord {
    let language = writtenLanguage
    var payload = [UInt8(clamping: language.count) | (encoding == .utf16 ? Self.utf16Flag : 0)]
    payload += language
    switch encoding {
    case .utf8:
      // A mark that belongs to the text needs another mark before it that does not.
      if text.utf8.starts(with: Self.utf8ByteOrderMark) { payload += Self.utf8ByteOrderMark }
      payload += text.utf8
    case .utf16:
      if let first = text.utf16.first,
        first == Self.byteOrderMark || first == Self.swappedByteOrderMark
      {
        payload.appendBigEndian(Self.byteOrderMark)
      }
      for unit in text.utf16 { payload.appendBigEndian(unit) }
    }
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "T", identifier: identifier, payload: payload)
  }

  private var writtenLanguage: ArraySlice<UInt8> {
    let limit = Int(Self.languageLengthMask)
    var tag = language.utf8.filter(\.isPrintableASCII)[...]
    while tag.count > limit, let hyphen = tag.lastIndex(of: UInt8(ascii: "-")) {
      tag = tag[..<hyphen]
    }
    return tag.prefix(limit)
  }

  public var description: String {
    let shown = text.isEmpty ? "empty text" : text
    return language.isEmpty ? shown : "\(shown) (\(language))"
  }

  public static let fieldNames = ["text", "language"]

  public var fields: NDEFFields { ["text": .text(text), "language": .text(language)] }

  /// Reads `{"text":"…","language":"en"}`; `language` is `en` by default.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let text = try fields.text("text") else { return nil }
    self.init(text, language: try fields.text("language") ?? "en")
    guard writtenLanguage.elementsEqual(language.utf8) else {
      throw NDEFFieldError(
        [.name("language")], "a language is at most 63 characters of US-ASCII")
    }
  }
}

extension NDEFRecord {
  /// Returns the record of a text.
  public static func text(_ text: String, language: String = "en") -> NDEFRecord {
    TextRecord(text, language: language).record
  }
}
