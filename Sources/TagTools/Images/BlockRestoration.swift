import NFC
import SwiftNFCCore
import TagImages

/// Restores an image to a tag of plain blocks: ISO 15693, FeliCa Lite or Topaz.
struct BlockRestoration: MemoryRestoration {
  /// A block that differs.
  private struct Block {
    /// The block's index in the image.
    let unit: Int
    let number: Int
    /// The reason why the block is not written.
    let omission: RestoredPart.Omission?
  }

  /// A write of a block. A block is written twice if the message in it is made empty first.
  private struct Step {
    let number: Int
    let data: [UInt8]
    let old: [UInt8?]
    /// Whether it only makes the message empty, until all other blocks are written.
    let isPreparation: Bool
    /// Whether it has a part of the old message or of the new one.
    let isOfMessage: Bool
  }

  private let tag: MemoryTag
  private let blocks: [Block]
  private let steps: [Step]

  /// Creates a restoration. Reads which of the tag's blocks are locked.
  ///
  /// - Parameter now: the current content of the tag.
  /// - Throws: `NFCError` `malformedContent` for an image of another size.
  init(_ tag: MemoryTag, _ image: TagImage, now: TagImage) async throws {
    guard image.memory.bytes.count == now.memory.bytes.count else {
      throw NFCError(
        .malformedContent,
        "it has \(image.memory.bytes.count) bytes, and the tag has \(now.memory.bytes.count)")
    }
    self.tag = tag
    let memory = image.memory.regrouped(unitSize: now.memory.unitSize)
    let locked = try await Self.locked(tag, now)
    blocks = (0..<now.memory.unitCount).compactMap { unit in
      let range = now.memory.range(ofUnit: unit)
      guard let data = memory.known(range), now.memory.known(range) != data else { return nil }
      let number = now.number(ofUnit: unit)
      return Block(
        unit: unit, number: number,
        omission: locked.contains(unit)
          ? Self.omission("it is locked")
          : Self.obstacleToWriting(tag, number, of: now.memory.unitCount))
    }
    let (writes, messageUnits) = Self.ordered(
      blocks.filter { $0.omission == nil }.map(\.unit), tag, memory, now
    ) { unit in
      !locked.contains(unit)
        && Self.obstacleToWriting(tag, now.number(ofUnit: unit), of: now.memory.unitCount) == nil
    }
    var content: [Int: [UInt8?]] = [:]
    var steps: [Step] = []
    for (index, write) in writes.enumerated() {
      let isPreparation = writes[(index + 1)...].contains { $0.unit == write.unit }
      steps.append(
        Step(
          number: now.number(ofUnit: write.unit), data: write.data,
          old: content[write.unit] ?? now.memory.unit(write.unit), isPreparation: isPreparation,
          isOfMessage: messageUnits.contains(write.unit)))
      content[write.unit] = write.data
    }
    self.steps = steps
  }

  /// Returns the writes in an order in which a tag that is removed early holds no message of old and new bytes.
  private static func ordered(
    _ units: [Int], _ tag: MemoryTag, _ image: TagImage.Memory, _ now: TagImage,
    isWritable: (Int) -> Bool
  ) -> (writes: [RestoreOrder.Write], messageUnits: Set<Int>) {
    let plain = units.compactMap { unit in
      image.known(now.memory.range(ofUnit: unit)).map { RestoreOrder.Write(unit: unit, data: $0) }
    }
    func bytes(_ memory: TagImage.Memory) -> [UInt8?] {
      zip(memory.bytes, memory.isKnown).map { $1 ? $0 : nil }
    }
    switch tag {
    case .vicinity:
      let order = RestoreOrder.type5(
        now: bytes(now.memory), image: bytes(image), unitSize: now.memory.unitSize)
      if let order {
        return (order.writes(of: units, isWritable: isWritable), order.messageUnits)
      }
      // The block with the capability container comes last: without it, there is no message.
      let first = plain.filter { $0.unit == 0 }
      return (plain.filter { $0.unit != 0 } + first, [])
    case .topaz:
      let order = RestoreOrder.type1(now: bytes(now.memory), image: bytes(image))
      return (order.writes(of: units, isWritable: isWritable), order.messageUnits)
    case .feliCaLite:
      let writes = type3Order(plain, image, now, isWritable)
      return (writes, Set(writes.map(\.unit)))
    case .classic, .ultralight, .feliCa, .desfire, .smartCard, .other, .plus:
      return (plain, [])
    }
  }

  /// Returns the order for FeliCa Lite: the attribute block has the message's length.
  private static func type3Order(
    _ plain: [RestoreOrder.Write], _ image: TagImage.Memory, _ now: TagImage,
    _ isWritable: (Int) -> Bool
  ) -> [RestoreOrder.Write] {
    let head = Type3Message.attributeBlock
    let range = now.memory.range(ofUnit: head)
    let others = plain.filter { $0.unit != head }
    guard let current = now.memory.known(range), let last = image.known(range) ?? Optional(current),
      !others.isEmpty, last == current || plain.contains(where: { $0.unit == head }),
      isWritable(head)
    else { return plain }
    let none = Type3Message(current).flatMap { $0.length == 0 ? nil : $0.block(length: 0) }
    return (none.map { [RestoreOrder.Write(unit: head, data: $0)] } ?? []) + others
      + (last == none ?? current ? [] : [RestoreOrder.Write(unit: head, data: last)])
  }

