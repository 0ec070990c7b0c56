import Foundation

/// The texts between quotation marks in the sources of this package, as the compiler joins them: parts that `+` connects
/// are one text, and each interpolated value is `…`. Texts inside of an interpolation are texts of their own.
struct SourceTexts {
  struct Text {
    var file: String
    var line: Int
    var text: String
    /// The code immediately before the text, such as `help: `.
    var before: String
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the texts of a module's folder.
  static func texts(of module: String) throws -> [Text] {
    let folder = root.appending(path: "Sources/\(module)")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.filter { $0.hasSuffix(".swift") }.sorted().flatMap { path in
      var reading = SourceTexts(
        bytes: Array(try Data(contentsOf: folder.appending(path: path))),
        file: "\(module)/\(path)")
      reading.readCode(isInterpolation: false)
      return reading.found
    }
  }

  /// Returns the names of the modules, which are folders.
  static func modules() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
      .sorted()
  }

  /// Returns a file of the repository with all blanks in a row as one.
  static func onOneLine(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns the complete text of all tests.
  static func tests() throws -> String {
    let folder = root.appending(path: "Tests")
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
      .map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
  }

  private let bytes: [UInt8]
  private let file: String
  private var index = 0
  private var line = 1
  private var found: [Text] = []

  private init(bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  private subscript(offset: Int) -> UInt8 {
    bytes.indices.contains(index + offset) ? bytes[index + offset] : 0
  }

  private func isNext(_ text: String) -> Bool {
    var place = index
    for byte in text.utf8 {
      guard place < bytes.count, bytes[place] == byte else { return false }
      place += 1
    }
    return true
  }

  private mutating func advance(_ count: Int = 1) {
    var count = count
    while count > 0, index < bytes.count {
      if bytes[index] == 0x0A { line += 1 }
      index += 1
      count -= 1
    }
  }

  private mutating func skip(past end: String) {
    while index < bytes.count, !isNext(end) { advance() }
    advance(end.utf8.count)
  }

  private mutating func skipBlanksAndComments() {
    while index < bytes.count {
      if isNext("//") {
        skip(past: "\n")
      } else if [0x20, 0x0A, 0x09].contains(bytes[index]) {
        advance()
      } else {
        return
      }
    }
  }

  /// The number of `#` before a quotation mark that begins here; `nil` if none does.
  private var quotation: Int? {
    var count = 0
    while self[count] == UInt8(ascii: "#") { count += 1 }
    return self[count] == UInt8(ascii: "\"") ? count : nil
  }

  private static let marks = Set("/#\"()".utf8)

  private mutating func readCode(isInterpolation: Bool) {
    var depth = 0
    while index < bytes.count {
      // Most bytes begin nothing.
      guard Self.marks.contains(bytes[index]) else {
        advance()
        continue
      }
      if isNext("//") {
        skip(past: "\n")
      } else if isNext("/*") {
        skip(past: "*/")
      } else if isNext("#/") {
        skip(past: "/#")
      } else if quotation != nil {
        readText()
      } else if isRegex {
        readRegex()
      } else {
        if bytes[index] == UInt8(ascii: "(") { depth += 1 }
        if bytes[index] == UInt8(ascii: ")") {
          if depth == 0, isInterpolation { return advance() }
          depth -= 1
        }
        advance()
      }
    }
  }

  /// Whether a regular expression begins here, which may have quotation marks.
  private var isRegex: Bool {
    guard self[0] == UInt8(ascii: "/"), ![0x20, 0x3D].contains(self[1]) else { return false }
    let before = bytes[..<index].last { $0 != 0x20 && $0 != 0x0A } ?? 0
    return "(,=:[".utf8.contains(before)
  }

  private mutating func readRegex() {
    advance()
    while index < bytes.count, ![UInt8(ascii: "/"), 0x0A].contains(bytes[index]) {
      advance(bytes[index] == UInt8(ascii: "\\") ? 2 : 1)
    }
    advance()
  }

  private mutating func readText() {
    let start = (index, line)
    var text = readLiteral()
    while true {
      let end = (index, line)
      skipBlanksAndComments()
      if self[0] == UInt8(ascii: "+"), [0x20, 0x0A].contains(self[1]) {
        advance()
        skipBlanksAndComments()
        if quotation != nil {
          text += readLiteral()
          continue
        }
      }
      (index, line) = end
      break
    }
    let before = String(decoding: bytes[max(0, start.0 - 40)..<start.0], as: UTF8.self)
    found.append(Text(file: file, line: start.1, text: text, before: before))
  }

  private mutating func readLiteral() -> String {
    let marks = String(repeating: "#", count: quotation ?? 0)
    advance(marks.utf8.count)
    let quotes = isNext("\"\"\"") ? "\"\"\"" : "\""
    advance(quotes.utf8.count)
    var text: [UInt8] = []
    while index < bytes.count, !isNext(quotes + marks) {
      guard isNext("\\" + marks) else {
        text.append(bytes[index])
        advance()
        continue
      }
      advance(1 + marks.utf8.count)
      if self[0] == UInt8(ascii: "(") {
        advance()
        readCode(isInterpolation: true)
        text += Array("…".utf8)
      } else {
        // A line that ends with a backslash goes on in the next one.
        if self[0] != 0x0A { text.append(self[0] == UInt8(ascii: "n") ? 0x20 : self[0]) }
        advance()
      }
    }
    advance(quotes.utf8.count + marks.utf8.count)
    return String(decoding: text, as: UTF8.self)
  }
}
