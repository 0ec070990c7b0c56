/// NDEF on type 3 tags: FeliCa Lite and Lite-S, FeliCa cards with an NDEF system, plain type 3 tags.
/// NFC Forum, Type 3 Tag Operation Specification 1.1.
///
/// Exchanges: one for the attribute block, then the message with Nbr blocks each. On FeliCa Lite
/// and Lite-S, the first one also reads MC, which indicates whether the card is an NDEF tag and
/// what is locked, and the message's first two blocks. A card that was found with another system
/// code is polled for the NDEF system first; FeliCa Lite and Lite-S have one IDm for all systems
/// and are not.
///
/// Every call reads the attribute block. On FeliCa Lite and Lite-S, which only this reader can
/// change meanwhile, the blocks from an earlier call are still valid if it is the same; on all
/// other cards, a wired host may have written, and they are read again.
///
/// To write, the attribute block is set to WriteFlag 0F and Ln 0; then come the data, Nbw blocks
/// per command, and finally the attribute block with WriteFlag 00 and the new Ln. If the write is
/// interrupted, a reader finds no message, whether it checks WriteFlag or not.
struct Type3Mapping: NDEFMapping {
  let target: FeliCaTarget
  /// The IDm of the NDEF system; `nil` before it is known.
  var idm: [UInt8]?
  /// FeliCa Lite and Lite-S: MC.
  var configuration: FeliCaLiteMemoryConfiguration?
  /// What this call has found.
  var formatting = Formatting.unknown
  /// The formatting that the previous call found, to which its blocks belong.
  private var earlier = Formatting.unknown
  /// The message's blocks as they are on the tag, from the first, as far as they are known.
  private var blocks: [[UInt8]] = []
  /// Block 0 as it was read last.
  private var firstBlock: [UInt8] = []
  /// Whether the attribute block on the tag is broken, and the known one is used instead.
  private var needsAttributeBlock = false
  /// The tag's limits for one command, once it has refused more.
  private var limits: FeliCaBlockLimits?

  enum Formatting: Hashable, Sendable {
    case unknown
    case none
    case formatted(Type3AttributeBlock)
  }

  init(target: FeliCaTarget) {
    self.target = target
  }

  /// The code of the system for NDEF, and its services: read only, and read and write.
  static let systemCode: UInt16 = 0x12FC
  static let readService: UInt16 = 0x000B
  static let writeService: UInt16 = 0x0009
  static let configurationBlock = Int(FeliCaLiteLayout.memoryConfiguration)

  /// The generation of a FeliCa Lite or Lite-S, by the IC type; a card of their system with an
  /// unknown IC type is treated as the one with more restrictions.
  var generation: FeliCaLiteGeneration? {
    FeliCaLiteGeneration(pmm: target.pmm)
      ?? (target.systemCode == FeliCaLiteLayout.systemCode.bigEndianBytes ? .liteS : nil)
  }

  var isLite: Bool { generation != nil }

  /// FeliCa Lite and Lite-S, once MC was read: the blocks that anyone can write.
  var openBlocks: Set<Int>? {
    guard let configuration, let generation else { return nil }
    return configuration.openBlocks(generation)
  }

  mutating func beginCall() {
    if formatting != .unknown { earlier = formatting }
    formatting = .unknown
    needsAttributeBlock = false
    let mayHaveChanged = FeliCaChip(pmm: target.pmm)?.mayBeChangedByWire ?? true
    if mayHaveChanged { blocks = [] }
  }

  // MARK: Blocks

  /// Reads blocks of the NDEF system, in one exchange if the tag allows it.
  func read(_ numbers: [Int], _ link: TagLink) throws -> [[UInt8]] {
    var limit = numbers.count
    return try procedure(link).read(service: Self.readService, blocks: numbers, limit: &limit)
  }

  func write(_ data: [[UInt8]], to numbers: [Int], _ link: TagLink) throws {
    var limit = numbers.count
    try procedure(link).write(
      service: Self.writeService, blocks: numbers, data: data, limit: &limit)
  }

