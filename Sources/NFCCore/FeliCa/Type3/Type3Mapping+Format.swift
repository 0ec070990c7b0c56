/// Making NDEF tags of blank ones, and read-only ones of those.
extension Type3Mapping {
  /// FeliCa Lite and Lite-S: writes the attribute block and, if the card does not present itself as
  /// an NDEF tag yet, SYS_OP in MC, which other readers notice from the next power-up on. No other
  /// bit of MC is changed; SYS_OP can be reset while MC_ALL is open.
  ///
  /// For a plain type 3 tag without an attribute block, the number of blocks and its limits are
  /// found by trial. Other FeliCa cards have no NDEF system, and creating one requires their
  /// issuer's keys.
  ///
  /// A tag that is not formatted is refused if its blocks contain data, unless it is to be wiped;
  /// checking this requires reading all of them.
  mutating func format(wipe: Bool, _ link: TagLink) throws {
    guard try ndefSystem(link) != nil else {
      throw NFCError(
        .unsupported,
        "the card has no NDEF system; only its issuer can add one, with the card's keys")
    }
    let status = try statusForWriting(link)
    switch status.access {
    case .readWrite: try write([], link)
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    case .notSupported:
      if !wipe { try checkBlank(link) }
      try writeAttributeBlock(link)
    }
    discardCachedContent()
  }

  /// A first attribute block.
  private mutating func writeAttributeBlock(_ link: TagLink) throws {
    let attributes = try replacement(link)
    let number = [Type3AttributeBlock.number]
    guard isLite, var configuration, !configuration.supportsNDEF else {
      return try write([attributes.encoded], to: number, link)
    }
    guard configuration.systemBlocksAreWritable else {
      throw NFCError(
        .unsupported, "the card's options are locked, and it does not answer as an NDEF tag",
        place: .block(Self.configurationBlock))
    }
    configuration.supportsNDEF = true
    let bytes = configuration.bytes
    try link.uninterrupted {
      try write([attributes.encoded], to: number, link)
      try write([bytes], to: [Self.configurationBlock], link)
    }
  }

  /// Refuses a tag whose blocks hold anything.
  private func checkBlank(_ link: TagLink) throws {
    let last = isLite ? FeliCaLiteLayout.scratchPads.upperBound : try lastBlock(link)
    var limit = FeliCaBlockLimits(pmm: target.pmm).read
    if isLite { limit = FeliCaLiteLayout.maximumBlocksRead }
    for first in stride(from: 0, through: last, by: Self.blocksAtOnce) {
      let numbers = Array(first...min(first + Self.blocksAtOnce - 1, last))
      let blocks = try procedure(link).read(
        service: Self.readService, blocks: numbers, limit: &limit)
      let used = zip(numbers, blocks).first { number, block in
        block.contains { $0 != 0 } && !(number == 0 && Self.isEmptyAttributeBlock(block))
      }
      guard let used else { continue }
      throw NFCError(
        .unsupported,
        "the tag holds something that is not NDEF, which formatting would overwrite",
        cause: .foreignContent, place: .block(used.0))
    }
  }

  /// Returns whether a block is what an interrupted format leaves.
  private static func isEmptyAttributeBlock(_ block: [UInt8]) -> Bool {
    guard let attributes = try? Type3AttributeBlock(block) else { return false }
    return attributes.length == 0
  }

  /// The number of blocks that are held in memory while a tag is searched.
  private static let blocksAtOnce = 240

  /// Returns the attribute block for a tag that has none, or a broken one: an empty message.
  func replacement(_ link: TagLink) throws -> Type3AttributeBlock {
    isLite ? try liteAttributes() : try plainAttributes(link)
  }

  private func liteAttributes() throws -> Type3AttributeBlock {
    guard let openBlocks else {
      throw NFCError(.tagResponseError, "the card did not report its memory configuration")
    }
    let pads = FeliCaLiteLayout.scratchPads
    if let closed = pads.first(where: { !openBlocks.contains($0) }) {
      throw NFCError(
        .readOnly, "blocks of the card are locked or require a key", place: .block(closed))
    }
    return Type3AttributeBlock(
      maximumBlocksRead: UInt8(FeliCaLiteLayout.maximumBlocksRead),
      maximumBlocksWritten: UInt8(FeliCaLiteLayout.maximumBlocksWritten),
      dataBlocks: UInt16(pads.upperBound))
  }

  // MARK: Plain tags

  /// Returns the limits of a plain tag, found by trial.
  private func plainAttributes(_ link: TagLink) throws -> Type3AttributeBlock {
    guard try isGranted({ _ = try read([Type3AttributeBlock.number], link) }) else {
      throw NFCError(.unsupported, "the tag's blocks cannot be read without a key")
    }
    let last = try lastBlock(link)
    guard last > 0 else {
      throw NFCError(.unsupported, "the tag has no block for a message")
    }
    let readable = min(FeliCaReadWithoutEncryption.maximumBlocks, last)
    let nbr = try largest(1...readable) { count in
      try isGranted { try readAtOnce(Array(1...count), link) }
    }
    // They are written back unchanged: a trial leaves what was there.
    let writable = min(
      FeliCaWriteWithoutEncryption.maximumBlocks, procedure(link).largestWrite(upTo: last), last)
    let content = try (1...writable).flatMap { try read([$0], link) }
    let nbw = try largest(1...content.count) { count in
      try isGranted {
        try writeAtOnce(Array(content.prefix(count)), to: Array(1...count), link)
      }
    }
    return Type3AttributeBlock(
      maximumBlocksRead: UInt8(nbr), maximumBlocksWritten: UInt8(nbw),
      dataBlocks: UInt16(clamping: last))
  }

