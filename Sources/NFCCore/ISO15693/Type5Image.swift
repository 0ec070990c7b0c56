/// What is known of a Type 5 tag's memory: bytes from the beginning on, and where its parts lie.
struct Type5Image: Hashable, Sendable {
  /// TLV types (Type 5 Tag 1.0, 4.4).
  enum TLV {
    static let filler: UInt8 = 0x00
    static let message: UInt8 = 0x03
    static let terminator: UInt8 = 0xFE
    /// A first length byte that says that two more follow.
    static let longLength: UInt8 = 0xFF
    /// The longest value with a length of one byte.
    static let largestShort = 0xFE
    static let largest = 0xFFFF

    static func headerLength(_ count: Int) -> Int { count > largestShort ? 4 : 2 }

    static func header(_ type: UInt8, _ count: Int) -> [UInt8] {
      guard count > largestShort else { return [type, UInt8(count)] }
      return [type, longLength, UInt8(truncatingIfNeeded: count >> 8), UInt8(count & 0xFF)]
    }
  }

  /// Where the message is, or would be.
  struct Place: Hashable, Sendable {
    /// Where the message's type byte is, or will stand.
    var start: Int
    /// Where the message's bytes are; `nil` if no message has been begun.
    var value: Range<Int>?
  }

  /// What a search in the known bytes has come to.
  enum Search: Hashable {
    case found(Place)
    /// More of the memory has to be known: this many bytes.
    case needs(Int)
  }

  var bytes: [UInt8] = []

  /// Looks for the message in the area.
  ///
  /// A zero is a filler without a length: it is reserved in Type 5, yet Android and NXP write it.
  ///
  /// - Throws: `malformedContent` for a value that goes beyond the area.
  func findMessage(from areaStart: Int, to areaEnd: Int) throws -> Search {
    guard areaStart < areaEnd else { return .found(Place(start: areaStart, value: nil)) }
    var position = areaStart
    while position < areaEnd {
      guard position < bytes.count else { return .needs(position + 1) }
      let type = bytes[position]
      if type == TLV.filler {
        position += 1
        continue
      }
      if type == TLV.terminator { return .found(Place(start: position, value: nil)) }
      guard position + 1 < areaEnd else { break }
      guard position + 1 < bytes.count else { return .needs(position + 2) }
      var valueStart = position + 2
      var count = Int(bytes[position + 1])
      if bytes[position + 1] == TLV.longLength {
        guard position + 3 < areaEnd else { throw Self.tooLong(position) }
        guard position + 3 < bytes.count else { return .needs(position + 4) }
        count = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
        valueStart = position + 4
      }
      guard count <= areaEnd - valueStart else { throw Self.tooLong(position) }
      if type == TLV.message {
        return .found(Place(start: position, value: valueStart..<(valueStart + count)))
      }
      position = valueStart + count
    }
    // Nothing but fillers: the message begins where the area does.
    let isBlank = bytes.count >= areaEnd && bytes[areaStart..<areaEnd].allSatisfy { $0 == 0 }
    return .found(Place(start: isBlank ? areaStart : min(position, areaEnd), value: nil))
  }

  private static func tooLong(_ position: Int) -> NFCError {
    NFCError(
      .malformedContent, "a field of the tag goes beyond its NDEF area", place: .offset(position))
  }

  /// The longest message that fits between two places.
  static func capacity(from start: Int, to end: Int) -> Int {
    let room = end - start
    if room - 2 <= TLV.largestShort { return max(0, room - 2) }
    // One byte more would need the long form; with 255 and 256 bytes of room the short one holds
    // more.
    return min(max(TLV.largestShort, room - 4), TLV.largest)
  }
}
