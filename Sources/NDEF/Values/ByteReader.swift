/// Reads the fields of a payload from its beginning; a missing field is an error with its offset.
struct ByteReader {
  let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: [UInt8]) {
    self.init(bytes[...])
  }

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The position of the next field in the payload that the bytes were taken from.
  var offset: Int { position }

  var remaining: Int { bytes.endIndex - position }

  var isAtEnd: Bool { remaining == 0 }

  mutating func readByte(_ name: StaticString) throws(NDEFError) -> UInt8 {
    guard position < bytes.endIndex else { throw truncated(name, 1) }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func readBytes(_ count: Int, _ name: StaticString) throws(NDEFError) -> ArraySlice<UInt8>
  {
    guard count <= remaining else { throw truncated(name, count) }
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Reads all remaining bytes.
  mutating func readRest() -> ArraySlice<UInt8> {
    defer { position = bytes.endIndex }
    return bytes[position...]
  }

  mutating func readBigEndian16(_ name: StaticString) throws(NDEFError) -> UInt16 {
    try readBytes(2, name).reduce(0) { $0 << 8 | UInt16($1) }
  }

  mutating func readBigEndian32(_ name: StaticString) throws(NDEFError) -> UInt32 {
    try readBytes(4, name).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func readLittleEndian16(_ name: StaticString) throws(NDEFError) -> UInt16 {
    try readBytes(2, name).reversed().reduce(0) { $0 << 8 | UInt16($1) }
  }

  /// Reads bytes after their number, which is one byte.
  mutating func readBytes8(_ name: StaticString) throws(NDEFError) -> ArraySlice<UInt8> {
    try readBytes(Int(try readByte(name)), name)
  }

  /// Reads bytes after their number, which is two bytes in big-endian order.
  mutating func readBytes16(_ name: StaticString) throws(NDEFError) -> ArraySlice<UInt8> {
    try readBytes(Int(try readBigEndian16(name)), name)
  }

  /// Throws if any bytes remain.
  func expectEnd(_ name: StaticString) throws(NDEFError) {
    guard isAtEnd else {
      throw NDEFError(
        .trailingData, offset: position,
        reason: "\(remaining.byteCountDescription) left after the \(name)")
    }
  }

  private func truncated(_ name: StaticString, _ count: Int) -> NDEFError {
    NDEFError(
      .truncated, offset: position,
      reason: "the \(name) needs \(count.byteCountDescription) and \(remaining) are left")
  }
}

extension ArraySlice where Element == UInt8 {
  /// Returns the bytes as UTF-8.
  ///
  /// - Throws: ``NDEFError/Code/invalidText`` with the offset of the text.
  func utf8Text(_ name: StaticString) throws(NDEFError) -> String {
    guard let text = String(validating: self, as: UTF8.self) else {
      throw NDEFError(.invalidText, offset: startIndex, reason: "the \(name) is not valid UTF-8")
    }
    return text
  }

  /// Returns the bytes as UTF-8; leniently, what is not valid is replaced by U+FFFD.
  func utf8Text(
    _ name: StaticString, tolerance: inout NDEFTolerance
  ) throws(NDEFError) -> String {
    do throws(NDEFError) {
      return try utf8Text(name)
    } catch {
      try tolerance.report(error)
      return String(decoding: self, as: UTF8.self)
    }
  }

  /// Returns the bytes as printable US-ASCII.
  ///
  /// - Throws: ``NDEFError/Code/invalidText`` with the offset of the byte that is not printable.
  func asciiText(_ name: StaticString) throws(NDEFError) -> String {
    if let wrong = firstIndex(where: { !$0.isPrintableASCII }) {
      throw NDEFError(
        .invalidText, offset: wrong, reason: "the \(name) is not printable US-ASCII")
    }
    return String(decoding: self, as: UTF8.self)
  }

  /// Throws unless there are exactly this many bytes.
  func expectCount(_ expected: Int, _ name: StaticString) throws(NDEFError) {
    guard count == expected else {
      throw NDEFError(
        .invalidValue, offset: startIndex,
        reason: "the \(name) has \(count.byteCountDescription) instead of \(expected)")
    }
  }
}
