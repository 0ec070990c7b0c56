import NFC
import NFCCore
import TagImages

/// Restores an image to a tag of plain blocks: ISO 15693, FeliCa Lite or Topaz.
struct BlockRestoration: MemoryRestoration {
  /// A block that differs.
  private struct Block {
    /// The block's index in the image.
    let unit: Int
    let number: Int
    let old: [UInt8?]
    let data: [UInt8]
    /// The reason why the block is not written.
    let omission: RestoredPart.Omission?
  }

  private let tag: MemoryTag
  private let blocks: [Block]

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
        unit: unit, number: number, old: now.memory.unit(unit), data: data,
        omission: locked.contains(unit)
          ? Self.omission("it is locked")
          : Self.obstacleToWriting(tag, number, of: now.memory.unitCount))
    }
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

  /// REG of FeliCa Lite and Lite-S: the numbers in it can only be decreased (their users' manuals; SATO, CL4NX/CL6NX
  /// programming reference, parameters rga and rgb).
  private static let registerOfFeliCaLite = 14

  /// Returns the block in which a write counts, which cannot be taken back; `nil` if there is none.
  private static func counter(of tag: MemoryTag, _ count: Int) -> Int? {
    switch tag {
    case .vicinity(let tag):
      ISO15693Product(uid: tag.identifier)?.counterBlock(blockCount: count)
    case .feliCaLite: registerOfFeliCaLite
    case .topaz, .classic, .ultralight, .feliCa, .desfire, .smartCard, .other, .plus: nil
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

  func run() async throws -> [RestoredPart] {
    var parts: [RestoredPart] = []
    for (part, block) in zip(plan, blocks) {
      guard part.omissions.isEmpty else {
        parts.append(part)
        continue
      }
      do {
        switch tag {
        case .vicinity(let tag): try await tag.writeBlocks(at: block.number, block.data)
        case .feliCaLite(let tag):
          try await tag.writeBlocks(
            service: Self.writeService, firstBlock: block.number, data: [block.data])
        case .topaz(let tag):
          try await TopazMemory(tag).write(block.data, block: block.number, over: block.old)
        case .classic, .ultralight, .feliCa, .desfire, .smartCard, .other, .plus:
          throw Self.unsupported
        }
        parts.append(part)
      } catch let error as NFCError where error.group == .refusal || error.code == .readOnly {
        parts.append(
          RestoredPart(
            kind: "block", number: block.number, written: [],
            omissions: [Self.omission(error.description)]))
      }
    }
    return parts
  }

  static let unsupported = NFCError(
    .unsupported, "an image cannot be restored to a tag of this kind")
}
