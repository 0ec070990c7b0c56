/// A tag-length-value block in the data area of a Type 1, 2 or 5 tag or a MIFARE Classic card.
///
/// Offsets count the bytes that belong to the data area, from its first byte on; lock bytes, sector
/// trailers and reserved bytes between them are not counted. Nothing here does any I/O: the caller
/// provides the bytes that it has read, and is informed which bytes to read next.
///
/// Source: NFC Forum Type 2 Tag, 4.4; NXP AN1305 (NFC Type MIFARE Classic Tag), 2.3.
struct TagLengthValue: Hashable, Sendable {
  let tag: UInt8
  /// The position of the tag byte.
  let offset: Int
  /// Where the value begins.
  let valueOffset: Int
  /// How many bytes the value has.
  let length: Int

  /// The bytes of the value.
  var value: Range<Int> { valueOffset..<end }
  /// Where the next block begins.
  var end: Int { valueOffset + length }
}

extension TagLengthValue {
  /// The tags of blocks.
  enum Tag {
    /// Padding: one byte, without a length.
    static let null: UInt8 = 0x00
    static let lockControl: UInt8 = 0x01
    static let memoryControl: UInt8 = 0x02
    static let ndefMessage: UInt8 = 0x03
    static let proprietary: UInt8 = 0xFD
    /// The last block: one byte, without a length.
    static let terminator: UInt8 = 0xFE
  }

  /// The size of tag and length for a value of at most FE bytes.
  static let shortestHeader = 2
  /// The size of tag and length for a longer value.
  static let longestHeader = 4
  /// In the length's first byte: two more bytes have the length, most significant first.
  static let longLength: UInt8 = 0xFF
  /// The longest value with a length of one byte.
  static let longestShortValue = 0xFE
  private static let longestValue = 0xFFFE

  /// Tag and length for a value, in the shortest form.
  ///
  /// - Parameter length: at most FFFE; more is cut to that.
  static func header(_ tag: UInt8, length: Int) -> [UInt8] {
    guard length > longestShortValue else {
      return [tag, UInt8(truncatingIfNeeded: max(0, length))]
    }
    return longHeader(tag, length: min(length, longestValue))
  }

  /// Tag and length in the form that any value can have.
  static func longHeader(_ tag: UInt8, length: Int) -> [UInt8] {
    [tag, longLength, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
  }

  /// Returns the maximum length of a value in a block of at most `room` bytes, including tag and
  /// length. A terminator is not counted: none is written if a block reaches the end of the area.
  static func capacity(room: Int) -> Int {
    let short = min(room - shortestHeader, longestShortValue)
    return max(0, short, min(room - longestHeader, longestValue))
  }

  /// Returns a place where a message can begin.
  static func emptyMessage(at offset: Int) -> TagLengthValue {
    TagLengthValue(
      tag: Tag.ndefMessage, offset: offset, valueOffset: offset + shortestHeader, length: 0)
  }

  /// Returns an NDEF message's block in an area in which `room` bytes are left: tag, length,
  /// message, and a terminator if there is room for one.
  static func block(message: [UInt8], room: Int) -> [UInt8] {
    var bytes = header(Tag.ndefMessage, length: message.count) + message
    if bytes.count < room { bytes.append(Tag.terminator) }
    return bytes
  }
}

// MARK: Reading

extension TagLengthValue {
  /// The content at a position of the data area.
  enum Step: Hashable, Sendable {
    case block(TagLengthValue)
    case terminator
    /// The area ends here.
    case end
    /// These bytes must be read before more can be said.
    case needs(Range<Int>)
  }

  /// Looks at the block at `offset`, skipping padding.
  ///
  /// - Parameters:
  ///   - size: the data area's, in bytes.
  ///   - byte: returns a byte of the area, `nil` if it has not been read.
  /// - Throws: `malformedContent` with the offset if a block does not end within the area.
  static func step(
    at offset: Int, size: Int, _ byte: (Int) -> UInt8?
  ) throws(NFCError) -> Step {
    var offset = offset
    while offset < size {
      guard let tag = byte(offset) else { return .needs(offset..<min(offset + 2, size)) }
      switch tag {
      case Tag.null:
        offset += 1
        continue
      case Tag.terminator: return .terminator
      default: break
      }
      guard offset + 1 < size else { throw cut(offset) }
      guard let first = byte(offset + 1) else { return .needs(offset..<(offset + 2)) }
      var length = Int(first)
      var valueOffset = offset + 2
      if first == longLength {
        valueOffset = offset + 4
        guard valueOffset <= size else { throw cut(offset) }
        guard let high = byte(offset + 2), let low = byte(offset + 3) else {
          return .needs(offset..<valueOffset)
        }
        length = Int(high) << 8 | Int(low)
      }
      guard length <= size - valueOffset else {
        throw NFCError(
          .malformedContent,
          "the TLV of type \([tag].hexadecimal) has \(length) bytes where \(size - valueOffset) are left",
          place: .offset(offset))
      }
      return .block(
        TagLengthValue(tag: tag, offset: offset, valueOffset: valueOffset, length: length))
    }
    return .end
  }

  private static func cut(_ offset: Int) -> NFCError {
    NFCError(.malformedContent, "a TLV has no room for its length", place: .offset(offset))
  }
}

// MARK: What follows the message

extension TagLengthValue {
  /// The blocks after a message that a new message must not destroy.
  enum Following: Hashable, Sendable {
    /// The bytes of the area that they occupy; none if there are none.
    case bytes(Range<Int>)
    /// These bytes must be read before more can be said.
    case needs(Range<Int>)
  }

  /// Finds the blocks after a message: proprietary ones, and further messages.
  ///
  /// Anything else is what an older message has left. After an empty message, it may be the rest of
  /// a message that was being written, so that only proprietary blocks count.
  func following(size: Int, _ byte: (Int) -> UInt8?) -> Following {
    var offset = end
    var found = end..<end
    let counted = length == 0 ? [Tag.proprietary] : [Tag.proprietary, Tag.ndefMessage]
    while true {
      guard let step = try? Self.step(at: offset, size: size, byte) else {
        return .bytes(end..<end)
      }
      switch step {
      case .needs(let missing): return .needs(missing)
      case .terminator, .end: return .bytes(found)
      case .block(let block):
        guard counted.contains(block.tag) else { return .bytes(end..<end) }
        offset = block.end
        found = (found.isEmpty ? block.offset : found.lowerBound)..<block.end
      }
    }
  }
}
