import NFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Converts arguments of the command line to text without losing bytes.
///
/// A file name may contain any bytes, but a Swift string contains only complete characters. A byte that is
/// not part of a character is replaced by a scalar of a private use area, U+10FE00 plus the byte, until the
/// name is used. The minus sign before a negative number is replaced in the same way, because the parser
/// would take it for an option.
enum ArgumentText {
  private static let base: UInt32 = 0x10_FE00
  private static let hiddenScalars = base...(base + 0xFF)
  private static let minusSign: UInt8 = 0x2D

  /// Returns the text of an argument, from its bytes up to the terminating zero.
  static func text(of argument: UnsafePointer<CChar>) -> String {
    let bytes = UnsafeBufferPointer(start: argument, count: strlen(argument)).map {
      UInt8(bitPattern: $0)
    }
    return text(of: bytes)
  }

  static func text(of bytes: [UInt8]) -> String {
    let plain = String(decoding: bytes, as: UTF8.self)
    let isWhole =
      plain.utf8.elementsEqual(bytes)
      && !plain.unicodeScalars.contains { hiddenScalars.contains($0.value) }
    guard !isWhole else { return plain }
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      if let scalar = scalar(at: rest), !hiddenScalars.contains(scalar.value) {
        text.append(scalar)
        rest = rest.dropFirst(UTF8.width(scalar))
      } else {
        text.append(hidden(first))
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// Returns the character at the start of `bytes`, or `nil` if there is no complete one.
  private static func scalar(at bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    var decoder = UTF8()
    var iterator = bytes.prefix(4).makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    return scalar
  }

  private static func hidden(_ byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}"
  }

  private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
    hiddenScalars.contains(scalar.value) ? UInt8(scalar.value - base) : nil
  }

  // MARK: Converting back to bytes

  /// Returns the original bytes of an argument.
  static func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { scalar in
      byte(scalar).map { [$0] } ?? Array(String(scalar).utf8)
    }
  }

  /// Returns the argument as text, or `nil` if it is not UTF-8.
  static func utf8(_ text: String) -> String? {
    var whole = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard let byte = byte(scalar) else {
        whole.append(scalar)
        continue
      }
      guard byte < 0x80 else { return nil }
      whole.append(Unicode.Scalar(byte))
    }
    return String(whole)
  }

  /// Returns the argument in a form for people: a byte that is not part of a character becomes `\xFF`.
  static func shown(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { byte($0) != nil }) else { return text }
    return text.unicodeScalars.map { scalar -> String in
      guard let byte = byte(scalar) else { return String(scalar) }
      guard byte >= 0x80 else { return String(Unicode.Scalar(byte)) }
      return #"\x"# + [byte].hexadecimal
    }.joined()
  }

  // MARK: Negative numbers

  /// Replaces the minus sign of arguments that are numbers and not options.
  static func hidingMinusSigns(_ arguments: [String]) -> [String] {
    arguments.map { argument in
      guard argument.hasPrefix("-"), let next = argument.dropFirst().first,
        next.isASCII && next.isNumber || next == "."
      else { return argument }
      return String(String.UnicodeScalarView([hidden(minusSign)])) + argument.dropFirst()
    }
  }
}
