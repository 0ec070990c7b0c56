/// The replacement of a message's TLV: the new message, and the TLVs that follow it.
///
/// A tag is written unit by unit (pages, blocks, bytes), and may be removed between any two writes.
/// ``writes(old:unit:)`` returns the order in which the tag always holds the old message, none, or
/// the new one, and every TLV that follows. These can be lost only if there is no room for a copy
/// of them, or if both bytes of a long length change and are in two units.
struct MessageReplacement: Hashable, Sendable {
  /// The existing TLV; an empty one if there is none, or if it is broken.
  let old: TagLengthValue
  /// The new content of the area from the TLV's first byte on: tag, length, message, the TLVs that
  /// follow, and a terminator if there is room for one.
  let bytes: [UInt8]
  /// The new message's TLV.
  let new: TagLengthValue
  /// The current position of the TLVs that follow the message; empty if there are none.
  let following: Range<Int>
  /// Their new position.
  let destination: Range<Int>
  /// The data area's, in bytes.
  let size: Int

  /// - Parameters:
  ///   - old: the message's TLV.
  ///   - size: the data area's, in bytes.
  ///   - blocks: the bytes of the TLVs that ``TagLengthValue/following(size:_:)`` has found. If the
  ///     new message ends before them, they stay where they are, with padding in front. Otherwise
  ///     they move, beyond their own end if there is room.
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

  /// The end of what is written.
  var end: Int { old.offset + bytes.count }
  var offsets: Range<Int> { old.offset..<end }
  var lengthOffset: Int { old.offset + 1 }
}

extension MessageReplacement {
  /// One write of a unit (a page, a block, a byte), which a tag performs at once.
  struct UnitWrite: Hashable, Sendable {
    let unit: Int
    /// The new content of the unit, by offsets of the area. Other bytes of the unit do not change.
    let content: [Int: UInt8]
  }

  /// Returns the writes, in their order. Units that hold what they should are left out.
  ///
  /// - Parameters:
  ///   - old: returns a byte of the area in its current state, `nil` if that is not known. The
  ///     first byte of the length is known, and so are the TLVs that follow.
  ///   - unit: returns the unit of a byte of the area.
  ///   - farthestFirst: whether the units past the terminator of the old message come first, the last of them before
  ///     all others. The old message is still there while they are written, and a tag that refuses pages from one on
  ///     refuses the first write. It costs no more writes, but they are not in the order of the units.
  func writes(
    old byte: @escaping (Int) -> UInt8?, unit: @escaping (Int) -> Int, farthestFirst: Bool = false
  ) -> [UnitWrite] {
    var order = WriteOrder(old: byte, unit: unit)
    if following.isEmpty || !keepFollowing(&order) {
      order = WriteOrder(old: byte, unit: unit)
      if farthestFirst { writeFarthest(&order) }
      emptyAndWrite(&order)
    }
    return order.writes
  }

  /// Writes the units past the one with the old message's terminator, the last one first. Without a terminator, what
  /// is there would be treated as TLVs.
  private func writeFarthest(_ order: inout WriteOrder) {
    guard order.current(old.end) == TagLengthValue.Tag.terminator else { return }
    let last = order.unit(old.end)
    let head = Set((old.offset...old.end).map(order.unit))
    order.put(
      offsets.reversed().filter {
        $0 > old.end && order.unit($0) != last && !head.contains(order.unit($0))
      },
      byte)
  }

  /// A length whose first byte is 0 makes the message empty, in both forms of the length. So the
  /// unit with that byte is first written with 0, then come all others, including the rest of a
  /// long length, and finally that unit again. If only one unit changes and it contains the length,
  /// it is written once.
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
  /// The writes in sequence, and the content of the area after them.
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

    /// Writes these bytes, unit by unit, if a unit does not already contain them.
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
