/// Making NDEF tags of blank ones, and read-only ones of those.
extension Type3Mapping {
  /// FeliCa Lite and Lite-S: writes the attribute block and, where the card does not answer as an NDEF
  /// tag yet, SYS_OP in MC, which other readers see from the next power-up on. No other bit of MC is
  /// changed; SYS_OP can be taken back while MC_ALL is open.
  ///
  /// A plain type 3 tag without an attribute block is asked by trial how many blocks it has and takes.
  /// Other FeliCa cards have no NDEF system, and only their issuer's keys can make one.
  mutating func format(_ link: TagLink) throws {
    guard let idm = try ndefSystem(link) else {
      throw NFCError(
        .unsupported,
        "the card has no NDEF system; only its issuer can add one, with the card's keys")
    }
    let exchange = Type3Exchange(idm: idm, link: link)
    if let known = try knownAttributes(link) {
      guard try status(link).access == .readWrite else {
        throw NFCError(.readOnly, "the tag is read-only")
      }
      var empty = known
      empty.length = 0
      empty.isBeingWritten = false
      if empty != known {
        try exchange.write([empty.encoded], to: [Type3AttributeBlock.number])
      }
    } else if isLite {
      try formatLite(exchange)
    } else {
      try formatPlain(exchange)
    }
    forgetContent()
  }

  /// `nil` too for an attribute block that is broken: a new one takes its place.
  private mutating func knownAttributes(_ link: TagLink) throws -> Type3AttributeBlock? {
    do {
      return try attributes(link)
    } catch let error as NFCError
      where error.code == .malformedContent && error.place == .block(Type3AttributeBlock.number)
    {
      return nil
    }
  }

  private func formatLite(_ exchange: Type3Exchange) throws {
    guard var configuration, let openBlocks else {
      throw NFCError(.tagResponseError, "the card has not told its memory configuration")
    }
    let pads = FeliCaLiteLayout.scratchPads
    if let closed = pads.first(where: { !openBlocks.contains($0) }) {
      throw NFCError(
        .readOnly, "blocks of the card are locked or want a key", place: .block(closed))
    }
    guard configuration.supportsNDEF || configuration.systemBlocksAreWritable else {
      throw NFCError(
        .unsupported, "the card's options are locked, and it does not answer as an NDEF tag",
        place: .block(Self.configurationBlock))
    }
    let attributes = Type3AttributeBlock(
      maximumBlocksRead: UInt8(FeliCaLiteLayout.maximumBlocksRead),
      maximumBlocksWritten: UInt8(FeliCaLiteLayout.maximumBlocksWritten),
      dataBlocks: UInt16(pads.upperBound))
    try exchange.write([attributes.encoded], to: [Type3AttributeBlock.number])
    guard !configuration.supportsNDEF else { return }
    configuration.supportsNDEF = true
    try exchange.write([configuration.bytes], to: [Self.configurationBlock])
  }

  // MARK: Plain tags

  private func formatPlain(_ exchange: Type3Exchange) throws {
    guard try isGranted({ _ = try exchange.read([Type3AttributeBlock.number]) }) else {
      throw NFCError(.unsupported, "the tag's blocks cannot be read without a key")
    }
    let last = try lastBlock(exchange)
    guard last > 0 else {
      throw NFCError(.unsupported, "the tag has no block for a message")
    }
    let readable = min(FeliCaReadWithoutEncryption.maximumBlocks, last)
    let nbr = try largest(1...readable) { count in
      try isGranted { _ = try exchange.read(Array(1...count)) }
    }
    // Written back as they are: what a trial leaves is what was there.
    let writable = Type3Exchange.blocksPerWrite(
      FeliCaWriteWithoutEncryption.maximumBlocks, upTo: last, exchange.link)
    let content = try (1...min(writable, last)).flatMap { try exchange.read([$0]) }
    let nbw = try largest(1...content.count) { count in
      try isGranted { try exchange.write(Array(content.prefix(count)), to: Array(1...count)) }
    }
    let attributes = Type3AttributeBlock(
      maximumBlocksRead: UInt8(nbr), maximumBlocksWritten: UInt8(nbw),
      dataBlocks: UInt16(clamping: last))
    try exchange.write([attributes.encoded], to: [Type3AttributeBlock.number])
  }

  /// The number of the last block, found by doubling and halving.
  private func lastBlock(_ exchange: Type3Exchange) throws -> Int {
    let exists: (Int) throws -> Bool = { number in
      try isGranted { _ = try exchange.read([number]) }
    }
    var bound = 1
    while bound <= Int(UInt16.max), try exists(bound) { bound *= 2 }
    guard bound > 1 else { return 0 }
    return try largest((bound / 2)...min(bound - 1, Int(UInt16.max)), exists)
  }

  /// The largest number that holds, given that the smallest does and that none holds above it.
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

  /// Sets RWFlag to 00; on FeliCa Lite and Lite-S, takes away the right to write S_PAD0 to S_PAD13 in
  /// MC as well. **The latter cannot be undone**, and counts from the next power-up; a plain tag has
  /// nothing but the flag, which well-behaved readers obey.
  mutating func lock(_ link: TagLink) throws {
    guard let known = try attributes(link), let idm else {
      throw NFCError(.notNDEF, "the card is not an NDEF tag")
    }
    if let configuration, !configuration.restrictionsAreWritable {
      throw NFCError(
        .unsupported, "the card's blocks can no longer be locked",
        place: .block(Self.configurationBlock))
    }
    let exchange = Type3Exchange(idm: idm, link: link)
    var attributes = known
    attributes.isWritable = false
    try exchange.write([attributes.encoded], to: [Type3AttributeBlock.number])
    formatting = .formatted(attributes)
    guard var locked = configuration else { return }
    locked.writableBlocks.subtract(FeliCaLiteLayout.scratchPads)
    try exchange.write([locked.bytes], to: [Self.configurationBlock])
    configuration = locked
  }
}
