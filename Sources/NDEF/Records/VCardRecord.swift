/// A business card: the media types `text/vcard` and `text/x-vCard`.
///
/// The card is stored as text; the most common properties are read from it on demand. Values of version
/// 2.1 in `QUOTED-PRINTABLE` are decoded, and those in `BASE64` stay encoded.
///
/// Source: RFC 6350 (version 4.0), RFC 2426 (3.0), Versit vCard 2.1.
public struct VCardRecord: NDEFTolerantRecord {
  /// The complete card.
  public var text: String
  /// The media type, with upper and lower case as in the record.
  public var mediaType: String
  public var identifier: [UInt8]

  /// Creates the record of a card from its text.
  public init(text: String, mediaType: String = "text/vcard", identifier: [UInt8] = []) {
    self.text = text
    self.mediaType = mediaType
    self.identifier = identifier
  }

  /// Creates the record of a card of version 3.0, which most programs support.
  ///
  /// - Parameters:
  ///   - name: the name as it is displayed. Its parts, which version 3.0 requires and from which phones make the
  ///     contact, are `given` and `family`; if neither is there and the name has two words, these, or those around
  ///     the comma of "Lovelace, Ada". Any other name is written as the family name. Without a name, its parts, the
  ///     organization, the first telephone number or the first address are displayed.
  ///   - given: the given name.
  ///   - family: the family name.
  ///   - telephones: telephone numbers.
  ///   - emails: mail addresses.
  ///   - organization: the organization where the person works.
  ///   - url: a link to more information.
  public init(
    name: String? = nil, given: String? = nil, family: String? = nil, telephones: [String] = [],
    emails: [String] = [], organization: String? = nil, url: String? = nil
  ) {
    self.init(
      name: name,
      parts: given == nil && family == nil ? [] : [family ?? "", given ?? "", "", "", ""],
      telephones: telephones, emails: emails, organization: organization,
      url: url)
  }

  /// Creates the record of a card with the parts of the name, which are displayed unless there is a name; none for
  /// those of the name.
  init(
    name: String?, parts: [String], telephones: [String], emails: [String], organization: String?,
    url: String?
  ) {
    let parts = parts.isEmpty ? Self.parts(of: name ?? "") : parts
    let other = organization ?? telephones.first ?? emails.first ?? url ?? ""
    let shown = name ?? (parts.isEmpty ? other : Self.shown(parts))
    let structured =
      parts.isEmpty
      ? "\(shown.vCardEscaped);;;;" : parts.map(\.vCardEscaped).joined(separator: ";")
    var lines = ["BEGIN:VCARD", "VERSION:3.0", "N:\(structured)", "FN:\(shown.vCardEscaped)"]
    if let organization { lines.append("ORG:\(organization.vCardEscaped)") }
    lines += telephones.map { "TEL:\($0.vCardEscaped)" }
    lines += emails.map { "EMAIL:\($0.vCardEscaped)" }
    // A URI is not a text: RFC 2426, 3.6.8 writes it without escapes.
    if let url { lines.append("URL:\(url.withoutLineBreaks)") }
    lines.append("END:VCARD")
    self.init(text: lines.map { $0 + "\r\n" }.joined())
  }

  /// What follows the comma of a name without being a given name.
  private static let suffixes: Set<String> = [
    "ba", "bsc", "esq", "gmbh", "ii", "iii", "inc", "iv", "jr", "llc", "ltd", "ma", "mba", "md",
    "msc", "phd", "sr",
  ]

  /// Returns the parts of a name in two words, or with the family name before a comma; none for other names.
  private static func parts(of name: String) -> [String] {
    guard name.contains(",") else {
      let words = name.split(separator: " ").map(String.init)
      return words.count == 2 ? [words[1], words[0], "", "", ""] : []
    }
    let sides = name.split(separator: ",", omittingEmptySubsequences: false).map { side in
      side.split(separator: " ").joined(separator: " ")
    }
    guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty,
      !suffixes.contains(sides[1].lowercased().filter { $0 != "." })
    else { return [] }
    return [sides[0], sides[1], "", "", ""]
  }

  private static let mediaTypes = ["text/vcard", "text/x-vcard"]

