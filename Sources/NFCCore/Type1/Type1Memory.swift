/// The known bytes of a Type 1 tag, and its commands.
///
/// The reader adds the tag's UID to each command. RALL returns the first 120 bytes; WRITE-E and
/// WRITE-NE reach the first 128, one at a time. READ8 and WRITE-E8, eight bytes at a time, reach
/// all of a tag with dynamic memory, and are `unsupported` on readers whose chip cannot be made to
/// send them.
///
/// Source: NFC Forum Type 1 Tag, 5; PN532 user manual, 7.3.8.
struct Type1Memory: Sendable {
  static let blockSize = 8
  /// The number of bytes that RALL returns after the two header bytes: blocks 0 to E.
  static let staticSize = 120
  /// Where an address of seven bits ends.
  static let reachableSize = 128
  private static let timeout = Duration.milliseconds(200)

  enum Command {
    static let readAll: UInt8 = 0x00
    static let writeErase: UInt8 = 0x53
    static let writeNoErase: UInt8 = 0x1A
    static let read8: UInt8 = 0x02
    static let writeErase8: UInt8 = 0x54
  }

  /// HR0 and HR1, which identify the tag.
  private(set) var header: [UInt8] = []
  private var bytes: [UInt8?] = []

  /// High half 1: it may hold NDEF; low half 1: its memory is static.
  var mayHoldNDEF: Bool { header.first.map { $0 >> 4 == 1 } ?? false }
  var isStatic: Bool { header.first.map { $0 & 0x0F == 1 } ?? false }
  var isKnown: Bool { !bytes.isEmpty }
  var product: Type1Product? { Type1Product.of(header: header) }

  func byte(_ address: Int) -> UInt8? {
    bytes.indices.contains(address) ? bytes[address] : nil
  }

  /// RALL: one exchange.
  mutating func load(_ link: TagLink) throws {
    let answer = try FrameLoss.any.repeatingOnce {
      try link.exchange([Command.readAll, 0, 0], framing: .tagProtocol, timeout: Self.timeout)
    }
    guard answer.count == 2 + Self.staticSize else {
      throw NFCError(
        .tagResponseError, "RALL gave \(answer.count) bytes, not \(2 + Self.staticSize)")
    }
    header = Array(answer.prefix(2))
    bytes = answer.dropFirst(2).map { $0 }
  }

  /// Sends READ8 for a block: one exchange.
  mutating func load(block: Int, _ link: TagLink) throws {
    keep(try send8(Command.read8, [], block, link), block)
  }

  /// Sends the READ8s that are needed to know these addresses; none for known ones.
  mutating func load(_ addresses: some Sequence<Int>, _ link: TagLink) throws {
    for address in addresses where byte(address) == nil {
      try load(block: address / Self.blockSize, link)
    }
  }

  /// Sends WRITE-E8 for a block, which the tag answers with the block's new content. Throws like ``write(_:at:_:)``.
  mutating func write(_ data: [UInt8], block: Int, _ link: TagLink) throws {
    let held = try send8(Command.writeErase8, data, block, link)
    keep(held, block)
    guard held == data else { throw Self.locked(block) }
  }

  private mutating func send8(
    _ command: UInt8, _ data: [UInt8], _ block: Int, _ link: TagLink
  ) throws -> [UInt8] {
    guard let address = UInt8(exactly: block) else { throw Self.outOfReach(block * Self.blockSize) }
    let losses: FrameLoss = command == Command.read8 ? .any : []
    let answer = try losses.repeatingOnce {
      try link.changing(losses.isEmpty, isRefusal: { $0.last != data.last }) {
        try link.exchange(
          [command, address] + data, framing: .tagProtocol, timeout: Self.timeout)
      }
    }
    guard answer.count == 1 + Self.blockSize, answer[0] == address else {
      throw NFCError(
        .tagResponseError, "the tag's answer is not the block that was requested",
        place: .block(block))
    }
    return Array(answer.dropFirst())
  }

  private mutating func keep(_ data: [UInt8], _ block: Int) {
    let first = block * Self.blockSize
    let missing = first + Self.blockSize - bytes.count
    if missing > 0 { bytes += [UInt8?](repeating: nil, count: missing) }
    for (index, byte) in data.enumerated() { bytes[first + index] = byte }
  }

