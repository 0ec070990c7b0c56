extension Type2Mapping {
  /// Closes every page of the data area and the capability container: first the dynamic lock bits,
  /// then write access F in the container, then the static lock bits. **Cannot be undone.**
  ///
  /// The chip is identified, and the known facts about it take precedence over its memory.
  /// Everything that is to be written is read before: bits that are already set are left out; if a
  /// bit is frozen, a page is closed by a password or the bits are not known, nothing is written.
  /// The page at the end is written first, because a password that closes any of these pages closes
  /// that one. Afterwards the bits are read back, and pages are written unchanged to see whether they are refused: a
  /// clone may give the answer of a known chip to GET_VERSION and have other lock bits.
  ///
  /// Source: NFC Forum Type 2 Tag, 6.4 (transition to READ-ONLY).
  mutating func lock(_ link: TagLink) throws {
    try procedure(link) { mapping in
      let (layout, bits, writes) = try mapping.preparedLock(link)
      guard !writes.isEmpty else { return }
      let dynamic = writes.filter { $0.page > Type2Memory.capabilityPage }
      let held = dynamic.map { (page: $0.page, bytes: mapping.memory.page($0.page) ?? $0.bytes) }
      try link.uninterrupted {
        for write in dynamic {
          try mapping.set(write, isFirst: write.page == dynamic.first?.page, link)
        }
        try mapping.checkDynamicLocks(bits, layout, held, link)
        for write in writes.dropFirst(dynamic.count) {
          try mapping.set(write, isFirst: write.page == writes.first?.page, link)
        }
        try mapping.checkLocked(bits, layout, link)
      }
      mapping.discardCachedContent()
    }
  }

  mutating func lockPlan(_ link: TagLink) throws -> [LockStep] {
    try procedure(link) { mapping in
      try mapping.preparedLock(link).writes.map { write in
        let before = mapping.memory.page(write.page) ?? mapping.emptyPage
        // The chip sets the bits that are written, and clears none.
        let after = zip(before, write.bytes).map { $0 | $1 }
        return LockStep(.page(write.page), .bytes(before: before, after: after))
      }
    }
  }

  /// Reads and checks everything before the first write.
  private mutating func preparedLock(
    _ link: TagLink
  ) throws -> (layout: Layout, bits: Type2LockBits, writes: [(page: Int, bytes: [UInt8])]) {
    guard let layout = try locate(from: Type2Memory.lockPage, link) else {
      throw NFCError.notFormatted
    }
    let bits = try finalLockBits(layout, link)
    return (layout, bits, try lockWrites(bits, layout, link))
  }

  private mutating func set(
    _ write: (page: Int, bytes: [UInt8]), isFirst: Bool, _ link: TagLink
  ) throws {
    switch try memory.attempt(
      WholeUnit(unit: write.page, data: write.bytes, setsBits: true), link)
    {
    case .written: return
    case .refused(let error):
      if isFirst { link.changesWereTakenBack() }
      throw lockRefused(error, isFirst: isFirst)
    case .unknown(let error): throw error
    }
  }

  private func lockRefused(_ error: NFCError, isFirst: Bool) -> NFCError {
    guard error.code == .readOnly else { return error }
    return NFCError(
      .notAuthenticated,
      isFirst
        ? "the tag requires a password before its lock bits are set; nothing was written"
        : "the tag has refused one of its lock bits; lock it again to complete the lock",
      cause: error.cause, place: error.place)
  }

  /// Returns the lock bits of the chip that lock the data area.
  private mutating func finalLockBits(_ layout: Layout, _ link: TagLink) throws -> Type2LockBits {
    let chip = try identify(link)
    let bits: Type2LockBits?
    if let chip, chip.isConfirmed, let known = chip.lockBits {
      bits = known
    } else {
      bits = Type2LockBits.standard(area: layout.area, control: layout.lockControl)
    }
    guard let bits else { throw unknownLockBits }
    // A chip that was observed to have them elsewhere has user memory where the standard has lock bits.
    if let observed = chip?.lockBits, observed.dynamicPage != nil,
      bits.dynamicPage ?? observed.dynamicPage != observed.dynamicPage
    {
      throw unknownLockBits
    }
    let area = pagesToClose(layout)
    let locks = bits.locks.filter {
      area.overlaps($0.pages.lowerBound..<$0.pages.upperBound + 1)
        || $0.pages.contains(Type2Memory.capabilityPage)
    }
    let closed = Set(locks.flatMap { Array($0.pages) })
    guard area.allSatisfy(closed.contains) else { throw unknownLockBits }
    return Type2LockBits(locks: locks)
  }

  /// Returns the pages of the data area and the chip's other user pages: a lock leaves no page
  /// open.
  private func pagesToClose(_ layout: Layout) -> Range<Int> {
    let area = dataPages(layout)
    guard let chip = identification?.chip, chip.isConfirmed, let user = chip.pages?.user else {
      return area
    }
    return area.lowerBound..<max(area.upperBound, user.upperBound + 1)
  }

  private var unknownLockBits: NFCError {
    NFCError(
      .unsupported,
      "it is not known where this chip has its lock bits; nothing was written")
  }

  /// Returns the writes, in order.
  private mutating func lockWrites(
    _ bits: Type2LockBits, _ layout: Layout, _ link: TagLink
  ) throws -> [(page: Int, bytes: [UInt8])] {
    for page in bits.lockPages + [Type2Memory.capabilityPage] {
      do {
        try memory.load(page..<page + 1, link)
      } catch let error as NFCError where error.code == .tagRefused {
        throw NFCError(
          .notAuthenticated, "the tag requires a password before its lock bits can be read",
          cause: error.cause, place: .page(page))
      }
    }
    var wanted: [Int: [UInt8]] = [:]
    for lock in bits.locks where !bits.isSet(lock.bit, { memory.byte($0) }) {
      guard lock.frozenBy.map({ !bits.isSet($0, { memory.byte($0) }) }) ?? true else {
        throw NFCError(
          .readOnly,
          "the lock bit of pages \(lock.pages.lowerBound) to \(lock.pages.upperBound) is frozen, "
            + "and the tag cannot be locked completely; nothing was written",
          place: .page(lock.bit.page))
      }
      wanted[lock.bit.page, default: emptyPage][lock.bit.byte] |= lock.bit.mask
    }
    for bit in bits.locks.compactMap(\.frozenBy) where wanted[bit.page] != nil {
      wanted[bit.page]?[bit.byte] |= bit.mask
    }
    // A dynamic lock page, the container, and the static lock bits, which close the container.
    var writes = wanted.filter { $0.key > Type2Memory.capabilityPage }
      .sorted { $0.key > $1.key }.map { (page: $0.key, bytes: merged($0.value, $0.key, layout)) }
    if layout.container.isWritable {
      var container = memory.page(Type2Memory.capabilityPage) ?? []
      let isClosed = bits.closedPages { memory.byte($0) }.contains(Type2Memory.capabilityPage)
      if container.count == Type2CapabilityContainer.length, !isClosed {
        container[3] |= Type2CapabilityContainer.readOnly
        writes.append((Type2Memory.capabilityPage, container))
      }
    }
    if let bytes = wanted[Type2Memory.lockPage] {
      // The first two bytes belong to the UID and do not change.
      writes.append((Type2Memory.lockPage, bytes))
    }
    return writes
  }

  private var emptyPage: [UInt8] { [UInt8](repeating: 0, count: Type2Memory.pageSize) }

  /// Returns lock bits in a page that may also hold data, as on an unknown chip.
  private func merged(_ bits: [UInt8], _ page: Int, _ layout: Layout) -> [UInt8] {
    bits.enumerated().map { index, byte in
      let address = page * Type2Memory.pageSize + index
      return layout.area.offset(address) == nil ? byte : memory.byte(address) ?? byte
    }
  }

  /// Reads back the result on the tag.
  private mutating func checkLocked(
    _ bits: Type2LockBits, _ layout: Layout, _ link: TagLink
  ) throws {
    for page in bits.lockPages {
      memory.forget(page..<page + 1)
      try memory.load(page..<page + 1, link)
    }
    let closed = Set(bits.closedPages { memory.byte($0) })
    if let open = pagesToClose(layout).first(where: { !closed.contains($0) }) {
      throw NFCError(
        .tagResponseError,
        "the tag has acknowledged its lock bits, but not set all of them", place: .page(open))
    }
    guard let last = pagesToClose(layout).last,
      let open = try openPage(among: [Type2Memory.firstDataPage, last], link)
    else { return }
    throw NFCError(
      .tagResponseError,
      "the tag has set its lock bits, but this page can still be written", place: .page(open))
  }

  /// Looks whether the dynamic lock bits lock anything, before anything else is locked. Clones of NTAG215 and NTAG216
  /// that are not known have user memory where the standard has these bits, which gets its content back; others
  /// answer GET_VERSION as NXP's chips do, and nothing but this shows what their bits do.
  ///
  /// - Parameter held: what the pages of the lock bits contained that were written.
  private mutating func checkDynamicLocks(
    _ bits: Type2LockBits, _ layout: Layout, _ held: [(page: Int, bytes: [UInt8])],
    _ link: TagLink
  ) throws {
    let area = pagesToClose(layout)
    guard bits.dynamicPage != nil, let last = area.last,
      last >= Self.firstDynamicPage,
      let open = try openPage(among: [Self.firstDynamicPage, last], link)
    else { return }
    var isRestored = true
    for (page, bytes) in held {
      if case .refused = try memory.attempt(WholeUnit(unit: page, data: bytes), link) {
        isRestored = false
        continue
      }
      memory.forget(page..<page + 1)
      try memory.load(page..<page + 1, link)
      isRestored = isRestored && memory.page(page) == bytes
    }
    var error = NFCError(
      .unsupported,
      "which bits lock this chip is not known: those in the usual place do not"
        + (isRestored ? ", and the tag is as it was" : ""), place: .page(open))
    if isRestored {
      link.changesWereTakenBack()
    } else {
      error.recovery = "those that were set stay set"
    }
    throw error
  }

  /// The first page that dynamic lock bits close.
  private static let firstDynamicPage = 16

  /// Writes pages unchanged, which a locked page refuses; returns the first that accepts it.
  ///
  /// Some chips take their lock bits into account only when they are woken again, which only a sleeping one is
  /// (NTAG203 and MF0ICU2 data sheets: after REQA or WUPA).
  private mutating func openPage(among pages: [Int], _ link: TagLink) throws -> Int? {
    for page in pages { try memory.load(page..<page + 1, link) }
    let contents = pages.map { memory.page($0) }
    try UltralightProcedure.halt(link)
    try memory.selectAgain(link)
    for (page, content) in zip(pages, contents) {
      if let content, try accepts(content, page, link) { return page }
    }
    return nil
  }

  /// Writes a page, and returns whether the tag has accepted that; it is awake again if not.
  ///
  /// A reader may report a refusal as a broken answer, or as a failure without a reason. An acknowledge that was
  /// disturbed looks the same, and a disturbed refusal like an acknowledge, but hardly twice; a tag that has refused
  /// does not listen to the second write.
  private mutating func accepts(
    _ content: [UInt8], _ page: Int, _ link: TagLink
  ) throws -> Bool {
    let attempts = 2
    var acknowledges = 0
    for _ in 0..<2 * attempts - 1 {
      do {
        try memory.write(content, page: page, link)
        acknowledges += 1
        if acknowledges == attempts { return true }
      } catch let error as NFCError where error.code == .readOnly || error.isRefusalOrSilence {
        try memory.selectAgain(link)
        return false
      } catch let error as NFCError where error.code == .tagResponseError {
        try memory.selectAgain(link)
      }
    }
    return false
  }
}
