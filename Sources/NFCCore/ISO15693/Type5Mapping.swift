/// NDEF on NFC Forum Type 5 tags: procedures over ``ISO15693Link`` and what they have learned.
///
/// The first read takes as much as one command grants, container and message together: a message
/// that fits costs one exchange. Source: NFC Forum Type 5 Tag 1.0.
struct Type5Mapping: Hashable, Sendable {
  /// What is known of the tag.
  private(set) var knowledge: ISO15693Knowledge
  private var image = Type5Image()
  private var container: Type5CapabilityContainer??

  init(knowledge: ISO15693Knowledge) {
    self.knowledge = knowledge
  }

  // MARK: Reading

  mutating func status(_ link: ISO15693Link) throws -> NDEFStatus {
    guard let container = try loadContainer(link), container.readAccess == 0 else {
      return .notSupported
    }
    let place = try findMessage(container, link)
    let capacity = TagLengthValue.capacity(room: areaEnd(container) - place.start)
    return NDEFStatus(
      access: container.writeAccess == 0 ? .readWrite : .readOnly, capacity: capacity)
  }

  mutating func read(_ link: ISO15693Link) throws -> [UInt8]? {
    guard let container = try loadContainer(link), container.readAccess == 0 else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted")
    }
    guard let value = try findMessage(container, link).value, !value.isEmpty else { return nil }
    try load(value.upperBound, link)
    return Array(image.bytes[value])
  }

  mutating func forgetContent() {
    image = Type5Image()
    container = nil
  }

  private var memorySize: Int? {
    guard let size = knowledge.likelyBlockSize, let count = knowledge.likelyBlockCount
    else { return nil }
    return size * count
  }

  private func areaEnd(_ container: Type5CapabilityContainer) -> Int {
    container.areaEnd(memorySize: memorySize)
  }

  private mutating func withAccess<Result>(
    _ link: ISO15693Link, _ body: (inout ISO15693Access) throws -> Result
  ) rethrows -> Result {
    var access = ISO15693Access(link, knowledge: knowledge)
    defer { knowledge = access.knowledge }
    return try body(&access)
  }

  private mutating func loadContainer(
    _ link: ISO15693Link
  ) throws -> Type5CapabilityContainer? {
    if let container { return container }
    if image.bytes.isEmpty { try loadBeginning(link) }
    if image.bytes.count < Type5CapabilityContainer.shortLength {
      try load(Type5CapabilityContainer.shortLength, link)
    }
    if image.bytes[0] == Type5CapabilityContainer.narrowMagic
      || image.bytes[0] == Type5CapabilityContainer.wideMagic, image.bytes[2] == 0
    {
      try load(Type5CapabilityContainer.longLength, link)
    }
    let found = try Type5CapabilityContainer(decoding: image.bytes)
    container = .some(found)
    // Read Multiple is tried even if the container does not promise it: what the tag grants,
    // counts.
    if found?.features.contains(.specialFrame) == true, knowledge.needsWriteOption == nil {
      knowledge.needsWriteOption = true
    }
    return found
  }

  /// Reads as much of the memory as one command may.
  private mutating func loadBeginning(_ link: ISO15693Link) throws {
    try withAccess(link) { access in
      if access.knowledge.likelyBlockCount == nil { try access.askSize() }
    }
    guard let size = knowledge.likelyBlockSize else {
      return try load(Type5CapabilityContainer.shortLength, link)
    }
    do {
      try load(beginning(size, link), link)
    } catch let error as NFCError
      where error.vicinityRefusal == .blockNotAvailable && knowledge.blockCount == nil
    {
      // The chip is not what its UID says: let it tell itself.
      try withAccess(link) { try $0.askSize() }
      try load(beginning(knowledge.blockSize ?? size, link), link)
    }
  }

  /// How many bytes from the beginning one command reads at most.
  private func beginning(_ size: Int, _ link: ISO15693Link) -> Int {
    let count = min(
      max(1, (link.maximumResponseLength - 1) / size),
      knowledge.readLimit ?? ISO15693Access.largestNarrowCount,
      knowledge.likelyBlockCount ?? 1, ISO15693Access.largestNarrowCount)
    return max(count * size, Type5CapabilityContainer.shortLength)
  }

  /// Reads on until so many bytes from the beginning are known.
  private mutating func load(_ end: Int, _ link: ISO15693Link) throws {
    guard image.bytes.count < end else { return }
    var known = image.bytes
    try withAccess(link) { access in
      if access.knowledge.likelyBlockSize == nil { known = try access.readBlock(0).data }
      guard let size = access.knowledge.likelyBlockSize, known.count < end else { return }
      let first = known.count / size
      let blocks = try access.readBlocks(first..<((end + size - 1) / size))
      known = Array(known.prefix(first * size)) + blocks.flatMap(\.data)
    }
    guard known.count >= end else {
      throw NFCError(.tagResponseError, "the tag's blocks have not the size that was expected")
    }
    image.bytes = known
  }

  private mutating func findMessage(
    _ container: Type5CapabilityContainer, _ link: ISO15693Link
  ) throws -> Type5Image.Place {
    let end = areaEnd(container)
    while true {
      switch try image.findMessage(from: container.length, to: end) {
      case .found(let place): return place
      case .needs(let count): try load(count, link)
      }
    }
  }
}

