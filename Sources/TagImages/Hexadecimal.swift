/// Conversions between bytes and hexadecimal text.
enum Hexadecimal {
  private static let digits = Array("0123456789ABCDEF")

  /// Returns upper-case digits, two per byte.
  static func text(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
    bytes.map { String([digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]]) }
      .joined(separator: separator)
  }

  /// Returns upper-case digits, with a mark in place of each unknown byte.
  static func text(
    _ bytes: some Sequence<UInt8?>, unknown: String, separator: String = ""
  ) -> String {
    bytes.map { $0.map { text([$0]) } ?? unknown }.joined(separator: separator)
  }

  /// Parses digits of either case, with blanks anywhere; `nil` for anything else.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    guard let bytes = bytes(text, unknown: nil) else { return nil }
    return bytes.compactMap { $0 }
  }

  /// Parses digits of either case, with pairs of another character for unknown bytes.
  static func bytes(_ text: some StringProtocol, unknown mark: UInt8?) -> [UInt8?]? {
    var bytes: [UInt8?] = []
    var pending: UInt8?
    for character in text.utf8 {
      if character == 0x20 || character == 0x09 { continue }
      guard let first = pending else {
        pending = character
        continue
      }
      pending = nil
      if let mark, first == mark, character == mark {
        bytes.append(nil)
      } else if let high = value(first), let low = value(character) {
        bytes.append(high << 4 | low)
      } else {
        return nil
      }
    }
    return pending == nil ? bytes : nil
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }
}

/// A line of a text file with its number, counted from 1.
struct TextLine {
  let number: Int
  let text: Substring

  /// Returns the lines of a file; CR, LF and CRLF end a line, and a byte order mark is ignored.
  static func all(_ bytes: [UInt8]) -> [TextLine] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    let text = String(decoding: content, as: UTF8.self)
    return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
      .map { TextLine(number: $0.offset + 1, text: $0.element) }
  }

  /// The text without blanks at both ends.
  var trimmed: Substring {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
