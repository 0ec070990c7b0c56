extension SmartPosterRecord {
  public static let fieldNames = ["smartPoster"]

  public var fields: NDEFFields {
    [
      "smartPoster": .fields([
        "uri": .text(uri.uri), "titles": .list(titles.map { .fields($0.fields) }),
        "action": action.map { .text($0.description) },
        "size": size.map { .integer(Int64($0)) }, "mediaType": mediaType.map { .text($0) },
        "icons": icons.isEmpty
          ? nil
          : .list(
            icons.map {
              .fields(["mediaType": .text($0.mediaType), "data": .text($0.payload.hexadecimal)])
            }),
      ])
    ]
  }

  /// Reads `{"smartPoster":{"uri":"…","titles":[{"text":"…","language":"en"}]}}`; a single `title`
  /// may replace `titles`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("smartPoster") else { return nil }
    do throws(NDEFFieldError) {
      var titles = try content.list("titles") { (value) throws(NDEFFieldError) in
        let title = try value.fields()
        guard let record = try TextRecord(fields: title) else { throw .missing("text") }
        return record
      }
      if let title = try content.text("title") { titles.append(TextRecord(title)) }
      var languages: Set<String> = []
      if let index = titles.firstIndex(where: { !languages.insert($0.language).inserted }) {
        throw NDEFFieldError(
          [.name("titles"), .index(index)],
          "there is already a title in the language \"\(titles[index].language.escapingControls)\"")
      }
      self.init(
        uri: URIRecord(try content.requiredText("uri")), titles: titles,
        action: try Self.action(content), size: try content.integer("size"),
        mediaType: try content.text("mediaType"),
        icons: try content.list("icons") { (value) throws(NDEFFieldError) in
          let icon = try value.fields()
          return MIMERecord(
            mediaType: try icon.requiredText("mediaType"), payload: try icon.bytes("data") ?? [])
        })
    } catch {
      throw error.within(.name("smartPoster"))
    }
  }

  private static func action(_ content: NDEFFields) throws(NDEFFieldError) -> Action? {
    guard let text = try content.text("action") else { return nil }
    let known = [Action.act, .save, .edit].first { $0.description == text }
    guard let action = known ?? UInt8(text).map(Action.init(rawValue:)) else {
      throw NDEFFieldError(
        [.name("action")], "\"\(text.escapingControls)\" is not one of act, save, edit")
    }
    return action
  }
}
