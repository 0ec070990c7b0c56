import NFC
import TagImages

/// MIFARE Classic.
extension TagDetails {
  mutating func ask(
    _ commands: MiFareClassicCommands, _ keys: [MiFareClassicKey], _ listsMemory: Bool
  ) async throws {
    memoryMap = Self.map(commands.geometry)
    let dump = try await commands.dump(keys: keys, findsBothKeys: true)
    members.append(JSON.Member(key: "sectors", value: .array(dump.sectors.map(Self.json))))
    for sector in dump.sectors { facts.append(("sector \(sector.sector)", Self.text(sector))) }
    if listsMemory {
      memory = MemoryListing(
        TagImage(
          .classic, unitSize: MiFareClassicGeometry.blockSize, bytes: dump.bytes))
    }
  }

  /// The last block of a sector is its trailer (MF1S50YYX and MF1S70YYX data sheets, 8.6).
  private static func map(_ geometry: MiFareClassicGeometry) -> [Area] {
    let small = geometry.sectors.filter { geometry.blocks(ofSector: $0).count == 4 }
    let large = geometry.sectors.filter { geometry.blocks(ofSector: $0).count != 4 }
    return [
      (small, "3 blocks of 16 bytes and a trailer"), (large, "15 blocks of 16 bytes and a trailer"),
    ].compactMap { sectors, use in
      guard let first = sectors.first, let last = sectors.last else { return nil }
      return Area(unit: "sector", numbers: first...last, use: use)
    }
  }

  /// A key that everybody knows by its digits; no other is shown.
  private static func name(_ key: MiFareClassicKey?) -> String? {
    guard let key else { return nil }
    return MiFareClassicKey.wellKnown.contains(key) ? key.bytes.hexadecimal : "given"
  }

  private static func json(_ sector: MiFareClassicSectorDump) -> JSON {
    .members([
      "sector": .integer(sector.sector), "keyA": name(sector.keyA).map { .string($0) },
      "keyB": name(sector.keyB).map { .string($0) },
      "access": sector.accessConditions.map { .bytes($0.bytes) },
      "error": sector.failure.map { .string("\($0)") },
    ])
  }

  private static func text(_ sector: MiFareClassicSectorDump) -> String {
    guard sector.failure == nil else { return sector.failure.map { "\($0)" } ?? "" }
    let keys = [name(sector.keyA).map { "key A \($0)" }, name(sector.keyB).map { "key B \($0)" }]
    let access = sector.accessConditions.map { conditions in
      "access \(conditions.bytes.hexadecimal): \(words(conditions))"
    }
    return (keys + [access]).compactMap(\.self).joined(separator: ", ")
  }

  private static func words(_ conditions: MiFareClassicAccessConditions) -> String {
    switch conditions {
    case .transport: "as delivered"
    case .applicationDirectory: "key A reads, key B writes"
    case .ndef: "key A reads and writes, key B changes the keys"
    case .ndefReadOnly: "read only"
    default: conditions.isKeyBReadable ? "key B can be read" : "of its own"
    }
  }
}
