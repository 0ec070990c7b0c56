import NFC
import TagImages

/// Reads an ISO 15693 tag for an image.
package struct VicinityReading {
  private let tag: any ISO15693Tag

  package init(_ tag: any ISO15693Tag) { self.tag = tag }

  /// A tag that does not report its size, and whose UID does not say which chip it is, is read until it refuses a
  /// block.
  ///
  /// - Throws: `NFCError` `unsupported` for such a tag that refuses the first block.
  func read(_ extent: MemoryTag.Extent) async throws -> MemoryTag.Content {
    // Some chips, such as the Tag-it HF-I Standard and Pro, have no command for it.
    let geometry = ISO15693Chip(uid: tag.identifier)?.geometry
    let information: ISO15693SystemInformation
    do {
      information = try await tag.systemInformation()
    } catch let error as NFCError where error.code == .unsupported && geometry != nil {
      information = ISO15693SystemInformation(uid: tag.identifier)
    }
    let known = information.blockCount ?? geometry?.blockCount
    let blocks: [[UInt8]?] =
      if let known { try await self.blocks(known) } else { try await blocksUntilRefusal() }
    let count = blocks.count
    guard count > 0 else {
      throw NFCError(.unsupported, "the tag does not report how many blocks it has")
    }
    let size =
      information.blockSize ?? blocks.compactMap { $0?.count }.first ?? geometry?.blockSize ?? 4
    var image = TagImage(.iso15693, memory: .init(unitSize: size, unitCount: count))
    for (number, block) in blocks.enumerated() {
      if let block { image.memory.set(block, at: number * size) }
    }
    image.uid = tag.identifier
    var details = TagImage.Vicinity()
    details.dsfid = information.dsfid
    details.afi = information.afi
    details.icReference = information.icReference
    if extent == .everything {
      details.lockedBlocks = try await MemoryTag.answer {
        try await tag.securityStatus(0..<count).map { $0 & 1 == 1 }
      }
      image.signature = try await signature()
    }
    image.vicinity = details
    let unread = blocks.indices.filter { blocks[$0] == nil }
    return MemoryTag.Content(
      image: image,
      missing: unread.isEmpty
        ? nil : "the tag refuses block\(unread.count > 1 ? "s" : "") \(NumberList.text(unread))",
      remark: known == nil
        ? "the tag does not report its size; it has given \(count) block\(count == 1 ? "" : "s")"
        : nil)
  }

  /// The number of blocks that a command can name with one byte. A tag with more of them reports its size.
  private static let mostBlocks = 256
  /// The number of blocks that are read with one command at first.
  private static let firstStep = 16

  /// Returns the blocks up to the first one that the tag refuses, or does not answer for.
  package func blocksUntilRefusal() async throws -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var step = Self.firstStep
    while blocks.count < Self.mostBlocks {
      let range = blocks.count..<min(blocks.count + step, Self.mostBlocks)
      do {
        blocks += try await tag.readBlocks(range).map(\.data)
      } catch let error as NFCError where error.group == .refusal || error.isSilence {
        guard step == 1 else {
          step /= 2
          continue
        }
        // A tag that has left is silent, too.
        if error.isSilence, !blocks.isEmpty { _ = try await tag.readBlocks(0..<1) }
        break
      }
    }
    return blocks
  }

  /// Returns all blocks, with one command. If the tag refuses some of them, each block is read individually.
  private func blocks(_ count: Int) async throws -> [[UInt8]?] {
    do {
      return try await tag.readBlocks(0..<count).map(\.data)
    } catch let error as NFCError where error.group == .refusal {
      var blocks: [[UInt8]?] = []
      for number in 0..<count {
        blocks.append(
          try await MemoryTag.answer { try await tag.readBlocks(number..<number + 1).first?.data }
            ?? nil)
      }
      return blocks
    }
  }

  /// READ SIGNATURE of NXP's ICODE (SL2S2602 data sheet, 9.5.3.22).
  private static let readSignature: UInt8 = 0xBD
  private static let signatureLength = 32
  private static let nxp: UInt8 = 0x04

  private func signature() async throws -> [UInt8]? {
    guard tag.icManufacturerCode == Self.nxp else { return nil }
    let answer = try await MemoryTag.answer {
      try await tag.sendCommand(
        .custom(code: Self.readSignature, manufacturer: Self.nxp, parameters: [])
      ).payload
    }
    return answer.flatMap { $0.count == Self.signatureLength ? $0 : nil }
  }
}

extension NFCError {
  /// Whether the tag has not answered, which some do instead of refusing a block.
  fileprivate var isSilence: Bool {
    [.tagResponseError, .tagConnectionLost].contains(code) && cause == .noAnswer
  }
}