  func procedure(_ link: TagLink) -> FeliCaBlockProcedure {
    FeliCaBlockProcedure(idm: idm ?? target.idm, link)
  }

  // MARK: Formatting

  /// Returns the NDEF system's IDm; `nil` if the card has no such system.
  mutating func ndefSystem(_ link: TagLink) throws -> [UInt8]? {
    if let idm { return idm }
    if isLite || target.systemCode == Self.systemCode.bigEndianBytes {
      idm = target.idm
      return target.idm
    }
    do {
      let answer = try FeliCaExchange.send(
        FeliCaPolling(systemCode: Self.systemCode, requestCode: .noRequest, timeSlots: .one), link)
      guard answer.isSystem(ofCard: target.idm) else { return nil }
      idm = answer.idm
      return answer.idm
    } catch let error as NFCError where error.cause == .noAnswer {
      // A card without the system is as silent as one that has left.
      try link.selectAgain()
      return nil
    }
  }

  /// Returns the attribute block; `nil` if the tag is not formatted.
  mutating func attributes(_ link: TagLink) throws -> Type3AttributeBlock? {
    switch formatting {
    case .none: return nil
    case .formatted(let attributes): return attributes
    case .unknown: break
    }
    guard try ndefSystem(link) != nil else {
      formatting = .none
      return nil
    }
    let first = isLite ? try readLite(link) : try readAttributeBlock(link)
    firstBlock = first ?? []
    guard let first, configuration?.supportsNDEF ?? true,
      let attributes = try Type3AttributeBlock(first)
    else {
      formatting = .none
      return nil
    }
    if isLite { try checkLite(attributes) }
    found(.formatted(attributes))
    return attributes
  }

  /// Updates the formatting from the attribute block. Blocks that were read with another one are
  /// discarded.
  private mutating func found(_ new: Formatting) {
    if new != earlier, earlier != .unknown { blocks = Array(blocks.prefix(freshBlocks)) }
    formatting = new
  }

  /// The number of the message's blocks that were read together with the attribute block.
  private var freshBlocks: Int { isLite ? Self.blocksBesideConfiguration.count : 0 }

  /// `nil` from a card whose system has no NDEF services.
  private func readAttributeBlock(_ link: TagLink) throws -> [UInt8]? {
    do {
      return try read([Type3AttributeBlock.number], link).first
    } catch let error as NFCError where error.code == .tagRefused {
      guard case .statusFlags(_, FeliCaStatusFlag.illegalServiceCode)? = error.cause else {
        throw error
      }
      return nil
    }
  }

  /// The blocks that fit into one command of a FeliCa Lite together with the attribute block and
  /// MC.
  private static let blocksBesideConfiguration = [1, 2]

  /// Returns the attribute block and MC, and the first blocks of the message unless they are
  /// closed.
  private mutating func readLite(_ link: TagLink) throws -> [UInt8]? {
    let needed = [Type3AttributeBlock.number, Self.configurationBlock]
    let read: [[UInt8]]
    do {
      read = try self.read(needed + Self.blocksBesideConfiguration, link)
    } catch let error as NFCError where error.code == .notAuthenticated {
      read = try self.read(needed, link)
    }
    guard read.count >= needed.count else { return nil }
    configuration = FeliCaLiteMemoryConfiguration(read[1])
    let begin = Array(read.dropFirst(needed.count))
    if begin.isEmpty || !blocks.starts(with: begin) { blocks = begin }
    return read[0]
  }

  private func checkLite(_ attributes: Type3AttributeBlock) throws {
    let room = FeliCaLiteLayout.scratchPads.upperBound * FeliCaBlock.size
    guard attributes.length <= room else {
      throw Type3AttributeBlock.malformed(
        "the length field gives \(attributes.length) bytes, and the card has room for \(room)")
    }
  }

