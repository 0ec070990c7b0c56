/// NDEF on an NFC Forum Type 1 tag: Topaz 96 and Topaz 512.
///
/// Bytes 8 to 11 hold the capability container; TLVs follow it, past the system's blocks D to F into
/// dynamic memory. A reader that cannot send READ8 and WRITE-E8 reads and writes what ends before
/// block D; anything longer is `unsupported` there, and never half a message.
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
    /// Where the memory ends, as the capability container has it.
    let end: Int
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
  /// The data that WRITE-E reaches: blocks 1 to C.
  private static let staticData = firstDataByte..<systemBlocks.lowerBound
  /// The bits of blocks 1 to C; those of 0, D and E are set from the factory.
  private static let dataLockBits: [UInt8] = [0xFE, 0x1F]

  mutating func forgetContent() {
    memory = Type1Memory()
    layout = nil
    isContentKnown = false
  }

  // MARK: Layout

  /// Finds the message: `nil` if the tag is not NDEF formatted. One RALL, none if it is known, and a
  /// READ8 for each block of dynamic memory that is needed to get past other TLVs.
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
    var lockControl: ControlledArea?
    var area = TagDataArea(Self.firstDataByte..<size, without: [Self.systemBlocks])
    var offset = 0
    while true {
      let step = try area.step(at: offset) {
        memory.byte($0)
      } place: {
        .block($0 / Type1Memory.blockSize)
      }
      switch step {
      case .needs(let missing):
        try load(missing, area, link)
      case .terminator, .end:
        return nil
      case .block(let block) where block.tag == TagLengthValue.Tag.ndefMessage:
        let found = Layout(
          container: container, area: area, end: size, lockControl: lockControl, message: block)
        layout = found
        return found
      case .block(let block):
        offset = block.end
        let value = block.value.compactMap { byte($0, area) }
        guard let control = ControlledArea(tag: block.tag, value: value) else { continue }
        if control.lockBits != nil, lockControl == nil { lockControl = control }
        area = area.without(control.bytes, behind: offset)
      }
    }
  }

  private func byte(_ offset: Int, _ area: TagDataArea) -> UInt8? {
    area.address(offset).flatMap { memory.byte($0) }
  }

  /// Reads what is not known of these bytes of the area.
  private mutating func load(
    _ offsets: Range<Int>, _ area: TagDataArea, _ link: TagLink
  ) throws {
    try memory.load(offsets.compactMap { area.address($0) }, link)
  }

  // MARK: Status

  /// One RALL; none if the tag has been read. Of a tag with dynamic memory, one READ8 for its lock bits
  /// besides; where the reader has none, only the static lock bits count.
  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    guard let layout = try locate(link) else { return .notSupported }
    let isLocked = Self.dataLockBits.enumerated().contains { index, mask in
      memory.byte(Self.lockBytes + index).map { $0 & mask != 0 } ?? false
    }
    let isWritable =
      try layout.container.isWritable && !isLocked && !isDynamicallyLocked(layout, link)
    return NDEFStatus(access: isWritable ? .readWrite : .readOnly, capacity: layout.capacity)
  }

  /// Whether a bit of the dynamic lock bytes is set.
  private mutating func isDynamicallyLocked(_ layout: Layout, _ link: TagLink) throws -> Bool {
    guard !memory.isStatic, let control = layout.lockControl, let count = control.lockBits,
      control.bytes.upperBound <= layout.end
    else { return false }
    do {
      try memory.load(control.bytes, link)
    } catch let error as NFCError where error.code == .unsupported {
      return false
    }
    return control.bytes.enumerated().contains { index, address in
      let rest = count - 8 * index
      let mask: UInt8 = rest >= 8 ? 0xFF : 1 << UInt8(max(0, rest)) - 1
      return memory.byte(address).map { $0 & mask != 0 } ?? false
    }
  }

  // MARK: Reading

  /// One RALL, the first time and each time after it, and a READ8 for each block of dynamic memory.
  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    if isContentKnown { forgetContent() }
    guard let layout = try locate(link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted")
    }
    try load(layout.message.value, layout.area, link)
    isContentKnown = true
    let bytes = layout.message.value.compactMap { byte($0, layout.area) }
    return bytes.isEmpty ? nil : bytes
  }

  // MARK: Writing

  /// Static memory: one WRITE-E for each byte that changes. Dynamic memory: one WRITE-E8 for each block.
  /// And one more for the length, which is 0 meanwhile.
  ///
  /// The standard has the magic number of the capability container cleared meanwhile too. A length of 0
  /// is enough for a reader to find no message, and leaves a tag that is torn away formatted.
  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    guard var layout = try locate(link) else {
      throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
    }
    let area = layout.area
    let offset = layout.message.offset
    let kept = try following(layout, link)
    let bytes = try layout.message.replacing(
      message: message, size: area.size, followedBy: kept.compactMap { byte($0, area) },
      at: kept.lowerBound)
    let header = TagLengthValue.header(TagLengthValue.Tag.ndefMessage, length: message.count)
    do {
      guard !memory.isStatic else { throw NFCError(.unsupported, "the tag has no WRITE-E8") }
      try writeBlocks(bytes, at: offset, area, link)
    } catch let error as NFCError where error.code == .unsupported {
      // Nothing has been sent. What ends in static memory goes by single bytes; a terminator beyond it is
      // left out, for what follows the message there does not matter to who reads it.
      let length = max(header.count + message.count, kept.isEmpty ? 0 : bytes.count)
      let reach = area.address(offset + length - 1).map { Self.staticData.contains($0) }
      guard reach ?? false else { throw error }
      try writeBytes(bytes, at: offset, area, link)
    }
    layout.message = TagLengthValue(
      tag: TagLengthValue.Tag.ndefMessage, offset: offset, valueOffset: offset + header.count,
      length: message.count)
    self.layout = layout
    isContentKnown = true
  }

  /// How many READ8s are spent on finding out what follows a message that has no terminator.
  private static let searchLimit = 4

  /// The blocks behind the message, which a new one does not destroy.
  private mutating func following(_ layout: Layout, _ link: TagLink) throws -> Range<Int> {
    do {
      for _ in 0..<Self.searchLimit {
        switch layout.message.following(size: layout.area.size, { byte($0, layout.area) }) {
        case .bytes(let offsets):
          try load(offsets, layout.area, link)
          return offsets
        case .needs(let missing):
          try load(missing, layout.area, link)
        }
      }
    } catch let error as NFCError where error.code == .unsupported {
      // What is out of the reader's reach cannot be destroyed by it either.
    }
    return layout.message.end..<layout.message.end
  }

  private mutating func writeBytes(
    _ bytes: [UInt8], at offset: Int, _ area: TagDataArea, _ link: TagLink
  ) throws {
    let reachable = bytes.indices.prefix {
      area.address(offset + $0).map { Self.staticData.contains($0) } ?? false
    }
    let writes = TagLengthValue.writes(
      Array(bytes[reachable]), at: offset, old: { byte($0, area) }, unit: { $0 })
    for (index, write) in writes.enumerated() {
      guard let address = area.address(write.unit) else { continue }
      try memory.write(
        write.isEmptied ? 0 : bytes[write.unit - offset], at: address, isFirst: index == 0, link)
    }
  }

  private mutating func writeBlocks(
    _ bytes: [UInt8], at offset: Int, _ area: TagDataArea, _ link: TagLink
  ) throws {
    let writes = TagLengthValue.writes(
      bytes, at: offset, old: { byte($0, area) },
      unit: { (area.address($0) ?? 0) / Type1Memory.blockSize })
    for (index, write) in writes.enumerated() {
      let first = write.unit * Type1Memory.blockSize
      let addresses = first..<(first + Type1Memory.blockSize)
      // What does not belong to the area, or stands before the message, stays as it is.
      try memory.load(addresses.filter { area.offset($0).map { $0 < offset } ?? true }, link)
      let data = addresses.map { address in
        let present = memory.byte(address) ?? 0
        guard let place = area.offset(address) else { return present }
        if write.isEmptied { return place == offset + 1 ? 0 : present }
        return bytes.indices.contains(place - offset) ? bytes[place - offset] : present
      }
      try memory.write(data, block: write.unit, isFirst: index == 0, link)
    }
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
