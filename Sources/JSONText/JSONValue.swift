/// A JSON value whose objects keep the order of their keys.
///
/// Foundation's coders order keys by name or not at all, and their errors have no line.
package enum JSONValue: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package let key: String
    package let value: JSONValue

    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  case null
  case bool(Bool)
  /// A number as it is written in the text.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package static func integer(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

  /// Creates an object; members without a value are left out.
  package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
  }

  package subscript(key: String) -> JSONValue? { members?.first { $0.key == key }?.value }

  package var string: String? { if case .string(let text) = self { text } else { nil } }
  package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  package var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }
  package var decimal: Double? { if case .number(let text) = self { Double(text) } else { nil } }
  package var list: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
  package var members: [Member]? { if case .object(let members) = self { members } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
}

// MARK: - Writing

extension JSONValue {
  /// The text on one line, without spaces (RFC 8259).
  package var text: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// The text indented by two spaces, with one member of an object per line, and arrays on one line.
  package var indentedText: String {
    var text = ""
    write(to: &text, indent: 0)
    return text
  }

  private static let step = 2

  /// - Parameter indent: the number of spaces before the line on which the value begins; `nil` for a text on one line.
  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += value
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += indent == nil ? "," : ", " }
        value.write(to: &text, indent: indent.map { $0 + Self.step })
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        if let indent { Self.write(lineOf: indent + Self.step, to: &text) }
        Self.write(member.key, to: &text)
        text += indent == nil ? ":" : ": "
        member.value.write(to: &text, indent: indent.map { $0 + Self.step })
      }
      if let indent, !members.isEmpty { Self.write(lineOf: indent, to: &text) }
      text += "}"
    }
  }

  private static func write(lineOf indent: Int, to text: inout String) {
    text += "\n" + String(repeating: " ", count: indent)
  }

  /// Writes a string. Quotation mark, reverse solidus and the control characters must be escaped (RFC
  /// 8259, 7). DEL and the line separators U+2028 and U+2029 are escaped too, because some programs that
  /// read lines do not accept them, and the characters that are not seen or turn a terminal's line.
  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{08}": text += "\\b"
      case "\u{0C}": text += "\\f"
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": write(escaped: scalar, to: &text)
      case _ where scalar.isDeceptive: write(escaped: scalar, to: &text)
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private static func write(escaped scalar: Unicode.Scalar, to text: inout String) {
    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
      let digits = String(unit, radix: 16, uppercase: true)
      text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
  }
}
