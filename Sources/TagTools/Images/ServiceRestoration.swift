import NFC
import TagImages

/// Restores the services of a FeliCa card that anyone may write.
struct ServiceRestoration: FileRestoration {
  struct Block: RestoredFile {
    let system: FeliCaSystem?
    let service: UInt16
    let number: Int
    let old: [UInt8]?
    let data: [UInt8]
    let omission: RestoredPart.Omission?

    var place: RestoredPart {
      RestoredPart(
        "block", number, in: .init(kind: "service", name: service.bigEndianBytes.hexadecimal))
    }
  }

  /// The attribute in the lower six bits of a service code (FeliCa Card User's Manual, excerpted edition,
  /// 3.4).
  private enum Attribute {
    static let mask: UInt16 = 0x3F
    /// The attribute of blocks in any order that are read and written without a key.
    static let openForWriting: UInt16 = 0x09
    /// The attribute of blocks in which each new block replaces the oldest.
    static let openCyclic: UInt16 = 0x0D
  }

  private let tag: any FeliCaTag
  let targets: [Block]

  /// - Parameter now: the current content of the card.
  init(_ tag: any FeliCaTag, _ image: TagImage, now: TagImage) async throws {
    self.tag = tag
    let systems = try await FeliCaCard.systems(of: tag)
    var blocks: [Block] = []
    for part in image.feliCa?.systems ?? [] {
      let present = now.feliCa?.systems.first { $0.code == part.code }
      let system = systems.first { $0.code == part.code }
      let changes = part.blocks.compactMap { block in
        Self.change(block, in: part, present, system)
      }
      blocks +=
        part.code == Type3Message.systemCode
        ? Self.ordered(changes, part, present, system) : changes
    }
    targets = blocks
  }

  /// Returns the change of a block, or `nil` if the block already has the right content or if another service
  /// of the image writes it.
  private static func change(
    _ block: TagImage.FeliCa.Block, in part: TagImage.FeliCa.System,
    _ present: TagImage.FeliCa.System?, _ system: FeliCaSystem?
  ) -> Block? {
    let old = present?.blocks.first { $0.service == block.service && $0.number == block.number }
    if old?.data == block.data { return nil }
    let attribute = block.service & Attribute.mask
    let isOpen = attribute == Attribute.openForWriting
    // Services with the same number are different access rights to the same blocks.
    let sibling = block.service & ~Attribute.mask | Attribute.openForWriting
    if !isOpen, part.blocks.contains(where: { $0.service == sibling && $0.number == block.number }),
      present?.services.contains(sibling) ?? false
    {
      return nil
    }
    let text: String? =
      if old == nil {
        "it is not there"
      } else if isOpen {
        nil
      } else if attribute == Attribute.openCyclic {
        "blocks can only be added to it"
      } else {
        "it is not open for writing"
      }
    return Block(
      system: system, service: block.service, number: block.number, old: old?.data,
      data: block.data,
      omission: text.map { RestoredPart.failure($0) })
  }

  /// Orders the blocks of an NDEF message so that a card that is removed early contains no message: the
  /// length is first set to 0, and is set to the new value last. If the image is of another kind of card, the
  /// card's description of itself is not changed.
  private static func ordered(
    _ blocks: [Block], _ part: TagImage.FeliCa.System, _ present: TagImage.FeliCa.System?,
    _ system: FeliCaSystem?
  ) -> [Block] {
    func attribute(_ system: TagImage.FeliCa.System?) -> TagImage.FeliCa.Block? {
      system?.blocks.first {
        $0.number == Type3Message.attributeBlock
          && $0.service & Attribute.mask == Attribute.openForWriting
      }
    }
    guard let old = attribute(present), let current = Type3Message(old.data),
      let new = attribute(part).flatMap({ Type3Message($0.data) })
    else { return blocks }
    func block(_ data: [UInt8], _ omission: RestoredPart.Omission? = nil) -> Block {
      Block(
        system: system, service: old.service, number: old.number, old: old.data, data: data,
        omission: omission)
    }
    let none = current.block(length: 0)
    // If the image is of another kind of card, only the length is applicable.
    let last = new.isLike(current) ? new.bytes : current.block(length: new.length)
    guard new.length <= current.capacity else {
      let text = "the message is too long: \(new.length) bytes for \(current.capacity)"
      return [block(none, RestoredPart.failure(text))]
    }
    let others = blocks.filter { $0.number != Type3Message.attributeBlock }
    guard others.contains(where: { $0.omission == nil }) else {
      return others + (last == old.data ? [] : [block(last)])
    }
    return [block(none)] + others + [block(last)]
  }

  func write(_ target: Block) async throws {
    let card = target.system.map { tag.inSystem($0) } ?? tag
    try await card.writeBlocks(service: target.service, at: target.number, target.data)
  }
}

/// The attribute block of an NDEF message on FeliCa (NFC Forum Type 3 Tag 1.0, 2.2.3).
struct Type3Message {
  static let systemCode: UInt16 = 0x12FC
  static let attributeBlock = 0
  private static let size = 16
  private static let blockCount = 3..<5
  private static let lengthBytes = 11..<14
  private static let sum = 14

  /// The bytes with the version, the maximum blocks per read and write, and the size.
  private static let description = 0..<9

  let bytes: [UInt8]

  /// Parses an attribute block, or returns `nil` if its checksum is wrong.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size,
      Self.checkSum(bytes) == UInt16(bytes[Self.sum]) << 8 | UInt16(bytes[Self.sum + 1])
    else { return nil }
    self.bytes = bytes
  }

  /// Returns whether two cards describe themselves in the same way.
  func isLike(_ other: Type3Message) -> Bool {
    bytes[Self.description] == other.bytes[Self.description]
  }

  /// The length of the message in bytes.
  var length: Int { bytes[Self.lengthBytes].reduce(0) { $0 << 8 | Int($1) } }
  /// The capacity in bytes.
  var capacity: Int { bytes[Self.blockCount].reduce(0) { $0 << 8 | Int($1) } * Self.size }

  /// Returns the block with another length.
  func block(length: Int) -> [UInt8] {
    var block = bytes
    block.replaceSubrange(
      Self.lengthBytes, with: [16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
    block.replaceSubrange(Self.sum..<Self.size, with: Self.checkSum(block).bigEndianBytes)
    return block
  }

  private static func checkSum(_ block: [UInt8]) -> UInt16 {
    block.prefix(sum).reduce(0) { $0 &+ UInt16($1) }
  }
}
