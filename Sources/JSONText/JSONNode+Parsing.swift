extension JSONNode {
  /// Parses one JSON value (RFC 8259); only blanks may follow it. Any bytes result in a value or an
  /// error. A byte order mark is skipped; an object with two members of the same name is refused.
  ///
  /// - Throws: ``JSONError`` with the line.
  package init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
    self = try JSONParser.parse(bytes)
  }
}

/// Parses a JSON text.
private struct JSONParser {
  /// The maximum depth of values; the formats of this package need six levels.
  private static let maximumDepth = 32
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let newline = UInt8(ascii: "\n")

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
  }

  static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONNode {
    var text = JSONParser(Array(bytes))
    try text.checkEncoding()
    text.skipBlanks()
    guard text.current != nil else { throw text.error("it is empty") }
    let node = try text.readValue(depth: 0)
    text.skipBlanks()
    guard text.current == nil else {
      throw text.error("there is something after the end of the value")
    }
    return node
  }

  private func error(_ reason: String) -> JSONError {
    JSONError(line: line, reason: reason)
  }

  private func checkEncoding() throws(JSONError) {
    guard String(validating: bytes, as: UTF8.self) == nil else { return }
    let lines = bytes.split(separator: Self.newline, omittingEmptySubsequences: false)
    let wrong = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw JSONError(line: wrong + 1, reason: "the text is not valid UTF-8")
  }

  /// Returns a text in quotation marks, with its control characters as escapes.
  private static func shown(_ text: String) -> String { JSONValue.string(text).text }

  private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
      if byte == Self.newline { line += 1 }
      position += 1
    }
  }

  private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func readValue(depth: Int) throws(JSONError) -> JSONNode {
    guard depth < Self.maximumDepth else { throw error("the values are nested too deeply") }
    let start = line
    switch current {
    case UInt8(ascii: "{"):
      return JSONNode(line: start, content: .object(try readMembers(depth: depth)))
    case UInt8(ascii: "["):
      return JSONNode(line: start, content: .array(try readElements(depth: depth)))
    case UInt8(ascii: "\""):
      return JSONNode(line: start, content: .string(try readString()))
    case nil: throw error("the text ends where a value is expected")
    default: return JSONNode(line: start, content: try readWord())
    }
  }

  private mutating func readMembers(depth: Int) throws(JSONError) -> [JSONNode.Member] {
    position += 1
    var members: [JSONNode.Member] = []
    var names: Set<String> = []
    skipBlanks()
    if skip("}") { return members }
    while true {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else {
        throw error("a field's name in quotation marks is expected")
      }
      let name = try readString()
      guard names.insert(name).inserted else {
        throw error("there is more than one \(Self.shown(name))")
      }
      skipBlanks()
      guard skip(":") else {
        throw error("a colon is expected after \(Self.shown(name))")
      }
      skipBlanks()
      members.append(JSONNode.Member(key: name, node: try readValue(depth: depth + 1)))
      skipBlanks()
      if skip("}") { return members }
      guard skip(",") else { throw error("a comma or } is expected") }
    }
  }

  private mutating func readElements(depth: Int) throws(JSONError) -> [JSONNode] {
    position += 1
    var elements: [JSONNode] = []
    skipBlanks()
    if skip("]") { return elements }
    while true {
      skipBlanks()
      elements.append(try readValue(depth: depth + 1))
      skipBlanks()
      if skip("]") { return elements }
      guard skip(",") else { throw error("a comma or ] is expected") }
    }
  }

  // MARK: Texts

  private mutating func readString() throws(JSONError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try readEscape()
      case 0x00...0x1F:
        throw error(
          byte == Self.newline
            ? "a string ends on the line on which it begins; \\n stands for a line break"
            : "a string has a control character, which must be written as an escape")
      default: text.append(byte)
      }
    }
    throw error("the text ends inside quotation marks")
  }

  private mutating func readEscape() throws(JSONError) -> [UInt8] {
    guard let byte = current else { throw error("the text ends after a backslash") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(Character(try readScalar())).utf8)
    default: throw error("there is no such escape as \\\(Unicode.Scalar(byte))")
    }
  }

  /// Parses the digits after `\u`: a character, or both halves of a surrogate pair.
  private mutating func readScalar() throws(JSONError) -> Unicode.Scalar {
    let first = try readCodeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if UTF16.isLeadSurrogate(first), skip("\\"), skip("u") {
      let second = try readCodeUnit()
      if UTF16.isTrailSurrogate(second),
        case .scalarValue(let scalar) = Self.decoded(first, second)
      {
        return scalar
      }
    }
    throw error("an escape is half of a surrogate pair")
  }

  private static func decoded(_ first: UInt16, _ second: UInt16) -> UnicodeDecodingResult {
    var decoder = UTF16()
    var units = [first, second].makeIterator()
    return decoder.decode(&units)
  }

  private mutating func readCodeUnit() throws(JSONError) -> UInt16 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy(Self.isHexadecimalDigit),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error("four hexadecimal digits are expected after \\u") }
    position += 4
    return unit
  }

  // MARK: Numbers and words

  private mutating func readWord() throws(JSONError) -> JSONNode.Content {
    let word = bytes[position...].prefix { byte in
      !(byte <= 0x20 || [UInt8](",:{}[]\"".utf8).contains(byte))
    }
    guard !word.isEmpty else { throw error("a value is expected") }
    position = word.endIndex
    let text = String(decoding: word, as: UTF8.self)
    switch text {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    if Self.isNumber(text), Double(text)?.isFinite == true { return .number(text) }
    throw error("\(Self.shown(text)) is neither a number nor a string in quotation marks")
  }

  /// Returns whether a text has the form of a number (RFC 8259, 6).
  private static func isNumber(_ text: String) -> Bool {
    var rest = text.utf8[...]
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = rest.prefix(while: isDigit)
    guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return false }
    rest = rest[whole.endIndex...]
    if rest.first == UInt8(ascii: ".") {
      let fraction = rest.dropFirst().prefix(while: isDigit)
      guard !fraction.isEmpty else { return false }
      rest = rest[fraction.endIndex...]
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
      let exponent = rest.prefix(while: isDigit)
      guard !exponent.isEmpty else { return false }
      rest = rest[exponent.endIndex...]
    }
    return rest.isEmpty
  }
}
