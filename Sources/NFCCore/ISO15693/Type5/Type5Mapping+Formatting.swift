extension Type5Mapping {
  /// Writes a container and an empty message, the container last, so that a tag that is removed
  /// before has not changed. A formatted tag is emptied, even if it is broken.
  ///
  /// A tag that is not formatted is read as a whole before anything is written, and refused if it holds
  /// something, unless `wipe` is set.
  ///
  /// - Throws: `unsupported` for a tag that does not report its size, or has other content;
  ///   `readOnly`.
  mutating func format(wipe: Bool, _ link: ISO15693Link) throws {
    try revalidate(link, forWriting: true)
    if let layout = try layout(link, repairing: true) {
      guard layout.container.writeAccess == 0 else {
        throw NFCError(.readOnly, "the tag is read-only")
      }
      if layout.room >= TagLengthValue.shortestHeader || !wipe { return try write([], link) }
    }
    try withAccess(link) { try $0.askSize() }
    guard let size = knowledge.blockSize, let count = knowledge.blockCount else {
      throw NFCError(.unsupported, "the tag does not report the size of its memory")
    }
    // Whether the tag reads several blocks is tried on the two that are to be written.
    if count > 1 { _ = try withAccess(link) { try $0.readBlocks(0..<2) } }
    let new = makeContainer(size: size, count: usableBlocks(of: count))
    let content =
      new.encoded
      + TagLengthValue.block(message: [], room: new.areaUnits * Type5CapabilityContainer.unit)
    guard new.areaUnits > 0, content.count <= size * count else {
      throw NFCError(.unsupported, "the tag is too small for NDEF")
    }
    if !wipe { try checkBlank(except: content, size: size, count: count, link) }
    try write(content, size, link)
    discardCachedContent()
  }

  /// Returns a block that counts is not for NDEF.
  private func usableBlocks(of count: Int) -> Int {
    min(count, knowledge.counterBlock ?? count)
  }

  /// Refuses a tag that has content: bytes other than 00 and FF, and other than what an interrupted
  /// format has left.
  private mutating func checkBlank(
    except content: [UInt8], size: Int, count: Int, _ link: ISO15693Link
  ) throws {
    let addresses = 0..<(usableBlocks(of: count) * size)
    let refusal = "the tag holds something that is not NDEF, which formatting would overwrite"
    do {
      try load(addresses, link)
    } catch let error as NFCError where error.vicinityRefusal != nil {
      throw NFCError(.unsupported, "\(refusal): \(error.reason)", place: error.place)
    }
    for address in addresses {
      guard let byte = image.byte(address), byte != 0x00, byte != 0xFF else { continue }
      if content.indices.contains(address), content[address] == byte { continue }
      throw NFCError(
        .unsupported, refusal, cause: .foreignContent, place: .block(address / size))
    }
  }

  private mutating func write(
    _ content: [UInt8], _ size: Int, _ link: ISO15693Link
  ) throws {
    let end = (content.count + size - 1) / size
    try load(0..<(end * size), link)
    var blocks = (0..<end).map { image.block($0) ?? [UInt8](repeating: 0, count: size) }
    for (address, byte) in content.enumerated() { blocks[address / size][address % size] = byte }
    for number in blocks.indices.dropFirst() where blocks[number] != image.block(number) {
      try store(blocks[number], block: number, link)
    }
    // The first write may have shown that the option flag is needed: the container says so too.
    if knowledge.needsWriteOption == true {
      blocks[0][Type5CapabilityContainer.featuresIndex] |=
        Type5CapabilityContainer.Features.specialFrame.rawValue
    }
    try store(blocks[0], block: 0, link)
  }

  private func makeContainer(size: Int, count: Int) -> Type5CapabilityContainer {
    let isWide = count > ISO15693Access.largestNarrowCount
    var features: Type5CapabilityContainer.Features = []
    if knowledge.readLimit != 1 { features.insert(.readMultipleBlocks) }
    if knowledge.product?.traits.locking == .blocks { features.insert(.lockBlock) }
    let unit = Type5CapabilityContainer.unit
    let short = (size * count - Type5CapabilityContainer.shortLength) / unit
    let units =
      short > Type5CapabilityContainer.largestShortArea
      ? (size * count - Type5CapabilityContainer.longLength) / unit : short
    // Two-byte numbers require the extended commands: some chips with this many blocks lack them.
    return Type5CapabilityContainer(
      isWide: isWide && knowledge.wideNumbers != .protocolExtension, areaUnits: units,
      features: features)
  }
}
