/// Bytes that are not what they should be.
public struct DecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, as one clause. It contains nothing of the bytes.
  public let reason: String
  /// The position of the first wrong byte, counted from the beginning of what was decoded.
  public let offset: Int

  /// Creates an error.
  public init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String { "\(reason) (byte \(offset))" }
}

/// A data object of BER (ITU-T X.690; ISO/IEC 7816-4, 6.3): a tag, a length and a value.
///
/// Lengths may be longer than necessary, and indefinite, as some documents have them.
public struct BERObject: Hashable, Sendable {
  /// The bytes of the tag as a number: 0x61, 0x5F1F, 0x7F61.
  public let tag: UInt32
  /// The value, without the end mark of an indefinite length.
  public let content: ArraySlice<UInt8>
  /// The complete object, as it was read.
  public let encoded: ArraySlice<UInt8>
  /// Whether the length is indefinite: an end mark follows the value.
  let isIndefinite: Bool

  /// The number of nested objects that is followed.
  static let depthLimit = 32

  /// Decodes the object at the beginning of bytes; what follows it is ignored.
  public init(_ bytes: ArraySlice<UInt8>) throws(DecodingError) {
    self = try Self.decode(bytes, depth: 0)
  }

  /// Decodes the object at the beginning of bytes; what follows it is ignored.
  public init(_ bytes: [UInt8]) throws(DecodingError) { try self.init(bytes[...]) }

  private init(
    tag: UInt32, content: ArraySlice<UInt8>, encoded: ArraySlice<UInt8>, isIndefinite: Bool
  ) {
    self.tag = tag
    self.content = content
    self.encoded = encoded
    self.isIndefinite = isIndefinite
  }

  /// The value.
  public var bytes: [UInt8] { Array(content) }

  /// Whether the value consists of objects.
  var isConstructed: Bool {
    guard let first = encoded.first else { return false }
    return first & 0x20 != 0
  }

  /// Decodes the objects in the value.
  public func children() throws(DecodingError) -> [BERObject] { try Self.all(in: content) }

  /// Decodes objects until the end of the bytes.
  public static func all(in bytes: ArraySlice<UInt8>) throws(DecodingError) -> [BERObject] {
    var objects: [BERObject] = []
    var rest = bytes
    while !rest.isEmpty {
      let object = try BERObject(rest)
      objects.append(object)
      rest = rest[object.encoded.endIndex...]
    }
    return objects
  }

  // MARK: Header

  /// The tag of an object, the size of its header, and the size of its value: `nil` for an indefinite length.
  struct Header: Hashable {
    var tag: UInt32
    var size: Int
    var length: Int?

    /// Decodes a header; `nil` if there are too few bytes.
    init?(_ bytes: ArraySlice<UInt8>) throws(DecodingError) {
      var rest = bytes
      let start = bytes.startIndex
      guard let first = rest.popFirst() else { return nil }
      var tag = UInt32(first)
      if first & 0x1F == 0x1F {
        var isLast = false
        while !isLast {
          guard let next = rest.popFirst() else { return nil }
          guard tag <= 0xFF_FFFF else { throw DecodingError("a tag is too long", at: start) }
          tag = tag << 8 | UInt32(next)
          isLast = next & 0x80 == 0
        }
      }
      guard let short = rest.popFirst() else { return nil }
      var length: Int? = Int(short)
      if short == 0x80 {
        guard first & 0x20 != 0 else {
          throw DecodingError("only constructed objects have indefinite lengths", at: start)
        }
        length = nil
      } else if short > 0x80 {
        let count = Int(short & 0x7F)
        guard count <= 4 else { throw DecodingError("a length is too long", at: start) }
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
  ) throws(DecodingError) -> BERObject {
    let start = bytes.startIndex
    guard depth <= depthLimit else { throw DecodingError("objects are nested too deep", at: start) }
    guard let header = try Header(bytes) else {
      throw DecodingError("an object is cut off", at: bytes.endIndex)
    }
    let value = bytes.dropFirst(header.size)
    if let length = header.length {
      guard value.count >= length else {
        throw DecodingError("an object is cut off", at: bytes.endIndex)
      }
      return BERObject(
        tag: header.tag, content: value.prefix(length), encoded: bytes.prefix(header.size + length),
        isIndefinite: false)
    }
    var rest = value
    while !rest.starts(with: [0, 0]) {
      guard !rest.isEmpty else { throw DecodingError("an object has no end", at: bytes.endIndex) }
      let child = try decode(rest, depth: depth + 1)
      rest = rest[child.encoded.endIndex...]
    }
    return BERObject(
      tag: header.tag, content: bytes[value.startIndex..<rest.startIndex],
      encoded: bytes[start..<rest.startIndex + 2], isIndefinite: true)
  }
}

extension BERObject {
  /// The universal tags of ASN.1.
  enum Universal {
    static let boolean: UInt32 = 0x01
    static let integer: UInt32 = 0x02
    static let bitString: UInt32 = 0x03
    static let octetString: UInt32 = 0x04
    static let null: UInt32 = 0x05
    static let objectIdentifier: UInt32 = 0x06
    static let enumerated: UInt32 = 0x0A
    static let printableString: UInt32 = 0x13
    static let utcTime: UInt32 = 0x17
    static let generalizedTime: UInt32 = 0x18
    static let constructedOctetString: UInt32 = 0x24
    static let sequence: UInt32 = 0x30
    static let set: UInt32 = 0x31
  }