  /// Returns whether the record is of one of the media types, with or without parameters such as `charset=utf-8`.
  public static func matches(_ record: NDEFRecord) -> Bool {
    mediaTypes.contains { record.hasMediaType($0) }
  }

  /// Reads a card; leniently, what is not valid UTF-8 is replaced by U+FFFD.
  ///
  /// A byte order mark before `BEGIN:VCARD` stays in the text.
  ///
  /// - Throws: ``NDEFError`` for a text that is not UTF-8 or does not begin with `BEGIN:VCARD`.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    self.init(
      text: try record.payload[...].utf8Text("vCard", tolerance: &tolerance),
      mediaType: try record.type[...].asciiText("media type"), identifier: record.identifier)
    guard properties.first?.isBegin == true else {
      throw NDEFError(
        .invalidValue, offset: 0, reason: "the vCard does not begin with BEGIN:VCARD")
    }
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .media, type: mediaType, identifier: identifier,
      payload: Array(text.utf8))
  }

  // MARK: Properties

  /// A line of a card: `group.NAME;PARAMETER=value:VALUE`.
  public struct Property: Hashable, Sendable {
    /// The name in upper case, without the group.
    public let name: String
    /// The parameters as they are written.
    public let parameters: [String]
    /// The value as it is written, without the ends of lines within it.
    public let rawValue: String

    /// The value with `\n`, `\,`, `\;` and `\\` unescaped, and decoded if it is quoted-printable. An
    /// encoded value that cannot be decoded is as it is written.
    public var value: String { decodedValue.vCardUnescaped }

    /// The value, decoded if it is quoted-printable, but with its escapes.
    fileprivate var decodedValue: String {
      guard QuotedPrintable.isNamed(by: parameters) else { return rawValue }
      let set = parameters.first { $0.uppercased().hasPrefix("CHARSET=") }?.dropFirst(8)
      return QuotedPrintable.text(rawValue, characterSet: set.map(String.init)) ?? rawValue
    }

    /// The kinds in the parameters, in lower case: `TYPE=work,voice`, or `WORK;VOICE` in version 2.1.
    var kinds: [String] {
      parameters.flatMap { parameter -> [String] in
        let parts = parameter.split(separator: "=", maxSplits: 1)
        guard parts.count < 2 || parts[0].uppercased() == "TYPE", let value = parts.last else {
          return []
        }
        let names = value.filter { $0 != "\"" }.lowercased().split(separator: ",")
        return names.map(String.init).filter { $0 != "quoted-printable" && $0 != "base64" }
      }
    }

    fileprivate var isBegin: Bool { name == "BEGIN" && rawValue.utf8.isVCard }
  }

  /// The lines of the card; folded lines are joined (RFC 6350, 3.2), and lines without a colon are
  /// left out.
  public var properties: [Property] {
    unfoldedLines.compactMap(Self.property)
  }

  /// The name as it is displayed: `FN`, or else the parts of `N` from prefix to suffix.
  public var formattedName: String? {
    let properties = properties
    if let name = properties.first(where: { $0.name == "FN" }) { return name.value }
    return Self.name(properties).map(Self.shown)
  }

  /// Returns the parts of a name in the order in which they are displayed.
  private static func shown(_ parts: [String]) -> String {
    // N: family; given; additional; prefixes; suffixes (RFC 6350, 6.2.2)
    let order = [3, 1, 2, 0, 4]
    let shown = order.compactMap { parts.indices.contains($0) ? parts[$0] : nil }
    return shown.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The parts of `N`: family name, given name, additional names, prefixes, suffixes.
  public var name: [String]? { Self.name(properties) }

  /// The telephone numbers, `TEL`, without the scheme of a tel: URI (RFC 6350, 6.4.1).
  public var telephones: [String] { values("TEL").map(Self.withoutTelephoneScheme) }

  /// The kinds of the telephone numbers in lower case, such as `work`, in the order of ``telephones``.
  public var telephoneKinds: [[String]] { properties.filter { $0.name == "TEL" }.map(\.kinds) }

  private static func withoutTelephoneScheme(_ number: String) -> String {
    let scheme = "tel:"
    return number.lowercased().hasPrefix(scheme) ? String(number.dropFirst(scheme.count)) : number
  }

  /// The position of the person in the organization, `TITLE`.
  public var title: String? { values("TITLE").first }

  /// The comments, `NOTE`.
  public var notes: [String] { values("NOTE") }

  /// The addresses, `ADR`, each in its parts: post office box, extended address, street, place, region, postal code,
  /// country.
  public var addresses: [[String]] {
    properties.filter { $0.name == "ADR" }.map(\.decodedValue.vCardParts)
  }

  /// The mail addresses, `EMAIL`.
  public var emails: [String] { values("EMAIL") }

  /// The organization where the person works, `ORG`; its units are separated by semicolons.
  public var organization: String? { values("ORG").first }

  /// The link, `URL`.
  public var url: String? { properties.first { $0.name == "URL" }?.decodedValue }

  private func values(_ name: String) -> [String] {
    properties.filter { $0.name == name }.map(\.value)
  }

  private static func name(_ properties: [Property]) -> [String]? {
    properties.first { $0.name == "N" }?.decodedValue.vCardParts
  }

  private var unfoldedLines: [[UInt8]] {
    var lines: [[UInt8]] = []
    var isEncoded = false
    let hasMark = text.unicodeScalars.first == "\u{FEFF}"
    let content = text.unicodeScalars.dropFirst(hasMark ? 1 : 0)
    for line in Substring(content).utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let last = lines.count - 1
      if isEncoded, QuotedPrintable.isContinued(lines[last]) {
        lines[last].removeLast()
        lines[last] += line
      } else if let first = line.first, first == 0x20 || first == 0x09, !lines.isEmpty {
        lines[last] += line.dropFirst()
      } else {
        lines.append(Array(line))
        isEncoded = Self.isQuotedPrintable(lines[last + 1])
      }
    }
    return lines
  }

  private static func isQuotedPrintable(_ line: [UInt8]) -> Bool {
    property(line).map { QuotedPrintable.isNamed(by: $0.parameters) } ?? false
  }

  private static func property(_ line: [UInt8]) -> Property? {
    guard let colon = line.firstIndexOutsideQuotes(of: UInt8(ascii: ":")) else { return nil }
    let parts = line[..<colon].split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    guard let label = parts.first else { return nil }
    let name = label.split(separator: ".").last.map(String.init) ?? ""
    return Property(
      name: name.uppercased(), parameters: Array(parts.dropFirst()),
      rawValue: String(decoding: line[(colon + 1)...], as: UTF8.self))
  }

  public var description: String {
    let details = (telephones + emails).joined(separator: ", ")
    let name = formattedName ?? "vCard"
    return details.isEmpty ? name : "\(name): \(details)"
  }
}

