extension Type1Mapping {
  /// Empties a formatted tag, even if it is broken. For a blank one, writes the TLVs, then the
  /// capability container with its magic number last, one WRITE-E for each byte that changes.
  ///
  /// A tag that is not formatted and has content is refused, unless `wipe` is set; if the reader
  /// does not support READ8, only the answer of RALL is checked.
  mutating func format(wipe: Bool, _ link: TagLink) throws {
    switch try statusForWriting(link).access {
    case .readWrite: return try write([], link)
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    case .notSupported: break
    }
    guard let product = memory.product else {
      throw NFCError(
        .unsupported,
        "how a Type 1 tag of type \(memory.header.hexadecimal) is to be formatted is not known")
    }
    var bytes: [(address: Int, byte: UInt8)] = []
    let content =
      product.controlTLVs + TagLengthValue.block(message: [], room: Type1Memory.staticSize)
    for (index, byte) in content.enumerated() { bytes.append((Self.firstDataByte + index, byte)) }
    let container = [
      Type2CapabilityContainer.magicNumber, Type2CapabilityContainer.version,
      product.containerSize, Type2CapabilityContainer.readWrite,
    ]
    for (index, byte) in container.enumerated().reversed() {
      bytes.append((Self.capabilityContainer + index, byte))
    }
    if !wipe { try checkBlank(product, except: bytes, link) }
    let changed = bytes.filter { memory.byte($0.address) != $0.byte }
    try memory.perform(
      changed.map { WholeUnit(unit: $0.address, data: [$0.byte]) }, size: 1, link)
    discardCachedContent()
  }

  /// Refuses a tag that has content: bytes other than 00 and FF, and other than what an interrupted
  /// format has left.
  private mutating func checkBlank(
    _ product: Type1Product, except wanted: [(address: Int, byte: UInt8)], _ link: TagLink
  ) throws {
    let addresses = (Self.capabilityContainer..<product.size).filter {
      !Self.systemBlocks.contains($0)
    }
    do {
      try memory.load(addresses, link)
    } catch let error as NFCError where error.code == .unsupported {
      // Everything that it would overwrite is within the reader's reach.
    }
    for address in addresses {
      guard let byte = memory.byte(address), byte != 0x00, byte != 0xFF,
        !wanted.contains(where: { $0.address == address && $0.byte == byte })
      else { continue }
      throw NFCError(
        .unsupported, "the tag holds something that is not NDEF, which formatting would overwrite",
        cause: .foreignContent, place: .block(address / Type1Memory.blockSize))
    }
  }

  // MARK: Locking

  /// Sets write access F in the capability container and all lock bits of the data: RALL, three
  /// exchanges, one for each byte of dynamic lock bits, and RALL again. **Cannot be undone.**
  ///
  /// Works whatever the container says: what is still open is closed. The lock bits of blocks 8 to
  /// C come first: if a chip does not allow them to be set (chips on the market seem to have block
  /// E locked), it has not been changed then. Set bits are read back.
  mutating func lock(_ link: TagLink) throws {
    let changes = try preparedLock(link)
    guard !changes.isEmpty else { return }
    try link.uninterrupted {
      for (index, change) in changes.enumerated() {
        if change.address == Self.accessByte {
          try memory.write(change.mask, at: change.address, link)
        } else {
          try close(change, isFirst: index == 0, link)
        }
      }
    }
    discardCachedContent()
    try checkLocked(link)
  }

  mutating func lockPlan(_ link: TagLink) throws -> [LockStep] {
    var contents: [Int: [UInt8]] = [:]
    var steps: [LockStep] = []
    for change in try preparedLock(link) {
      let (block, index) = change.address.quotientAndRemainder(dividingBy: Type1Memory.blockSize)
      let addresses = change.address - index..<change.address - index + Type1Memory.blockSize
      try memory.load(addresses, link)
      let before = contents[block] ?? addresses.map { memory.byte($0) ?? 0 }
      var after = before
      after[index] |= change.mask
      contents[block] = after
      steps.append(
        LockStep(
          .block(block), .bytes(before: before, after: after),
          mayBeRefused: steps.isEmpty && block == Self.lockBlock && isBlockLocked(block)))
    }
    return steps
  }

  private typealias LockByte = (address: Int, mask: UInt8)

  /// Returns the bytes to change, in order: lock bits, the container, and the lock bits of block 1, which
  /// contains it.
  private mutating func preparedLock(_ link: TagLink) throws -> [LockByte] {
    guard let layout = try locate(link, repairing: false) else {
      throw NFCError.notFormatted
    }
    let dynamic = try openDynamicLocks(layout, link)
    let open = openStaticLocks()
    let isContainerOpen = memory.byte(Self.accessByte) != Type2CapabilityContainer.readOnly
    let container: [LockByte] =
      isContainerOpen && !isBlockLocked(1)
      ? [(Self.accessByte, Type2CapabilityContainer.readOnly)] : []
    return open.filter { $0.address != Self.lockBytes } + dynamic + container
      + open.filter { $0.address == Self.lockBytes }
  }

  /// Returns whether a block of static memory is locked.
  private func isBlockLocked(_ block: Int) -> Bool {
    memory.byte(Self.lockBytes + block / 8).map { $0 >> UInt8(block % 8) & 1 == 1 } ?? false
  }

  /// Returns the static lock bytes of which bits are open.
  private func openStaticLocks() -> [LockByte] {
    Self.dataLockBits.enumerated().compactMap { index, mask in
      let address = Self.lockBytes + index
      return memory.byte(address).map { $0 & mask == mask } == true ? nil : (address, mask)
    }
  }

  /// Returns the dynamic lock bytes of which bits are open.
  ///
  /// - Throws: `unsupported` where the reader cannot read them, or no command reaches them.
  private mutating func openDynamicLocks(_ layout: Layout, _ link: TagLink) throws -> [LockByte] {
    guard !memory.isStatic else { return [] }
    guard let locks = dynamicLocks(layout) else {
      throw NFCError(
        .unsupported, "where the lock bits of the tag's dynamic memory are is not known")
    }
    try memory.load(locks.map(\.address), link)
    let open = locks.filter { lock in
      memory.byte(lock.address).map { $0 & lock.mask == lock.mask } != true
    }
    if let far = open.first(where: { $0.address >= Type1Memory.reachableSize }) {
      throw Type1Memory.outOfReach(far.address)
    }
    return open
  }

  private mutating func close(_ lock: LockByte, isFirst: Bool, _ link: TagLink) throws {
    do {
      try memory.set(lock.mask, at: lock.address, link)
    } catch let error as NFCError where isFirst && error.code == .tagRefused {
      link.changesWereTakenBack()
      throw NFCError(
        .unsupported, "the tag does not let its lock bits be set; nothing has been changed",
        place: error.place)
    }
  }

  private mutating func checkLocked(_ link: TagLink) throws {
    guard let layout = try locate(link, repairing: false) else { return }
    let open = openStaticLocks() + (try openDynamicLocks(layout, link))
    guard let first = open.first else { return }
    throw NFCError(
      .tagResponseError, "the tag accepted every lock, but some of these bits are not set",
      place: .block(first.address / Type1Memory.blockSize))
  }
}
