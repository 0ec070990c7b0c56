extension Type2Mapping {
  /// Empties a formatted tag with at most two WRITEs; broken content in its data area is replaced.
  /// For a tag with a container and no message, writes an empty message after the existing TLVs.
  /// For a blank tag, identifies the chip, checks whether the tag has content, writes the TLVs and
  /// finally the capability container, whose bits can never be cleared again.
  mutating func format(wipe: Bool, _ link: TagLink) throws {
    switch try statusForWriting(link).access {
    case .readWrite: return try write([], link)
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    case .notSupported: try procedure(link) { try $0.formatUnformatted(wipe: wipe, link) }
    }
    layout = nil
  }

  private mutating func formatUnformatted(wipe: Bool, _ link: TagLink) throws {
    switch try find(from: Type2Memory.lockPage, link) {
    case .layout: return
    case .noContainer: try formatBlank(wipe: wipe, link)
    case .noMessage(let container, let area, let offset):
      guard container.isWritable else { throw NFCError(.readOnly, "the tag is read-only") }
      try addMessage(in: area, at: offset, link)
    }
  }

  /// Writes an empty message at the end of a formatted tag's TLVs, and before it the control TLVs
  /// of the chip if there is nothing else.
  private mutating func addMessage(
    in area: TagDataArea, at offset: Int, _ link: TagLink
  ) throws {
    let isEmpty = (0..<offset).allSatisfy { byte($0, area) == TagLengthValue.Tag.null }
    var start = offset
    var content = TagLengthValue.block(message: [], room: area.size - offset)
    if isEmpty, let blank = try identify(link)?.blank, blank.content.count <= area.size {
      start = 0
      content = blank.controlTLVs + TagLengthValue.block(message: [], room: area.size)
    }
    guard start + content.count <= area.size else {
      throw NFCError(
        .capacityExceeded, "the TLVs of the tag leave no room for a message")
    }
    try store(content, at: start, area, link)
  }

  /// Writes bytes of the data area, the last page first, so that the bytes that make them valid
  /// come last.
  private mutating func store(
    _ bytes: [UInt8], at offset: Int, _ area: TagDataArea, _ link: TagLink
  ) throws {
    try load(offset..<offset + bytes.count, area, fillingRead: true, link)
    var pages: [Int: [UInt8]] = [:]
    for (index, byte) in bytes.enumerated() {
      guard let address = area.address(offset + index) else { continue }
      let number = address / Type2Memory.pageSize
      try memory.load(number..<number + 1, link)
      var page = pages[number] ?? memory.page(number) ?? []
      guard page.count == Type2Memory.pageSize else { continue }
      page[address % Type2Memory.pageSize] = byte
      pages[number] = page
    }
    let writes = pages.sorted { $0.key > $1.key }.filter { memory.page($0.key) != $0.value }
    try memory.perform(writes.map { WholeUnit(unit: $0.key, data: $0.value) }, link)
  }

  private mutating func formatBlank(wipe: Bool, _ link: TagLink) throws {
    let container = memory.page(Type2Memory.capabilityPage) ?? []
    guard let chip = try identify(link), let blank = chip.blank, let user = chip.pages?.user,
      chip.isConfirmed
    else {
      throw identification?.readerError
        ?? NFCError(
          .unsupported, "the tag's chip is not known, so it is not known how to format it")
    }
    // The bits that are set stay set.
    let result = zip(container, blank.capabilityContainer).map { $0 | $1 }
    guard result == blank.capabilityContainer else {
      throw NFCError(
        .unsupported,
        "page 3 holds \(container.hexadecimal), and its one-time bits cannot become "
          + "a capability container", place: .page(Type2Memory.capabilityPage))
    }
    if !wipe { try checkBlank(user, blank, link) }
    var writes: [WholeUnit] = []
    for start in stride(from: 0, to: blank.content.count, by: Type2Memory.pageSize) {
      let page = Type2Memory.firstDataPage + start / Type2Memory.pageSize
      let bytes = Array(blank.content[start..<(start + Type2Memory.pageSize)])
      try memory.load(page..<page + 1, link)
      if memory.page(page) != bytes { writes.append(WholeUnit(unit: page, data: bytes)) }
    }
    writes.append(
      WholeUnit(
        unit: Type2Memory.capabilityPage, data: blank.capabilityContainer, setsBits: true))
    try memory.perform(writes, link)
    discardCachedContent()
  }

  /// Refuses a tag that has content: anything except zeros, the content on delivery, and what an
  /// interrupted format has written.
  private mutating func checkBlank(
    _ user: ClosedRange<Int>, _ blank: Type2Chip.Blank, _ link: TagLink
  ) throws {
    do {
      try memory.load(user.lowerBound..<user.upperBound + 1, link)
    } catch let error as NFCError where error.code == .tagRefused {
      throw try unreadable(error, link)
    }
    for page in user {
      let bytes = memory.page(page) ?? []
      let start = (page - user.lowerBound) * Type2Memory.pageSize
      let isDelivered = [blank.factoryContent, blank.content].contains {
        $0.dropFirst(start).prefix(Type2Memory.pageSize).elementsEqual(bytes)
      }
      guard isDelivered || bytes.allSatisfy({ $0 == 0 }) else {
        throw NFCError(
          .unsupported,
          "the tag holds data that is not NDEF, which formatting would overwrite",
          cause: .foreignContent, place: .page(page))
      }
    }
  }
}
