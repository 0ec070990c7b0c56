/// NDEF on an NFC Forum Type 2 tag: NTAG, Ultralight and the like.
///
/// Page 3 holds the capability container; from page 4 on, TLVs hold the message. Source: NFC Forum
/// Type 2 Tag, 4, 5 and 6.
struct Type2Mapping: NDEFMapping {
  var memory: Type2Memory
  var layout: Layout?
  /// Whether the data area has locked pages, once that has been looked at.
  var isLocked: Bool?
  /// Whether the message has been read or written: reading it again only has to look whether it is
  /// still there.
  private var isContentKnown = false

  /// How the tag's memory is divided.
  struct Layout: Sendable {
    let container: Type2CapabilityContainer
    let area: TagDataArea
    let lockControl: ControlledArea?
    /// The first NDEF message TLV.
    var message: TagLengthValue

    var capacity: Int { TagLengthValue.capacity(room: area.size - message.offset) }
  }

  /// - Parameter product: which chip it is, if that is known already.
  init(product: TagProduct?) {
    memory = Type2Memory(fastRead: Self.fastRead(of: product))
  }

  private static func fastRead(of product: TagProduct?) -> Type2Memory.FastRead {
    switch product?.name {
    case nil: .unknown
    case "NTAG203", "MIFARE Ultralight", "MIFARE Ultralight C": .avoided
    default: .works
    }
  }

  /// What the sizes of the data area tell of FAST_READ where the chip is not known: asking for it costs
  /// the exchange and a new selection where it is missing.
  ///
  /// In 48 bytes it saves two exchanges at most. NTAG203 and Ultralight C, which lack it, share their
  /// size of 144 bytes with NTAG213 alone, which comes with a lock control TLV of its own.
  private static func mayHaveFastRead(size: UInt8, lockControl: ControlledArea?) -> Bool {
    switch size {
    case ...0x06: false
    case 0x12: lockControl?.lockBits == 12
    default: true
    }
  }

  mutating func forgetContent() {
    memory.forget()
    layout = nil
    isContentKnown = false
  }

  // MARK: Layout

  /// Finds the message: `nil` if the tag is not NDEF formatted.
  ///
  /// One READ, if its answer has the head of the message; one more for each that is needed to get past
  /// other TLVs.
  ///
  /// - Parameter firstPage: where to begin; four pages come at once.
  mutating func locate(from firstPage: Int, _ link: TagLink) throws -> Layout? {
    if let layout { return layout }
    do {
      try memory.load(firstPage..<(firstPage + Type2Memory.pagesPerRead), link)
    } catch let error as NFCError where error.code == .tagRefused {
      // Whether what follows page 3 can be read matters only if there is a container in it.
      if let page = memory.page(Type2Memory.capabilityPage), Type2CapabilityContainer(page) == nil {
        try memory.selectAgain(link)
        return nil
      }
      throw try unreadable(error, link)
    }
    guard let page = memory.page(Type2Memory.capabilityPage),
      let container = Type2CapabilityContainer(page)
    else { return nil }
    guard container.isReadable else {
      throw NFCError(
        .notAuthenticated, "the tag's capability container wants a secret for reading",
        place: .page(Type2Memory.capabilityPage))
    }
    var lockControl: ControlledArea?
    var area = TagDataArea(
      Type2Memory.firstDataByte..<(Type2Memory.firstDataByte + Int(container.size) * 8))
    var offset = 0
    while true {
      let step = try area.step(at: offset) {
        memory.byte($0)
      } place: {
        .page($0 / Type2Memory.pageSize)
      }
      switch step {
      case .needs(let missing):
        try load(missing, area, fillingRead: true, link)
      case .terminator, .end:
        return nil
      case .block(let block) where block.tag == TagLengthValue.Tag.ndefMessage:
        let found = Layout(
          container: container, area: area, lockControl: lockControl, message: block)
        if memory.fastRead == .unknown,
          !Self.mayHaveFastRead(size: container.size, lockControl: lockControl)
        {
          memory.fastRead = .avoided
        }
        layout = found
        return found
      case .block(let block):
        offset = block.end
        guard
          [TagLengthValue.Tag.lockControl, TagLengthValue.Tag.memoryControl].contains(block.tag)
        else { continue }
        try load(block.value, area, fillingRead: true, link)
        let value = block.value.compactMap { byte($0, area) }
        guard let control = ControlledArea(tag: block.tag, value: value) else { continue }
        if control.lockBits != nil, lockControl == nil { lockControl = control }
        area = area.without(control.bytes, behind: offset)
      }
    }
  }

  func byte(_ offset: Int, _ area: TagDataArea) -> UInt8? {
    area.address(offset).flatMap { memory.byte($0) }
  }

