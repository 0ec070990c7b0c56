import NFC
import TagImages

/// Reads an ISO 15693 tag for an image.
struct VicinityReading {
  private let tag: any ISO15693Tag

  init(_ tag: any ISO15693Tag) { self.tag = tag }

  /// - Throws: `NFCError` `unsupported` for a tag that does not report its size, and whose UID does not say which chip
  ///   it is.
  func read(_ extent: MemoryTag.Extent) async throws -> MemoryTag.Content {
    // Some chips, such as the Tag-it HF-I Standard and Pro, have no command for it.
    let geometry = ISO15693Product(uid: tag.identifier)?.geometry
    let information: ISO15693SystemInformation
    do {
      information = try await tag.systemInformation()
    } catch let error as NFCError where error.code == .unsupported && geometry != nil {
      information = ISO15693SystemInformation(uid: tag.identifier)
    }
    guard let count = information.blockCount ?? geometry?.blockCount else {
      throw NFCError(.unsupported, "the tag does not report how many blocks it has")
    }
    let blocks = try await self.blocks(count)
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
        ? nil : "the tag refuses block\(unread.count > 1 ? "s" : "") \(NumberList.text(unread))")
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
