extension Type5Mapping {
  /// Makes the tag read-only permanently: first the write access in the container, then every block
  /// of container and area (Type 5 Tag 1.0, 7.5.4). **Cannot be undone.**
  ///
  /// The locks are checked whatever the container says, and open blocks are locked. What the chip
  /// is known to lock takes precedence over the container. Before the first lock, the last block is
  /// written unchanged, which a protected block refuses; a container that was written before the
  /// first lock is refused is restored. Locked blocks are read back.
  ///
  /// - Throws: `unsupported` before anything is written for a chip that does not lock each block.
  mutating func lock(_ link: ISO15693Link) throws {
    let work = try preparedLock(link)
    guard let last = work.open.last else { return }
    let size = try askBlockSize(link)
    if last != 0 { try load(last * size..<(last + 1) * size, link) }
    try link.uninterrupted { try close(work.open, work.container, link) }
    locks = [:]
    if let first = try openBlocks(of: work.covered, link).first {
      throw NFCError(
        .tagResponseError, "the tag accepted every lock, but this block is not locked",
        place: .block(first))
    }
  }

  mutating func lockPlan(_ link: ISO15693Link) throws -> [LockStep] {
    let work = try preparedLock(link)
    var steps: [LockStep] = []
    if work.container != nil, let before = image.block(0) {
      let after = Self.closed(before)
      steps.append(LockStep(.block(0), .bytes(before: before, after: after)))
    }
    return steps + work.open.reversed().map { LockStep(.block($0), .lock) }
  }

  /// The result of the checks before a lock.
  private struct LockWork {
    /// The blocks that are locked afterwards.
    let covered: Range<Int>
    /// Those of them that are open now.
    let open: [Int]
    /// The container, if its access is still to be closed.
    let container: Type5CapabilityContainer?
  }

  private mutating func preparedLock(_ link: ISO15693Link) throws -> LockWork {
    try revalidate(link, forWriting: true)
    guard let layout = try layout(link, repairing: false) else {
      throw NFCError.notFormatted
    }
    try checkLocking()
    try link.checkLocks()
    let size = try askBlockSize(link)
    let end = (lockedEnd(layout) + size - 1) / size
    let covered = 0..<min(end, knowledge.blockCount ?? end)
    let open = try openBlocks(of: covered, link)
    try load(0..<layout.container.length, link)
    let isContainerOpen =
      layout.container.writeAccess != Type5CapabilityContainer.accessNever && open.contains(0)
    return LockWork(
      covered: covered, open: open, container: isContainerOpen ? layout.container : nil)
  }

  /// Returns block 0 with a container that allows no writing.
  private static func closed(_ block: [UInt8]) -> [UInt8] {
    guard block.indices.contains(Type5CapabilityContainer.accessIndex) else { return block }
    var block = block
    block[Type5CapabilityContainer.accessIndex] |= Type5CapabilityContainer.accessNever
    return block
  }

  /// Returns the end of the locked part: a reader that counts the area in another way must find
  /// nothing open in it, either.
  private func lockedEnd(_ layout: Layout) -> Int {
    let container = layout.container
    let stated = container.length + container.areaUnits * Type5CapabilityContainer.unit
    return max(layout.area.upperBound, min(stated, usableMemorySize ?? stated))
  }

  private func checkLocking() throws {
    switch knowledge.product?.traits.locking {
    case .containerOnly:
      throw NFCError(
        .unsupported,
        "this chip locks only blocks 0 and 1: the rest is closed by the protection of its areas, and its "
          + "wired side can still write")
    case .sectors:
      throw NFCError(
        .unsupported, "this chip locks sectors with a custom command, and no single blocks")
    case .blocks, nil: return
    }
  }

  /// Returns the blocks that are not locked, in order.
  private mutating func openBlocks(of numbers: Range<Int>, _ link: ISO15693Link) throws -> [Int] {
    let statuses = try withAccess(link) { try $0.securityStatus(numbers) }
    return zip(numbers, statuses).filter { $0.1 & ISO15693Block.lockedBit == 0 }.map { $0.0 }
  }

  /// Closes the container and locks these blocks, the last first: block 0, with the container,
  /// comes last.
  ///
  /// - Parameter container: the current container; `nil` if it is closed, or cannot be.
  private mutating func close(
    _ open: [Int], _ container: Type5CapabilityContainer?, _ link: ISO15693Link
  ) throws {
    if let last = open.last, last != 0, let data = image.block(last) {
      try store(data, block: last, link)
    }
    let old = image.block(0)
    if container != nil, let old { try store(Self.closed(old), block: 0, link) }
    var hasLocked = false
    for number in open.reversed() {
      do {
        try withAccess(link) { try $0.lockBlock(number) }
        hasLocked = true
      } catch let error as NFCError where !hasLocked && error.vicinityRefusal != nil {
        if container != nil, let old { try store(old, block: 0, link) }
        link.changesWereTakenBack()
        guard error.isRefusalOfCommand else { throw error }
        throw NFCError(
          .unsupported, "the tag refuses to lock blocks; nothing has been changed",
          cause: error.cause, place: error.place)
      }
    }
  }
}
