/// The writes that restore a dump to a card, and what is left out and why.
struct MiFareClassicRestorePlan: Sendable {
  /// A block to be written, and the key for it.
  struct Write: Hashable, Sendable {
    /// The number of the block.
    let block: Int
    /// The 16 bytes that are written.
    let data: [UInt8]
    /// The type of the key that opens the sector for the write.
    let keyType: MiFareClassicKeyType
    /// The key that opens the sector for the write.
    let key: MiFareClassicKey
  }

  /// The writes in their order: a sector's data, then its trailer. The block with the length of an NDEF message is
  /// first written with an empty one if others have a part of the message, and its sector comes last.
  let writes: [Write]
  /// What people see of each of the writes.
  let steps: [ChangePlan.Step]
  /// The parts of the dump that will not be on the card.
  let omissions: [ChangePlan.Omission]
  let effects: Set<IrreversibleEffect>
  /// The blocks of the old message and the new one, with their content before.
  let messageBlocks: [Int: [UInt8]]

  /// Compares a card with a dump.
  ///
  /// - Parameters:
  ///   - image: all blocks in order, in the form of ``MiFareClassicDump/bytes``.
  ///   - known: whether each byte is known; `nil` if all are. Unknown blocks, keys and access bits
  ///     do not change on the card.
  ///   - card: the content of the card; keys that were not found cannot be used.
  ///   - locksPermanently: also writes trailers whose access bits no key can change again. **Cannot be
  ///     undone.**
  /// - Throws: ``NFCError/Code/malformedContent`` if the dump does not belong to a card of this
  ///   size.
  init(
    image: [UInt8], known: [Bool]? = nil, card: MiFareClassicDump, locksPermanently: Bool = false
  ) throws {
    let geometry = card.geometry
    guard image.count == geometry.memorySize, known.map({ $0.count == image.count }) ?? true else {
      throw NFCError(
        .malformedContent, "the dump has \(image.count) bytes, the card \(geometry.memorySize)")
    }
    var writes: [Write] = []
    var omissions: [ChangePlan.Omission] = []
    var effects: Set<IrreversibleEffect> = []
    for sector in card.sectors {
      let blocks = geometry.blocks(ofSector: sector.sector)
      func omit(_ block: Int?, _ reason: ChangePlan.Omission.Reason) {
        omissions.append(.init(Self.place(block, of: sector.sector), reason))
      }
      let knowledge = Knowledge(known, of: blocks)
      if knowledge.isEmpty { continue }
      guard let conditions = sector.accessConditions else {
        omit(nil, sector.failure == .brokenAccessBits ? .brokenAccessBits : .noKey)
        continue
      }
      // A dump has zeros for a sector that was not read: its data would be lost for nothing.
      guard
        !knowledge.isTrailerKnown
          || Self.block(blocks.upperBound - 1, of: image).contains(where: { $0 != 0 })
      else {
        omit(nil, .brokenAccessBits)
        continue
      }
      for (index, block) in blocks.dropLast().enumerated() {
        let data = Self.block(block, of: image)
        if sector.blocks[index] == data || !knowledge.isKnown[index] { continue }
        let group = geometry.accessGroup(ofBlock: block)
        if block == 0 {
          omit(block, .neverWritten)
        } else if let (type, key) = sector.key(where: {
          conditions.allows(.write, group: group, with: $0)
        }) {
          writes.append(Write(block: block, data: data, keyType: type, key: key))
        } else {
          omit(block, .notWritable)
        }
      }
      let block = blocks.upperBound - 1
      guard
        let wanted = try? MiFareClassicSectorTrailer(
          knowledge.completed(Self.block(block, of: image), from: sector))
      else {
        omit(block, .brokenAccessBits)
        continue
      }
      let fields = sector.fieldsThatDiffer(from: wanted).intersection(knowledge.trailerFields)
      guard !fields.isEmpty else { continue }
      // A trailer is written as a whole: an unknown key would be lost.
      guard knowledge.canComplete(from: sector) else {
        omit(block, .notWritable)
        continue
      }
      let isFinal =
        fields.contains(.accessBits) && !wanted.accessConditions.areAccessBitsWritable
      if isFinal, !locksPermanently {
        omit(block, .locksPermanently)
      } else if let (type, key) = sector.key(where: {
        conditions.writableTrailerFields(with: $0).isSuperset(of: fields)
      }) {
        writes.append(Write(block: block, data: wanted.bytes, keyType: type, key: key))
        if isFinal { effects.insert(.locksMemory) }
        if fields.contains(.keyA) && sector.keyA == nil
          || fields.contains(.keyB) && sector.keyB == nil
        {
          effects.insert(.forgetsKey)
        }
      } else {
        omit(block, .notWritable)
      }
    }
    (self.writes, messageBlocks) = Self.inMessageOrder(writes, image, known, card)
    steps = Self.steps(self.writes, card)
    self.omissions = omissions
    self.effects = effects
  }

