import NDEF

extension Sequence where Element == UInt8 {
  /// The bytes as upper-case hexadecimal digits, two per byte, without separators.
  public var hexadecimal: String {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    var text = String.UnicodeScalarView()
    for byte in self {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 0x0F)])
    }
    return String(text)
  }
}

extension Array where Element == UInt8 {
  /// Creates bytes from hexadecimal digits of either case; blanks and colons between them are
  /// ignored.
  ///
  /// The result is `nil` for any other character or an odd number of digits. The empty string gives
  /// no bytes.
  public init?(hexadecimal text: some StringProtocol) {
    self.init(hexadecimal: text.utf8, ignoring: " :\t\n\r")
  }
}
