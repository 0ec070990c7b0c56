extension MessageReplacement {
  /// The first byte that marks a message as missing. The first record of a message has the flag
  /// Message Begin, so no reader treats this as a message (NFC Forum NDEF 1.0, 3.2.1).
  static let none: UInt8 = 0x00

  /// Returns whether a message's bytes are what an interrupted write leaves if TLVs follow. None of them is a
  /// message for any reader.
  ///
  /// If the length is the last byte of a unit, the first bytes change in another write than the length:
  ///
  /// - The rest of a long length, and the mark after it, replace the first bytes of a message that still has its
  ///   short length, or remain as a message of two bytes. The first of them would be a record without the flag
  ///   Message Begin.
  /// - An empty message gets a length that covers the TLVs that follow it. Its first byte would be a record that is
  ///   both the last one and a chunk that others continue.
  static func isNone(_ message: [UInt8]) -> Bool {
    guard let first = message.first else { return true }
    if first == none || first == TagLengthValue.Tag.proprietary { return true }
    return first & 0x80 == 0 && (message.count == 2 || message.count > 2 && message[2] == none)
  }

  /// Returns an order of writes in which the following TLVs can be found at any moment.
  ///
  /// An empty message would hide them: the rest of the old one would be treated as TLVs. So the
  /// message is marked as missing with its first byte, and covers everything up to the TLVs, or up
  /// to a copy that is written first. Then everything else is written, and finally the new length
  /// and the first byte.
  ///
  /// - Returns: `false` if there is no such order.
  func keepFollowing(_ order: inout WriteOrder) -> Bool {
    var message = old
    if destination == following {
      // Padding reaches from there to the TLVs.
      guard cover(&message, upTo: max(old.end, new.end), &order) else { return false }
    } else if destination.lowerBound > following.upperBound {
      order.put([following.upperBound: TagLengthValue.Tag.terminator])
      guard move(to: destination.lowerBound, &message, &order) else { return false }
    } else {
      // There is no room for both after the message: a copy is temporarily placed at the end of the
      // old message.
      let first = following.lowerBound - 1 - following.count
      guard cover(&message, upTo: following.lowerBound, &order), first > message.valueOffset,
        move(to: first, &message, &order),
        move(to: destination.lowerBound, &message, &order)
      else { return false }
    }
    putBody(message, &order)
    return putLength(&message, &order)
  }

  /// Writes the TLVs with a terminator at an offset, and makes the message end before them.
  private func move(
    to offset: Int, _ message: inout TagLengthValue, _ order: inout WriteOrder
  ) -> Bool {
    var copy: [Int: UInt8] = [:]
    for index in 0..<following.count { copy[offset + index] = byte(destination.lowerBound + index) }
    if offset + following.count < size {
      copy[offset + following.count] = TagLengthValue.Tag.terminator
    }
    order.put(copy)
    return cover(&message, upTo: offset, &order)
  }

  // MARK: Covering

  /// Marks the message as missing, and makes it end at an offset; `false` if one write cannot
  /// change its length.
  ///
  /// - Parameter message: the current TLV on the tag.
  private func cover(
    _ message: inout TagLengthValue, upTo end: Int, _ order: inout WriteOrder
  ) -> Bool {
    let shortReach =
      message.offset + TagLengthValue.shortestHeader + TagLengthValue.longestShortValue
    let isLong = message.hasLongHeader || end > shortReach
    if setLength(&message, upTo: end, isLong: isLong, &order) { return true }
    // A short length first, followed by padding, makes room for a long one.
    guard !message.hasLongHeader, following.upperBound < shortReach else { return false }
    order.put(shortReach..<end) { _ in TagLengthValue.Tag.null }
    return setLength(&message, upTo: shortReach, isLong: false, &order)
      && setLength(&message, upTo: end, isLong: true, &order)
  }

  private func setLength(
    _ message: inout TagLengthValue, upTo end: Int, isLong: Bool, _ order: inout WriteOrder
  ) -> Bool {
    let headerLength = isLong ? TagLengthValue.longestHeader : TagLengthValue.shortestHeader
    let first = message.offset + headerLength
    let header =
      isLong
      ? TagLengthValue.longHeader(message.tag, length: end - first)
      : TagLengthValue.header(message.tag, length: end - first)
    let lengthUnit = order.unit(lengthOffset)
    var head: [Int: UInt8] = [:]
    for (index, byte) in header.enumerated() { head[message.offset + index] = byte }
    let changed = head.filter { order.current($0.key) != $0.value }.keys
    if first < end { head[first] = Self.none }
    let rest = head.filter { $0.key > lengthOffset && order.unit($0.key) != lengthUnit }

    let ownsRest = first == message.valueOffset ? message.length > 0 : message.value.contains(first)
    let isOneUnit = Set(changed.map(order.unit)).count <= 1
    // A longer length replaces the message's first bytes, which no longer count.
    guard isOneUnit || ownsRest && !message.hasLongHeader else { return false }
    if !rest.isEmpty {
      if message.length > 0 { order.put([message.valueOffset: Self.none]) }
      // The bytes after the message do not belong to it until it has the length.
      // The mark comes first, and the byte that replaces the message's first one last.
      if ownsRest { order.put(rest.keys.sorted(by: >)) { rest[$0] } }
      order.put(head.filter { order.unit($0.key) == lengthUnit })
    }
    order.put(head)
    message = TagLengthValue(
      tag: message.tag, offset: message.offset, valueOffset: first, length: end - first)
    return true
  }

  // MARK: The new message

  /// Writes everything that does not share a unit with the length and the first byte. This includes
  /// padding that replaces TLVs when the message becomes shorter.
  private func putBody(_ cover: TagLengthValue, _ order: inout WriteOrder) {
    let head = old.offset...max(cover.valueOffset, new.valueOffset)
    let headUnits = Set(head.map(order.unit))
    let lengthUnit = order.unit(lengthOffset)
    let body = offsets.filter { offset in
      let unit = order.unit(offset)
      return !headUnits.contains(unit)
        || (offset >= new.end && !head.contains(offset) && unit != lengthUnit)
    }
    order.put(body, byte)
  }

  /// Writes the new length with its unit, and finally the message's first byte; `false` if one
  /// write cannot change the length.
  private func putLength(_ message: inout TagLengthValue, _ order: inout WriteOrder) -> Bool {
    var left = offsets.filter { order.current($0) != byte($0) }
    guard Set(left.map(order.unit)).count > 1 else {
      order.put(offsets, byte)
      return true
    }
    if message.hasLongHeader, !new.hasLongHeader, new.end < message.valueOffset {
      // The rest of the longer length would be treated as a TLV, so it becomes padding first.
      let rest = lengthOffset + 1..<message.valueOffset
      var padded = [lengthOffset: UInt8(rest.count)]
      for offset in rest where order.unit(offset) == order.unit(lengthOffset) {
        padded[offset] = Self.none
      }
      order.put(padded)
      order.put(rest) { _ in Self.none }
      left = offsets.filter { order.current($0) != byte($0) }
    }
    let first = new.valueOffset
    let lengths = Set(left.filter { $0 < first }.map(order.unit))
    guard lengths.count <= 1 else { return false }
    order.put(offsets.filter { lengths.contains(order.unit($0)) }) { offset in
      offset == first && new.length > 0 ? Self.none : byte(offset)
    }
    order.put(offsets.filter { order.unit($0) != order.unit(first) }, byte)
    order.put(offsets, byte)
    return true
  }
}

extension TagLengthValue {
  /// Whether the length has three bytes.
  var hasLongHeader: Bool { valueOffset - offset == Self.longestHeader }
}
