extension Type2Mapping {
  /// One WRITE for each page that changes, and two for the page with the length: first with 0,
  /// finally with the new length; see ``MessageReplacement`` for the cost of other TLVs. An
  /// existing message is read first, as in ``read(_:)``.
  ///
  /// If the tag refuses to write a page, the write ends: earlier writes are rolled back, and the
  /// error is `readOnly` if that was successful.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    try procedure(link) { mapping in
      guard
        case .layout(let layout) = try mapping.find(
          from: Type2Memory.lockPage, replacing: true, link)
      else { throw NFCError.notFormatted }
      try mapping.write(message, in: layout, link)
    }
  }

  private mutating func write(
    _ message: [UInt8], in layout: Layout, _ link: TagLink
  ) throws {
    let area = layout.area
    let size = reachableSize(layout)
    let old = layout.message
    guard size - old.offset >= TagLengthValue.shortestHeader else {
      throw NFCError(.capacityExceeded, "other TLVs of the tag leave no room for a message")
    }
    let kept = try following(layout, withMessage: true, link)
    let replacement = try MessageReplacement(
      of: old, by: message, size: size, followedBy: kept.compactMap { byte($0, area) },
      at: kept.lowerBound)
    if old.length > 0 {
      try load(old.offset..<min(replacement.end, old.end, size), area, link)
    }
    // The byte that makes the message empty is read before it is cleared.
    try load(old.offset..<min(old.offset + 2, size), area, link)
    let held = memory
    let writes = replacement.writes(
      old: { area.address($0).flatMap { held.byte($0) } },
      unit: { (area.address($0) ?? 0) / Type2Memory.pageSize })
    var undo: [(page: Int, bytes: [UInt8])] = []
    for write in writes {
      try complete(write.unit, area, link)
      if let present = memory.page(write.unit) { undo.append((write.unit, present)) }
      let page = content(of: write, area)
      do {
        try memory.write(page, page: write.unit, link)
      } catch let error as NFCError
        where error.code == .readOnly || error.code == .tagRefused
      {
        throw rollBack(undo.dropLast(), error, link)
      }
    }
    self.layout = Layout(
      container: layout.container, area: area, lockControl: layout.lockControl,
      message: replacement.new, isBroken: false)
  }

  private static let bytesOfARead = 16

  /// Returns the blocks after the message, which is not destroyed by a new one, however far away
  /// they are: a message without a terminator may be followed by NULLs up to the end.
  ///
  /// - Parameter withMessage: also reads the message, which costs nothing if it is needed anyway.
  mutating func following(
    _ layout: Layout, withMessage: Bool, _ link: TagLink
  ) throws -> Range<Int> {
    let message = layout.message
    let none = message.end..<message.end
    guard !layout.isBroken else { return none }
    let reachable = reachableSize(layout)
    // First the rest of a READ, then more each time.
    var ahead = 0
    for _ in 0...(layout.area.size / Self.bytesOfARead) {
      switch message.following(size: layout.area.size, { byte($0, layout.area) }) {
      case .bytes(let offsets):
        guard offsets.upperBound <= reachable else { return none }
        try load(offsets, layout.area, link)
        return offsets
      case .needs(let missing):
        // A write cannot reach what a password closes, either.
        guard missing.upperBound <= reachable else { return none }
        let start = withMessage && message.length > 0 ? message.offset : missing.lowerBound
        let end = max(missing.upperBound, min(missing.lowerBound + ahead, reachable))
        try load(start..<end, layout.area, fillingRead: true, link)
        ahead = max(2 * ahead, 2 * Self.bytesOfARead)
      }
    }
    return none
  }

  /// Returns the four bytes of a page for a write.
  private func content(
    of write: MessageReplacement.UnitWrite, _ area: TagDataArea
  ) -> [UInt8] {
    let first = write.unit * Type2Memory.pageSize
    return (first..<(first + Type2Memory.pageSize)).map { address in
      area.offset(address).flatMap { write.content[$0] } ?? memory.byte(address) ?? 0
    }
  }

  /// Restores the pages that were written before a page was refused, the last one first, so that
  /// the length comes last again; returns the error to throw.
  private mutating func rollBack(
    _ pages: some BidirectionalCollection<(page: Int, bytes: [UInt8])>, _ error: NFCError,
    _ link: TagLink
  ) -> NFCError {
    guard !pages.isEmpty else { return error }
    do {
      try memory.selectAgain(link)
      for (page, bytes) in pages.reversed() { try memory.write(bytes, page: page, link) }
      return error
    } catch {
      return NFCError(
        .tagRefused,
        "a page of the tag cannot be written; the tag no longer holds a message",
        cause: (error as? NFCError)?.cause, place: (error as? NFCError)?.place)
    }
  }

  /// Reads a page that holds bytes which the message does not cover, so that they are written back as they are.
  private mutating func complete(_ page: Int, _ area: TagDataArea, _ link: TagLink) throws {
    let addresses = (page * Type2Memory.pageSize)..<((page + 1) * Type2Memory.pageSize)
    guard memory.page(page) == nil, addresses.contains(where: { area.offset($0) == nil }) else {
      return
    }
    try memory.load(page..<(page + 1), link)
  }
}
