extension [UInt8] {
  mutating func appendBigEndian(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  mutating func appendBigEndian(_ value: UInt32) {
    appendBigEndian(UInt16(truncatingIfNeeded: value >> 16))
    appendBigEndian(UInt16(truncatingIfNeeded: value))
  }

  mutating func appendLittleEndian(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value))
    append(UInt8(truncatingIfNeeded: value >> 8))
  }

  /// Appends bytes after their number, which is one byte; bytes beyond its maximum are cut off.
  mutating func appendWithLength8(_ bytes: some Collection<UInt8>) {
    let field = bytes.prefix(Int(UInt8.max))
    append(UInt8(clamping: field.count))
    append(contentsOf: field)
  }

  /// Appends bytes after their number, which is two bytes in big-endian order; bytes beyond its
  /// maximum are cut off.
  mutating func appendWithLength16(_ bytes: some Collection<UInt8>) {
    let field = bytes.prefix(Int(UInt16.max))
    appendBigEndian(UInt16(clamping: field.count))
    append(contentsOf: field)
  }
}

extension String {
  /// Returns as much of the text as fits into this many bytes of UTF-8 without splitting a
  /// character.
  func utf8Prefix(_ maximumLength: Int) -> ArraySlice<UInt8> {
    Array(utf8).utf8Prefix(maximumLength)
  }
}

extension [UInt8] {
  /// Returns as many of the bytes of a text in UTF-8 as fit without splitting a character.
  func utf8Prefix(_ maximumLength: Int) -> ArraySlice<UInt8> {
    guard count > maximumLength else { return self[...] }
    var end = Swift.max(0, maximumLength)
    while end > 0, UTF8.isContinuation(self[end]) { end -= 1 }
    return self[..<end]
  }
}
