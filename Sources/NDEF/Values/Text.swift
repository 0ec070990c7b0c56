import SwiftNFCJSONText

extension UInt8 {
  var isPrintableASCII: Bool { (0x20...0x7E).contains(self) }

  var isHexadecimalDigit: Bool { hexadecimalDigitValue != nil }

  /// The value of a hexadecimal digit in ASCII, in either case; `nil` for any other character.
  package var hexadecimalDigitValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }

  var isLetterASCII: Bool { (0x61...0x7A).contains(lowercasedASCII) }

  var isDigitASCII: Bool { (0x30...0x39).contains(self) }

  var lowercasedASCII: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension Int {
  /// `1 byte`, `12 bytes`.
  var byteCountDescription: String { self == 1 ? "1 byte" : "\(self) bytes" }
}

extension Collection<UInt8> {
  /// The bytes as upper-case digits, two per byte.
  var hexadecimal: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(count * 2)
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  var byteCountDescription: String { count.byteCountDescription }

  /// The bytes as text if they are printable US-ASCII, otherwise `hex:` and their digits.
  ///
  /// Text that itself begins with `hex:` is also written in digits, so that
  /// ``Swift/Array/init(asciiOrHexadecimal:)`` can read every result back.
  var asciiOrHexadecimal: String {
    let isText = allSatisfy(\.isPrintableASCII) && !starts(with: [UInt8].hexadecimalMarker)
    return isText
      ? String(decoding: self, as: UTF8.self)
      : String(decoding: [UInt8].hexadecimalMarker, as: UTF8.self) + hexadecimal
  }
}

extension [UInt8] {
  /// The bytes as text if they are UTF-8 without control characters, otherwise `hex:` and their
  /// digits; ``Swift/Array/init(asciiOrHexadecimal:)`` reads the result back.
  var textOrHexadecimal: String {
    guard let text = String(validating: self, as: UTF8.self), text.escapingControls == text,
      !starts(with: Self.hexadecimalMarker)
    else { return asciiOrHexadecimal }
    return text
  }

  fileprivate static let hexadecimalMarker = Array("hex:".utf8)

  /// Creates the bytes of hexadecimal digits, in either case, with or without `0x` before them;
  /// blanks, colons and hyphens between them are ignored.
  init?(hexadecimal text: some StringProtocol) {
    let hasPrefix = text.utf8.prefix(2).map(\.lowercasedASCII) == Array("0x".utf8)
    self.init(hexadecimal: text.utf8.dropFirst(hasPrefix ? 2 : 0), ignoring: " :-")
  }

  /// Creates the bytes of hexadecimal digits in ASCII, in either case; `nil` for any other character except those that
  /// are ignored, or an odd number of digits.
  package init?(hexadecimal digits: some Sequence<UInt8>, ignoring separators: String) {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in digits where !separators.utf8.contains(character) {
      guard let digit = character.hexadecimalDigitValue else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { return nil }
    self = bytes
  }

  /// Creates the bytes of a text in the form of ``Swift/Collection/asciiOrHexadecimal``.
  init?(asciiOrHexadecimal text: String) {
    let utf8 = Array(text.utf8)
    guard utf8.starts(with: Self.hexadecimalMarker) else {
      self = utf8
      return
    }
    let digits = utf8.dropFirst(Self.hexadecimalMarker.count)
    self.init(hexadecimal: String(decoding: digits, as: UTF8.self))
  }
}

extension String {
  /// Whether there is a text, without control characters except tabs and line ends.
  var isReadable: Bool {
    !isEmpty
      && unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "\t", "\n", "\r": true
        case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": false
        default: true
        }
      }
  }

  /// The text with its control characters, including line ends, and the characters that are not seen or change the
  /// direction of writing as escapes.
  var escapingControls: String {
    // A `String.UnicodeScalarView` copies itself for each append of more than one scalar.
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{00}"..."\u{1F}", "\u{7F}"..."\u{9F}": text += Self.escape(scalar)
      case _ where scalar.isDeceptive: text += Self.escape(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  }
}
