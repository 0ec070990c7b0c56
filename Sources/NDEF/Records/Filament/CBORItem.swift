/// A value of the Concise Binary Object Representation (RFC 8949, 3).
enum CBORItem: Hashable, Sendable {
  case unsigned(UInt64)
  /// The number -1 - n.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBORItem])
  case map([Member])
  /// A simple value: 20 is false, 21 true, 22 null.
  case simple(UInt64)
  case number(Double)

  struct Member: Hashable, Sendable {
    let key: CBORItem
    let value: CBORItem
    /// The place of the key in the payload.
    let offset: Int
  }

  /// The value in the form of JSON: bytes are hexadecimal, and a number that JSON does not have is null.
  var fieldValue: NDEFFieldValue {
    switch self {
    case .unsigned(let value): Int64(exactly: value).map { .integer($0) } ?? .number(Double(value))
    case .negative(let value):
      Int64(exactly: value).map { .integer(-1 - $0) } ?? .number(-1 - Double(value))
    case .bytes(let value): .text(value.hexadecimal)
    case .text(let value): .text(value)
    case .array(let values): .list(values.map(\.fieldValue))
    case .map(let members):
      .list(members.map { .list([$0.key.fieldValue, $0.value.fieldValue]) })
    case .simple(20): .boolean(false)
    case .simple(21): .boolean(true)
    case .simple: .null
    case .number(let value): value.isFinite ? .number(value) : .null
    }
  }
}

extension ByteReader {
  /// The maximum number of items around an item.
  private static let maximumDepth = 16
  /// The information of an item of indefinite length, and the item that ends one (RFC 8949, 3.2.1).
  private static let indefinite: UInt8 = 31
  private static let breakCode: UInt8 = 0xFF

  /// Reads one item of CBOR. The number of a tag (RFC 8949, 3.4) is left out.
  ///
  /// - Throws: ``NDEFError`` for an item that exceeds the payload, is not well-formed, or has more than 16 around it.
  mutating func readCBOR(depth: Int = 0) throws(NDEFError) -> CBORItem {
    let start = offset
    guard depth <= Self.maximumDepth else {
      throw NDEFError(
        .invalidValue, offset: start,
        reason: "the CBOR item is inside more than \(Self.maximumDepth) others")
    }
    let initial = try readByte("CBOR item")
    let information = initial & 0x1F
    let isIndefinite = information == Self.indefinite
    let argument = isIndefinite ? 0 : try readCBORArgument(information, start)
    switch (initial >> 5, isIndefinite) {
    case (0, false): return .unsigned(argument)
    case (1, false): return .negative(argument)
    case (2, _): return .bytes(Array(try readCBORString(2, isIndefinite ? nil : argument)))
    case (3, _):
      let text = try readCBORString(3, isIndefinite ? nil : argument)
      guard let text = String(validating: text, as: UTF8.self) else {
        throw NDEFError(.invalidText, offset: start, reason: "the CBOR text is not valid UTF-8")
      }
      return .text(text)
    case (4, _):
      var items: [CBORItem] = []
      while try hasNextCBOR(after: items.count, of: isIndefinite ? nil : argument) {
        items.append(try readCBOR(depth: depth + 1))
      }
      return .array(items)
    case (5, _):
      var members: [CBORItem.Member] = []
      while try hasNextCBOR(after: members.count, of: isIndefinite ? nil : argument) {
        let offset = offset
        let key = try readCBOR(depth: depth + 1)
        members.append(
          CBORItem.Member(key: key, value: try readCBOR(depth: depth + 1), offset: offset))
      }
      return .map(members)
    case (6, false): return try readCBOR(depth: depth + 1)
    case (7, false): return Self.simpleCBOR(information, argument)
    default:
      throw NDEFError(
        .invalidValue, offset: start, reason: "a CBOR item of this kind has no indefinite length")
    }
  }

  /// Reads the argument that the information announces: itself up to 23, or 1, 2, 4 or 8 bytes.
  private mutating func readCBORArgument(
    _ information: UInt8, _ start: Int
  ) throws(NDEFError) -> UInt64 {
    guard information >= 24 else { return UInt64(information) }
    guard information <= 27 else {
      throw NDEFError(
        .invalidValue, offset: start, reason: "the CBOR information \(information) is reserved")
    }
    let bytes = try readBytes(1 << Int(information - 24), "CBOR argument")
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads the content of a string, in one piece or of indefinite length in chunks of the same kind.
  private mutating func readCBORString(
    _ kind: UInt8, _ length: UInt64?
  ) throws(NDEFError) -> [UInt8] {
    if let length { return Array(try readBytes(Int(clamping: length), "CBOR string")) }
    var content: [UInt8] = []
    while try hasNextCBOR(after: 0, of: nil) {
      let start = offset
      let initial = try readByte("CBOR chunk")
      guard initial >> 5 == kind, initial & 0x1F != Self.indefinite else {
        throw NDEFError(
          .invalidValue, offset: start, reason: "a CBOR string has a chunk of another kind")
      }
      let length = try readCBORArgument(initial & 0x1F, start)
      content += try readBytes(Int(clamping: length), "CBOR chunk")
    }
    return content
  }

  /// Returns whether another item follows: by its number, or without one until the break, which is read.
  private mutating func hasNextCBOR(after count: Int, of total: UInt64?) throws(NDEFError) -> Bool {
    if let total { return UInt64(count) < total }
    guard bytes.indices.contains(position), bytes[position] == Self.breakCode else { return true }
    _ = try readByte("CBOR break")
    return false
  }

  /// Returns a simple value or a number of 2, 4 or 8 bytes (RFC 8949, 3.3).
  private static func simpleCBOR(_ information: UInt8, _ argument: UInt64) -> CBORItem {
    switch information {
    case 25: .number(half(UInt16(truncatingIfNeeded: argument)))
    case 26:
      // The shortest decimal form of a number of 4 bytes is what was meant: 1.24, not 1.2400000095.
      .number(Double("\(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))") ?? .nan)
    case 27: .number(Double(bitPattern: argument))
    default: .simple(argument)
    }
  }

  /// Returns the number in the format binary16 of IEEE 754 (RFC 8949, appendix D), rounded to as few decimal places as
  /// distinguish it from its neighbors.
  private static func half(_ bits: UInt16) -> Double {
    let exponent = Int(bits >> 10 & 0x1F)
    let fraction = Double(bits & 0x3FF) / 1024
    let sign: FloatingPointSign = bits >> 15 == 0 ? .plus : .minus
    guard exponent < 31 else {
      return fraction == 0 ? Double(sign: sign, exponent: 0, significand: .infinity) : .nan
    }
    let value = Double(
      sign: sign, exponent: max(exponent, 1) - 15,
      significand: exponent == 0 ? fraction : 1 + fraction)
    let distance = Double(sign: .plus, exponent: max(exponent, 1) - 25, significand: 1)
    var scale = 1.0
    for _ in 0..<9 {
      // Without the functions of libm, which a program that uses only this module does not link.
      let rounded = Double(Int64(value * scale + (sign == .plus ? 0.5 : -0.5))) / scale
      if abs(rounded - value) * 2 < distance { return rounded }
      scale *= 10
    }
    return value
  }
}