  static func place(_ block: Int?, of sector: Int) -> ChangePlan.Place {
    block.map { ChangePlan.Place(.block, $0, in: .sector(sector)) } ?? .sector(sector)
  }

  /// Describes the writes. A trailer contains keys, and is not shown.
  private static func steps(_ writes: [Write], _ card: MiFareClassicDump) -> [ChangePlan.Step] {
    let geometry = card.geometry
    var now: [Int: [UInt8]] = [:]
    return writes.map { write in
      let number = geometry.sector(ofBlock: write.block)
      let place = place(write.block, of: number)
      guard !geometry.isTrailer(write.block) else {
        return .secret(place, "keys and access bits")
      }
      let index = write.block - geometry.blocks(ofSector: number).lowerBound
      let sector = card.sectors.first { $0.sector == number }
      let present = sector.flatMap { $0.blocks.dropFirst(index).first ?? nil }
      let before = now[write.block] ?? present
      now[write.block] = write.data
      return .write(place, before, write.data)
    }
  }

  /// Returns the writes in an order in which a card that is removed early holds no message of old and new bytes.
  private static func inMessageOrder(
    _ writes: [Write], _ image: [UInt8], _ known: [Bool]?, _ card: MiFareClassicDump
  ) -> (writes: [Write], messageBlocks: [Int: [UInt8]]) {
    let geometry = card.geometry
    var now = [UInt8?](repeating: nil, count: geometry.memorySize)
    for sector in card.sectors {
      for (block, data) in zip(geometry.blocks(ofSector: sector.sector), sector.blocks) {
        for (index, byte) in (data ?? []).enumerated() {
          now[block * MiFareClassicGeometry.blockSize + index] = byte
        }
      }
    }
    let wanted = image.enumerated().map { known?[$0.offset] ?? true ? $0.element : nil }
    let sectors = messageSectors(now, geometry)
    let area = sectors.map { sector in
      let blocks = geometry.blocks(ofSector: sector).dropLast()
      return blocks.lowerBound * MiFareClassicGeometry.blockSize..<blocks.upperBound
        * MiFareClassicGeometry.blockSize
    }
    let order = RestoreOrder(
      now: now, image: wanted, unitSize: MiFareClassicGeometry.blockSize, area: area)
    let units = writes.map(\.block).filter {
      sectors.contains(geometry.sector(ofBlock: $0)) && !geometry.isTrailer($0)
    }
    func write(_ block: Int, _ data: [UInt8]) -> Write? {
      let sector = card.sectors.first { $0.sector == geometry.sector(ofBlock: block) }
      guard let sector, let conditions = sector.accessConditions,
        let (type, key) = sector.key(where: {
          conditions.allows(.write, group: geometry.accessGroup(ofBlock: block), with: $0)
        })
      else { return nil }
      return Write(block: block, data: data, keyType: type, key: key)
    }
    let size = MiFareClassicGeometry.blockSize
    let content = order.messageUnits.compactMap { block -> (Int, [UInt8])? in
      let bytes = now[block * size..<(block + 1) * size].compactMap(\.self)
      return bytes.count == size ? (block, bytes) : nil
    }
    let messageBlocks = Dictionary(uniqueKeysWithValues: content)
    let ordered = order.writes(of: units) { write($0, []) != nil }
    guard ordered.map(\.unit) != units, let last = ordered.last else {
      return (writes, messageBlocks)
    }
    let head = last.unit
    let sector = geometry.sector(ofBlock: head)
    let others = writes.filter { $0.block != head }
    let own = others.filter { geometry.sector(ofBlock: $0.block) == sector }
    var result: [Write] = []
    if let first = ordered.first, first.unit == head, ordered.count > 1,
      let empty = write(head, first.data)
    {
      result.append(empty)
    }
    result += others.filter { geometry.sector(ofBlock: $0.block) != sector }
    result += own.filter { !geometry.isTrailer($0.block) }
    if let final = write(head, last.data) { result.append(final) }
    return (result + own.filter { geometry.isTrailer($0.block) }, messageBlocks)
  }

