import NFC

/// A tag whose memory can be read as a whole.
enum MemoryTag: Sendable {
  case classic(MiFareClassicCommands)
  case ultralight(UltralightCommands, any MiFareTag)
  case vicinity(any ISO15693Tag)
  /// FeliCa Lite and Lite-S.
  case feliCaLite(any FeliCaTag)
  case topaz(OtherTag)

  init?(_ tag: DetectedTag) {
    switch tag {
    case .miFare: self.init(miFare: tag)
    case .iso15693(let tag): self = .vicinity(tag)
    case .feliCa(let tag) where tag.lite != nil: self = .feliCaLite(tag)
    case .other(let tag) where tag.technology == .jewel: self = .topaz(tag)
    case .feliCa, .iso7816, .other: return nil
    }
  }

  /// Only MIFARE and NTAG.
  init?(miFare tag: DetectedTag) {
    guard case .miFare(let tag) = tag else { return nil }
    if let commands = tag.classic {
      self = .classic(commands)
    } else if let commands = tag.ultralight {
      self = .ultralight(commands, tag)
    } else {
      return nil
    }
  }

  /// A memory that was read, and what of it was not, in words.
  struct Content: Sendable {
    var image: TagImage
    var missing: String?
  }

  /// Reads the whole memory.
  ///
  /// - Parameter password: of an Ultralight or NTAG.
  func read(_ keys: TagKeys, password: [UInt8]?) async throws -> Content {
    switch self {
    case .classic(let commands):
      let dump = try await commands.dump(keys: try keys.classic, findsBothKeys: true)
      return Content(
        image: TagImage(
          kind: .classic, unitSize: MiFareClassicGeometry.blockSize, bytes: dump.bytes),
        missing: dump.missing)
    case .ultralight(let commands, let tag):
      let key = try keys.ultralight(try await tag.product(), password: password)
      let dump = try await commands.dump(with: key)
      return Content(
        image: TagImage(kind: .type2, unitSize: 4, bytes: dump.bytes), missing: dump.missing)
    case .vicinity(let tag): return try await Self.read(tag)
    case .feliCaLite(let tag): return try await Self.read(tag)
    case .topaz(let tag): return try await Self.read(tag)
    }
  }

  /// All blocks that the tag reports.
  private static func read(_ tag: any ISO15693Tag) async throws -> Content {
    guard let count = try await tag.systemInformation().blockCount else {
      throw NFCError(.unsupported, "the tag does not report how many blocks it has")
    }
    let blocks = try await tag.readBlocks(0..<count)
    return Content(
      image: TagImage(
        kind: .iso15693, unitSize: blocks.first?.data.count ?? 4, bytes: blocks.flatMap(\.data)))
  }

  /// S_PAD0 to S_PAD13 and REG (FeliCa Lite-S User's Manual, 3.2).
  private static let blocksOfLite = 0..<15
  private static let readOnlyService: UInt16 = 0x000B

  private static func read(_ tag: any FeliCaTag) async throws -> Content {
    let blocks = try await tag.readBlocks(service: readOnlyService, blocks: blocksOfLite)
    return Content(
      image: TagImage(kind: .feliCa, unitSize: FeliCaBlock.size, bytes: blocks.flatMap(\.self)))
  }

  /// RALL gives header ROM and 120 bytes; READ8 a block of eight (Topaz 512 technical specification, 4). A
  /// whole segment, RSEG, is more than a PN532 takes.
  private enum TopazCommand {
    static let readAll: [UInt8] = [0x00, 0x00, 0x00]
    static let blockSize = 8
    static func readBlock(_ number: UInt8) -> [UInt8] {
      [0x02, number] + [UInt8](repeating: 0, count: blockSize)
    }
  }

  private static func read(_ tag: OtherTag) async throws -> Content {
    let headerROMLength = 2
    let lengthOfAll = 120
    let size = try await DetectedTag.other(tag).product()?.memorySize ?? lengthOfAll
    var bytes: [UInt8] = []
    if size <= lengthOfAll {
      bytes = Array(try await tag.transceive(TopazCommand.readAll).dropFirst(headerROMLength))
    } else {
      for number in 0..<size / TopazCommand.blockSize {
        bytes += try await tag.transceive(TopazCommand.readBlock(UInt8(clamping: number)))
          .dropFirst()
      }
    }
    guard bytes.count == size else {
      throw NFCError(.tagResponseError, "the tag's answers have \(bytes.count) bytes, not \(size)")
    }
    return Content(
      image: TagImage(kind: .topaz, unitSize: TopazCommand.blockSize, bytes: bytes))
  }
}

extension Session {
  /// - Parameter onlyMiFare: other families are the wrong tag.
  func selectMemoryTag(
    for use: TagUse, onlyMiFare: Bool
  ) async throws -> SelectedTag<MemoryTag> {
    onlyMiFare
      ? try await selectTag(
        "a MIFARE Classic, Ultralight or NTAG", polling: .miFare, for: use
      ) { MemoryTag(miFare: $0) }
      : try await selectTag(
        "a tag whose memory can be read", polling: [.iso14443a, .felica, .jewel, .iso15693],
        for: use
      ) { MemoryTag($0) }
  }
}

extension UltralightCommands {
  /// Reads all pages.
  func dump(with key: UltralightKey?) async throws -> UltralightDump {
    if case .tripleDES = key { try await open(with: key) }
    return try await dump(password: key?.password)
  }
}

extension MiFareClassicDump {
  /// What was not read, in words; `nil` if all was.
  var missing: String? {
    var groups: [(failure: MiFareClassicSectorDump.Failure, sectors: [Int])] = []
    for sector in sectors {
      guard let failure = sector.failure else { continue }
      if let index = groups.firstIndex(where: { $0.failure == failure }) {
        groups[index].sectors.append(sector.sector)
      } else {
        groups.append((failure, [sector.sector]))
      }
    }
    guard !groups.isEmpty else { return nil }
    return groups.map { group in
      let plural = group.sectors.count > 1 ? "s" : ""
      return "sector\(plural) \(NumberList.text(group.sectors)): \(group.failure)"
    }.joined(separator: "; ")
  }
}

extension UltralightDump {
  var missing: String? {
    firstProtectedPage.map { "the pages from \($0) on are protected" }
  }
}
