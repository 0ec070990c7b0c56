extension VCardRecord {
  public static let fieldNames = ["mediaType", "vCard"]

  public var fields: NDEFFields {
    [
      "mediaType": .text(mediaType),
      "vCard": .fields([
        "formattedName": formattedName.map { .text($0) },
        "name": name.map { .list($0.map { .text($0) }) },
        "telephones": .list(telephones.map { .text($0) }),
        "emails": .list(emails.map { .text($0) }),
        "organization": organization.map { .text($0) }, "url": url.map { .text($0) },
        "telephoneKinds": Self.list(telephoneKinds), "title": title.map { .text($0) },
        "addresses": Self.list(addresses),
        "notes": notes.isEmpty ? nil : .list(notes.map { .text($0) }),
      ]),
    ]
  }

  /// Returns lists of texts, or `nil` if there is no text in them.
  private static func list(_ lists: [[String]]) -> NDEFFieldValue? {
    guard lists.contains(where: { !$0.isEmpty }) else { return nil }
    return .list(lists.map { .list($0.map { .text($0) }) })
  }

  private static func lists(
    _ name: String, _ content: NDEFFields
  ) throws(NDEFFieldError) -> [[String]] {
    try content.list(name) { (value) throws(NDEFFieldError) -> [String] in
      guard case .list(let parts) = value else { return [try value.text()] }
      var texts: [String] = []
      for part in parts { texts.append(try part.text()) }
      return texts
    }
  }

  /// The lines of a card for what phones read in addition to names, numbers and links.
  private static func lines(_ content: NDEFFields) throws(NDEFFieldError) -> [String] {
    var lines: [String] = []
    if let title = try content.text("title") { lines.append("TITLE:\(title.vCardEscaped)") }
    for address in try lists("addresses", content) {
      lines.append("ADR:" + address.map(\.vCardEscaped).joined(separator: ";"))
    }
    lines += try content.texts("notes").map { "NOTE:\($0.vCardEscaped)" }
    return lines
  }

  /// Adds lines to the card, and the kinds to its telephone numbers.
  private mutating func add(_ lines: [String], kinds: [[String]]) {
    let end = "END:VCARD\r\n"
    guard text.hasSuffix(end) else { return }
    var kinds = kinds[...]
    var all = text.dropLast(end.count).split(separator: "\r\n").map { line in
      guard line.hasPrefix("TEL:"), let names = kinds.popFirst(), !names.isEmpty else {
        return String(line)
      }
      return "TEL;TYPE=\(names.joined(separator: ",")):\(line.dropFirst("TEL:".count))"
    }
    all += lines
    text = all.map { $0 + "\r\n" }.joined() + end
  }

  /// Reads `{"vCard":{"formattedName":"…","telephones":["…"],"emails":["…"]}}` as a card of version
  /// 3.0; the parts of `name` are written unchanged.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("vCard") else { return nil }
    do throws(NDEFFieldError) {
      self.init(
        name: try content.text("formattedName"), parts: try content.texts("name"),
        telephones: try content.texts("telephones"), emails: try content.texts("emails"),
        organization: try content.text("organization"), url: try content.text("url"))
      let kinds = try Self.lists("telephoneKinds", content)
      let names = kinds.joined()
      guard
        names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0.isLetterOrHyphenASCII } })
      else {
        throw NDEFFieldError([.name("telephoneKinds")], "a kind consists of letters and hyphens")
      }
      add(try Self.lines(content), kinds: kinds)
    } catch {
      throw error.within(.name("vCard"))
    }
    if let mediaType = try fields.text("mediaType") {
      self.mediaType = mediaType
      guard Self.matches(record) else {
        throw NDEFFieldError(
          [.name("mediaType")], "\"\(mediaType.escapingControls)\" is not a media type of a vCard")
      }
    }
  }
}

extension UInt8 {
  fileprivate var isLetterOrHyphenASCII: Bool {
    self == UInt8(ascii: "-") || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}
