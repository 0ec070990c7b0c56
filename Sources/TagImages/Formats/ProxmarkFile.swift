import SwiftNFCJSONText

/// `.json` of Proxmark3 (RfidResearchGroup/proxmark3, client/src/fileutils.c): `FileType` names the
/// kind, `Card` contains the identity, `blocks` the memory.
enum ProxmarkFile {
  /// The sizes of the largest memories that Proxmark3 loads (include/iso15.h, include/mifare.h).
  private enum Limit {
    static let vicinityBlocks = 256
    /// Before `15693 v5`.
    static let vicinityBlocksOfVersion4 = 160
    static let vicinityBytes = 2048
    static let type2Pages = 256
    static let topazBytes = 120
  }

  /// The number of the system block of an ST25TB in a file: after those of an SRT512 and an SRI4K, `hf 14b dump` has
  /// block 255, and `hf 14b restore` accepts a file with or without it (client/src/cmdhf14b.c, `CmdHF14BDump`). The
  /// third number is that of a chip of 2 kilobits.
  static let systemBlockNumbers: Set<Int> = [16, 64, 128]

  static func objection(to image: TagImage) -> String? {
    let memory = image.memory
    switch image.kind {
    case .classic, .st25tb: return memory.isEmpty ? "" : nil
    case .type2:
      return memory.unitCount > Limit.type2Pages ? "of more than \(Limit.type2Pages) pages" : nil
    case .iso15693:
      let fits =
        memory.unitCount <= Limit.vicinityBlocks && memory.bytes.count <= Limit.vicinityBytes
      guard !memory.isEmpty else { return "without blocks" }
      return fits ? nil : "of more than \(Limit.vicinityBlocks) blocks"
    case .topaz:
      return memory.bytes.count > Limit.topazBytes ? "of more than \(Limit.topazBytes) bytes" : nil
    case .iClass:
      return PicoPassLayout.sizes.contains(memory.bytes.count) ? nil : "of this size"
    case .feliCaLite, .feliCa, .desfire, .smartCard, .ctx, .barcode, .bPrime, .iso14443a,
      .iso14443b:
      return ""
    }
  }

  // MARK: Writing

  static func encode(_ image: TagImage) -> [UInt8] {
    var file = Writer()
    var image = image
    if image.kind == .classic { image.memory = image.memoryWithKeys }
    switch image.kind {
    case .classic: file.classic(image)
    case .type2: file.type2(image)
    case .iso15693: file.vicinity(image)
    case .topaz: file.topaz(image)
    case .st25tb: file.set("FileType", text: "14b v2")
    case .iClass: file.iClass(image)
    case .feliCaLite, .feliCa, .desfire, .smartCard, .ctx, .barcode, .bPrime, .iso14443a,
      .iso14443b:
      break
    }
    if image.kind == .st25tb, let block = image.systemBlock,
      systemBlockNumbers.contains(image.memory.unitCount)
    {
      file.blocks(TagImage.Memory(unitSize: 4, bytes: image.memory.bytes + block))
    } else {
      file.blocks(image.memory)
    }
    if image.kind == .classic { file.sectorKeys(image) }
    return Array((file.json.indentedText + "\n").utf8)
  }

  private struct Writer {
    private var members: [(String, JSONValue)] = [("Created", .string("proxmark3"))]
    private var card: [(String, [UInt8])] = []

    var json: JSONValue {
      var all = members
      if !card.isEmpty {
        // These follow Created and FileType.
        all.insert(
          ("Card", Self.object(card.map { ($0.0, .string(Hexadecimal.text($0.1))) })),
          at: min(2, all.count))
      }
      return Self.object(all)
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
      .object(members.map { JSONValue.Member(key: $0.0, value: $0.1) })
    }

    mutating func set(_ key: String, text: String) { members.append((key, .string(text))) }

    private mutating func card(_ key: String, _ bytes: [UInt8]?) {
      if let bytes { card.append((key, bytes)) }
    }

    private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    mutating func blocks(_ memory: TagImage.Memory) {
      members.append(
        (
          "blocks",
          Self.object(
            (0..<memory.unitCount).map {
              ("\($0)", .string(Hexadecimal.text(memory.bytes[memory.range(ofUnit: $0)])))
            })
        ))
    }

