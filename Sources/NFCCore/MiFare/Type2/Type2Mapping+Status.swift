extension Type2Mapping {
  /// READ of pages 2 to 5, then the message with the byte after it and, if they are near, the dynamic lock bits;
  /// otherwise one READ more for those.
  mutating func content(_ link: TagLink) throws -> (status: NDEFStatus, message: [UInt8]?) {
    try procedure(link) { mapping in
      mapping.triesFastRead = true
      defer { mapping.triesFastRead = false }
      if case .layout(let layout) = try mapping.find(from: Type2Memory.lockPage, link) {
        try mapping.loadContent(layout, link)
      }
      let status = try mapping.status(replacing: false, link)
      return (status, status.access == .notSupported ? nil : try mapping.message(link))
    }
  }

  /// With FAST_READ, so many pages that nobody asks for take less time than another exchange: 0.7 ms each on the air
  /// and on a serial line, and READ takes 2 ms on the air, 3 ms on the line, and the reader's own time.
  private static let largestGap = 12

  /// Reads the message, the byte after it, which may be a terminator, and dynamic lock bits that are near.
  private mutating func loadContent(_ layout: Layout, _ link: TagLink) throws {
    let message = layout.message
    let last = message.end < layout.area.size ? message.end : max(message.end - 1, message.offset)
    guard let firstByte = layout.area.address(message.offset),
      let lastByte = layout.area.address(last)
    else { return }
    var pages = Type2Memory.pages(holding: firstByte..<lastByte + 1)
    while !pages.isEmpty, memory.page(pages.lowerBound) != nil { pages = pages.dropFirst() }
    guard !pages.isEmpty else { return }
    let (bits, _) = likelyLockBits(layout, link)
    if let lockPage = Set(bits.compactMap(\.dynamicPage)).first, lockPage >= pages.upperBound {
      let isNear =
        memory.fastRead == .avoided
        // The answer to the last READ has it.
        ? (lockPage - pages.lowerBound) / Type2Memory.pagesPerRead
          == (pages.count - 1) / Type2Memory.pagesPerRead
        : lockPage - pages.upperBound < Self.largestGap
      if isNear { pages = pages.lowerBound..<lockPage + 1 }
    }
    do {
      try memory.load(pages, link)
    } catch let error as NFCError where error.code == .tagRefused {
      // Some of them require a password: those that are needed are read one after the other.
      try memory.selectAgain(link)
    }
  }

  /// READ of pages 2 to 5, with lock bits and capability container, and of the dynamic lock bits;
  /// one more if other TLVs may follow the message.
  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    try procedure(link) { try $0.status(replacing: false, link) }
  }

  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus {
    try procedure(link) { try $0.status(replacing: true, link) }
  }

  private mutating func status(replacing: Bool, _ link: TagLink) throws -> NDEFStatus {
    guard
      case .layout(let layout) = try find(
        from: Type2Memory.lockPage, replacing: replacing, link)
    else { return .notSupported }
    let isWritable = try layout.container.isWritable && !isAnyPageLocked(layout, link)
    let kept = try following(layout, withMessage: replacing, link)
    return NDEFStatus(
      access: isWritable ? .readWrite : .readOnly,
      capacity: TagLengthValue.capacity(
        room: reachableSize(layout) - layout.message.offset - kept.count))
  }

  /// Returns the size of the data area before pages that a password closes, in bytes.
  func reachableSize(_ layout: Layout) -> Int {
    min(layout.area.size, readableSize ?? layout.area.size)
  }

  /// Returns whether a lock bit of a page in the data area is set.
  private mutating func isAnyPageLocked(_ layout: Layout, _ link: TagLink) throws -> Bool {
    if let isLocked { return isLocked }
    try memory.load(Type2Memory.lockPage..<Type2Memory.firstDataPage, link)
    var (bits, isPlaceAssumed) = likelyLockBits(layout, link)
    for page in Set(bits.compactMap(\.dynamicPage)).sorted() {
      guard try !loadLocks(page, layout, link) else { continue }
      bits = [.static]
    }
    var verdicts = Set(bits.map { isClosed(layout, by: $0) })
    if verdicts.count > 1, let known = try identify(link)?.lockBits {
      // Chips of one size differ in what these bits mean.
      verdicts = [isClosed(layout, by: known)]
    } else if isPlaceAssumed, verdicts == [true], !isClosed(layout, by: .static) {
      verdicts = [try isLocked(layout, byAssumed: bits, link)]
    }
    let isLocked = verdicts.contains(true)
    self.isLocked = isLocked
    return isLocked
  }

  /// Returns whether dynamic lock bits that are only assumed to be in a place lock the data area: those of the chip
  /// decide if it can be found out, otherwise the bits do if all of them are set, as by a transition to READ-ONLY (NFC
  /// Forum Type 2 Tag, 6.4). Clones of NTAG215 and NTAG216 have user memory where the standard has these bits, and
  /// its content says nothing.
  private mutating func isLocked(
    _ layout: Layout, byAssumed bits: [Type2LockBits], _ link: TagLink
  ) throws -> Bool {
    if let known = try identify(link)?.lockBits {
      if let page = known.dynamicPage { _ = try loadLocks(page, layout, link) }
      return isClosed(layout, by: known)
    }
    return bits.contains { bits in
      bits.locks.filter { $0.bit.page == bits.dynamicPage }.allSatisfy {
        bits.isSet($0.bit) { memory.byte($0) }
      }
    }
  }

  private func isClosed(_ layout: Layout, by bits: Type2LockBits) -> Bool {
    let pages = dataPages(layout)
    return bits.closedPages { memory.byte($0) }.contains { pages.contains($0) }
  }

  /// Returns the pages of the data area.
  func dataPages(_ layout: Layout) -> Range<Int> {
    Type2Memory
      .firstDataPage..<max(
        Type2Memory.firstDataPage,
        Type2Memory.pages(holding: 0..<layout.area.rawEnd).upperBound)
  }

  /// Returns the lock bits of the chip if it is known; otherwise those of chips with a data area of
  /// this size, or those of the standard. No irreversible change relies on this.
  ///
  /// - Returns: the bits, and whether only the standard says where they are, not the chip or its lock control TLV.
  private func likelyLockBits(
    _ layout: Layout, _ link: TagLink
  ) -> (bits: [Type2LockBits], isPlaceAssumed: Bool) {
    if let bits = identification?.chip?.lockBits { return ([bits], false) }
    let isNXP = link.target.identifier.first == ChipMaker.nxp
    let likely = Type2Chip.all.filter {
      isNXP && $0.isConfirmed && $0.blank?.size == layout.container.size
    }
    let bits = Set(likely.compactMap(\.lockBits))
    guard bits.isEmpty else { return (Array(bits), false) }
    return (
      [.standard(area: layout.area, control: layout.lockControl) ?? .static],
      layout.lockControl == nil
    )
  }

  /// Reads the dynamic lock bytes; `false` if the tag does not return them. If they can be read,
  /// the memory is as large as the capability container says, because they are after it.
  private mutating func loadLocks(
    _ page: Int, _ layout: Layout, _ link: TagLink
  ) throws -> Bool {
    do {
      try memory.load(page..<page + 1, link)
      return true
    } catch let error as NFCError where error.isRefusalOrSilence {
      try memory.selectAgain(link)
      try findReadableEnd(layout, link)
      return false
    }
  }

  /// Finds out from which page on a password closes the data area, in halves; a page at the end that can be read
  /// ends it.
  ///
  /// Throws `malformedContent` if the tag does not have this many pages.
  private mutating func findReadableEnd(_ layout: Layout, _ link: TagLink) throws {
    let pages = dataPages(layout)
    guard let last = pages.last, try !isReadable(last, link) else { return }
    let error = try unreadable(
      NFCError(.tagRefused, "the tag has refused the page", place: .page(last)), link)
    guard error.code == .notAuthenticated else { throw error }
    var (open, closed) = (Type2Memory.firstDataPage - 1, last)
    while closed - open > 1 {
      let middle = (open + closed) / 2
      if try isReadable(middle, link) { open = middle } else { closed = middle }
    }
    let end = closed * Type2Memory.pageSize
    readableSize = (0..<layout.area.size).first {
      layout.area.address($0).map { $0 >= end } ?? true
    }
  }

  private mutating func isReadable(_ page: Int, _ link: TagLink) throws -> Bool {
    do {
      try memory.load(page..<page + 1, link)
      return true
    } catch let error as NFCError where error.isRefusalOrSilence {
      try memory.selectAgain(link)
      return false
    }
  }
}
