/// A JSON value whose objects keep the order of their keys.
enum JSONValue: Hashable, Sendable {
  struct Member: Hashable, Sendable {
    let key: String
    let value: JSONValue
  }

  case null
  case bool(Bool)
  /// A number as it is written.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// An object; members without a value are left out.
  static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
  }

  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }
  var decimal: Double? { if case .number(let text) = self { Double(text) } else { nil } }
  var list: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  // MARK: Writing

  /// The value on one line, without blanks (RFC 8259).
  var line: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += value
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  /// RFC 8259, 7: quotation mark, reverse solidus and the control characters must be escaped.
  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

/// Takes one JSON value apart (RFC 8259); any bytes give a value or an error.
struct JSONReader {
  /// What is wrong with the text.
  struct Problem: Error {
    let reason: String
  }

  /// Deeper values are refused; a line of a recording needs five levels.
  private static let maximumDepth = 16

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func value(of bytes: some Sequence<UInt8>) throws(Problem) -> JSONValue {
    let bytes = Array(bytes)
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw Problem(reason: "it is not UTF-8 text")
    }
    var reader = JSONReader(bytes)
    let value = try reader.readValue(depth: 0)
    reader.skipBlanks()
    guard reader.current == nil else { throw Problem(reason: "there is something after its end") }
    return value
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipBlanks() {
    while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard current == UInt8(ascii: scalar) else { return false }
    position += 1
    return true
  }

  private mutating func readValue(depth: Int) throws(Problem) -> JSONValue {
    guard depth < Self.maximumDepth else { throw Problem(reason: "it is nested too deeply") }
    skipBlanks()
    switch current {
    case UInt8(ascii: "{"): return .object(try readMembers(depth: depth))
    case UInt8(ascii: "["): return .array(try readElements(depth: depth))
    case UInt8(ascii: "\""): return .string(try readString())
    case nil: throw Problem(reason: "it is cut off")
    default: return try readWord()
    }
  }

  private mutating func readMembers(depth: Int) throws(Problem) -> [JSONValue.Member] {
    position += 1
    var members: [JSONValue.Member] = []
    if skip("}") { return members }
    repeat {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else {
        throw Problem(reason: "a key in quotation marks is expected")
      }
      let key = try readString()
      guard !members.contains(where: { $0.key == key }) else {
        throw Problem(reason: "the key \(key) stands twice")
      }
      guard skip(":") else { throw Problem(reason: "a colon is expected after \(key)") }
      members.append(JSONValue.Member(key: key, value: try readValue(depth: depth + 1)))
    } while skip(",")
    guard skip("}") else { throw Problem(reason: "a comma or a closing brace is expected") }
    return members
  }

  private mutating func readElements(depth: Int) throws(Problem) -> [JSONValue] {
    position += 1
    var elements: [JSONValue] = []
    if skip("]") { return elements }
    repeat { elements.append(try readValue(depth: depth + 1)) } while skip(",")
    guard skip("]") else { throw Problem(reason: "a comma or a closing bracket is expected") }
    return elements
  }

  private mutating func readString() throws(Problem) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = current {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try readEscape().utf8
      case 0..<0x20: throw Problem(reason: "a control character stands in a string")
      default: text.append(byte)
      }
    }
    throw Problem(reason: "it is cut off")
  }

  private mutating func readEscape() throws(Problem) -> String {
    guard let byte = current else { throw Problem(reason: "it is cut off") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{08}"
    case UInt8(ascii: "f"): return "\u{0C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readCodePoint()
    default: throw Problem(reason: "a string has an escape that JSON does not know")
    }
  }

  /// Four digits, or two times four for what UTF-16 has as a pair.
  private mutating func readCodePoint() throws(Problem) -> String {
    var units = [try readUnit()]
    if UTF16.isLeadSurrogate(units[0]), position + 1 < bytes.count,
      bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
    {
      position += 2
      units.append(try readUnit())
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw Problem(reason: "a string has half a character")
    }
    return text
  }

  private mutating func readUnit() throws(Problem) -> UInt16 {
    guard position + 4 <= bytes.count else { throw Problem(reason: "it is cut off") }
    let digits = String(decoding: bytes[position..<position + 4], as: UTF8.self)
    guard digits.allSatisfy(\.isHexDigit), let unit = UInt16(digits, radix: 16) else {
      throw Problem(reason: "a string has an escape that JSON does not know")
    }
    position += 4
    return unit
  }

  private mutating func readWord() throws(Problem) -> JSONValue {
    let start = position
    while let byte = current, byte > 0x20, !",:]}".utf8.contains(byte) { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      let isNumber =
        word.utf8.allSatisfy { "+-.0123456789Ee".utf8.contains($0) }
        && (word.first.map { $0 == "-" || $0.isNumber } ?? false)
        && (Double(word)?.isFinite ?? false)
      guard isNumber else { throw Problem(reason: "\"\(word.prefix(20))\" is not a JSON value") }
      return .number(word)
    }
  }
}