  private static func locked(_ tag: MemoryTag, _ now: TagImage) async throws -> Set<Int> {
    guard case .vicinity(let tag) = tag else { return [] }
    do {
      let status = try await tag.securityStatus(0..<now.memory.unitCount)
      return Set(status.indices.filter { status[$0] & 1 == 1 })
    } catch let error as NFCError
      where error.code == .unsupported || error.group == .refusal
    {
      return []
    }
  }

  /// The reserved blocks of a Topaz: block 0 is the UID, block D is reserved, and blocks E and F contain bits
  /// that cannot be reset (NFC Forum Type 1 Tag Operation 1.1, 2.1).
  private static let reservedOfTopaz: Set<Int> = [0x00, 0x0D, 0x0E, 0x0F]

  /// Returns the reason why a block is never written. This applies to identity, locks and configuration.
  private static func obstacleToWriting(
    _ tag: MemoryTag, _ number: Int, of count: Int
  ) -> RestoredPart.Omission? {
    guard counter(of: tag, count) != number else {
      return omission("a counter is never written", isFailure: false)
    }
    return switch tag {
    case .topaz:
      reservedOfTopaz.contains(number)
        ? omission("UID, locks and one-time bits are never written", isFailure: false) : nil
    case .feliCaLite:
      FeliCaReading.blocksOfLite.contains(number)
        ? nil : omission("the card's settings are never written", isFailure: false)
    case .classic, .ultralight, .vicinity, .feliCa, .desfire, .smartCard, .other, .plus: nil
    }
  }

  /// Returns the block in which a write counts, which cannot be taken back; `nil` if there is none.
  private static func counter(of tag: MemoryTag, _ count: Int) -> Int? {
    switch tag {
    case .vicinity(let tag):
      ISO15693Chip(uid: tag.identifier)?.counterBlock(blockCount: count)
    case .feliCaLite: Int(FeliCaLiteLayout.subtractionRegister)
    case .topaz, .classic, .ultralight, .feliCa, .desfire, .smartCard, .other, .plus: nil
    }
  }

  var changeSteps: [ChangePlan.Step] {
    steps.map { step in
      let old = step.old.compactMap(\.self)
      return .write(.block(step.number), old.count == step.old.count ? old : nil, step.data)
    }
  }

  var plan: [RestoredPart] {
    blocks.map { block in
      RestoredPart(
        kind: "block", number: block.number, written: block.omission == nil ? [block.number] : [],
        omissions: block.omission.map { [$0] } ?? [])
    }
  }

  private static func omission(_ text: String, isFailure: Bool = true) -> RestoredPart.Omission {
    RestoredPart.Omission(text: text, isFailure: isFailure, isNotRequested: !isFailure)
  }

  private static let writeService: UInt16 = 0x0009

  /// A message of which the tag refuses a block is not restored: the old one stays.
  private static let keepsMessage =
    "the old message stays, because the tag has refused a block of the new one"

  func run() async throws -> [RestoredPart] {
    var refusals: [Int: String] = [:]
    var done: [Step] = []
    var keepsMessage = false
    for step in steps {
      if step.isOfMessage, keepsMessage {
        refusals[step.number] = refusals[step.number] ?? Self.keepsMessage
        continue
      }
      do {
        try await write(step)
        refusals[step.number] = nil
        if step.isOfMessage { done.append(step) }
      } catch let error as NFCError where error.group == .refusal || error.code == .readOnly {
        refusals[step.number] = error.description
        guard step.isOfMessage else { continue }
        keepsMessage = true
        try await takeBack(done)
        for step in done { refusals[step.number] = Self.keepsMessage }
      }
    }
    func refused(_ number: Int, _ text: String) -> RestoredPart {
      RestoredPart(kind: "block", number: number, written: [], omissions: [Self.omission(text)])
    }
    let planned = plan.map { part in refusals[part.number].map { refused(part.number, $0) } ?? part
    }
    // A block with the length that does not change is written, too.
    let others = refusals.filter { refusal in !plan.contains { $0.number == refusal.key } }
    return planned + others.sorted { $0.key < $1.key }.map(refused)
  }

  /// Restores the blocks of the old message, the one with its length last.
  private func takeBack(_ steps: [Step]) async throws {
    for step in steps.reversed() {
      let old = step.old.compactMap(\.self)
      guard old.count == step.data.count else { continue }
      try await write(
        Step(
          number: step.number, data: old, old: step.data, isPreparation: false, isOfMessage: true))
    }
  }

  private func write(_ step: Step) async throws {
    switch tag {
    case .vicinity(let tag): try await tag.writeBlocks(at: step.number, step.data)
    case .feliCaLite(let tag):
      try await tag.writeBlocks(service: Self.writeService, at: step.number, step.data)
    case .topaz(let tag):
      try await TopazMemory(tag).write(
        step.data, block: step.number, over: step.old, lengthFirst: step.isPreparation)
    case .classic, .ultralight, .feliCa, .desfire, .smartCard, .other, .plus:
      throw Self.unsupported
    }
  }

  static let unsupported = NFCError(
    .unsupported, "an image cannot be restored to a tag of this kind")
}
