/// NDEF on NFC Forum Type 5 tags: procedures over ``ISO15693Link``, and the facts that they have
/// learned.
///
/// The first read takes as much as one command allows, container and message together: a message
/// that fits costs one exchange. Each call begins with that exchange, which shows that the tag is
/// still present and whether its content is the same. A chip with a wired interface is read again
/// completely.
///
/// Source: NFC Forum Type 5 Tag 1.0.
struct Type5Mapping: Hashable, Sendable {
  /// The facts about the tag.
  private(set) var knowledge: ISO15693Knowledge
  private(set) var image = Type5Image()
  /// Whether an exchange of this call confirms the image.
  private var isValidated = false
  /// The blocks whose locks are known. A lock is never opened again; an open block may be locked.
  var locks: [Int: Bool] = [:]

  init(knowledge: ISO15693Knowledge) {
    self.knowledge = knowledge
  }

  /// The position of the message, and what follows it.
  struct Layout: Hashable {
    let container: Type5CapabilityContainer
    /// The addresses of the TLVs.
    let area: Range<Int>
    /// The position of the message's TLV, or where one can begin; counted from the beginning of the
    /// area.
    let offset: Int
    /// The message; `nil` if none has been begun, or it is broken.
    let message: TagLengthValue?
    /// The TLVs after the message that a new one must not destroy, counted from the beginning of
    /// the area.
    var following = 0..<0

    var room: Int { area.count - offset }
    var capacity: Int { TagLengthValue.capacity(room: room - following.count) }
  }

  mutating func beginCall() { isValidated = false }

  mutating func discardCachedContent() {
    image = Type5Image()
    isValidated = false
  }

  // MARK: Reading

  mutating func status(_ link: ISO15693Link) throws -> NDEFStatus {
    try revalidate(link, forWriting: false)
    return try status(link, repairing: false)
  }

  mutating func statusForWriting(_ link: ISO15693Link) throws -> NDEFStatus {
    try revalidate(link, forWriting: true)
    return try status(link, repairing: true)
  }

  private mutating func status(_ link: ISO15693Link, repairing: Bool) throws -> NDEFStatus {
    guard let layout = try layout(link, repairing: repairing) else { return .notSupported }
    return NDEFStatus(
      access: layout.container.writeAccess == 0 ? .readWrite : .readOnly,
      capacity: layout.capacity)
  }

