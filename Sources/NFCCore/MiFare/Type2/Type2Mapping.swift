/// NDEF on an NFC Forum Type 2 tag: NTAG, Ultralight and the like.
///
/// Page 3 holds the capability container; from page 4 on, TLVs hold the message. Source: NFC Forum
/// Type 2 Tag, 4, 5 and 6.
struct Type2Mapping: NDEFMapping {
  /// What the tag has answered about its chip; `nil` if it has not been asked.
  var identification: UltralightIdentification?
  var memory: Type2Memory
  var layout: Layout?
  /// Whether the data area has locked pages, once that has been looked at.
  var isLocked: Bool?
  /// The size of the readable part of the data area, in bytes, if a password closes the rest.
  var readableSize: Int?
  /// Content is known from an earlier call, and this one has not proved it yet.
  private var needsProof = false
  /// Whether this call tries FAST_READ on a tag of 48 bytes.
  var triesFastRead = false
  /// Whether another side may write meanwhile, once that has been noticed.
  private var hasOtherWriter = false

  /// How the tag's memory is divided.
  struct Layout: Sendable {
    let container: Type2CapabilityContainer
    let area: TagDataArea
    let lockControl: ControlledArea?
    /// The first NDEF message TLV.
    var message: TagLengthValue
    /// Whether the content at the message's place is broken: the next write replaces it.
    let isBroken: Bool
  }

  /// The result of examining the data area.
  enum Finding: Sendable {
    /// There is no capability container.
    case noContainer
    /// There is one, and no message after it; a message can be stored from this place on.
    case noMessage(Type2CapabilityContainer, TagDataArea, at: Int)
    case layout(Layout)
  }

  /// - Parameters:
  ///   - identification: what the tag has answered about its chip, if it has been asked already.
  ///   - sector: the selected sector; `nil` if that is not known.
  init(_ identification: UltralightIdentification? = nil, sector: Int? = 0) {
    self.identification = identification
    let chip = identification?.chip
    memory = Type2Memory(fastRead: Self.fastRead(of: chip), sector: sector)
    hasOtherWriter = chip?.hasWiredSide ?? false
  }

  private static func fastRead(of chip: Type2Chip?) -> Type2Memory.FastRead {
    guard let chip, chip.pages != nil else { return .unknown }
    return chip.hasFastRead ? .works : .avoided
  }

  /// Returns whether an unknown chip is likely to support FAST_READ, from the size of its data
  /// area: if it does not, trying costs the exchange and a new selection.
  ///
  /// For 48 bytes, it saves at most two exchanges, which is worthwhile only where the lock bits are read as well, or
  /// what follows the message. NTAG203 and Ultralight C, which lack it, share
  /// their size of 144 bytes only with NTAG213, which has its own lock control TLV.
  private static func mayHaveFastRead(
    size: UInt8, lockControl: ControlledArea?, isTried: Bool
  ) -> Bool {
    switch size {
    case ...0x06: isTried
    case 0x12: lockControl?.lockBits == 12
    default: true
    }
  }

  mutating func discardCachedContent() {
    memory.forget()
    layout = nil
    isLocked = nil
    readableSize = nil
  }

  // MARK: Calls

  mutating func beginCall() { needsProof = !memory.isEmpty }

  /// One READ of pages 0 to 3, if anything is known from an earlier call. Content that only this
  /// reader can write is unchanged; everything else is read again.
  private mutating func revalidate(_ link: TagLink) throws {
    guard needsProof else { return }
    needsProof = false
    if hasOtherWriter { return discardCachedContent() }
    if try !memory.revalidate(link) {
      hasOtherWriter = true
      discardCachedContent()
    }
  }

  /// Runs a procedure and leaves the tag in sector 0, where other commands expect it.
  mutating func procedure<Result>(
    _ link: TagLink, _ body: (inout Type2Mapping) throws -> Result
  ) throws -> Result {
    do {
      try revalidate(link)
      let result = try body(&self)
      try memory.select(sector: 0, link)
      return result
    } catch let error as NFCError where error.group == .content {
      try memory.select(sector: 0, link)
      throw error
    }
  }

  /// Returns the chip; `nil` if it is not known. One to three exchanges for most chips, and only once.
  mutating func identify(_ link: TagLink) throws -> Type2Chip? {
    if let identification { return identification.chip }
    let found = try UltralightIdentification(asking: link)
    identification = found
    return found.chip
  }

  // MARK: Layout

  /// Finds the message: `nil` if the tag is not NDEF formatted.
  mutating func locate(from firstPage: Int, _ link: TagLink) throws -> Layout? {
    if case .layout(let layout) = try find(from: firstPage, link) { return layout }
    return nil
  }