    /// Writes a MIFARE Classic. Version 3 includes a signature.
    mutating func classic(_ image: TagImage) {
      set("FileType", text: image.signature == nil ? "mfc v2" : "mfc v3")
      card("UID", image.uid)
      card("ATQA", image.atqa.map { $0.reversed() })
      card("SAK", image.sak.map { [$0] })
      guard let signature = image.signature else { return }
      card("ATS", image.ats)
      card("SIGNATURE", signature)
    }

    mutating func sectorKeys(_ image: TagImage) {
      members.append(
        (
          "SectorKeys",
          Self.object(
            (0..<image.sectorCount).map { sector in
              let trailer = ClassicLayout.trailer(ofSector: sector)
              let fields = [
                ("KeyA", trailer.keyA), ("KeyB", trailer.keyB),
                ("AccessConditions", trailer.access),
              ]
              return (
                "\(sector)",
                Self.object(
                  fields.map { ($0.0, .string(Hexadecimal.text(image.memory.bytes[$0.1]))) })
              )
            })
        ))
    }

    mutating func type2(_ image: TagImage) {
      set("FileType", text: "mfu")
      card("UID", image.uid)
      card("Version", image.version ?? Self.zeros(8))
      // The answer to READ beyond the end; no current chip needs it.
      card("TBO_0", Self.zeros(2))
      card("TBO_1", Self.zeros(1))
      card("Signature", image.signature.flatMap { $0.count == 32 ? $0 : nil } ?? Self.zeros(32))
      for (index, counter) in image.counters.enumerated() {
        let value = counter?.value ?? 0
        card("Counter\(index)", (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        card("Tearing\(index)", [counter?.tearing ?? 0])
      }
    }

    /// Writes an ISO 15693 tag. The UID is least significant byte first, as it is sent over the air.
    mutating func vicinity(_ image: TagImage) {
      let details = image.vicinity ?? .init()
      // Earlier versions of Proxmark3 load only version 4.
      let count = image.memory.unitCount
      let isVersion4 = count <= Limit.vicinityBlocksOfVersion4
      set("FileType", text: isVersion4 ? "15693 v4" : "15693 v5")
      card("uid", image.uid.map { $0.reversed() } ?? Self.zeros(8))
      // What is not known is left out, because Proxmark3 has no mark for it.
      card("dsfid", details.dsfid.map { [$0] })
      card("dsfidlock", details.isDSFIDLocked.map { [$0 ? 1 : 0] })
      card("afi", details.afi.map { [$0] })
      card("afilock", details.isAFILocked.map { [$0 ? 1 : 0] })
      card("bytesperpage", [UInt8(clamping: image.memory.unitSize)])
      card(
        "pagescount",
        isVersion4 ? [UInt8(clamping: count)] : [UInt8(count & 0xFF), UInt8(count >> 8 & 0xFF)])
      card("ic", details.icReference.map { [$0] })
      card(
        "locks",
        details.lockedBlocks.map { locks in
          (0..<image.memory.unitCount).map { locks.indices.contains($0) && locks[$0] ? 1 : 0 }
        })
      card("random", Self.zeros(2))
      card("privacypasswd", details.passwords[.privacy] ?? Self.zeros(4))
      card("state", Self.zeros(1))
    }

    /// Writes an iCLASS card as `hf iclass dump` does: the first blocks are included a second time, by
    /// their names.
    mutating func iClass(_ image: TagImage) {
      set("FileType", text: "iclass")
      for (number, name) in PicoPassLayout.names.enumerated() {
        card(name, Array(image.memory.bytes[image.memory.range(ofUnit: number)]))
      }
    }

    mutating func topaz(_ image: TagImage) {
      set("FileType", text: "topaz")
      card("UID", image.uid)
      // Proxmark3 writes H0R1 and reads HR01.
      card("H0R1", image.headerROM)
      card("HR01", image.headerROM)
      let size = image.memory.bytes.count
      card("Size", [UInt8(size & 0xFF), UInt8(size >> 8 & 0xFF)])
    }
  }
}