// MARK: - Writing

extension Type5Mapping {
  /// Length to zero, then data and terminator, then the length (Type 5 Tag 1.0, 7.5.3). A length of
  /// three bytes that lies in two blocks is made valid by its first byte, which is written last.
  ///
  /// Only blocks that change are written. The message fits a tag that can be written: both were
  /// checked.
  mutating func write(_ message: [UInt8], _ link: ISO15693Link) throws {
    guard let container = try loadContainer(link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
    }
    let place = try findMessage(container, link)
    let end = areaEnd(container)
    guard message.count <= TagLengthValue.capacity(room: end - place.start) else {
      throw NFCError(
        .capacityExceeded, "the message has \(message.count) bytes, which do not fit the tag")
    }
    try withAccess(link) { access in
      if access.knowledge.blockSize == nil { try access.askSize() }
    }
    guard let size = knowledge.blockSize else {
      throw NFCError(.unsupported, "the tag does not tell the size of its blocks")
    }

    var final = image.bytes
    let content = TagLengthValue.block(message: message, room: end - place.start)
    let contentEnd = place.start + content.count
    pad(&final, to: contentEnd, size)
    final.replaceSubrange(place.start..<contentEnd, with: content)

    // The byte that makes the new message valid: its length, or its type where there was none.
    let commit = place.value == nil ? place.start : place.start + 1
    let commitBlock = commit / size
    let changed = changedBlocks(to: final, size, from: place.start / size)
    let others = changed.filter { $0 != commitBlock }
    guard !changed.isEmpty else { return }
    if !others.isEmpty, place.value?.isEmpty == false {
      var cleared = image.bytes
      cleared[commit] = 0
      try store(cleared, [commitBlock], size, link)
    }
    try store(final, others, size, link)
    try store(final, [commitBlock], size, link)
  }

  /// Zeros up to a whole number of blocks that holds so many bytes.
  private func pad(_ bytes: inout [UInt8], to end: Int, _ size: Int) {
    let length = (end + size - 1) / size * size
    if bytes.count < length { bytes += [UInt8](repeating: 0, count: length - bytes.count) }
  }

  /// The blocks in which the memory is not known to hold these bytes already.
  private func changedBlocks(to final: [UInt8], _ size: Int, from first: Int) -> [Int] {
    (first..<max(first, final.count / size)).filter { number in
      let range = (number * size)..<((number + 1) * size)
      return range.upperBound > image.bytes.count || image.bytes[range] != final[range]
    }
  }

  /// Writes these blocks of an image, neighbours together, and takes over what is on the tag then.
  private mutating func store(
    _ target: [UInt8], _ numbers: [Int], _ size: Int, _ link: ISO15693Link
  ) throws {
    var index = 0
    while index < numbers.count {
      var end = index + 1
      while end < numbers.count, numbers[end] == numbers[end - 1] + 1 { end += 1 }
      let range = (numbers[index] * size)..<((numbers[end - 1] + 1) * size)
      let data = Array(target[range])
      let first = numbers[index]
      try withAccess(link) { try $0.store(first, data, size: size) }
      if range.lowerBound <= image.bytes.count {
        image.bytes.replaceSubrange(
          range.lowerBound..<min(range.upperBound, image.bytes.count), with: data)
      }
      index = end
    }
  }