  /// Makes bytes of the area known.
  ///
  /// - Parameter fillingRead: asks for the rest of a READ too, which costs nothing.
  mutating func load(
    _ offsets: Range<Int>, _ area: TagDataArea, fillingRead: Bool = false, _ link: TagLink
  ) throws {
    guard !offsets.isEmpty, let first = area.address(offsets.lowerBound),
      let last = area.address(offsets.upperBound - 1)
    else { return }
    var pages = Type2Memory.pages(holding: first..<(last + 1))
    if fillingRead {
      var start = pages.lowerBound
      while start < pages.upperBound, memory.page(start) != nil { start += 1 }
      guard start < pages.upperBound else { return }
      let end = Type2Memory.pages(holding: 0..<area.end).upperBound
      let full = min(start + Type2Memory.pagesPerRead, end)
      pages = pages.lowerBound..<max(pages.upperBound, full)
    }
    do {
      try memory.load(pages, link)
    } catch let error as NFCError where error.code == .tagRefused {
      throw try unreadable(error, link)
    }
  }

  /// Why a page of the data area cannot be read: it wants a password, or there is no such page.
  private mutating func unreadable(_ error: NFCError, _ link: TagLink) throws -> NFCError {
    guard case .page(let page) = error.place else { return error }
    try memory.selectAgain(link)
    let size = try UltralightIdentification.product(link)?.memorySize
    if let size, page * Type2Memory.pageSize >= size {
      return NFCError(
        .malformedContent,
        "the capability container promises more memory than the tag has", cause: error.cause,
        place: error.place)
    }
    // Sixteen pages every chip has.
    let isThere = size != nil || page < 16
    return NFCError(
      isThere ? .notAuthenticated : .malformedContent,
      isThere
        ? "the tag wants a password before it lets this page be read"
        : "the tag does not have, or does not give, a page that its capability container promises",
      cause: error.cause, place: error.place)
  }

  /// Runs a procedure and leaves the tag in sector 0, where other commands expect it.
  mutating func procedure<Result>(
    _ link: TagLink, _ body: (inout Type2Mapping) throws -> Result
  ) throws -> Result {
    do {
      let result = try body(&self)
      try memory.select(sector: 0, link)
      return result
    } catch let error as NFCError where error.group == .content {
      try memory.select(sector: 0, link)
      throw error
    }
  }

  // MARK: Status

