extension Type5Mapping {
  /// Writes length zero, then data and terminator, then the length (Type 5 Tag 1.0, 7.5.3). A
  /// length of three bytes in two blocks becomes valid with its first byte, which is written last.
  ///
  /// Only blocks that change are written, compared with what this call has read. The first time,
  /// one more exchange checks whether one of them is locked: the old message is kept if the new one
  /// cannot be written. If the tag does not report its locks and refuses a block, the blocks before
  /// it get their content back, and `tagRefused` becomes `readOnly` if that was successful.
  mutating func write(_ message: [UInt8], _ link: ISO15693Link) throws {
    try revalidate(link, forWriting: true)
    guard let layout = try layout(link, repairing: true) else {
      throw NFCError.notFormatted
    }
    try write(message, layout, link)
  }

  private mutating func write(
    _ message: [UInt8], _ layout: Layout, _ link: ISO15693Link
  ) throws {
    guard layout.room >= TagLengthValue.shortestHeader, message.count <= layout.capacity else {
      throw NFCError(
        .capacityExceeded,
        layout.room < TagLengthValue.shortestHeader
          ? "other TLVs of the tag leave no room for a message"
          : "the message has \(message.count) bytes, the tag holds \(layout.capacity)")
    }
    let size = try askBlockSize(link)
    let start = layout.area.lowerBound + layout.offset
    let replacement = try replacement(message, layout, link)
    let first = layout.area.lowerBound
    // The other bytes of the blocks do not change, including those past the end of the area.
    try load(start..<(first + replacement.end), link)
    let image = image
    let writes = replacement.writes(
      old: { image.byte(first + $0) }, unit: { (first + $0) / size })
    try checkLocks(of: writes.map(\.unit), link)
    do {
      try perform(writes, at: first, lengthBlock: (start + 1) / size, size, link)
    } catch let error as NFCError where error.group == .refusal {
      var written: [Int] = []
      for write in writes where !written.contains(write.unit) { written.append(write.unit) }
      throw rollBack(written, to: image, error, link)
    }
  }

  private mutating func perform(
    _ writes: [MessageReplacement.UnitWrite], at first: Int, lengthBlock: Int, _ size: Int,
    _ link: ISO15693Link
  ) throws {
    var run: [(number: Int, data: [UInt8])] = []
    for write in writes {
      // The block with the length is written separately: what it makes valid must already be there.
      let hasLength = write.unit == lengthBlock
      if let last = run.last, hasLength || last.number + 1 != write.unit {
        try store(run, size, link)
        run = []
      }
      guard var data = self.image.block(write.unit) else { continue }
      for (offset, byte) in write.content { data[first + offset - write.unit * size] = byte }
      guard hasLength else {
        run.append((write.unit, data))
        continue
      }
      try link.uninterrupted { try store([(write.unit, data)], size, link) }
    }
    try store(run, size, link)
  }

  /// Restores the blocks that were written before one was refused, the last one first, so that the length comes last
  /// again; returns the error to throw.
  private mutating func rollBack(
    _ numbers: [Int], to old: Type5Image, _ refusal: NFCError, _ link: ISO15693Link
  ) -> NFCError {
    do {
      for number in numbers.reversed() {
        guard let content = old.block(number) else { continue }
        let present = try withAccess(link) { try $0.readBlock(number).data }
        if present != content { try store(content, block: number, link) }
      }
      link.changesWereTakenBack()
      guard refusal.code == .tagRefused else { return refusal }
      return NFCError(.readOnly, refusal.reason, cause: refusal.cause, place: refusal.place)
    } catch {
      // The length stays at zero.
      return refusal.notTakenBack
    }
  }

  /// Returns the message's TLV together with those that follow it.
  private mutating func replacement(
    _ message: [UInt8], _ layout: Layout, _ link: ISO15693Link
  ) throws -> MessageReplacement {
    let first = layout.area.lowerBound
    let addresses = (first + layout.following.lowerBound)..<(first + layout.following.upperBound)
    try load(addresses, link)
    return try MessageReplacement(
      of: layout.message ?? .emptyMessage(at: layout.offset), by: message,
      size: layout.area.count, followedBy: image.bytes(addresses) ?? [],
      at: layout.following.lowerBound)
  }

  /// Returns the size of a block as the tag itself has shown it.
  mutating func askBlockSize(_ link: ISO15693Link) throws -> Int {
    if knowledge.blockSize == nil { try withAccess(link) { try $0.askSize() } }
    guard let size = knowledge.blockSize, size > 0 else {
      throw NFCError(.unsupported, "the tag does not report the size of its blocks")
    }
    return size
  }

  /// Writes adjacent blocks, and updates the image.
  private mutating func store(
    _ blocks: [(number: Int, data: [UInt8])], _ size: Int, _ link: ISO15693Link
  ) throws {
    guard let first = blocks.first?.number else { return }
    try withAccess(link) { try $0.store(first, blocks.flatMap(\.data), size: size) }
    for block in blocks { try keep(block.data, block.number) }
  }

  /// Writes one block whatever it contains; see ``store(_:_:_:)``.
  mutating func store(_ data: [UInt8], block number: Int, _ link: ISO15693Link) throws {
    try store([(number, data)], data.count, link)
  }

  // MARK: Locks

  /// Refuses to write if a block is locked, before anything is written. A tag that does not report
  /// its locks, or only block by block, is not asked.
  private mutating func checkLocks(of numbers: [Int], _ link: ISO15693Link) throws {
    guard let lowest = numbers.min(), let highest = numbers.max() else { return }
    if numbers.contains(where: { locks[$0] == nil }), knowledge.readLimit != 1,
      !knowledge.refusesSecurityStatus
    {
      do {
        let statuses = try withAccess(link) { try $0.securityStatus(lowest..<(highest + 1)) }
        for (index, status) in statuses.enumerated() {
          locks[lowest + index] = status & ISO15693Block.lockedBit != 0
        }
      } catch let error as NFCError where error.isSilence || error.isRefusalOfCommand {
        // It does not report them: then its refusals do.
        for number in numbers { locks[number] = false }
      }
    }
    guard let locked = numbers.first(where: { locks[$0] == true }) else { return }
    throw NFCError(.readOnly, "a block of the message is locked", place: .block(locked))
  }
}
