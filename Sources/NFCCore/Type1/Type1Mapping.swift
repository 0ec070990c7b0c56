/// NDEF on an NFC Forum Type 1 tag: Topaz 96 and Topaz 512.
///
/// Bytes 8 to 11 hold the capability container; TLVs follow it, past the system's blocks D to F into
/// dynamic memory. A reader that cannot send READ8 and WRITE-E8 reads and writes what ends before
/// block D; anything longer is `unsupported` there, and never half a message.
///
/// Source: NFC Forum Type 1 Tag, 6; Innovision Topaz data sheet.
struct Type1Mapping: NDEFMapping {
  var memory = Type1Memory()
  private var layout: Layout?

  struct Layout {
    let container: Type2CapabilityContainer
    let area: TagDataArea
    /// The end of the memory: as the capability container says, but not beyond the chip's own.
    let end: Int
    let lockControl: ControlledArea?
    /// The message; `nil` if none has been begun, or it is broken.
    var message: TagLengthValue?
    /// The position of the message's TLV, or where one can begin.
    let offset: Int
    /// The TLVs after the message that a new one must not destroy; `nil` as long as they are not looked for.
    var following: Range<Int>?

    var room: Int { area.size - offset }
    func capacity(beside following: Range<Int>) -> Int {
      TagLengthValue.capacity(room: room - following.count)
    }
  }

  static let capabilityContainer = 8
  static let accessByte = capabilityContainer + 3
  static let firstDataByte = 12
  /// Blocks D (reserved), E (lock bits, one-time bytes) and F (the same of dynamic memory).
  static let systemBlocks = 104..<128
  /// LOCK-0 and LOCK-1: bit n locks block n.
  static let lockBytes = 0x70
  /// Block E, which has a lock bit, too. It is set on delivery, and most chips then refuse to set others.
  static let lockBlock = lockBytes / Type1Memory.blockSize
  /// The data that WRITE-E reaches: blocks 1 to C.
  private static let staticData = firstDataByte..<systemBlocks.lowerBound
  /// The bits of blocks 1 to C; those of 0, D and E are set from the factory.
  static let dataLockBits: [UInt8] = [0xFE, 0x1F]

  /// RALL returns container, message and lock bits in one exchange: each call begins with it.
  mutating func beginCall() { discardCachedContent() }

  mutating func discardCachedContent() {
    memory = Type1Memory()
    layout = nil
  }

  // MARK: Layout

  /// Finds the message: `nil` if the tag is not NDEF formatted. One RALL, none if it is known, and a
  /// READ8 for each block of dynamic memory that is needed to get past other TLVs.
  ///
  /// - Parameter repairing: whether broken or missing content counts as the place for a new
  ///   message.
  mutating func locate(_ link: TagLink, repairing: Bool) throws -> Layout? {
    if let layout { return layout }
    if !memory.isKnown { try memory.load(link) }
    let header = (Self.capabilityContainer..<Self.firstDataByte).compactMap { memory.byte($0) }
    guard memory.mayHoldNDEF, let container = Type2CapabilityContainer(header) else { return nil }
    guard container.isReadable else {
      throw NFCError(
        .notAuthenticated, "the tag's capability container requires a secret for reading",
        place: .block(1))
    }
    // All blocks count, including those of the UID and the system. The chip takes precedence over
    // its container.
    let promised = (Int(container.size) + 1) * Type1Memory.blockSize
    let size = min(promised, memory.product?.size ?? promised)
    guard size > Self.firstDataByte else { return nil }
    var search = MessageSearch(
      TagDataArea(Self.firstDataByte..<size, without: [Self.systemBlocks]), hasControlTLVs: true,
      repairing: repairing)
    var message: TagLengthValue?
    var offset: Int?
    while offset == nil {
      let result = try search.advance(
        { memory.byte($0) }, place: { .block($0 / Type1Memory.blockSize) })
      switch result {
      case .needs(let missing): try load(missing, search.area, link)
      case .message(let block):
        message = block
        offset = block.offset
      case .place(let place):
        guard repairing else { return nil }
        offset = place
      }
    }
    let found = Layout(
      container: container, area: search.area, end: size,
      lockControl: search.lockControl, message: message, offset: offset ?? 0)
    layout = found
    return found
  }

