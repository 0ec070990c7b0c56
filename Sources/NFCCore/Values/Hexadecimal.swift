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
    var bytes: [UInt8] = []
    var pending: UInt8?
    for scalar in text.unicodeScalars {
      let digit: UInt8
      switch scalar {
      case "0"..."9": digit = UInt8(scalar.value - 0x30)
      case "A"..."F": digit = UInt8(scalar.value - 0x41 + 10)
      case "a"..."f": digit = UInt8(scalar.value - 0x61 + 10)
      case " ", ":", "\t", "\n", "\r": continue
      default: return nil
      }
      if let high = pending {
        bytes.append(high << 4 | digit)
        pending = nil
      } else {
        pending = digit
      }
    }
    guard pending == nil else { return nil }
    self = bytes
  }
}
