import TagTools

extension FactTable {
  /// The minimum number of columns for values. On a narrower terminal, the terminal itself breaks lines.
  private static let minimumRoom = 20

  /// Prints the rows, with the names in a column of their own. A name that is equal to the previous one is not repeated.
  /// On a terminal, a value that is too long continues below its beginning; anywhere else, each row is one line.
  func print() throws {
    let width = (rows.map(\.name.count).max() ?? 0) + 2
    var last: String?
    for row in rows {
      let name = row.name == last ? "" : row.name
      last = row.name
      let gap = String(repeating: " ", count: max(1, width - name.count))
      let room = Terminal.outputWidth.map { max(Self.minimumRoom, $0 - width) }
      let lines = Self.lines(row.value, room: room).map { line in
        row.judgment.map { Terminal.styled(line, $0 == .good ? .good : .bad) } ?? line
      }
      try Output.line(Terminal.styled(name, .label) + gap + (lines.first ?? ""))
      for line in lines.dropFirst() {
        try Output.line(String(repeating: " ", count: width) + line)
      }
    }
  }

  /// Breaks a text between its words. A word that is too long stays whole, so that it can be copied.
  static func lines(_ text: String, room: Int?) -> [String] {
    guard let room, text.count > room else { return [text] }
    var lines: [String] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if let line = lines.last, line.count + 1 + word.count <= room {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