  /// Writes a container and an empty message: the container last, so that a tag torn away before it
  /// is as it was.
  ///
  /// - Throws: `unsupported` for a tag that does not tell its size; `readOnly`.
  mutating func format(_ link: ISO15693Link) throws {
    if let container = try loadContainer(link) {
      guard container.writeAccess == 0 else { throw NFCError(.readOnly, "the tag is read-only") }
      do {
        return try write([], link)
      } catch let error as NFCError where error.code == .malformedContent {
        // What is in the area is of no use: make it anew.
      }
    }
    try withAccess(link) { try $0.askSize() }
    guard let size = knowledge.blockSize, let count = knowledge.blockCount else {
      throw NFCError(.unsupported, "the tag does not tell the size of its memory")
    }
    // Whether the tag reads several blocks is tried on the two that are to be written.
    if count > 1 { _ = try withAccess(link) { try $0.readBlocks(0..<2) } }
    let new = makeContainer(size: size, count: count)
    let content =
      new.encoded
      + TagLengthValue.block(message: [], room: new.areaUnits * Type5CapabilityContainer.unit)
    guard new.areaUnits > 0, content.count <= size * count else {
      throw NFCError(.unsupported, "the tag is too small for NDEF")
    }
    let end = (content.count + size - 1) / size * size
    try load(end, link)
    var final = image.bytes
    final.replaceSubrange(0..<content.count, with: content)
    try store(final, Array(1..<max(1, end / size)), size, link)
    // The first write may have shown that the option flag is needed: the container says so too.
    if knowledge.needsWriteOption == true {
      final[3] |= Type5CapabilityContainer.Features.specialFrame.rawValue
    }
    try store(final, [0], size, link)
    forgetContent()
  }

  private func makeContainer(size: Int, count: Int) -> Type5CapabilityContainer {
    let isWide = count > ISO15693Access.largestNarrowCount
    var features: Type5CapabilityContainer.Features = []
    if knowledge.readLimit != 1 { features.insert(.readMultipleBlocks) }
    if knowledge.product != nil { features.insert(.lockBlock) }
    let unit = Type5CapabilityContainer.unit
    let short = (size * count - Type5CapabilityContainer.shortLength) / unit
    let units =
      short > Type5CapabilityContainer.largestShortArea
      ? (size * count - Type5CapabilityContainer.longLength) / unit : short
    // Two-byte numbers stand for the extended commands: some chips with that many blocks lack them.
    return Type5CapabilityContainer(
      isWide: isWide && knowledge.wideNumbers != .protocolExtension, areaUnits: units,
      features: features)
  }

  /// Makes the tag read-only for good: write access in the container, then every block of container
  /// and area if the tag locks blocks (Type 5 Tag 1.0, 7.5.4). **Cannot be undone.**
  mutating func lock(_ link: ISO15693Link) throws {
    guard let container = try loadContainer(link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
    }
    if container.features.contains(.lockBlock) { try link.checkLocks() }
    try withAccess(link) { access in
      if access.knowledge.blockSize == nil { try access.askSize() }
    }
    guard let size = knowledge.blockSize else {
      throw NFCError(.unsupported, "the tag does not tell the size of its blocks")
    }
    if container.writeAccess != Type5CapabilityContainer.accessNever {
      try load(size, link)
      var closed = container
      closed.writeAccess = Type5CapabilityContainer.accessNever
      var final = image.bytes
      final.replaceSubrange(0..<closed.encoded.count, with: closed.encoded)
      try store(final, [0], size, link)
      self.container = .some(closed)
    }
    guard container.features.contains(.lockBlock) else { return }
    let end = (areaEnd(container) + size - 1) / size
    try withAccess(link) { access in
      for number in 0..<min(end, access.knowledge.blockCount ?? end) {
        try access.lockBlock(number)
      }
    }
  }
}