  private static func locked(_ block: Int) -> NFCError {
    NFCError(
      .readOnly,
      "the tag does not let this block be written: it is locked", place: .block(block))
  }

  /// Sends WRITE-E for one byte, which the tag answers with the byte's new content.
  ///
  /// Throws `readOnly` with the block if the content differs.
  mutating func write(_ byte: UInt8, at address: Int, _ link: TagLink) throws {
    let held = try send(Command.writeErase, byte, address, link)
    guard held == byte else { throw Self.locked(address / Self.blockSize) }
  }

  /// WRITE-NE of one byte: sets bits and clears none.
  mutating func set(_ bits: UInt8, at address: Int, _ link: TagLink) throws {
    let held = try send(Command.writeNoErase, bits, address, link)
    guard held & bits == bits else {
      throw NFCError(
        .tagRefused, "the tag does not let the bits of this block be set",
        place: .block(address / Self.blockSize))
    }
  }

  private mutating func send(
    _ command: UInt8, _ byte: UInt8, _ address: Int, _ link: TagLink
  ) throws -> UInt8 {
    guard (0..<Self.reachableSize).contains(address) else { throw Self.outOfReach(address) }
    if bytes.indices.contains(address) { bytes[address] = nil }
    let answer = try link.changing {
      try link.exchange(
        [command, UInt8(address), byte], framing: .tagProtocol, timeout: Self.timeout)
    }
    // Some readers leave the address in front of it.
    guard let held = answer.last else {
      throw NFCError(
        .tagResponseError, "the tag's answer is empty", place: .block(address / Self.blockSize))
    }
    if bytes.indices.contains(address) { bytes[address] = held }
    return held
  }

  /// Reads bytes again after a write that has failed: RALL for the first 120, READ8 for others.
  mutating func readBack(_ addresses: Range<Int>, _ link: TagLink) throws -> [UInt8] {
    let held = bytes
    if addresses.upperBound <= Self.staticSize {
      do {
        try load(link)
      } catch let error as NFCError where error.code == .tagResponseError {
        try link.selectAgain()
        try load(link)
      }
      for address in held.indices.dropFirst(Self.staticSize) { bytes.append(held[address]) }
    } else {
      for address in addresses where bytes.indices.contains(address) { bytes[address] = nil }
      do {
        try load(addresses, link)
      } catch let error as NFCError where error.code == .tagResponseError {
        try link.selectAgain()
        try load(addresses, link)
      }
    }
    return addresses.compactMap { byte($0) }
  }

  static func outOfReach(_ address: Int) -> NFCError {
    NFCError(
      .unsupported, "no command of a Type 1 tag can address this block",
      place: .block(address / blockSize)
    )
  }
}

/// The blocks of a Type 1 tag with dynamic memory, or the bytes of one without, as a memory that is changed completely
/// or not at all.
struct Type1Units: UnitMemory {
  var memory: Type1Memory
  let link: TagLink
  /// 8 for blocks, 1 for bytes.
  let size: Int

  mutating func write(_ data: [UInt8], to unit: Int) throws {
    guard size == 1 else { return try memory.write(data, block: unit, link) }
    guard let byte = data.first else { return }
    try memory.write(byte, at: unit, link)
  }

  mutating func readBack(_ unit: Int) throws -> [UInt8]? {
    try memory.readBack(unit * size..<(unit + 1) * size, link)
  }
}

extension Type1Memory {
  /// Writes blocks of eight bytes, or single bytes, completely or not at all; see ``UnitMemory/perform(_:over:)``.
  mutating func perform(_ writes: [WholeUnit], size: Int, _ link: TagLink) throws {
    let held = self
    var units = Type1Units(memory: self, link: link, size: size)
    defer { self = units.memory }
    try units.perform(writes) { unit in
      let content = (unit * size..<(unit + 1) * size).compactMap { held.byte($0) }
      return content.count == size ? content : nil
    }
  }

  /// Writes one byte, or sets bits of it, and finds out what became of that.
  mutating func attempt(_ write: WholeUnit, _ link: TagLink) throws -> WriteOutcome {
    let old = byte(write.unit).map { [$0] }
    var units = Type1Units(memory: self, link: link, size: 1)
    defer { self = units.memory }
    return try units.attempt(write, over: old)
  }
}
