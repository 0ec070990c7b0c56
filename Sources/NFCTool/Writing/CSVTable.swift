import NFC

/// A table with named columns, in the format of RFC 4180. All kinds of line ends are accepted, and semicolons or tabs
/// instead of commas, as spreadsheets write them where the comma is part of numbers.
struct CSVTable: Sendable {
  let columns: [String]
  /// The character between two values.
  let separator: Character
  /// The rows, each with the line on which it begins.
  let rows: [(line: Int, values: [String])]

  /// - Throws: ``Failure`` `content`, with the line.
  init(_ text: String, name: String) throws {
    var parser = Parser(text)
    separator = parser.separator
    var all: [(line: Int, values: [String])] = []
    while let row = try parser.next(name) {
      // An empty line contains no row.
      if row.values != [""] { all.append(row) }
    }
    guard let header = all.first else {
      throw Failure(.content, "\(name) is empty", advice: "its first row names the columns")
    }
    let columns = header.values.map { $0.trimmed }
    self.columns = columns
    if let twice = columns.first(where: { name in columns.count { $0 == name } > 1 }) {
      throw Failure(.content, "\(name), line \(header.line): two columns are called \"\(twice)\"")
    }
    let rows = Array(all.dropFirst())
    self.rows = rows
    if let row = rows.first(where: { $0.values.count != header.values.count }) {
      throw Failure(
        .content,
        "\(name), line \(row.line): values: \(row.values.count), columns: \(columns.count)"
      )
    }
  }

  /// Returns a row's values by column.
  func values(ofRow index: Int) -> [String: String] {
    Dictionary(zip(columns, rows[index].values)) { first, _ in first }
  }

  private static let separators: [Character] = [",", ";", "\t"]

  /// Returns the character that separates the names of the columns: the one that is most frequent outside of quotation
  /// marks in the first line that is not empty; a comma if none is there.
  private static func separator(of text: Substring) -> Character {
    var isQuoted = false
    var counts: [Character: Int] = [:]
    for character in text.drop(while: \.isNewline) {
      if character == "\"" { isQuoted.toggle() }
      guard !isQuoted else { continue }
      guard !character.isNewline else { break }
      if separators.contains(character) { counts[character, default: 0] += 1 }
    }
    let most = counts.values.max()
    return separators.first { most != nil && counts[$0] == most } ?? ","
  }

  /// Returns a line of the table, without its end.
  static func line(_ values: [String], separatedBy separator: Character) -> String {
    values.map { value in
      // Nor may another separator be taken for the one of the table.
      let isPlain = !value.contains { separators.contains($0) || $0 == "\"" || $0.isNewline }
      return isPlain ? value : "\"" + value.replacing("\"", with: "\"\"") + "\""
    }.joined(separator: String(separator))
  }

  private struct Parser {
    private var rest: Substring
    private var line = 1
    let separator: Character

    init(_ text: String) {
      let byteOrderMark: Character = "\u{FEFF}"
      rest = text.first == byteOrderMark ? text.dropFirst() : text[...]
      separator = CSVTable.separator(of: rest)
    }

    mutating func next(_ name: String) throws -> (line: Int, values: [String])? {
      guard !rest.isEmpty else { return nil }
      let start = line
      var values: [String] = []
      while true {
        values.append(try value(name))
        guard let separator = rest.popFirst() else { return (start, values) }
        guard separator == self.separator else {
          line += 1
          return (start, values)
        }
      }
    }

    /// Reads up to a comma or the end of the line.
    private mutating func value(_ name: String) throws -> String {
      guard rest.first == "\"" else {
        let value = rest.prefix { [separator] in $0 != separator && !$0.isNewline }
        rest = rest.dropFirst(value.count)
        return String(value)
      }
      let start = line
      var value = ""
      rest = rest.dropFirst()
      while let character = rest.popFirst() {
        if character.isNewline { line += 1 }
        guard character == "\"" else {
          value.append(character)
          continue
        }
        guard rest.first == "\"" else {
          guard rest.first.map({ $0 == separator || $0.isNewline }) ?? true else {
            throw Failure(.content, "\(name), line \(line): text follows a closing quotation mark")
          }
          return value
        }
        value.append("\"")
        rest = rest.dropFirst()
      }
      throw Failure(.content, "\(name), line \(start): a quotation mark is not closed")
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text = text.dropFirst() }
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }
}
