extension Type2Mapping {
  /// What a blank chip is given: the size byte of the capability container, and control TLVs where the
  /// dynamic lock bytes are not where a reader would expect them.
  struct Blank: Hashable, Sendable {
    let size: UInt8
    let controlTLVs: [UInt8]

    /// As the chips leave the factory formatted, or as NXP's application notes format them: NTAG213/215/
    /// 216 data sheet, 8.5.6; NTAG210/212 data sheet, 8.5.6; NTAG203 data sheet, 8.3; AN1303 for the
    /// Ultralights; NT3H1101/1201 data sheet, 8.3.9. `nil` for a chip that is not known.
    init?(_ product: TagProduct) {
      switch (product.name, product.memorySize) {
      case ("NTAG210", _), ("MIFARE Ultralight", _), ("MIFARE Ultralight EV1", 80):
        self.init(0x06)
      case ("NTAG212", _), ("MIFARE Ultralight EV1", 164):
        self.init(0x10, lockControl: [0x90, 0x0A, 0x34])
      case ("NTAG213", _), ("NTAG213F", _):
        self.init(0x12, lockControl: [0xA0, 0x0C, 0x34])
      case ("NTAG203", _), ("MIFARE Ultralight C", _):
        self.init(0x12, lockControl: [0xA0, 0x10, 0x44])
      case ("NTAG215", _): self.init(0x3E)
      case ("NTAG216", _), ("NTAG216F", _), ("NTAG I2C 1K", _), ("NTAG I2C plus 1K", _):
        self.init(0x6D)
      case ("NTAG I2C 2K", _): self.init(0xEA)
      default: return nil
      }
    }

    private init(_ size: UInt8, lockControl: [UInt8]? = nil) {
      self.size = size
      controlTLVs = lockControl.map { TagLengthValue.header(0x01, length: $0.count) + $0 } ?? []
    }

    var capabilityContainer: [UInt8] {
      [
        Type2CapabilityContainer.magicNumber, Type2CapabilityContainer.version, size,
        Type2CapabilityContainer.readWrite,
      ]
    }

    /// The first pages of the data area: control TLVs, an empty message, a terminator.
    var content: [UInt8] {
      let content = controlTLVs + TagLengthValue.block(message: [], room: Int(size) * 8)
      let rest = content.count % Type2Memory.pageSize
      return content + [UInt8](repeating: 0, count: rest == 0 ? 0 : Type2Memory.pageSize - rest)
    }
  }

  /// Of a formatted tag: empties it, by at most two WRITEs. Of a blank one: asks which chip it is, by one
  /// to three exchanges, writes the TLVs and last the capability container, whose bits can never be
  /// cleared again.
  mutating func format(_ link: TagLink) throws {
    switch try status(link).access {
    case .readWrite: return try write([], link)
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    case .notSupported: try procedure(link) { try $0.formatBlank(link) }
    }
  }

  private mutating func formatBlank(_ link: TagLink) throws {
    let container = memory.page(Type2Memory.capabilityPage) ?? []
    guard let product = try UltralightIdentification.product(link), let blank = Blank(product)
    else {
      throw NFCError(
        .unsupported, "which chip the tag has is not known, and so is not how it is to be formatted"
      )
    }
    let present = Type2CapabilityContainer(container)
    if let present {
      guard present.isWritable else { throw NFCError(.readOnly, "the tag is read-only") }
    } else {
      // The bits that are set stay set.
      let result = zip(container, blank.capabilityContainer).map { $0 | $1 }
      guard result == blank.capabilityContainer else {
        throw NFCError(
          .unsupported,
          "the one-time bits of page 3 hold \(container.hexadecimal), which no capability container "
            + "can be made of", place: .page(Type2Memory.capabilityPage))
      }
    }
    var writes: [(page: Int, bytes: [UInt8])] = []
    for start in stride(from: 0, to: blank.content.count, by: Type2Memory.pageSize) {
      let page = Type2Memory.firstDataPage + start / Type2Memory.pageSize
      let bytes = Array(blank.content[start..<(start + Type2Memory.pageSize)])
      if memory.page(page) != bytes { writes.append((page, bytes)) }
    }
    if present == nil {
      writes.append((Type2Memory.capabilityPage, blank.capabilityContainer))
    }
    for write in writes {
      try memory.write(write.bytes, page: write.page, link)
    }
    layout = nil
  }

  /// Write access F in the capability container, then all bits of the static lock bytes and those of the
  /// dynamic lock bytes that belong to the data area: two or three WRITEs. **Cannot be undone.**
  ///
  /// Source: NFC Forum Type 2 Tag, 6.4 (transition to READ-ONLY).
  mutating func lock(_ link: TagLink) throws {
    try procedure(link) { mapping in
      guard let layout = try mapping.locate(from: Type2Memory.lockPage, link) else {
        throw NFCError(.notNDEF, "the tag is not NDEF formatted; format it first")
      }
      var container = mapping.memory.page(Type2Memory.capabilityPage) ?? []
      guard container.count == Type2CapabilityContainer.length else { return }
      container[3] |= Type2CapabilityContainer.readOnly
      try mapping.memory.write(
        container, page: Type2Memory.capabilityPage, link)
      if let locks = Type2DynamicLocks.of(
        size: layout.container.size, control: layout.lockControl)
      {
        try mapping.set(locks, layout, link)
      }
      // The first two bytes belong to the UID and do not change.
      try mapping.memory.write(
        [0, 0, 0xFF, 0xFF], page: Type2Memory.lockPage, link)
      mapping.forgetContent()
      mapping.isLocked = nil
    }
  }

  private mutating func set(
    _ locks: Type2DynamicLocks, _ layout: Layout, _ link: TagLink
  ) throws {
    let pages = Type2Memory.pages(holding: locks.bytes)
    // Lock bytes that cannot be read are not where they are said to be.
    guard pages.allSatisfy({ memory.page($0) != nil }) else { return }
    for page in pages {
      let first = page * Type2Memory.pageSize
      let bytes = (first..<(first + Type2Memory.pageSize)).map { address in
        layout.area.offset(address) == nil ? locks.setting(address) : memory.byte(address) ?? 0
      }
      try memory.write(bytes, page: page, link)
    }
  }
}
