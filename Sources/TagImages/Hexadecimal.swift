/// Conversions between bytes and hexadecimal text.
enum Hexadecimal {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// Returns upper-case digits, two per byte.
  static func text(_ bytes: some Sequence<UInt8>, separator: String = "") -> String {
    let between = Array(separator.utf8)
    var text: [UInt8] = []
    for byte in bytes {
      if !text.isEmpty { text += between }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
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
    let (lineFeed, carriageReturn): (UInt8, UInt8) = (0x0A, 0x0D)
    var lines: [TextLine] = []
    var start = bytes.starts(with: mark) ? mark.count : 0
    func add(to end: Int) {
      lines.append(
        TextLine(
          number: lines.count + 1, text: Substring(decoding: bytes[start..<end], as: UTF8.self)))
    }
    for (index, byte) in bytes.enumerated() where index >= start {
      guard byte == lineFeed || byte == carriageReturn else { continue }
      add(to: index)
      let isPair = byte == carriageReturn && index + 1 < bytes.count && bytes[index + 1] == lineFeed
      start = index + (isPair ? 2 : 1)
    }
    add(to: bytes.count)
    return lines
  }

  /// The text without blanks at both ends.
  var trimmed: Substring {
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = text.utf8.firstIndex(where: { !isBlank($0) }),
      let last = text.utf8.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return text[first...last]
  }

  /// The same line without a comment, which begins with #, and without blanks at both ends.
  var withoutComment: TextLine {
    TextLine(
      number: number, text: TextLine(number: number, text: text.prefix { $0 != "#" }).trimmed)
  }
}