  /// Looks for container and message.
  ///
  /// One READ, if its answer contains the beginning of the message; one more for each that is
  /// needed to get past other TLVs.
  ///
  /// - Parameters:
  ///   - firstPage: the first page; four pages are read at once.
  ///   - replacing: whether a broken TLV counts as the place of the message.
  mutating func find(
    from firstPage: Int, replacing: Bool = false, _ link: TagLink
  ) throws -> Finding {
    if let layout, replacing || !layout.isBroken { return .layout(layout) }
    guard let container = try container(from: firstPage, link) else { return .noContainer }
    guard container.isReadable else {
      throw NFCError(
        .notAuthenticated, "the tag's capability container requires a secret for reading",
        place: .page(Type2Memory.capabilityPage))
    }
    var lockControl: ControlledArea?
    var area = TagDataArea(
      Type2Memory.firstDataByte..<(Type2Memory.firstDataByte + Int(container.size) * 8))
    var offset = 0
    while true {
      guard let step = try step(at: offset, area, replacing: replacing) else {
        return .layout(
          Layout(
            container: container, area: area, lockControl: lockControl,
            message: .emptyMessage(at: offset),
            isBroken: true))
      }
      switch step {
      case .needs(let missing):
        try load(missing, area, fillingRead: true, link)
      case .terminator, .end:
        return .noMessage(container, area, at: offset)
      case .block(let block) where block.tag == TagLengthValue.Tag.ndefMessage:
        let found = Layout(
          container: container, area: area, lockControl: lockControl, message: block,
          isBroken: false)
        if memory.fastRead == .unknown,
          !Self.mayHaveFastRead(
            size: container.size, lockControl: lockControl, isTried: triesFastRead)
        {
          memory.fastRead = .avoided
        }
        layout = found
        return .layout(found)
      case .block(let block):
        offset = block.end
        guard
          [TagLengthValue.Tag.lockControl, TagLengthValue.Tag.memoryControl].contains(block.tag)
        else { continue }
        try load(block.value, area, fillingRead: true, link)
        let value = block.value.compactMap { byte($0, area) }
        guard let control = ControlledArea(tag: block.tag, value: value) else { continue }
        if control.lockBits != nil, lockControl == nil { lockControl = control }
        area = area.excluding(control.bytes, after: offset)
      }
    }
  }

  /// Returns the content at an offset; `nil` for an incomplete TLV, if it may be replaced.
  private func step(
    at offset: Int, _ area: TagDataArea, replacing: Bool
  ) throws -> TagLengthValue.Step? {
    do {
      return try area.step(at: offset) { address in
        memory.byte(address)
      } place: { address in
        .page(address / Type2Memory.pageSize)
      }
    } catch {
      guard replacing else { throw error }
      return nil
    }
  }

  /// Returns the capability container, with the first pages after it.
  private mutating func container(
    from firstPage: Int, _ link: TagLink
  ) throws -> Type2CapabilityContainer? {
    do {
      try memory.load(firstPage..<(firstPage + Type2Memory.pagesPerRead), link)
    } catch let error as NFCError where error.code == .tagRefused {
      if memory.page(Type2Memory.capabilityPage) == nil {
        // A chip that refuses a read into a protected page returns the pages before it.
        try memory.selectAgain(link)
        do {
          try memory.load(0..<Type2Memory.firstDataPage, link)
        } catch let error as NFCError where error.code == .tagRefused {
          throw try unreadable(error, link)
        }
      } else {
        try memory.selectAgain(link)
      }
    }
    return memory.page(Type2Memory.capabilityPage).flatMap(Type2CapabilityContainer.init)
  }

  func byte(_ offset: Int, _ area: TagDataArea) -> UInt8? {
    area.address(offset).flatMap { memory.byte($0) }
  }

  /// Reads bytes of the area that are not known.
  ///
  /// - Parameter fillingRead: also keeps the rest of a READ, which costs nothing.
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

  /// Returns the reason why a page of the data area cannot be read: it requires a password, or does
  /// not exist.
  func unreadable(_ error: NFCError, _ link: TagLink) throws -> NFCError {
    guard case .page(let page) = error.place else { return error }
    var asking = self
    try asking.memory.selectAgain(link)
    let known = try asking.identify(link)
    if let size = known?.memorySize, page * Type2Memory.pageSize >= size {
      return NFCError(
        .malformedContent,
        "the capability container claims more memory than the tag has", cause: error.cause,
        place: error.place)
    }
    // Sixteen pages every chip has.
    let isThere = known?.memorySize != nil || page < 16
    return NFCError(
      isThere ? .notAuthenticated : .malformedContent,
      isThere
        ? "the tag requires a password before this page can be read"
        : "the tag does not have, or does not return, a page that its capability container claims",
      cause: error.cause, place: error.place)
  }

  // MARK: Reading

  /// READ of pages 3 to 6, which contains the capability container and twelve bytes, then the rest
  /// of the message: FAST_READs of up to 65 pages, or READs. The second time, one READ that proves
  /// that the tag is present; a chip with a wired interface is read again.
  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    try procedure(link) { try $0.message(link) }
  }

  mutating func message(_ link: TagLink) throws -> [UInt8]? {
    guard let layout = try locate(from: Type2Memory.capabilityPage, link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted")
    }
    try load(layout.message.value, layout.area, link)
    let bytes = layout.message.value.compactMap { byte($0, layout.area) }
    return MessageReplacement.isNone(bytes) ? nil : bytes
  }
}
