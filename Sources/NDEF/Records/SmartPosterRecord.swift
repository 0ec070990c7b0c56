/// A link with titles, an icon and an action: the well-known type `Sp`.
///
/// Its payload is an NDEF message. Source: NFC Forum Smart Poster RTD 1.0.
public struct SmartPosterRecord: NDEFTolerantRecord {
  /// The action for the link (Smart Poster RTD 1.0, 3.3.3).
  public struct Action: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number in the record.
    public let rawValue: UInt8

    /// Creates an action from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Open it, call it, or send to it.
    public static let act = Action(rawValue: 0)
    /// Keep it for later: a bookmark, a contact, an inbox.
    public static let save = Action(rawValue: 1)
    /// Open it for editing.
    public static let edit = Action(rawValue: 2)

    /// The actions that are not reserved.
    fileprivate static let known = [act, save, edit]

    /// `act`, `save`, `edit`, or the number of a reserved value.
    public var description: String {
      switch self {
      case .act: "act"
      case .save: "save"
      case .edit: "edit"
      default: "\(rawValue)"
      }
    }
  }

  /// The link.
  public var uri: URIRecord
  /// The titles, at most one per language.
  public var titles: [TextRecord]
  /// The action for the link, if the poster contains one.
  public var action: Action?
  /// The size in bytes of the content that the link leads to, if the poster contains it.
  public var size: UInt32?
  /// The media type of the content that the link leads to, if the poster contains it.
  public var mediaType: String?
  /// Images or films of the types `image/…` and `video/…`.
  public var icons: [MIMERecord]
  /// Records that the type does not define.
  public var otherRecords: [NDEFRecord]
  public var identifier: [UInt8]

  /// Creates the record of a link with everything that describes it.
  public init(
    uri: URIRecord, titles: [TextRecord] = [], action: Action? = nil, size: UInt32? = nil,
    mediaType: String? = nil, icons: [MIMERecord] = [], otherRecords: [NDEFRecord] = [],
    identifier: [UInt8] = []
  ) {
    self.uri = uri
    self.titles = titles
    self.action = action
    self.size = size
    self.mediaType = mediaType
    self.icons = icons
    self.otherRecords = otherRecords
    self.identifier = identifier
  }

  /// Creates the record of a link with a title.
  public init(uri: String, title: String, language: String = "en", action: Action? = nil) {
    self.init(
      uri: URIRecord(uri), titles: [TextRecord(title, language: language)], action: action)
  }

  /// Returns the title in a language, or else the first one.
  public func title(in language: String) -> String? {
    (titles.first { $0.language == language } ?? titles.first)?.text
  }

  // The local types (Smart Poster RTD 1.0, 3.3.3 to 3.3.6).
  private static let actionType = "act"
  private static let sizeType = "s"
  private static let mediaTypeType = "t"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "Sp")
  }

  /// Reads a poster; leniently, what is repeated or malformed is left out, and a record whose type is an absolute URI
  /// may take the place of the link, as in Android (NdefRecord.java, toUri).
  ///
  /// - Throws: ``NDEFError`` for a payload that is not a message, a malformed record in it, no link
  ///   or more than one, two titles in one language, or more than one action, size or type.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    let parser = MessageParser(
      record.payload, limits: .default, isLenient: tolerance.isLenient)
    if let error = parser.error { try tolerance.report(error) }

    var link: URIRecord?
    self.init(uri: URIRecord(""), identifier: record.identifier)
    for part in parser.records {
      do throws(NDEFError) {
        try take(part.record, link: &link)
      } catch {
        try tolerance.report(error.shifted(by: part.payloadOffset))
      }
    }
    if let link {
      uri = link
      return
    }
    let missing = NDEFError(.missingField, offset: 0, reason: "the smart poster has no link")
    let others = otherRecords.lazy.compactMap { try? AbsoluteURIRecord($0) }
    guard let other = others.first(where: \.hasScheme) else { throw missing }
    try tolerance.report(missing)
    uri = URIRecord(other.uri)
  }

  /// Reads one record of the poster's message.
  private mutating func take(_ inner: NDEFRecord, link: inout URIRecord?) throws(NDEFError) {
    var reader = ByteReader(inner.payload)
    var reserved: NDEFError?
    if URIRecord.matches(inner) {
      guard link == nil else { throw .repeated("link") }
      link = try URIRecord(inner: inner, reserved: &reserved)
    } else if TextRecord.matches(inner) {
      let title = try TextRecord(inner: inner, reserved: &reserved)
      let isRepeated = titles.contains { $0.language == title.language }
      guard !isRepeated else { throw .repeated("title of one language") }
      titles.append(title)
    } else if inner.hasType(.wellKnown, Self.actionType) {
      guard action == nil else { throw .repeated("action") }
      let value = try reader.readByte("action")
      try reader.expectEnd("action")
      let given = Action(rawValue: value)
      action = given
      if !Action.known.contains(given) {
        reserved = .reserved("the action", "\(value)", offset: 0)
      }
    } else if inner.hasType(.wellKnown, Self.sizeType) {
      guard size == nil else { throw .repeated("size") }
      let value = try reader.readBigEndian32("size")
      try reader.expectEnd("size")
      size = value
    } else if inner.hasType(.wellKnown, Self.mediaTypeType) {
      guard mediaType == nil else { throw .repeated("media type") }
      mediaType = try reader.readRest().utf8Text("media type")
    } else if let icon = Self.icon(inner) {
      icons.append(icon)
    } else {
      otherRecords.append(inner)
    }
    if let reserved { throw reserved }
  }

  private static func icon(_ record: NDEFRecord) -> MIMERecord? {
    guard let media = try? MIMERecord(record) else { return nil }
    let kind = media.mediaType.utf8.prefix { $0 != UInt8(ascii: "/") }.map(\.lowercasedASCII)
    return kind == Array("image".utf8) || kind == Array("video".utf8) ? media : nil
  }

  public var record: NDEFRecord {
    var records = [uri.record]
    records += titles.map(\.record)
    if let action {
      records.append(
        NDEFRecord(typeNameFormat: .wellKnown, type: Self.actionType, payload: [action.rawValue]))
    }
    if let size {
      var payload: [UInt8] = []
      payload.appendBigEndian(size)
      records.append(NDEFRecord(typeNameFormat: .wellKnown, type: Self.sizeType, payload: payload))
    }
    if let mediaType {
      records.append(
        NDEFRecord(
          typeNameFormat: .wellKnown, type: Self.mediaTypeType, payload: Array(mediaType.utf8)))
    }
    records += icons.map(\.record)
    records += otherRecords
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "Sp", identifier: identifier,
      payload: NDEFMessage(records: records).encoded())
  }

  public var description: String {
    let titles = titles.map(\.description).joined(separator: ", ")
    return titles.isEmpty ? uri.uri : "\(uri.uri): \(titles)"
  }
}

extension NDEFError {
  /// Returns the error for a record or attribute that may occur only once; its place is the start
  /// of the payload.
  static func repeated(_ name: StaticString, offset: Int = 0) -> NDEFError {
    NDEFError(.repeatedField, offset: offset, reason: "there is more than one \(name)")
  }
}

extension NDEFRecord {
  /// Returns the record of a link with a title.
  public static func smartPoster(
    _ uri: String, title: String, language: String = "en"
  ) -> NDEFRecord {
    SmartPosterRecord(uri: uri, title: title, language: language).record
  }
}