  /// Returns the sectors of the NDEF message by the card's directory; all but the first if it has none.
  private static func messageSectors(
    _ now: [UInt8?], _ geometry: MiFareClassicGeometry
  ) -> [Int] {
    func bytes(_ blocks: Range<Int>) -> [UInt8] {
      now[
        blocks.lowerBound * MiFareClassicGeometry.blockSize..<blocks.upperBound
          * MiFareClassicGeometry.blockSize
      ].compactMap(\.self)
    }
    let first = try? MiFareApplicationDirectory(bytes(1..<3), part: .first)
    let second =
      geometry.sectors.contains(16)
      ? try? MiFareApplicationDirectory(bytes(64..<67), part: .second) : nil
    let sectors = [first, second].compactMap(\.self).flatMap { $0.sectors(of: .ndef) }
    return sectors.isEmpty
      ? geometry.sectors.filter { ![0, 16].contains($0) } : Set(sectors).sorted()
  }

  private static func block(_ block: Int, of image: [UInt8]) -> [UInt8] {
    let first = block * MiFareClassicGeometry.blockSize
    return Array(image[first..<first + MiFareClassicGeometry.blockSize])
  }
}

/// The parts of a sector that an image knows.
private struct Knowledge {
  private static let keyA = 0..<6
  private static let access = 6..<10
  private static let keyB = 10..<16

  /// Of each data block.
  let isKnown: [Bool]
  let trailerFields: MiFareClassicAccessConditions.TrailerFields

  init(_ known: [Bool]?, of blocks: Range<Int>) {
    guard let known else {
      isKnown = Array(repeating: true, count: blocks.count - 1)
      trailerFields = .all
      return
    }
    let size = MiFareClassicGeometry.blockSize
    isKnown = blocks.dropLast().map { block in
      known[block * size..<(block + 1) * size].allSatisfy { $0 }
    }
    let trailer = (blocks.upperBound - 1) * size
    func isFieldKnown(_ range: Range<Int>) -> Bool {
      range.allSatisfy { known[trailer + $0] }
    }
    var fields: MiFareClassicAccessConditions.TrailerFields = []
    if isFieldKnown(Self.keyA) { fields.insert(.keyA) }
    if isFieldKnown(Self.access) { fields.insert(.accessBits) }
    if isFieldKnown(Self.keyB) { fields.insert(.keyB) }
    trailerFields = fields
  }

  var isTrailerKnown: Bool { trailerFields == .all }
  var isEmpty: Bool { trailerFields.isEmpty && !isKnown.contains(true) }

  func canComplete(from sector: MiFareClassicSectorDump) -> Bool {
    (trailerFields.contains(.keyA) || sector.keyA != nil)
      && (trailerFields.contains(.keyB) || sector.keyB != nil)
  }

  /// Returns a trailer with the card's current bytes in place of unknown ones.
  func completed(_ block: [UInt8], from sector: MiFareClassicSectorDump) -> [UInt8] {
    var block = block
    if !trailerFields.contains(.keyA), let key = sector.keyA {
      block.replaceSubrange(Self.keyA, with: key.bytes)
    }
    if !trailerFields.contains(.accessBits), let trailer = sector.blocks.last ?? nil {
      block.replaceSubrange(Self.access, with: trailer[Self.access])
    }
    if !trailerFields.contains(.keyB), let key = sector.keyB {
      block.replaceSubrange(Self.keyB, with: key.bytes)
    }
    return block
  }
}

extension MiFareClassicSectorDump {
  /// Returns a key that was found and may do something. A key B that can be read is no key.
  fileprivate func key(
    where may: (MiFareClassicKeyType) -> Bool
  ) -> (MiFareClassicKeyType, MiFareClassicKey)? {
    for type in [MiFareClassicKeyType.a, .b] where may(type) {
      if let key = key(type) { return (type, key) }
    }
    return nil
  }

  /// Returns a key that is not known counts as different.
  fileprivate func fieldsThatDiffer(
    from wanted: MiFareClassicSectorTrailer
  ) -> MiFareClassicAccessConditions.TrailerFields {
    var fields: MiFareClassicAccessConditions.TrailerFields = []
    if keyA != wanted.keyA { fields.insert(.keyA) }
    if keyB != wanted.keyB { fields.insert(.keyB) }
    if accessConditions != wanted.accessConditions
      || generalPurposeByte != wanted.generalPurposeByte
    {
      fields.insert(.accessBits)
    }
    return fields
  }
}

// The bytes of a trailer contain keys.
extension MiFareClassicRestorePlan.Write: CustomStringConvertible, CustomReflectable {
  var description: String { "block \(block) with key \(keyType)" }
  var customMirror: Mirror { Mirror(self, children: ["block": block]) }
}
