/// NDEF on type 3 tags: FeliCa Lite and Lite-S, FeliCa cards with an NDEF system, plain type 3 tags.
/// NFC Forum, Type 3 Tag Operation Specification 1.1.
///
/// Exchanges: one for the attribute block, then the message by Nbr blocks. On FeliCa Lite and Lite-S the
/// first one also brings MC, which says whether the card is an NDEF tag and what is locked, and the
/// message's first two blocks. A card found by another system code is asked for the NDEF system first;
/// FeliCa Lite and Lite-S have one IDm for all and are not.
///
/// To write, the attribute block is set to WriteFlag 0F and Ln 0, then come the data, Nbw blocks a
/// command, and the attribute block with WriteFlag 00 and the new Ln at the end. Whatever is torn, a
/// reader finds no message in between, whether it looks at WriteFlag or not.
struct Type3Mapping: NDEFMapping {
  let target: FeliCaTarget
  /// The IDm of the NDEF system; nil before it is known.
  var idm: [UInt8]?
  /// FeliCa Lite and Lite-S: MC.
  var configuration: FeliCaLiteMemoryConfiguration?
  var formatting = Formatting.unknown
  /// The message's blocks as they are on the tag, from the first, as far as they are known.
  private var blocks: [[UInt8]] = []
  /// The message has been handed out: before it is again, the tag is asked whether it is still so.
  private var wasRead = false

  enum Formatting: Hashable, Sendable {
    case unknown
    case none
    case formatted(Type3AttributeBlock)
  }

  init(target: FeliCaTarget) {
    self.target = target
  }

  /// MC's number, as ``Type3Exchange`` takes it.
  static let configurationBlock = Int(FeliCaLiteLayout.memoryConfiguration)

  /// FeliCa Lite or Lite-S, by the IC type; a card of their system whose IC type is new is taken for the
  /// one with more restrictions.
  var generation: FeliCaLiteGeneration? {
    FeliCaLiteGeneration(pmm: target.pmm)
      ?? (target.systemCode == FeliCaLiteLayout.systemCode.bigEndianBytes ? .liteS : nil)
  }

  var isLite: Bool { generation != nil }

  /// FeliCa Lite and Lite-S, once MC was read: the blocks that anybody can write.
  var openBlocks: Set<Int>? {
    guard let configuration, let generation else { return nil }
    return configuration.openBlocks(generation)
  }

  // MARK: What the tag is

  /// The NDEF system's IDm; `nil` if the card has no such system.
  mutating func ndefSystem(_ link: TagLink) throws -> [UInt8]? {
    if let idm { return idm }
    let code = Type3Exchange.systemCode
    if isLite || target.systemCode == code.bigEndianBytes {
      idm = target.idm
      return target.idm
    }
    do {
      let answer = try FeliCaExchange.send(
        FeliCaPolling(systemCode: code, requestCode: .noRequest, timeSlots: .one), link)
      // The systems of a card differ in the first half byte (FeliCa Card User's Manual, 3.2.1);
      // anything else is another card in the field.
      guard answer.idm.dropFirst().elementsEqual(target.idm.dropFirst()),
        let new = answer.idm.first, let old = target.idm.first, new & 0x0F == old & 0x0F
      else { return nil }
      idm = answer.idm
      return answer.idm
    } catch let error as NFCError where error.cause == .noAnswer {
      // A card without the system is as silent as one that has left.
      try link.selectAgain()
      return nil
    }
  }

  /// The attribute block; `nil` if the tag is not formatted.
  mutating func attributes(_ link: TagLink) throws -> Type3AttributeBlock? {
    switch formatting {
    case .none: return nil
    case .formatted(let attributes): return attributes
    case .unknown: break
    }
    guard let idm = try ndefSystem(link) else {
      formatting = .none
      return nil
    }
    let exchange = Type3Exchange(idm: idm, link: link)
    let first = isLite ? try readLite(exchange) : try readAttributeBlock(exchange)
    guard let first, configuration?.supportsNDEF ?? true,
      let attributes = try Type3AttributeBlock(first)
    else {
      formatting = .none
      return nil
    }
    if isLite { try checkLite(attributes) }
    formatting = .formatted(attributes)
    return attributes
  }

  /// `nil` from a card whose system has no NDEF services.
  private func readAttributeBlock(_ exchange: Type3Exchange) throws -> [UInt8]? {
    do {
      return try exchange.read([Type3AttributeBlock.number]).first
    } catch let error as NFCError where error.code == .tagRefused {
      guard case .statusFlags(_, FeliCaStatusFlag.illegalServiceCode)? = error.cause else {
        throw error
      }
      return nil
    }
  }

  /// The attribute block and MC, and the first blocks of the message unless they are closed.
  private mutating func readLite(_ exchange: Type3Exchange) throws -> [UInt8]? {
    let needed = [Type3AttributeBlock.number, Self.configurationBlock]
    let read: [[UInt8]]
    do {
      read = try exchange.read(needed + [1, 2])
    } catch let error as NFCError where error.code == .notAuthenticated {
      read = try exchange.read(needed)
    }
    guard read.count >= needed.count else { return nil }
    configuration = FeliCaLiteMemoryConfiguration(read[1])
    let begin = Array(read.dropFirst(needed.count))
    if !blocks.starts(with: begin) { blocks = begin }
    return read[0]
  }

