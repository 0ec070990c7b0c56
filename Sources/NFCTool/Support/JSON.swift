import NFC

/// A JSON value whose objects keep the order of their keys.
enum JSON: Hashable, Sendable {
  struct Member: Hashable, Sendable {
    let key: String
    let value: JSON
  }

  case null
  case bool(Bool)
  /// A number as it is written.
  case number(String)
  case string(String)
  case array([JSON])
  case object([Member])

  static func integer(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

  /// Seconds, in thousandths.
  static func seconds(_ duration: Duration) -> JSON { .number(duration.secondsText) }

  /// Bytes as upper-case hexadecimal.
  static func bytes(_ bytes: [UInt8]) -> JSON { .string(bytes.hexadecimal) }

  /// Returns an object; members without a value are left out.
  static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
  }

  /// A string or a number as people write it; `nil` of anything else.
  var plainText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .null, .bool, .array, .object: nil
    }
  }

  /// The value on one line, without blanks (RFC 8259).
  var text: String {
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

  /// RFC 8259, 7: quotation mark, reverse solidus and the control characters must be escaped. DEL
  /// and the line separators U+2028 and U+2029 are too: not every program that reads lines accepts them.
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
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension Duration {
  /// Seconds with three decimals.
  var secondsText: String {
    let (seconds, attoseconds) = components
    let milliseconds = String(abs(attoseconds) / 1_000_000_000_000_000)
    let zeros = String(repeating: "0", count: max(0, 3 - milliseconds.count))
    return "\(seconds).\(zeros)\(milliseconds)"
  }
}