  /// Reads blocks by one command, or not at all.
  private func readAtOnce(_ numbers: [Int], _ link: TagLink) throws {
    let list = FeliCaBlockList(serviceCodes: [Self.readService], blocks: Self.blocks(numbers))
    _ = try FeliCaExchange.send(
      FeliCaReadWithoutEncryption(idm: idm ?? target.idm, list: list), link)
  }

  /// Writes blocks by one command, or not at all.
  private func writeAtOnce(_ data: [[UInt8]], to numbers: [Int], _ link: TagLink) throws {
    let list = FeliCaBlockList(serviceCodes: [Self.writeService], blocks: Self.blocks(numbers))
    try FeliCaExchange.send(
      FeliCaWriteWithoutEncryption(idm: idm ?? target.idm, list: list, data: data), link)
  }

  private static func blocks(_ numbers: [Int]) -> [FeliCaBlock] {
    numbers.map { FeliCaBlock(UInt16(clamping: $0)) }
  }

  /// Finds the number of the last block by doubling and halving.
  private func lastBlock(_ link: TagLink) throws -> Int {
    let exists: (Int) throws -> Bool = { number in
      try isGranted { _ = try read([number], link) }
    }
    var bound = 1
    while bound <= Int(UInt16.max), try exists(bound) { bound *= 2 }
    guard bound > 1 else { return 0 }
    return try largest((bound / 2)...min(bound - 1, Int(UInt16.max)), exists)
  }

  /// Returns the largest number for which the condition is true, given that it is true for the
  /// smallest and false above that number.
  private func largest(_ range: ClosedRange<Int>, _ holds: (Int) throws -> Bool) rethrows -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high + 1) / 2
      if try holds(middle) { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// A refusal by status flags is an answer; silence is not.
  private func isGranted(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as NFCError {
      guard case .statusFlags? = error.cause else { throw error }
      return false
    }
  }

  // MARK: Locking

  /// Sets RWFlag to 00; on FeliCa Lite and Lite-S, also removes the right to write S_PAD0 to
  /// S_PAD13 in MC. **The latter cannot be undone**, and takes effect at the next power-up; a plain
  /// tag has only the flag, which well-behaved readers obey.
  ///
  /// A lock that an interrupted run has left incomplete is completed. On FeliCa Lite and Lite-S,
  /// only MC matters: a flag in a block that can no longer be written is not changed.
  mutating func lock(_ link: TagLink) throws {
    let work = try preparedLock(link)
    guard !work.writes.isEmpty else { return }
    try link.uninterrupted {
      for write in work.writes { try self.write([write.after], to: [write.block], link) }
      discardCachedContent()
      let isFlagRight = try attributes(link)?.isWritable == work.isFlagSetAfterwards
      let isConfigurationRight =
        configuration?.writableBlocks.isDisjoint(with: FeliCaLiteLayout.scratchPads) ?? true
      guard isFlagRight, isConfigurationRight else {
        throw NFCError(.tagRefused, "the tag accepted the lock but is not locked")
      }
    }
  }

  mutating func lockPlan(_ link: TagLink) throws -> [LockStep] {
    try preparedLock(link).writes.map {
      LockStep(.block($0.block), .bytes(before: $0.before, after: $0.after))
    }
  }

  /// The result of the checks before a lock.
  private struct LockWork {
    var writes: [(block: Int, before: [UInt8], after: [UInt8])] = []
    /// The state of RWFlag after the lock: a block that can no longer be written keeps it.
    let isFlagSetAfterwards: Bool
  }

  private mutating func preparedLock(_ link: TagLink) throws -> LockWork {
    guard let known = try attributes(link) else {
      throw NFCError.notFormatted
    }
    var locked = configuration
    locked?.writableBlocks.subtract(FeliCaLiteLayout.scratchPads)
    let isOpen = locked != configuration
    if let configuration, isOpen, !configuration.restrictionsAreWritable {
      throw NFCError(
        .unsupported, "the card's blocks can no longer be locked",
        place: .block(Self.configurationBlock))
    }
    let flagCanBeWritten = openBlocks?.contains(Type3AttributeBlock.number) ?? true
    let writesFlag = known.isWritable && flagCanBeWritten
    var work = LockWork(isFlagSetAfterwards: known.isWritable && !writesFlag)
    if writesFlag {
      var attributes = known
      attributes.isWritable = false
      work.writes.append((Type3AttributeBlock.number, known.encoded, attributes.encoded))
    }
    if isOpen, let before = configuration?.bytes, let after = locked?.bytes {
      work.writes.append((Self.configurationBlock, before, after))
    }
    return work
  }
}