extension [UInt8] {
  fileprivate func firstIndexOutsideQuotes(of byte: UInt8) -> Int? {
    var isQuoted = false
    return firstIndex {
      if $0 == UInt8(ascii: "\"") { isQuoted.toggle() }
      return $0 == byte && !isQuoted
    }
  }
}

extension String.UTF8View {
  fileprivate var isVCard: Bool {
    map(\.lowercasedASCII).filter { $0 != 0x20 } == Array("vcard".utf8)
  }
}

extension String {
  /// The text as part of a value (RFC 6350, 3.4).
  var vCardEscaped: String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\", ",", ";": escaped += "\\\(scalar)"
      case "\n": escaped += "\\n"
      case "\r": continue
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  fileprivate var withoutLineBreaks: String {
    String(unicodeScalars.filter { $0 != "\n" && $0 != "\r" })
  }

  fileprivate var vCardUnescaped: String {
    var text = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in unicodeScalars {
      if isEscaped {
        text.append(scalar == "n" || scalar == "N" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// The parts of a value between unescaped semicolons.
  fileprivate var vCardParts: [String] {
    var parts = [String.UnicodeScalarView()]
    var isEscaped = false
    for scalar in unicodeScalars {
      if scalar == ";", !isEscaped {
        parts.append(String.UnicodeScalarView())
      } else {
        parts[parts.count - 1].append(scalar)
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return parts.map { String($0).vCardUnescaped }
  }
}
