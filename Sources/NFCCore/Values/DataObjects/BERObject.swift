/// A data object of BER (ITU-T X.690; ISO/IEC 7816-4, 6.3): a tag, a length and a value.
///
/// Lengths may be longer than necessary, and indefinite, as some documents have them.
package struct BERObject: Hashable, Sendable {
  /// The bytes of the tag as a number: 0x61, 0x5F1F, 0x7F61.
  package let tag: UInt32
  /// The value, without the end mark of an indefinite length.
  package let content: ArraySlice<UInt8>
  /// The complete object, as it was read.
  package let encoded: ArraySlice<UInt8>
  /// Whether the length is indefinite: an end mark follows the value.
  package let isIndefinite: Bool

  /// The number of nested objects that is followed.
  package static let depthLimit = 32

  /// Decodes the object at the beginning of bytes; what follows it is ignored.
  package init(_ bytes: ArraySlice<UInt8>) throws(DataObjectError) {
    self = try Self.decode(bytes, depth: 0)
  }

  /// Decodes the object at the beginning of bytes; what follows it is ignored.
  package init(_ bytes: [UInt8]) throws(DataObjectError) { try self.init(bytes[...]) }

  private init(
    tag: UInt32, content: ArraySlice<UInt8>, encoded: ArraySlice<UInt8>, isIndefinite: Bool
  ) {
    self.tag = tag
    self.content = content
    self.encoded = encoded
    self.isIndefinite = isIndefinite
  }

  /// The value.
  package var bytes: [UInt8] { Array(content) }

  /// Whether the value consists of objects.
  package var isConstructed: Bool {
    guard let first = encoded.first else { return false }
    return first & 0x20 != 0
  }

  /// Decodes the objects in the value.
  package func children() throws(DataObjectError) -> [BERObject] { try Self.all(in: content) }

  /// Decodes objects until the end of the bytes.
  package static func all(in bytes: ArraySlice<UInt8>) throws(DataObjectError) -> [BERObject] {
    var objects: [BERObject] = []
    var rest = bytes
    while !rest.isEmpty {
      let object = try BERObject(rest)
      objects.append(object)
      rest = rest[object.encoded.endIndex...]
    }
    return objects
  }

  /// Decodes objects until the end of the bytes, or the first object that is not complete.
  package static func leading(in bytes: ArraySlice<UInt8>) -> [BERObject] {
    var objects: [BERObject] = []
    var rest = bytes
    while !rest.isEmpty, let object = try? BERObject(rest) {
      objects.append(object)
      rest = rest[object.encoded.endIndex...]
    }
    return objects
  }

  // MARK: Header

  /// The tag of an object, the size of its header, and the size of its value: `nil` for an indefinite length.
  package struct Header: Hashable {
    package var tag: UInt32
    package var size: Int
    package var length: Int?

    /// Decodes a header; `nil` if there are too few bytes.
    package init?(_ bytes: ArraySlice<UInt8>) throws(DataObjectError) {
      var rest = bytes
      let start = bytes.startIndex
      guard let first = rest.popFirst() else { return nil }
      var tag = UInt32(first)
      if first & 0x1F == 0x1F {
        var isLast = false
        while !isLast {
          guard let next = rest.popFirst() else { return nil }
          guard tag <= 0xFF_FFFF else { throw DataObjectError("a tag is too long", at: start) }
          tag = tag << 8 | UInt32(next)
          isLast = next & 0x80 == 0
        }
      }
      guard let short = rest.popFirst() else { return nil }
      var length: Int? = Int(short)
      if short == 0x80 {
        guard first & 0x20 != 0 else {
          throw DataObjectError("only constructed objects have indefinite lengths", at: start)
        }
        length = nil
      } else if short > 0x80 {
        let count = Int(short & 0x7F)
        guard count <= 4 else { throw DataObjectError("a length is too long", at: start) }
        guard rest.count >= count else { return nil }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      }
      self.tag = tag
      self.length = length
      size = bytes.count - rest.count
    }
  }

  private static func decode(
    _ bytes: ArraySlice<UInt8>, depth: Int
  ) throws(DataObjectError) -> BERObject {
    let start = bytes.startIndex
    guard depth <= depthLimit else {
      throw DataObjectError("objects are nested too deep", at: start)
    }
    guard let header = try Header(bytes) else {
      throw DataObjectError("an object is cut off", at: bytes.endIndex)
    }
    let value = bytes.dropFirst(header.size)
    if let length = header.length {
      guard value.count >= length else {
        throw DataObjectError("an object is cut off", at: bytes.endIndex)
      }
      return BERObject(
        tag: header.tag, content: value.prefix(length), encoded: bytes.prefix(header.size + length),
        isIndefinite: false)
    }
    var rest = value
    while !rest.starts(with: [0, 0]) {
      guard !rest.isEmpty else { throw DataObjectError("an object has no end", at: bytes.endIndex) }
      let child = try decode(rest, depth: depth + 1)
      rest = rest[child.encoded.endIndex...]
    }
    return BERObject(
      tag: header.tag, content: bytes[value.startIndex..<rest.startIndex],
      encoded: bytes[start..<rest.startIndex + 2], isIndefinite: true)
  }
}
