import SwiftNFCJSONText
import NFC
import TagImages

/// Details of a MIFARE Classic.
extension TagDetails {
  mutating func ask(
    _ commands: MiFareClassicCommands, uid: [UInt8], _ keys: [MiFareClassicKey],
    listsMemory: Bool
  ) async throws {
    memoryMap = Self.map(commands.geometry)
    let dump =
      listsMemory
      ? try await commands.dump(keys: keys, findsBothKeys: true)
      : try await commands.survey(
        keys: keys, reading: Set(MiFareApplicationDirectory.Part.allCases.flatMap(\.blocks)))
    try await checkSignature(commands, uid)
    members.append(
      JSONValue.Member(key: "sectors", value: .array(dump.sectors.map { Self.json($0, uid) })))
    addDirectory(dump)
    addRows(dump.sectors, uid)
    if listsMemory {
      memory = MemoryListing(
        TagImage(
          .classic, unitSize: MiFareClassicGeometry.blockSize, bytes: dump.bytes))
    }
  }

  // MARK: Signature

  /// The signature of a MIFARE Classic EV1 of 1K, in two blocks beyond its memory, which key B reads (Proxmark3,
  /// `mifaredefault.h` and `mifarehost.c`; no data sheet describes it).
  private enum Signature {
    static let blocks = 69...70
    static let keyB = MiFareClassicKey([0x4B, 0x79, 0x1B, 0xEA, 0x7B, 0xCC] as [UInt8])
    static let sectorsOf1K = 16
  }

  /// Reads and verifies the signature: three exchanges. Another card refuses the key, which costs one exchange and a
  /// selection, and remains unknown; so does one whose signature another maker has made.
  private mutating func checkSignature(
    _ commands: MiFareClassicCommands, _ uid: [UInt8]
  ) async throws {
    guard commands.geometry.sectorCount == Signature.sectorsOf1K, let key = Signature.keyB else {
      return
    }
    var bytes: [UInt8] = []
    do {
      try await commands.authenticate(block: Signature.blocks.lowerBound, with: key, as: .b)
      for block in Signature.blocks { bytes += try await commands.readBlock(block) }
    } catch let error as NFCError where error.group == .refusal {
      return
    }
    guard bytes.contains(where: { $0 != 0 }) else { return }
    signature = bytes
    guard OriginalitySignature.verify(uid: uid, signature: bytes, key: .classicEV1) == .genuine
    else { return }
    originality = .genuine
    facts.append(("generation", "MIFARE Classic EV1"))
  }

  // MARK: Sectors

  /// Adds one row for consecutive sectors that are alike.
  private mutating func addRows(_ sectors: [MiFareClassicSectorDump], _ uid: [UInt8]) {
    var rows: [(first: Int, last: Int, text: String)] = []
    for sector in sectors {
      let text = Self.text(sector, uid)
      if let row = rows.last, row.text == text, row.last + 1 == sector.sector {
        rows[rows.count - 1].last = sector.sector
      } else {
        rows.append((sector.sector, sector.sector, text))
      }
    }
    for row in rows {
      let name = row.first == row.last ? "sector \(row.first)" : "sectors \(row.first)-\(row.last)"
      facts.append((name, row.text))
    }
  }

  /// Returns the areas of the memory. The last block of a sector is its trailer (MF1S50YYX and MF1S70YYX data
  /// sheets, 8.6).
  private static func map(_ geometry: MiFareClassicGeometry) -> [Area] {
    let small = geometry.sectors.filter { geometry.blocks(ofSector: $0).count == 4 }
    let large = geometry.sectors.filter { geometry.blocks(ofSector: $0).count != 4 }
    return [
      (small, "3 blocks of 16 bytes and a trailer"), (large, "15 blocks of 16 bytes and a trailer"),
    ].compactMap { sectors, use in
      guard let first = sectors.first, let last = sectors.last else { return nil }
      return Area(unit: Area.sector, numbers: first...last, use: use)
    }
  }

  /// Returns the digits of a well-known key. Other keys are not shown.
  private static func name(_ key: MiFareClassicKey?) -> String? {
    guard let key else { return nil }
    return MiFareClassicKey.wellKnown.contains(key) ? key.bytes.hexadecimal : "given"
  }

  private static func json(_ sector: MiFareClassicSectorDump, _ uid: [UInt8]) -> JSONValue {
    let keys = sector.knownKeys(of: uid)
    return .members([
      "sector": .integer(sector.sector), "keyA": name(keys.keyA).map { .string($0) },
      "keyB": name(keys.keyB).map { .string($0) },
      "access": sector.accessConditions.map { .bytes($0.bytes) },
      "error": sector.failure.map { .string("\($0)") },
    ])
  }

  private static func text(_ sector: MiFareClassicSectorDump, _ uid: [UInt8]) -> String {
    guard sector.failure == nil else { return sector.failure.map { "\($0)" } ?? "" }
    let known = sector.knownKeys(of: uid)
    let keys = [name(known.keyA).map { "key A \($0)" }, name(known.keyB).map { "key B \($0)" }]
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
    default: details(conditions)
    }
  }

  /// Returns the access rights of each group of blocks that has its own access bits (MF1S50YYX data sheet,
  /// 8.7).
  private static func details(_ conditions: MiFareClassicAccessConditions) -> String {
    func keys(_ operation: MiFareClassicAccessConditions.Operation, _ group: Int) -> String {
      switch (
        conditions.allows(operation, group: group, with: .a),
        conditions.allows(operation, group: group, with: .b)
      ) {
      case (true, true): "A or B"
      case (true, false): "A"
      case (false, true): "B"
      case (false, false): "none"
      }
    }
    let groups = (0...2).map { "read \(keys(.read, $0)), write \(keys(.write, $0))" }
    let blocks =
      Set(groups).count == 1
      ? "\(groups[0])"
      : groups.enumerated().map { "block \($0.offset): \($0.element)" }
        .joined(separator: "; ")
    return blocks + (conditions.isKeyBReadable ? "; key B can be read" : "")
  }
}
