extension Type2Mapping {
  /// One WRITE for each page that changes, and two for the page with the length: first with 0,
  /// finally with the new length; see ``MessageReplacement`` for the cost of other TLVs. An
  /// existing message is read first, as in ``read(_:)``.
  ///
  /// If the tag refuses to write a page, the write ends, and earlier writes are taken back; see ``UnitMemory``. The
  /// error is `readOnly`, or `notAuthenticated` if the chip's settings say that a password is needed.
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
    // With the terminator of the old message, which a refusal leaves as it was.
    if old.end < reachableSize(layout), !layout.isBroken {
      try load(old.end..<old.end + 1, area, link)
    }
    let held = memory
    let writes = replacement.writes(
      old: { area.address($0).flatMap { held.byte($0) } },
      unit: { (area.address($0) ?? 0) / Type2Memory.pageSize }, farthestFirst: true)
    var pages: [WholeUnit] = []
    // The content of each page after the writes before.
    var current = memory
    for write in writes {
      try complete(write.unit, area, link)
      if current.page(write.unit) == nil { current.keep(memory.page(write.unit), write.unit) }
      let page = content(of: write, area, current)
      pages.append(WholeUnit(unit: write.unit, data: page))
      current.keep(page, write.unit)
    }
    do {
      try memory.perform(pages, link)
    } catch let error as NFCError where error.code == .readOnly {
      throw try reason(of: error, link)
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
    of write: MessageReplacement.UnitWrite, _ area: TagDataArea, _ memory: Type2Memory
  ) -> [UInt8] {
    let first = write.unit * Type2Memory.pageSize
    return (first..<(first + Type2Memory.pageSize)).map { address in
      area.offset(address).flatMap { write.content[$0] } ?? memory.byte(address) ?? 0
    }
  }

  /// Returns the reason why a page cannot be written, if the chip's settings say so: it requires a password or key, or
  /// does not exist.
  ///
  /// The tag has refused, and has its old content. Costs the exchanges that identify the chip, and one.
  private mutating func reason(of error: NFCError, _ link: TagLink) throws -> NFCError {
    guard case .page(let page) = error.place else { return error }
    do {
      try memory.selectAgain(link)
      guard let chip = try identify(link) else { return error }
      if let size = chip.memorySize, page * Type2Memory.pageSize >= size {
        return NFCError(
          .readOnly, "the capability container claims more memory than the tag has",
          cause: error.cause, place: error.place)
      }
      guard let (settings, byte) = chip.firstProtectedPage,
        let settingsPage = try memory.readBack(settings, link), page >= Int(settingsPage[byte])
      else { return error }
      let secret = if case .password = chip.access { "password" } else { "key" }
      return NFCError(
        .notAuthenticated, "the tag requires a \(secret) before this page can be written",
        cause: error.cause, place: error.place)
    } catch let other as NFCError where other.group == .refusal || other.code == .tagResponseError {
      return error
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
