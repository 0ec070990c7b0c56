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
      ]),
    ]
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
