import NFC
import TagImages

/// To the services of a FeliCa card that anyone may write.
struct ServiceRestoration: MemoryRestoration {
  private struct Block {
    let system: FeliCaSystem?
    let service: UInt16
    let number: Int
    let data: [UInt8]
    let isWritable: Bool
  }

  private let tag: any FeliCaTag
  private let blocks: [Block]

  /// Attributes of a service of blocks in any order, read and written without a key (FeliCa Card User's Manual,
  /// 3.4).
  private static let attributeMask: UInt16 = 0x3F
  private static let openForWriting: UInt16 = 0x09

  /// - Parameter now: the card as it is.
  init(_ tag: any FeliCaTag, _ image: TagImage, now: TagImage) async throws {
    self.tag = tag
    let systems = try await FeliCaCard.systems(of: tag)
    var blocks: [Block] = []
    for part in image.feliCa?.systems ?? [] {
      let present = now.feliCa?.systems.first { $0.code == part.code }
      for block in part.blocks {
        let old = present?.blocks.first {
          $0.service == block.service && $0.number == block.number
        }
        if old?.data == block.data { continue }
        blocks.append(
          Block(
            system: systems.first { $0.code == part.code }, service: block.service,
            number: block.number, data: block.data,
            isWritable: old != nil && block.service & Self.attributeMask == Self.openForWriting))
      }
    }
    self.blocks = blocks
  }

  var plan: [RestoredPart] {
    blocks.map { block in
      RestoredPart(
        kind: "block", number: block.number, written: block.isWritable ? [block.number] : [],
        omissions: block.isWritable ? [] : [Self.omission(block)])
    }
  }

  private static func omission(_ block: Block) -> RestoredPart.Omission {
    RestoredPart.Omission(
      text: "service \(block.service.bigEndianBytes.hexadecimal) is not open for writing",
      isFailure: true, isNotAskedFor: false)
  }

  func run() async throws -> [RestoredPart] {
    var parts: [RestoredPart] = []
    for (part, block) in zip(plan, blocks) {
      guard block.isWritable else {
        parts.append(part)
        continue
      }
      let card = block.system.map { tag.inSystem($0) } ?? tag
      do {
        try await card.writeBlocks(
          service: block.service, firstBlock: block.number, data: [block.data])
        parts.append(part)
      } catch let error as NFCError where error.group == .refusal {
        parts.append(
          RestoredPart(
            kind: "block", number: block.number, written: [],
            omissions: [
              RestoredPart.Omission(
                text: error.description, isFailure: true, isNotAskedFor: false)
            ]))
      }
    }
    return parts
  }
}