  /// Returns the number of data blocks that can hold a message, whatever a FeliCa Lite's attribute
  /// block says.
  func dataBlocks(_ attributes: Type3AttributeBlock) -> Int {
    let blocks = Int(attributes.dataBlocks)
    return isLite ? min(blocks, FeliCaLiteLayout.scratchPads.upperBound) : blocks
  }

  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    guard let attributes = try attributes(link) else { return .notSupported }
    let count = dataBlocks(attributes)
    var isWritable = attributes.isWritable && attributes.maximumBlocksWritten > 0
    if let openBlocks {
      isWritable = isWritable && openBlocks.isSuperset(of: 0...count)
    }
    return NDEFStatus(
      access: isWritable ? .readWrite : .readOnly,
      capacity: min(count * FeliCaBlock.size, attributes.capacity))
  }

  /// Repairs a broken attribute block with a new one: with the same limits if only the length is
  /// wrong, otherwise with those that are known for the chip, or found by trial.
  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus {
    do {
      return try status(link)
    } catch let error as NFCError
      where error.code == .malformedContent && error.place == .block(Type3AttributeBlock.number)
    {
      let repaired = isLite ? nil : Type3AttributeBlock(withoutLength: firstBlock)
      formatting = .formatted(try repaired ?? replacement(link))
      needsAttributeBlock = true
      blocks = []
      return try status(link)
    }
  }

  // MARK: Reading

  mutating func discardCachedContent() {
    earlier = .unknown
    formatting = .unknown
    blocks = []
  }

  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    guard let attributes = try attributes(link) else {
      throw NFCError(.notNDEF, "the card is not an NDEF tag")
    }
    let length = attributes.messageLength
    let count = Self.blockCount(length)
    try readBlocks(upTo: count, attributes, link)
    return length == 0 ? nil : Array(blocks.prefix(count).joined().prefix(length))
  }

  private static func blockCount(_ length: Int) -> Int {
    (length + FeliCaBlock.size - 1) / FeliCaBlock.size
  }

  /// Reads the blocks that are not known yet.
  private mutating func readBlocks(
    upTo count: Int, _ attributes: Type3AttributeBlock, _ link: TagLink
  ) throws {
    guard blocks.count < count else { return }
    var limits = limits(attributes)
    do {
      blocks += try procedure(link).read(
        service: Self.readService, blocks: Array(blocks.count + 1...count), limit: &limits.read)
      self.limits = limits
    } catch let error as NFCError where error.code == .tagRefused {
      guard case .statusFlags(_, FeliCaStatusFlag.illegalBlockNumber)? = error.cause else {
        throw error
      }
      throw NFCError(
        .malformedContent, "the length field reaches beyond the card's blocks",
        cause: error.cause, place: error.place)
    }
  }

  /// Nbr and Nbw, but not more than the chip can do or has refused.
  private func limits(_ attributes: Type3AttributeBlock) -> FeliCaBlockLimits {
    var own = FeliCaBlockLimits(
      read: Int(attributes.maximumBlocksRead), write: Int(attributes.maximumBlocksWritten),
      pmm: target.pmm)
    if isLite {
      own.read = min(own.read, FeliCaLiteLayout.maximumBlocksRead)
      own.write = FeliCaLiteLayout.maximumBlocksWritten
    }
    guard let limits else { return own }
    return FeliCaBlockLimits(
      read: min(own.read, limits.read), write: min(own.write, limits.write), pmm: target.pmm)
  }

  // MARK: Writing

  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    guard let attributes = try attributes(link) else {
      throw NFCError(.notNDEF, "the card is not an NDEF tag")
    }
    let new = Self.padded(message)
    var limits = limits(attributes)
    let step = min(limits.write, procedure(link).largestWrite(upTo: new.count))
    // Reading the tag's content is worthwhile if it can save more than the one command that it
    // costs.
    let common = min(new.count, Self.blockCount(attributes.messageLength))
    if common > step { try readOld(upTo: common, attributes, link) }
    let changed = new.indices.filter { $0 >= blocks.count || blocks[$0] != new[$0] }
    var final = attributes
    final.isBeingWritten = false
    final.length = message.count
    guard !changed.isEmpty || final != attributes || needsAttributeBlock else { return }

    try write(changed, of: new, from: attributes, to: final, &limits, link)
    self.limits = limits
    formatting = .formatted(final)
    earlier = formatting
    needsAttributeBlock = false
    blocks.replaceSubrange(0..<min(blocks.count, new.count), with: new)
  }

  /// Writes the blocks that change: those past the old message first, while it is still there; then the attribute block
  /// of a message that is being written, the other blocks, and the new attribute block.
  ///
  /// If the tag refuses one of them, the old message is restored; see ``UnitMemory`` for the rule.
  private func write(
    _ changed: [Int], of new: [[UInt8]], from attributes: Type3AttributeBlock,
    to final: Type3AttributeBlock, _ limits: inout FeliCaBlockLimits, _ link: TagLink
  ) throws {
    let procedure = procedure(link)
    let oldCount = needsAttributeBlock ? 0 : Self.blockCount(attributes.messageLength)
    let step = max(1, min(limits.write, procedure.largestWrite(upTo: new.count)))
    let parts = stride(from: 0, to: changed.count, by: step).map {
      Array(changed[$0..<min($0 + step, changed.count)])
    }
    let inside = parts.filter { $0.contains { $0 < oldCount } }
    let beyond = parts.filter { part in !inside.contains(part) }
    let isOpened = !changed.isEmpty && (attributes.length > 0 || needsAttributeBlock)
    func write(_ part: [Int]) throws {
      try procedure.write(
        service: Self.writeService, blocks: part.map { $0 + 1 }, data: part.map { new[$0] },
        limit: &limits.write)
    }
    var begun: [[Int]] = []
    var isOpen = false
    // One command that is refused has changed nothing, but one of several may have.
    var isLastUntouched = true
    do {
      if !needsAttributeBlock { for part in beyond.reversed() { try write(part) } }
      if isOpened {
        var open = attributes
        open.isBeingWritten = true
        open.length = 0
        try self.write([open.encoded], to: [Type3AttributeBlock.number], link)
        isOpen = true
      }
      for part in needsAttributeBlock ? parts : inside {
        begun.append(part)
        let limit = limits.write
        defer { isLastUntouched = limits.write == limit }
        try write(part)
      }
      begun.append([])
      isLastUntouched = true
      try self.write([final.encoded], to: [Type3AttributeBlock.number], link)
    } catch let error as NFCError where error.group == .refusal && !needsAttributeBlock {
      if error.leavesMemoryInDoubt {
        isOpen = true
      } else if isLastUntouched, !begun.isEmpty {
        begun.removeLast()
      }
      let isRestored = link.restoring {
        for part in begun.reversed() {
          let old = part.filter { $0 < oldCount }
          guard old.allSatisfy({ $0 < blocks.count }) else { return false }
          guard !old.isEmpty else { continue }
          try procedure.write(
            service: Self.writeService, blocks: old.map { $0 + 1 }, data: old.map { blocks[$0] },
            limit: &limits.write)
        }
        guard isOpen else { return true }
        try self.write([firstBlock], to: [Type3AttributeBlock.number], link)
        return true
      }
      throw isRestored ? error : error.notTakenBack
    }
  }

  /// Reads the old message as far as the new one reaches; one that exceeds the card is ignored.
  private mutating func readOld(
    upTo count: Int, _ attributes: Type3AttributeBlock, _ link: TagLink
  ) throws {
    do {
      try readBlocks(upTo: count, attributes, link)
    } catch let error as NFCError where error.code == .malformedContent {
      blocks = []
    }
  }

  /// The last block is filled up with zeros.
  private static func padded(_ message: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: message.count, by: FeliCaBlock.size).map {
      let part = Array(message[$0..<min($0 + FeliCaBlock.size, message.count)])
      return part + [UInt8](repeating: 0, count: FeliCaBlock.size - part.count)
    }
  }
}