  /// One READ of pages 2 to 5, and one of the dynamic lock bytes where the data area reaches beyond
  /// page 15; none of what is known already.
  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    try procedure(link) { mapping in
      guard let layout = try mapping.locate(from: Type2Memory.lockPage, link) else {
        return .notSupported
      }
      let isWritable = try layout.container.isWritable && !mapping.looksLocked(layout, link)
      return NDEFStatus(access: isWritable ? .readWrite : .readOnly, capacity: layout.capacity)
    }
  }

  /// Whether a lock bit is set for any page of the data area.
  private mutating func looksLocked(_ layout: Layout, _ link: TagLink) throws -> Bool {
    if let isLocked { return isLocked }
    try memory.load(Type2Memory.lockPage..<(Type2Memory.lockPage + 1), link)
    let lastPage = (layout.area.end - 1) / Type2Memory.pageSize
    var isLocked = false
    for page in Type2Memory.firstDataPage...max(Type2Memory.firstDataPage, min(lastPage, 15)) {
      // Bit n of the two lock bytes, counted from the first one's bit 0, is page n's.
      let address = Type2Memory.lockPage * Type2Memory.pageSize + 2 + page / 8
      if let byte = memory.byte(address), byte >> (page % 8) & 1 == 1 { isLocked = true }
    }
    if let locks = Type2DynamicLocks.of(size: layout.container.size, control: layout.lockControl),
      try loadLocks(locks, layout, link)
    {
      for (index, mask) in locks.locking.enumerated() {
        if let byte = memory.byte(locks.address + index), byte & mask != 0 { isLocked = true }
      }
    }
    self.isLocked = isLocked
    return isLocked
  }

  /// Reads the dynamic lock bytes; `false` if the tag does not give them. That they can be read also
  /// shows that there is as much memory as the capability container says, as they lie behind it.
  private mutating func loadLocks(
    _ locks: Type2DynamicLocks, _ layout: Layout, _ link: TagLink
  ) throws -> Bool {
    do {
      try memory.load(Type2Memory.pages(holding: locks.bytes), link)
      return true
    } catch let error as NFCError where error.isRefusalOrSilence {
      try memory.selectAgain(link)
      try load((layout.area.size - 1)..<layout.area.size, layout.area, link)
      return false
    }
  }

  // MARK: Reading

  /// READ of pages 3 to 6, which has the capability container and twelve bytes, then what the message
  /// takes beyond them: FAST_READs of up to 65 pages, or READs. A second time: that first READ alone.
  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    try procedure(link) { mapping in
      if mapping.isContentKnown, mapping.layout != nil,
        try !mapping.memory.refresh(Type2Memory.capabilityPage, link)
      {
        mapping.forgetContent()
      }
      guard let layout = try mapping.locate(from: Type2Memory.capabilityPage, link) else {
        throw NFCError(.notNDEF, "the tag is not NDEF formatted")
      }
      try mapping.load(layout.message.value, layout.area, link)
      mapping.isContentKnown = true
      let bytes = layout.message.value.compactMap { mapping.byte($0, layout.area) }
      return bytes.isEmpty ? nil : bytes
    }
  }

  // MARK: Writing

  /// One WRITE for each page that changes, and two for the one with the length: with 0 first, with the
  /// new length last. A message that is there is read first, as ``read(_:)`` does it.
  ///
  /// A page that the tag refuses to write ends it: what was written before is taken back, and the error
  /// is `readOnly` if that has worked.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    try procedure(link) { mapping in
      guard var layout = try mapping.locate(from: Type2Memory.lockPage, link) else {
        throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
      }
      let area = layout.area
      let old = layout.message
      let kept = try mapping.following(layout, link)
      let bytes = try old.replacing(
        message: message, size: area.size,
        followedBy: kept.compactMap { mapping.byte($0, area) }, at: kept.lowerBound)
      if old.length > 0 {
        try mapping.load(old.offset..<min(old.offset + bytes.count, old.end), area, link)
      }
      let writes = TagLengthValue.writes(
        bytes, at: old.offset, old: { mapping.byte($0, area) },
        unit: { (area.address($0) ?? 0) / Type2Memory.pageSize })
      var undo: [(page: Int, bytes: [UInt8])] = []
      for write in writes {
        try mapping.complete(write.unit, area, link)
        if let present = mapping.memory.page(write.unit) { undo.append((write.unit, present)) }
        let page = mapping.content(of: write, bytes, at: old.offset, area)
        do {
          try mapping.memory.write(page, page: write.unit, link)
        } catch let error as NFCError where error.code == .readOnly {
          throw mapping.takeBack(undo.dropLast(), error, link)
        }
      }
      let header = TagLengthValue.header(TagLengthValue.Tag.ndefMessage, length: message.count)
      layout.message = TagLengthValue(
        tag: TagLengthValue.Tag.ndefMessage, offset: old.offset,
        valueOffset: old.offset + header.count, length: message.count)
      mapping.layout = layout
      mapping.isContentKnown = true
    }
  }

  /// How many READs are spent on finding out what follows a message that has no terminator.
  private static let searchLimit = 4

  /// The blocks behind the message, which is not destroyed by a new one.
  private mutating func following(_ layout: Layout, _ link: TagLink) throws -> Range<Int> {
    for _ in 0..<Self.searchLimit {
      switch layout.message.following(size: layout.area.size, { byte($0, layout.area) }) {
      case .bytes(let offsets):
        try load(offsets, layout.area, link)
        return offsets
      case .needs(let missing):
        // With the message, which is needed too, it costs nothing but a byte.
        let start = layout.message.length > 0 ? layout.message.offset : missing.lowerBound
        try load(start..<missing.upperBound, layout.area, fillingRead: true, link)
      }
    }
    return layout.message.end..<layout.message.end
  }

  /// The four bytes of a page as a write has them.
  private func content(
    of write: TagLengthValue.UnitWrite, _ bytes: [UInt8], at offset: Int, _ area: TagDataArea
  ) -> [UInt8] {
    let first = write.unit * Type2Memory.pageSize
    return (first..<(first + Type2Memory.pageSize)).map { address in
      let present = memory.byte(address) ?? 0
      guard let place = area.offset(address) else { return present }
      if write.isEmptied { return place == offset + 1 ? 0 : present }
      return bytes.indices.contains(place - offset) ? bytes[place - offset] : present
    }
  }

  /// Writes back what pages held before a page was refused, the last one first, so that the length
  /// comes last again; gives the error to throw.
  private mutating func takeBack(
    _ pages: some BidirectionalCollection<(page: Int, bytes: [UInt8])>, _ error: NFCError,
    _ link: TagLink
  ) -> NFCError {
    guard !pages.isEmpty else { return error }
    do {
      try memory.selectAgain(link)
      for (page, bytes) in pages.reversed() { try memory.write(bytes, page: page, link) }
      return error
    } catch {
      return NFCError(
        .tagRefused,
        "the tag does not let a page be written; it holds no message any more",
        cause: (error as? NFCError)?.cause, place: (error as? NFCError)?.place)
    }
  }

  /// Reads a page that holds reserved bytes, so that they are written back as they are.
  private mutating func complete(_ page: Int, _ area: TagDataArea, _ link: TagLink) throws {
    let addresses = (page * Type2Memory.pageSize)..<((page + 1) * Type2Memory.pageSize)
    guard memory.page(page) == nil, addresses.contains(where: { area.offset($0) == nil }) else {
      return
    }
    try memory.load(page..<(page + 1), link)
  }
}
