/// The encoding `QUOTED-PRINTABLE` of version 2.1 (vCard 2.1, 2.1.5; RFC 2045, 6.7), in which phones write names that
/// are not ASCII.
enum QuotedPrintable {
  private static let escape = UInt8(ascii: "=")

  /// Returns whether the parameters before a value name this encoding: `ENCODING=QUOTED-PRINTABLE`, or the encoding
  /// alone.
  static func isNamed(by parameters: some Sequence<String>) -> Bool {
    parameters.contains { parameter in
      parameter.uppercased().split(separator: "=").last == "QUOTED-PRINTABLE"
    }
  }

  /// Returns whether a line continues in the next one.
  static func isContinued(_ line: [UInt8]) -> Bool { line.last == escape }

  /// Returns the text of an encoded value; `nil` for a character set that is neither UTF-8 nor Latin 1, or bytes that
  /// are not of that set. A `=` that begins no byte stands for itself.
  static func text(_ value: String, characterSet: String?) -> String? {
    let bytes = bytes(Array(value.utf8))
    switch characterSet?.uppercased() {
    case nil, "UTF-8", "US-ASCII": return String(validating: bytes, as: UTF8.self)
    case "ISO-8859-1":
      return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    default: return nil
    }
  }

  private static func bytes(_ encoded: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = encoded[...]
    while let byte = rest.popFirst() {
      if byte == escape, rest.count > 1,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
        rest.prefix(2).allSatisfy(\.isHexadecimalDigit)
      {
        bytes.append(value)
        rest.removeFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