  private func byte(_ offset: Int, _ area: TagDataArea) -> UInt8? {
    area.address(offset).flatMap { memory.byte($0) }
  }

  /// Reads the unknown ones of these bytes of the area.
  private mutating func load(
    _ offsets: Range<Int>, _ area: TagDataArea, _ link: TagLink
  ) throws {
    try memory.load(offsets.compactMap { area.address($0) }, link)
  }

  // MARK: Status

  /// One RALL. For a tag with dynamic memory, also one READ8 for its lock bits; if the reader does
  /// not support it, only the static lock bits count.
  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    try status(link, repairing: false)
  }

  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus {
    try status(link, repairing: true)
  }

  private mutating func status(_ link: TagLink, repairing: Bool) throws -> NDEFStatus {
    guard let layout = try locate(link, repairing: repairing) else { return .notSupported }
    let isLocked = Self.dataLockBits.enumerated().contains { index, mask in
      memory.byte(Self.lockBytes + index).map { $0 & mask != 0 } ?? false
    }
    let isWritable =
      try layout.container.isWritable && !isLocked && !isDynamicallyLocked(layout, link)
    return NDEFStatus(
      access: isWritable ? .readWrite : .readOnly,
      capacity: layout.capacity(
        beside: try following(layout, isComplete: repairing, link)))
  }

  /// Returns whether a bit of the dynamic lock bytes is set.
  private mutating func isDynamicallyLocked(_ layout: Layout, _ link: TagLink) throws -> Bool {
    guard let locks = dynamicLocks(layout) else { return false }
    do {
      try memory.load(locks.map(\.address), link)
    } catch let error as NFCError where error.code == .unsupported {
      return false
    }
    return locks.contains { lock in
      memory.byte(lock.address).map { $0 & lock.mask != 0 } ?? false
    }
  }

  /// Returns the dynamic lock bytes and the bits in them: for a known chip its own, for any other
  /// those of its lock control TLV; `nil` for a tag without them.
  func dynamicLocks(_ layout: Layout) -> [(address: Int, mask: UInt8)]? {
    guard !memory.isStatic else { return nil }
    let bytes: Range<Int>
    let count: Int
    if let known = memory.product?.dynamicLocks {
      bytes = known
      count = known.count * 8
    } else if let control = layout.lockControl, let bits = control.lockBits,
      control.bytes.upperBound <= layout.end
    {
      bytes = control.bytes
      count = bits
    } else {
      return nil
    }
    return bytes.enumerated().map { index, address in
      let rest = count - 8 * index
      return (address, rest >= 8 ? 0xFF : 1 << UInt8(max(0, rest)) - 1)
    }
  }

  // MARK: Reading

  /// One RALL, and a READ8 for each block of dynamic memory.
  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    guard let layout = try locate(link, repairing: false), let message = layout.message else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted")
    }
    try load(message.value, layout.area, link)
    let bytes = message.value.compactMap { byte($0, layout.area) }
    return MessageReplacement.isNone(bytes) ? nil : bytes
  }

  // MARK: Writing

  /// Static memory: one WRITE-E for each byte that changes. Dynamic memory: one WRITE-E8 for each
  /// block. One more write sets the length, which is 0 meanwhile.
  ///
  /// According to the standard, the magic number of the capability container is also cleared
  /// meanwhile. A length of 0 is enough for a reader to find no message, and leaves an interrupted
  /// tag formatted.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    guard let layout = try locate(link, repairing: true) else {
      throw NFCError.notFormatted
    }
    guard layout.room >= TagLengthValue.shortestHeader else {
      throw NFCError(.capacityExceeded, "other TLVs of the tag leave no room for a message")
    }
    let area = layout.area
    let kept = try following(layout, isComplete: true, link)
    let replacement = try MessageReplacement(
      of: layout.message ?? .emptyMessage(at: layout.offset), by: message, size: area.size,
      followedBy: kept.compactMap { byte($0, area) }, at: kept.lowerBound)
    do {
      guard !memory.isStatic else { throw NFCError(.unsupported, "the tag has no WRITE-E8") }
      try writeBlocks(replacement, area, link)
    } catch let error as NFCError where error.code == .unsupported {
      // Nothing has been sent. Data that ends in static memory is written by single bytes; a
      // terminator beyond it is left out, because what follows the message there does not matter to
      // a reader.
      let end = kept.isEmpty ? replacement.new.end : replacement.end
      guard area.address(end - 1).map({ Self.staticData.contains($0) }) ?? false else {
        throw error
      }
      try writeBytes(replacement, area, link)
    }
    self.layout = nil
  }

  /// How many READ8s are spent on finding out what follows a message that has no terminator.
  private static let searchLimit = 4

  /// Returns the blocks after the message, which a new one does not destroy.
  ///
  /// - Parameter isComplete: whether to search however far away they are, as before a write;
  ///   otherwise the search is limited.
  private mutating func following(
    _ layout: Layout, isComplete: Bool, _ link: TagLink
  ) throws -> Range<Int> {
    if let known = layout.following { return known }
    guard let message = layout.message else { return layout.offset..<layout.offset }
    let none = message.end..<message.end
    do {
      let limit = isComplete ? layout.area.size / Type1Memory.blockSize : Self.searchLimit
      for _ in 0...limit {
        switch message.following(size: layout.area.size, { byte($0, layout.area) }) {
        case .bytes(let offsets):
          try load(offsets, layout.area, link)
          self.layout?.following = offsets
          return offsets
        case .needs(let missing):
          try load(missing, layout.area, link)
        }
      }
    } catch let error as NFCError where error.code == .unsupported {
      // What the reader cannot reach, it cannot destroy either.
    }
    return none
  }

  private mutating func writeBytes(
    _ replacement: MessageReplacement, _ area: TagDataArea, _ link: TagLink
  ) throws {
    let held = memory
    let writes = replacement.writes(
      old: { area.address($0).flatMap { held.byte($0) } }, unit: { $0 }, farthestFirst: true)
    let units: [WholeUnit] = writes.compactMap { write in
      guard let address = area.address(write.unit), Self.staticData.contains(address),
        let byte = write.content[write.unit]
      else { return nil }
      return WholeUnit(unit: address, data: [byte])
    }
    try memory.perform(units, size: 1, link)
  }

  private mutating func writeBlocks(
    _ replacement: MessageReplacement, _ area: TagDataArea, _ link: TagLink
  ) throws {
    // With the terminator of the old message, which a refusal leaves as it was.
    let old = replacement.old
    try load(old.offset..<min(old.end + 1, area.size), area, link)
    let held = memory
    let writes = replacement.writes(
      old: { area.address($0).flatMap { held.byte($0) } },
      unit: { (area.address($0) ?? 0) / Type1Memory.blockSize }, farthestFirst: true)
    var units: [WholeUnit] = []
    var current: [Int: UInt8] = [:]
    for write in writes {
      let first = write.unit * Type1Memory.blockSize
      let addresses = first..<(first + Type1Memory.blockSize)
      // Bytes outside the area, or before the message, do not change.
      try memory.load(
        addresses.filter { area.offset($0).map { $0 < old.offset } ?? true }, link)
      let data = addresses.map { address in
        area.offset(address).flatMap { write.content[$0] } ?? current[address]
          ?? memory.byte(address) ?? 0
      }
      for (address, byte) in zip(addresses, data) { current[address] = byte }
      units.append(WholeUnit(unit: write.unit, data: data))
    }
    try memory.perform(units, size: Type1Memory.blockSize, link)
  }
}