  /// The bytes of a number that is not negative.
  var unsignedInteger: [UInt8]? {
    guard tag == Universal.integer, let first = content.first, first & 0x80 == 0 else { return nil }
    return bytes
  }

  /// A small number.
  var smallInteger: Int? {
    guard tag == Universal.integer || tag == Universal.enumerated, (1...4).contains(content.count),
      let first = content.first, first & 0x80 == 0
    else { return nil }
    return content.reduce(0) { $0 << 8 | Int($1) }
  }

  var objectIdentifier: ObjectIdentifier? {
    tag == Universal.objectIdentifier ? ObjectIdentifier(bytes) : nil
  }

  /// The bits of a bit string that consists of whole bytes.
  var wholeBits: [UInt8]? {
    guard tag == Universal.bitString, content.first == 0 else { return nil }
    return Array(content.dropFirst())
  }

  /// The bytes of an octet string, also of one in parts.
  var octets: [UInt8]? {
    if tag == Universal.octetString { return bytes }
    // An implicit tag, too, may stand for a string in parts.
    guard isConstructed, let parts = try? children(),
      parts.allSatisfy({ $0.tag == Universal.octetString })
    else { return nil }
    return parts.flatMap(\.bytes)
  }

  /// The same object with definite lengths and its strings in one part, as DER requires it for a signature.
  func definite(as newTag: UInt32? = nil, depth: Int = 0) -> [UInt8] {
    let tag = newTag ?? self.tag
    guard isConstructed, depth < Self.depthLimit else { return DER.object(tag, bytes) }
    if self.tag == Universal.constructedOctetString, let octets {
      return DER.object(Universal.octetString, octets)
    }
    guard let children = try? children() else { return DER.object(tag, bytes) }
    return DER.object(tag, children.flatMap { $0.definite(depth: depth + 1) })
  }

  /// Whether the object or one within it has an indefinite length.
  func hasIndefiniteLength(depth: Int = 0) -> Bool {
    if isIndefinite { return true }
    guard isConstructed, depth < Self.depthLimit, let children = try? children() else {
      return false
    }
    return children.contains { $0.hasIndefiniteLength(depth: depth + 1) }
  }
}

/// Encodes data objects.
enum DER {
  /// Returns an object with the shortest length.
  static func object(_ tag: UInt32, _ value: [UInt8]) -> [UInt8] {
    self.tag(tag) + length(value.count) + value
  }

  static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(count)] }
    let bytes = number(count)
    return [0x80 | UInt8(bytes.count)] + bytes
  }

  /// Returns the bytes of a number, at least one.
  static func number(_ value: Int) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    repeat {
      bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    } while rest > 0
    return bytes
  }

  private static func tag(_ tag: UInt32) -> [UInt8] {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: tag >> $0) }
    return Array(bytes.dropLast().drop { $0 == 0 }) + bytes.suffix(1)
  }
}
