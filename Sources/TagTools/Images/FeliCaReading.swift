import NFC
import TagImages

/// Reads a FeliCa card for an image.
package struct FeliCaReading {
  private let tag: any FeliCaTag

  init(_ tag: any FeliCaTag) { self.tag = tag }

  // MARK: FeliCa Lite

  static let blocksOfLite = TagImage.blocksOfFeliCaLite
  private static let readOnlyService: UInt16 = 0x000B
  /// The blocks ID, D_ID, SER_C, SYS_C, CKV and MC, and on a Lite-S also WCNT and STATE. RC and CK can never
  /// be read, and a MAC applies to one reading only.
  private static let systemBlocks: [UInt8] = [0x82, 0x83, 0x84, 0x85, 0x86, 0x88, 0x90, 0x92]

  func readLite(_ extent: MemoryTag.Extent) async throws -> MemoryTag.Content {
    var image = TagImage.feliCaLite()
    image.uid = tag.idm
    image.feliCa = .init(pmm: tag.pmm)
    var unread: [Int] = []
    do {
      let blocks = try await tag.readBlocks(
        service: Self.readOnlyService, blocks: Self.blocksOfLite)
      for (number, block) in blocks.enumerated() {
        image.setFeliCaLiteBlock(UInt8(number), block)
      }
    } catch let error as NFCError where error.code == .tagRefused {
      for number in Self.blocksOfLite {
        guard let block = try await block(UInt16(number)) else {
          unread.append(number)
          continue
        }
        image.setFeliCaLiteBlock(UInt8(number), block)
      }
    }
    if extent == .everything {
      for number in Self.systemBlocks {
        if let block = try await block(UInt16(number)) { image.setFeliCaLiteBlock(number, block) }
      }
    }
    return MemoryTag.Content(
      image: image,
      missing: unread.isEmpty
        ? nil
        : "block\(unread.count > 1 ? "s" : "") \(NumberList.text(unread)) cannot be read without the card's key"
    )
  }

  private func block(_ number: UInt16) async throws -> [UInt8]? {
    do {
      return try await tag.readWithoutEncryption(
        serviceCodes: [Self.readOnlyService], blocks: [FeliCaBlock(number)]
      ).first
    } catch let error as NFCError where error.code == .tagRefused {
      return nil
    }
  }

  // MARK: Services

  /// Reads systems, areas and services, and the blocks of those services that do not require a key. The
  /// directory ends at the end of the last area.
  func readServices() async throws -> MemoryTag.Content {
    var image = TagImage(.feliCa)
    image.uid = tag.idm
    var details = TagImage.FeliCa(pmm: tag.pmm)
    let product = try await tag.product()
    var missing: [String] = []
    for system in try await FeliCaCard(tag, product).systems {
      var part = TagImage.FeliCa.System(code: system.system.code)
      part.services = system.services
      part.areas = try await areas(system.system, product)
      let card = tag.inSystem(system.system)
      for service in system.services where !FeliCaServiceKind(code: service).needsKey {
        // The other service of a plain type 3 tag is another access right to the same blocks.
        if product == nil, !part.blocks.isEmpty { continue }
        let (blocks, isComplete) = try await card.readAllBlocks(service: service)
        if !isComplete { missing.append(Self.note(service, blocks.count)) }
        part.blocks += blocks.enumerated().map {
          .init(service: service, number: $0.offset, data: $0.element)
        }
      }
      details.systems.append(part)
    }
    image.feliCa = details
    return MemoryTag.Content(
      image: image, missing: missing.isEmpty ? nil : missing.joined(separator: "; "))
  }

  /// Returns the note about a service that the card does not end.
  package static func note(_ service: UInt16, _ count: Int) -> String {
    "service \(service.bigEndianBytes.hexadecimal) has more blocks than the first \(count), which were read"
  }

  private static let largestNodeCount: UInt16 = 1024

  private func areas(
    _ system: FeliCaSystem, _ product: TagProduct?
  ) async throws -> [TagImage.FeliCa.Area] {
    guard FeliCaChip(product)?.listsServices == true else { return [] }
    var areas: [TagImage.FeliCa.Area] = []
    let card = tag.inSystem(system)
    for index in 0..<Self.largestNodeCount {
      guard let node = try await card.searchServiceCode(index: index) else { break }
      if case .area(let code, let end) = node { areas.append(.init(code: code, end: end)) }
    }
    return areas
  }
}

extension TagImage {
  /// The blocks S_PAD0 to S_PAD13 and REG of a FeliCa Lite (FeliCa Lite-S User's Manual, 3.2).
  package static let blocksOfFeliCaLite = 0..<15
}