  private func checkLite(_ attributes: Type3AttributeBlock) throws {
    let room = FeliCaLiteLayout.scratchPads.upperBound * FeliCaBlock.size
    guard attributes.length <= room else {
      throw Type3AttributeBlock.malformed(
        "the message is said to have \(attributes.length) bytes, the card has \(room)")
    }
  }

  /// Data blocks that can hold a message, whatever a FeliCa Lite's attribute block says.
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

  // MARK: Reading

  mutating func forgetContent() {
    formatting = .unknown
    blocks = []
    wasRead = false
  }

  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    if wasRead { try refresh(link) }
    guard let attributes = try attributes(link), let idm else {
      throw NFCError(.notNDEF, "the card is not an NDEF tag")
    }
    let length = attributes.messageLength
    let count = Self.blockCount(length)
    try readBlocks(upTo: count, attributes, Type3Exchange(idm: idm, link: link))
    wasRead = true
    return length == 0 ? nil : Array(blocks.prefix(count).joined().prefix(length))
  }

  /// Asks whether the message has changed: one exchange, and no block is believed if the attribute
  /// block is another.
  private mutating func refresh(_ link: TagLink) throws {
    let known = formatting
    formatting = .unknown
    wasRead = false
    _ = try attributes(link)
    if formatting != known { blocks = [] }
  }

  private static func blockCount(_ length: Int) -> Int {
    (length + FeliCaBlock.size - 1) / FeliCaBlock.size
  }

  /// Reads the blocks that are not known yet.
  private mutating func readBlocks(
    upTo count: Int, _ attributes: Type3AttributeBlock, _ exchange: Type3Exchange
  ) throws {
    let limit = Int(attributes.maximumBlocksRead)
    var step = Type3Exchange.blocksPerRead(
      isLite ? min(limit, FeliCaLiteLayout.maximumBlocksRead) : limit, exchange.link)
    while blocks.count < count {
      let first = blocks.count + 1
      let last = min(blocks.count + step, count)
      do {
        blocks += try exchange.read(Array(first...last))
      } catch let error as NFCError where error.code == .tagRefused {
        switch error.cause {
        case .statusFlags(_, FeliCaStatusFlag.illegalBlockNumber):
          throw NFCError(
            .malformedContent, "the message is said to reach beyond the card's blocks",
            cause: error.cause, place: error.place)
        case .statusFlags(_, FeliCaStatusFlag.illegalNumberOfBlocks) where step > 1:
          // Nbr was a lie: ask for fewer.
          step = max(1, step / 2)
        default: throw error
        }
      }
    }
  }

  // MARK: Writing

  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    guard let attributes = try attributes(link), let idm else {
      throw NFCError(.notNDEF, "the card is not an NDEF tag")
    }
    let exchange = Type3Exchange(idm: idm, link: link)
    let new = Self.padded(message)
    let step = blocksPerWrite(attributes, upTo: new.count, link)
    // What is on the tag is worth reading where it may spare more than the one command it costs.
    let common = min(new.count, Self.blockCount(attributes.messageLength))
    if common > step { try readBlocks(upTo: common, attributes, exchange) }
    let changed = new.indices.filter { $0 >= blocks.count || blocks[$0] != new[$0] }
    var final = attributes
    final.isBeingWritten = false
    final.length = message.count
    guard !changed.isEmpty || final != attributes else { return }

    if !changed.isEmpty, attributes.length > 0 {
      var open = attributes
      open.isBeingWritten = true
      open.length = 0
      try exchange.write([open.encoded], to: [Type3AttributeBlock.number])
    }
    var rest = changed[...]
    while !rest.isEmpty {
      let part = rest.prefix(step)
      try exchange.write(part.map { new[$0] }, to: part.map { $0 + 1 })
      rest = rest.dropFirst(step)
    }
    try exchange.write([final.encoded], to: [Type3AttributeBlock.number])
    formatting = .formatted(final)
    blocks.replaceSubrange(0..<min(blocks.count, new.count), with: new)
    wasRead = true
  }

  private func blocksPerWrite(
    _ attributes: Type3AttributeBlock, upTo last: Int, _ link: TagLink
  ) -> Int {
    let limit = Int(attributes.maximumBlocksWritten)
    return Type3Exchange.blocksPerWrite(
      isLite ? min(limit, FeliCaLiteLayout.maximumBlocksWritten) : limit, upTo: last, link)
  }

  /// The last block is filled up with zeros.
  private static func padded(_ message: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: message.count, by: FeliCaBlock.size).map {
      let part = Array(message[$0..<min($0 + FeliCaBlock.size, message.count)])
      return part + [UInt8](repeating: 0, count: FeliCaBlock.size - part.count)
    }
  }
}
