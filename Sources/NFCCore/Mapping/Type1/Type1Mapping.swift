/// NDEF on an NFC Forum Type 1 tag: Topaz 96 and Topaz 512.
///
/// Bytes 8 to 11 hold the capability container; TLVs follow it. Of a tag with dynamic memory, a
/// message that reaches beyond block C can be neither read nor written over a PN53x, which
/// ``Type1Memory`` explains; that is `unsupported`, and never half a message.
///
/// Source: NFC Forum Type 1 Tag, 6; Innovision Topaz data sheet.
struct Type1Mapping: NDEFMapping {
  private var memory = Type1Memory()
  private var layout: Layout?
  /// Whether the message has been read or written since ``forgetContent()``: then reading looks again.
  private var isContentKnown = false

  private struct Layout {
    let container: Type2CapabilityContainer
    let area: TagDataArea
    let lockControl: ControlledArea?
    var message: TagLengthValue

    var capacity: Int { TagLengthValue.capacity(room: area.size - message.offset) }
  }

  private static let capabilityContainer = 8
  private static let accessByte = capabilityContainer + 3
  private static let firstDataByte = 12
  /// Blocks D (reserved), E (lock bits, one-time bytes) and F (the same of dynamic memory).
  private static let systemBlocks = 104..<128
  /// LOCK-0 and LOCK-1: bit n locks block n.
  private static let lockBytes = 0x70
  /// The bits of blocks 1 to C; those of 0, D and E are set from the factory.
  private static let dataLockBits: [UInt8] = [0xFE, 0x1F]

  mutating func forgetContent() {
    memory = Type1Memory()
    layout = nil
    isContentKnown = false
  }

  // MARK: Layout

  /// Finds the message: `nil` if the tag is not NDEF formatted. One RALL, none if it is known.
  private mutating func locate(_ link: TagLink) throws -> Layout? {
    if let layout { return layout }
    if !memory.isKnown { try memory.load(link) }
    let header = (Self.capabilityContainer..<Self.firstDataByte).compactMap { memory.byte($0) }
    guard memory.mayHoldNDEF, let container = Type2CapabilityContainer(header) else { return nil }
    guard container.isReadable else {
      throw NFCError(
        .notAuthenticated, "the tag's capability container wants a secret for reading",
        place: .block(1))
    }
    // All blocks count, those of the UID and the system included.
    let size = (Int(container.size) + 1) * Type1Memory.blockSize
    guard !memory.isStatic || size <= Type1Memory.staticSize else {
      throw NFCError(
        .malformedContent,
        "the capability container promises \(size) bytes, the tag has \(Type1Memory.staticSize)",
        place: .block(1))
    }
    guard size > Self.firstDataByte else { return nil }
    let bytes = Self.firstDataByte..<size
    var reserved = [Self.systemBlocks]
    var lockControl: ControlledArea?
    var area = TagDataArea(bytes, without: reserved)
    var offset = 0
    while true {
      switch try at(area, { try step(offset, area) }) {
      case .needs(let missing):
        throw Type1Memory.outOfReach(area.address(missing.lowerBound) ?? Type1Memory.staticSize)
      case .terminator, .end:
        return nil
      case .block(let block) where block.tag == TagLengthValue.Tag.ndefMessage:
        let found = Layout(
          container: container, area: area, lockControl: lockControl, message: block)
        layout = found
        return found
      case .block(let block):
        offset = block.end
        let value = block.value.compactMap { byte($0, area) }
        guard let control = ControlledArea(tag: block.tag, value: value) else { continue }
        if control.lockBits != nil, lockControl == nil { lockControl = control }
        guard let next = area.address(offset), control.bytes.upperBound > next else { continue }
        reserved.append(max(next, control.bytes.lowerBound)..<control.bytes.upperBound)
        area = TagDataArea(bytes, without: reserved)
      }
    }
  }

  private func step(_ offset: Int, _ area: TagDataArea) throws -> TagLengthValue.Step {
    try TagLengthValue.step(at: offset, size: area.size) { byte($0, area) }
  }

  /// Turns the place of an error from an offset of the area into a block.
  private func at<Result>(_ area: TagDataArea, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as NFCError {
      if case .offset(let offset) = error.place, let address = area.address(offset) {
        error.place = .block(address / Type1Memory.blockSize)
      }
      throw error
    }
  }

  private func byte(_ offset: Int, _ area: TagDataArea) -> UInt8? {
    area.address(offset).flatMap { memory.byte($0) }
  }

  /// Refuses offsets that the reader cannot reach.
  private func checkReach(_ offsets: Range<Int>, _ area: TagDataArea) throws {
    guard !offsets.isEmpty, let last = area.address(offsets.upperBound - 1),
      last >= Type1Memory.staticSize
    else { return }
    throw Type1Memory.outOfReach(last)
  }

  // MARK: Status

