extension Sequence where Element == UInt8 {
  /// The bytes as upper-case hexadecimal digits, two per byte, without separators, as `NFC` prints a UID.
  // A program that also imports NFC uses that one, which is the same.
  @_disfavoredOverload
  public var hexadecimal: String {
    let digits = Array("0123456789ABCDEF")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] })
  }
}