  mutating func read(_ link: ISO15693Link) throws -> [UInt8]? {
    try revalidate(link, forWriting: false)
    guard let container = try container(link), container.readAccess == 0 else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted")
    }
    let area = container.length..<areaEnd(container)
    guard let message = try findMessage(in: area, link, repairing: false).message,
      message.length > 0
    else { return nil }
    let addresses = (area.lowerBound + message.value.lowerBound)..<(area.lowerBound + message.end)
    try load(addresses, link)
    return image.bytes(addresses).flatMap { MessageReplacement.isNone($0) ? nil : $0 }
  }

  /// Container and message; `nil` for a tag that is not formatted, or not to be read without the maker's
  /// own way.
  ///
  /// - Parameter repairing: whether broken content counts as the place for a new message.
  mutating func layout(_ link: ISO15693Link, repairing: Bool) throws -> Layout? {
    guard let container = try container(link), container.readAccess == 0 else { return nil }
    let area = container.length..<max(container.length, areaEnd(container))
    let found = try findMessage(in: area, link, repairing: repairing)
    var layout = Layout(
      container: container, area: area, offset: found.offset, message: found.message)
    if let message = found.message {
      layout.following = try following(message, area, isComplete: repairing, link)
    }
    return layout
  }

  // MARK: Proof

  /// Begins a call: reads the beginning of the memory, unless this call has done so.
  ///
  /// - Parameter forWriting: whether to use nothing that an earlier call has read. For reading, the
  ///   rest of a chip without a wired interface is used if its beginning is unchanged.
  mutating func revalidate(_ link: ISO15693Link, forWriting: Bool) throws {
    guard !isValidated else { return }
    let earlier = image
    image = Type5Image()
    try loadBeginning(link)
    if !forWriting, !hasWiredSide, image.agrees(with: earlier) { image = earlier }
    isValidated = true
  }

  /// Whether somebody else can write while the tag is connected; assumed for an unknown chip.
  private var hasWiredSide: Bool { knowledge.product?.traits.hasWiredSide ?? true }

  // MARK: Container

  private mutating func container(
    _ link: ISO15693Link
  ) throws -> Type5CapabilityContainer? {
    try load(0..<Type5CapabilityContainer.shortLength, link)
    let start = image.bytes(0..<Type5CapabilityContainer.shortLength) ?? []
    if Type5CapabilityContainer.isLong(start) {
      try load(0..<Type5CapabilityContainer.longLength, link)
    }
    let bytes = image.bytes(0..<Type5CapabilityContainer.longLength) ?? start
    let found = try Type5CapabilityContainer(decoding: bytes)
    guard let found else { return nil }
    // Read Multiple is tried even if the container does not announce it: only the tag's answer
    // counts.
    if found.features.contains(.specialFrame), knowledge.needsWriteOption == nil {
      knowledge.needsWriteOption = true
    }
    // The chip may be larger than those of its kind: let it say so itself.
    if knowledge.blockCount == nil, let size = likelyMemorySize,
      found.areaUnits * Type5CapabilityContainer.unit > size
    {
      try withAccess(link) { try $0.askCount() }
    }
    return found
  }

  private var likelyMemorySize: Int? {
    guard let size = image.blockSize ?? knowledge.likelyBlockSize,
      let count = knowledge.likelyBlockCount
    else { return nil }
    return size * count
  }

  /// Returns the end of the area. It never includes a block that counts what is written to it,
  /// whatever the container says.
  func areaEnd(_ container: Type5CapabilityContainer) -> Int {
    let end = container.areaEnd(memorySize: likelyMemorySize)
    return min(end, usableMemorySize ?? end)
  }

  /// The memory up to a block that counts; `nil` if its size is not known.
  var usableMemorySize: Int? {
    guard let counter = knowledge.counterBlock,
      let size = image.blockSize ?? knowledge.likelyBlockSize
    else { return likelyMemorySize }
    return counter * size
  }

  // MARK: Loading

  mutating func withAccess<Result>(
    _ link: ISO15693Link, _ body: (inout ISO15693Access) throws -> Result
  ) rethrows -> Result {
    var access = ISO15693Access(link, knowledge: knowledge)
    defer { knowledge = access.knowledge }
    return try body(&access)
  }

  /// Reads as much of the memory as one command allows.
  private mutating func loadBeginning(_ link: ISO15693Link) throws {
    try withAccess(link) { access in
      if access.knowledge.likelyBlockCount == nil { try access.askSize() }
    }
    guard let size = knowledge.likelyBlockSize else {
      return try load(0..<Type5CapabilityContainer.shortLength, link)
    }
    do {
      try loadBeginning(size, link)
    } catch let error as NFCError
      where knowledge.blockCount == nil
      && (error.vicinityRefusal == .blockNotAvailable || error.isOtherNumberOfBytes)
    {
      // NXP's chips answer with as many blocks as they have (SL2 ICS20 data sheet rev. 3.1, 3.5.3.1).
      // The chip is not what its UID says: let it say so itself.
      try withAccess(link) { try $0.askSize() }
      try loadBeginning(knowledge.blockSize ?? size, link)
    }
  }

  /// Reads container and first TLV, and whatever else the same command returns: a reader or tag that moves one block at
  /// a time returns nothing else.
  private mutating func loadBeginning(_ size: Int, _ link: ISO15693Link) throws {
    let count = (beginning(size, link) + size - 1) / size
    let needed = (Type5CapabilityContainer.longLength + size - 1) / size
    let blocks = try withAccess(link) { try $0.readBlocks(0..<count, needing: needed) }
    try image.keep(blocks.map(\.data), from: 0)
  }

  /// Returns how many bytes from the beginning one command reads at most.
  private func beginning(_ size: Int, _ link: ISO15693Link) -> Int {
    let count = min(
      max(1, (link.maximumResponseLength - 1) / size),
      knowledge.readLimit ?? ISO15693Access.largestNarrowCount,
      knowledge.likelyBlockCount ?? 1, ISO15693Access.largestNarrowCount)
    return max(count * size, Type5CapabilityContainer.shortLength)
  }

  /// Reads the blocks that hold these bytes and are not known.
  mutating func load(_ addresses: Range<Int>, _ link: ISO15693Link) throws {
    if image.blockSize == nil, knowledge.likelyBlockSize == nil {
      // A single block shows its size.
      let block = try withAccess(link) { try $0.readBlock(0) }
      try image.keep([block.data], from: 0)
    }
    guard let size = image.blockSize ?? knowledge.likelyBlockSize else { return }
    if image.blockSize == nil {
      let end = (addresses.upperBound + size - 1) / size
      try read(addresses.lowerBound / size..<max(end, addresses.lowerBound / size + 1), link)
    }
    while let numbers = image.missing(in: addresses) { try read(numbers, link) }
  }

  private mutating func read(_ numbers: Range<Int>, _ link: ISO15693Link) throws {
    let blocks = try withAccess(link) { try $0.readBlocks(numbers) }
    try image.keep(blocks.map(\.data), from: numbers.lowerBound)
  }

  /// Updates the image with what was written.
  mutating func keep(_ block: [UInt8], _ number: Int) throws {
    try image.keep([block], from: number)
  }

  // MARK: TLVs

  /// Looks for the message's TLV.
  ///
  /// - Returns: the TLV, and its position or possible position.
  /// - Throws: `malformedContent` for a value that exceeds the area, with its position in the
  ///   memory.
  private mutating func findMessage(
    in area: Range<Int>, _ link: ISO15693Link, repairing: Bool
  ) throws -> (offset: Int, message: TagLengthValue?) {
    var search = MessageSearch(TagDataArea(area), repairing: repairing)
    while true {
      switch try search.advance({ image.byte($0) }, place: { .offset($0) }) {
      case .message(let block): return (block.offset, block)
      case .place(let offset): return (offset, nil)
      case .needs(let offsets): try load(offsets, of: area, link)
      }
    }
  }

  /// Reads the blocks that contain these bytes of the area.
  mutating func load(_ offsets: Range<Int>, of area: Range<Int>, _ link: ISO15693Link) throws {
    try load(
      (area.lowerBound + offsets.lowerBound)..<(area.lowerBound + offsets.upperBound), link)
  }

  /// The maximum number of searches for what follows a message without a terminator.
  private static let searchLimit = 8

  /// Returns the TLVs after the message that a new one must not destroy.
  ///
  /// - Parameter isComplete: whether to search however far away they are, as before a write;
  ///   otherwise the search is limited.
  private mutating func following(
    _ message: TagLengthValue, _ area: Range<Int>, isComplete: Bool, _ link: ISO15693Link
  ) throws -> Range<Int> {
    for _ in 0...(isComplete ? area.count : Self.searchLimit) {
      switch message.following(size: area.count, { image.byte(area.lowerBound + $0) }) {
      case .bytes(let offsets): return offsets
      case .needs(let missing): try load(missing, of: area, link)
      }
    }
    return message.end..<message.end
  }
}

extension NFCError {
  /// The tag has answered, but not with the bytes that were requested.
  fileprivate var isOtherNumberOfBytes: Bool { code == .tagResponseError && cause == nil }
}
