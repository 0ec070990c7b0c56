/// What a write puts in the place of a message's TLV: the new message, and the TLVs that follow it.
///
/// A tag is written unit by unit (pages, blocks, bytes), and may be torn away between any two writes.
/// ``writes(old:unit:)`` has the order in which the tag then holds the old message, none, or the new one,
/// and still every TLV that follows. Only where there is no room for a copy of those, or where both bytes of a long
/// length change and lie in two units, can they be lost.
struct MessageReplacement: Hashable, Sendable {
  /// The TLV that is there. Where there is none, or one that is broken, an empty one.
  let old: TagLengthValue
  /// What the area is to hold from the TLV's first byte on: tag, length, message, the TLVs that follow, and a
  /// terminator where there is room for one.
  let bytes: [UInt8]
  /// The new message's TLV.
  let new: TagLengthValue
  /// Where the TLVs that follow the message stand now; empty if there are none.
  let following: Range<Int>
  /// Where they are to stand.
  let destination: Range<Int>
  /// The data area's, in bytes.
  let size: Int

  /// - Parameters:
  ///   - old: the message's TLV.
  ///   - size: the data area's, in bytes.
  ///   - blocks: the bytes of the TLVs that ``TagLengthValue/following(size:_:)`` has found. Where the new message
  ///     ends before them, they stay where they are, with padding in front. Else they move, beyond their own end if
  ///     there is room.
  ///   - start: where they are.
  /// - Throws: `capacityExceeded` if both do not fit.
  init(
    of old: TagLengthValue, by message: [UInt8], size: Int, followedBy blocks: [UInt8] = [],
    at start: Int = 0
  ) throws(NFCError) {
    self.old = old
    self.size = size
    let header = TagLengthValue.header(TagLengthValue.Tag.ndefMessage, length: message.count)
    new = TagLengthValue(
      tag: TagLengthValue.Tag.ndefMessage, offset: old.offset,
      valueOffset: old.offset + header.count, length: message.count)
    guard !blocks.isEmpty else {
      bytes = TagLengthValue.block(message: message, room: size - old.offset)
      following = new.end..<new.end
      destination = following
      return
    }
    guard new.end + blocks.count <= size else {
      let capacity = TagLengthValue.capacity(room: size - old.offset - blocks.count)
      throw NFCError(
        .capacityExceeded,
        "the message has \(message.count) bytes, and other TLVs of the tag leave \(capacity)")
    }
    following = start..<(start + blocks.count)
    var first = max(start, new.end)
    // A terminator is left between both copies.
    if first > start, following.upperBound + 1 + blocks.count <= size {
      first = max(first, following.upperBound + 1)
    }
    destination = first..<(first + blocks.count)
    var bytes = header + message
    bytes += [UInt8](repeating: TagLengthValue.Tag.null, count: first - new.end)
    bytes += blocks
    if old.offset + bytes.count < size { bytes.append(TagLengthValue.Tag.terminator) }
    self.bytes = bytes
  }

  /// Returns the byte that the area is to hold at an offset.
  func byte(_ offset: Int) -> UInt8? {
    let index = offset - old.offset
    return bytes.indices.contains(index) ? bytes[index] : nil
  }

  /// Where what is written ends.
  var end: Int { old.offset + bytes.count }
  var offsets: Range<Int> { old.offset..<end }
  var lengthOffset: Int { old.offset + 1 }
}

extension MessageReplacement {
  /// One write of a unit (a page, a block, a byte) that a tag writes in one go.
  struct UnitWrite: Hashable, Sendable {
    let unit: Int
    /// What the unit is to hold, by offsets of the area. Anything else in it stays as it is.
    let content: [Int: UInt8]
  }

  /// Returns the writes, in their order. Units that hold what they should are left out.
  ///
  /// - Parameters:
  ///   - old: a byte of the area as it is, `nil` if that is not known. The length's first byte has been read, and
  ///     the TLVs that follow.
  ///   - unit: the unit that a byte of the area lies in.
  func writes(old byte: @escaping (Int) -> UInt8?, unit: @escaping (Int) -> Int) -> [UnitWrite] {
    var order = WriteOrder(old: byte, unit: unit)
    if following.isEmpty || !keepFollowing(&order) {
      order = WriteOrder(old: byte, unit: unit)
      emptyAndWrite(&order)
    }
    return order.writes
  }

  /// A length whose first byte is 0 makes the message empty, in both forms of the length. So the unit with that
  /// byte is written with 0 first, then everything else, the rest of a long length included, and last that
  /// unit again. One unit that is the only one to change and has the length in it is written once.
  private func emptyAndWrite(_ order: inout WriteOrder) {
    let lengthUnit = order.unit(lengthOffset)
    let others = offsets.filter { order.unit($0) != lengthUnit }
    if order.current(lengthOffset) != 0, others.contains(where: { order.current($0) != byte($0) }) {
      var empty: [Int: UInt8] = [lengthOffset: 0]
      if order.unit(old.offset) == lengthUnit { empty[old.offset] = TagLengthValue.Tag.ndefMessage }
      let next = lengthOffset + 1
      if next < size, order.unit(next) == lengthUnit { empty[next] = TagLengthValue.Tag.terminator }
      order.put(empty)
    }
    order.put(others, byte)
    order.put(offsets, byte)
  }
}

// MARK: Order

extension MessageReplacement {
  /// Writes one after the other, and what the area holds after them.
  struct WriteOrder {
    let old: (Int) -> UInt8?
    let unit: (Int) -> Int
    private var written: [Int: UInt8] = [:]
    private(set) var writes: [UnitWrite] = []

    init(old: @escaping (Int) -> UInt8?, unit: @escaping (Int) -> Int) {
      self.old = old
      self.unit = unit
    }

    func current(_ offset: Int) -> UInt8? { written[offset] ?? old(offset) }

    /// Writes these bytes, unit by unit, where a unit does not hold them.
    mutating func put(_ content: [Int: UInt8]) {
      put(content.keys.sorted()) { content[$0] }
    }

    mutating func put(_ offsets: some Sequence<Int>, _ byte: (Int) -> UInt8?) {
      var units: [Int] = []
      var contents: [Int: [Int: UInt8]] = [:]
      for offset in offsets {
        guard let value = byte(offset) else { continue }
        let unit = unit(offset)
        if contents[unit] == nil { units.append(unit) }
        contents[unit, default: [:]][offset] = value
      }
      for unit in units {
        guard let content = contents[unit],
          content.contains(where: { current($0.key) != $0.value })
        else { continue }
        written.merge(content) { $1 }
        writes.append(UnitWrite(unit: unit, content: content))
      }
    }
  }
}