  /// One RALL; none if the tag has been read.
  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    guard let layout = try locate(link) else { return .notSupported }
    let isLocked = Self.dataLockBits.enumerated().contains { index, mask in
      memory.byte(Self.lockBytes + index).map { $0 & mask != 0 } ?? false
    }
    return NDEFStatus(
      access: layout.container.isWritable && !isLocked ? .readWrite : .readOnly,
      capacity: layout.capacity)
  }

  // MARK: Reading

  /// One RALL, the first time and each time after it.
  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    if isContentKnown { forgetContent() }
    guard let layout = try locate(link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted")
    }
    try checkReach(layout.message.value, layout.area)
    isContentKnown = true
    let bytes = layout.message.value.compactMap { byte($0, layout.area) }
    return bytes.isEmpty ? nil : bytes
  }

  // MARK: Writing

  /// One WRITE-E for each byte that changes, and one more for the length, which is 0 meanwhile.
  ///
  /// The standard has the magic number of the capability container cleared meanwhile too. A length of 0
  /// is enough for a reader to find no message, and leaves a tag that is torn away formatted.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    guard var layout = try locate(link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
    }
    let area = layout.area
    let offset = layout.message.offset
    var kept = layout.message.end..<layout.message.end
    if case .bytes(let found) = layout.message.following(size: area.size, { byte($0, area) }) {
      kept = found
    }
    var bytes = try layout.message.replacing(
      message: message, size: area.size, followedBy: kept.compactMap { byte($0, area) },
      at: kept.lowerBound)
    let header = TagLengthValue.header(TagLengthValue.Tag.ndefMessage, length: message.count)
    let end = offset + max(header.count + message.count, kept.isEmpty ? 0 : bytes.count)
    try checkReach(offset..<min(end, area.size), area)
    // A terminator out of reach: what follows the message does not matter to who reads it.
    if let last = area.address(offset + bytes.count - 1), last >= Type1Memory.staticSize {
      bytes.removeLast()
    }
    let writes = TagLengthValue.writes(
      bytes, at: offset, old: { byte($0, area) }, unit: { $0 })
    for (index, write) in writes.enumerated() {
      guard let address = area.address(write.unit) else { continue }
      try memory.write(
        write.isEmptied ? 0 : bytes[write.unit - offset], at: address, isFirst: index == 0, link)
    }
    layout.message = TagLengthValue(
      tag: TagLengthValue.Tag.ndefMessage, offset: offset, valueOffset: offset + header.count,
      length: message.count)
    self.layout = layout
    isContentKnown = true
  }

  // MARK: Formatting

  /// Size byte and control TLVs by HR0. Those of 512 bytes are what every maker of such tags writes:
  /// 48 lock bits from byte 2 of block F on, two reserved bytes before them.
  private static let blanks: [UInt8: (size: UInt8, controlTLVs: [UInt8])] = [
    0x11: (0x0E, []),
    0x12: (0x3F, [0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03]),
  ]

  /// Of a formatted tag: empties it. Of a blank one: writes the TLVs, the capability container behind
  /// them and its magic number last, one WRITE-E for each byte that changes.
  mutating func format(_ link: TagLink) throws {
    switch try status(link).access {
    case .readWrite: return try write([], link)
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    case .notSupported: break
    }
    guard let type = memory.header.first, let blank = Self.blanks[type] else {
      throw NFCError(
        .unsupported,
        "how a Type 1 tag of type \(memory.header.hexadecimal) is to be formatted is not known")
    }
    var bytes: [(address: Int, byte: UInt8)] = []
    let content =
      blank.controlTLVs + TagLengthValue.block(message: [], room: Type1Memory.staticSize)
    for (index, byte) in content.enumerated() { bytes.append((Self.firstDataByte + index, byte)) }
    let container = [
      Type2CapabilityContainer.magicNumber, Type2CapabilityContainer.version, blank.size,
      Type2CapabilityContainer.readWrite,
    ]
    for (index, byte) in container.enumerated().reversed() {
      bytes.append((Self.capabilityContainer + index, byte))
    }
    var isFirst = true
    for (address, byte) in bytes where memory.byte(address) != byte {
      try memory.write(byte, at: address, isFirst: isFirst, link)
      isFirst = false
    }
    layout = nil
  }

  // MARK: Locking

  /// Write access F in the capability container, then all lock bits: three exchanges, and one more for
  /// each byte of dynamic lock bits. **Cannot be undone.**
  mutating func lock(_ link: TagLink) throws {
    guard let layout = try locate(link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
    }
    try memory.write(
      Type2CapabilityContainer.readOnly, at: Self.accessByte, isFirst: true, link)
    if let control = layout.lockControl, control.bytes.upperBound <= Type1Memory.reachableSize {
      for address in control.bytes { try memory.set(0xFF, at: address, link) }
    }
    for index in Self.dataLockBits.indices {
      try memory.set(0xFF, at: Self.lockBytes + index, link)
    }
    forgetContent()
  }
}
