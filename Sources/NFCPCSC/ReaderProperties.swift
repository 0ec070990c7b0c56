/// Lists of values with a byte for the tag and one for the length, in which drivers of readers describe them (PC/SC part
/// 10, 2.2 and 2.6).
enum ReaderProperties {
  /// Returns the value with a tag, if it has the four bytes of a number.
  static func value(of tag: UInt8, in list: [UInt8]) -> [UInt8]? {
    var rest = list[...]
    while rest.count >= 2 {
      let (found, size) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
      let value = rest.dropFirst(2).prefix(size)
      guard value.count == size else { return nil }
      if found == tag { return size == 4 ? Array(value) : nil }
      rest = rest.dropFirst(2 + size)
    }
    return nil
  }
}
