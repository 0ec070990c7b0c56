import NFC

/// The values for `{uid}`, `{n}` and the columns of a table in texts.
struct Placeholders: Sendable {
  private let values: [String: String]?

  /// Placeholders without values, which leave texts unchanged.
  static let none = Placeholders(values: nil)

  private init(values: [String: String]?) { self.values = values }

  /// - Parameters:
  ///   - uid: the tag's UID.
  ///   - number: the tag's number, in the order of writing.
  ///   - row: the values by column.
  init(uid: [UInt8], number: Int, row: [String: String] = [:]) {
    values = row.merging([Self.uid: uid.hexadecimal, Self.number: "\(number)"]) { $1 }
  }

  private static let uid = "uid"
  static let number = "n"
  /// The names that do not require a table.
  static let builtIn = [uid, number]

  /// Returns the text with each known name in braces replaced by its value. Other braces remain, for which
  /// ``BatchWriting`` requires `--as-is`.
  func fill(_ text: String) -> String {
    guard let values else { return text }
    return Self.parts(of: text).map { part in
      part.isName ? values[part.text] ?? "{\(part.text)}" : part.text
    }.joined()
  }

  /// Returns the names in braces.
  static func names(in text: String) -> [String] {
    parts(of: text).filter(\.isName).map(\.text)
  }

  private static func parts(of text: String) -> [(text: String, isName: Bool)] {
    var parts: [(text: String, isName: Bool)] = []
    var rest = text[...]
    // A name has no braces, so that those of JSON can stand around it.
    while let opening = rest.firstIndex(of: "{"), let end = rest[opening...].firstIndex(of: "}"),
      let start = rest[..<end].lastIndex(of: "{")
    {
      let name = rest[rest.index(after: start)..<end]
      parts.append((String(rest[..<start]), false))
      parts.append((String(name), true))
      rest = rest[rest.index(after: end)...]
    }
    parts.append((String(rest), false))
    return parts
  }
}
