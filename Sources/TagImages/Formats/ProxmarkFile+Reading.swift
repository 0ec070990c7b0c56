import SwiftNFCJSONText

extension ProxmarkFile {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> TagImage {
    let reader: Reader
    do throws(JSONError) {
      reader = Reader(try JSONNode(parsing: bytes))
    } catch {
      throw ImageError(error.reason, at: .line(error.line))
    }
    let type = try reader.text("FileType")
    switch type {
    case "mfcard", "mfc v2", "mfc v3": return try reader.classic()
    case "mfu": return try reader.type2()
    case "15693": return try reader.rawVicinity(unitSize: 4)
    case "15693 v2": return try reader.vicinity(unitSize: 4)
    case "15693 v3": return try reader.vicinity(unitSize: 8)
    case "15693 v4": return try reader.vicinityWithIdentity(countSize: 1)
    case "15693 v5": return try reader.vicinityWithIdentity(countSize: 2)
    case "topaz": return try reader.topaz()
    case "14b v2": return try reader.st25tb()
    case "iclass": return try reader.iClass()
    case "raw": return BinaryFile.image(of: try reader.hexadecimal("raw"), unitSize: nil)
    default:
      throw ImageError(
        "files of the type \"\(type)\" are not of a supported tag",
        at: .line(reader.root["FileType"]?.line ?? 1))
    }
  }

  private struct Reader {
    let root: JSONNode

    init(_ root: JSONNode) { self.root = root }

    // MARK: Members

    func text(_ key: String) throws(ImageError) -> String {
      guard let member = root[key] else {
        throw ImageError("there is no \"\(key)\"", at: .line(1))
      }
      guard let text = member.string else {
        throw ImageError("\"\(key)\" is not a string", at: .line(member.line))
      }
      return text
    }

    func hexadecimal(_ key: String) throws(ImageError) -> [UInt8] {
      guard let bytes = Hexadecimal.bytes(try text(key)) else {
        throw ImageError("\"\(key)\" is not hexadecimal", at: .line(root[key]?.line ?? 1))
      }
      return bytes
    }

    /// Returns a member of `Card`; `nil` if it is missing.
    ///
    /// - Parameter count: the number of bytes; `nil` for any.
    private func card(_ key: String, count: Int? = nil) throws(ImageError) -> [UInt8]? {
      guard let member = root["Card"]?[key] else { return nil }
      guard let text = member.string, let bytes = Hexadecimal.bytes(text) else {
        throw ImageError("\"\(key)\" is not hexadecimal", at: .line(member.line))
      }
      guard bytes.count == count ?? bytes.count else {
        throw ImageError(
          "\"\(key)\" has \(bytes.count) bytes, not \(count ?? 0)", at: .line(member.line))
      }
      return bytes
    }

    private func nonZeroCard(_ key: String, count: Int) throws(ImageError) -> [UInt8]? {
      try card(key, count: count).flatMap { BinaryFile.nonZero($0) }
    }

    private func byte(_ key: String) throws(ImageError) -> UInt8? {
      try card(key, count: 1)?.first
    }

    private static let largestMemory = 8192

    /// Returns the blocks from 0 on.
    ///
    /// - Throws: `malformed` for a block of another size, or a missing block before the last one.
    private func blocks(size: Int) throws(ImageError) -> TagImage.Memory {
      let blocks = try numberedBlocks(size: size, unknown: nil)
      var memory = TagImage.Memory(unitSize: size, unitCount: blocks.count)
      for number in 0..<blocks.count {
        guard let block = blocks[number] else {
          throw ImageError("block \(number) is missing", at: .line(root["blocks"]?.line ?? 1))
        }
        memory.set(block, at: number * size)
      }
      return memory
    }

    /// - Parameter mark: the character of an unknown byte; `nil` if every byte has to be known.
    private func numberedBlocks(
      size: Int, unknown mark: UInt8?
    ) throws(ImageError) -> [Int: [UInt8?]] {
      guard let member = root["blocks"], let members = member.members else {
        throw ImageError("\"blocks\" is missing", at: .line(root["blocks"]?.line ?? 1))
      }
      var blocks: [Int: [UInt8?]] = [:]
      for block in members {
        guard let number = Int(block.key), number >= 0, number < Self.largestMemory / size else {
          throw ImageError(
            "\"\(block.key)\" is not the number of a block", at: .line(block.node.line))
        }
        guard let text = block.node.string, let bytes = Hexadecimal.bytes(text, unknown: mark),
          bytes.count == size
        else {
          throw ImageError(
            "block \(number) is not \(size) bytes in hexadecimal", at: .line(block.node.line))
        }
        // 01 and 1 are the same block.
        guard blocks.updateValue(bytes, forKey: number) == nil else {
          throw ImageError("block \(number) occurs twice", at: .line(block.node.line))
        }
      }
      guard !blocks.isEmpty else { throw ImageError("there is no block", at: .line(member.line)) }
      return blocks
    }

    /// Returns the blocks of a MIFARE Classic. MIFARE Classic Tool exports its own text line by line: an unknown byte
    /// is `--`, and the blocks of a sector that was not read are missing (ImportExportTool.java, `convertDump`).
    private func classicBlocks() throws(ImageError) -> TagImage.Memory {
      let size = ClassicLayout.blockSize
      guard root["Created"]?.string == "MifareClassicTool" else { return try blocks(size: size) }
      let blocks = try numberedBlocks(size: size, unknown: UInt8(ascii: "-"))
      let last = blocks.keys.max() ?? 0
      var memory = TagImage.Memory(
        unitSize: size, unitCount: ClassicLayout.blockCounts.first { $0 > last } ?? last + 1)
      for (number, block) in blocks { memory.set(block, at: number * size) }
      return memory
    }

    // MARK: Kinds

    func classic() throws(ImageError) -> TagImage {
      var image = ClassicLayout.image(try classicBlocks())
      guard ClassicLayout.blockCounts.contains(image.memory.unitCount) else {
        throw ImageError(
          "no MIFARE Classic has \(image.memory.unitCount) blocks",
          at: .line(root["blocks"]?.line ?? 1))
      }
      image.uid = try card("UID")
      if let uid = image.uid, !image.kind.uidLengths.contains(uid.count) {
        throw ImageError(
          "\(image.kind.name) has no UID of \(uid.count) bytes",
          at: .line(root["Card"]?["UID"]?.line ?? 1))
      }
      image.atqa = try card("ATQA", count: 2)?.reversed()
      image.sak = try byte("SAK")
      image.ats = try card("ATS").flatMap { BinaryFile.nonZero($0) }
      image.signature = try nonZeroCard("SIGNATURE", count: 32) ?? image.signature
      return image
    }

    func type2() throws(ImageError) -> TagImage {
      let memory = try blocks(size: 4)
      var image = TagImage(.type2, memory: memory)
      image.uid = try card("UID", count: 7).flatMap { BinaryFile.nonZero($0) }
      image.version = try nonZeroCard("Version", count: 8)
      image.signature = try nonZeroCard("Signature", count: 32)
      image.arrangeType2()
      // The chip's own counters; the others are written as zeros.
      for index in image.type2Chip?.counterNumbers ?? 0..<3 {
        guard let value = try card("Counter\(index)", count: 3) else { continue }
        image.counters[index] = BinaryFile.counter(value, tearing: try byte("Tearing\(index)"))
      }
      return image
    }

    func vicinity(unitSize: Int) throws(ImageError) -> TagImage {
      TagImage(.iso15693, memory: try blocks(size: unitSize))
    }

    func rawVicinity(unitSize: Int) throws(ImageError) -> TagImage {
      TagImage(.iso15693, unitSize: unitSize, bytes: try hexadecimal("raw"))
    }

    private static let blockSizes = 1...32

    /// - Parameter countSize: the bytes of the number of blocks, least significant first: the difference between
    ///   versions 4 and 5 (client/src/fileutils.c, `json15_save_tag`).
    func vicinityWithIdentity(countSize: Int) throws(ImageError) -> TagImage {
      guard let size = try byte("bytesperpage").map({ Int($0) }), Self.blockSizes.contains(size)
      else {
        throw ImageError(
          "\"bytesperpage\" is not 01 to 20",
          at: .line(root["Card"]?["bytesperpage"]?.line ?? 1))
      }
      var image = try vicinity(unitSize: size)
      let bytes = try card("pagescount", count: countSize)
      if let count = bytes?.reversed().reduce(0, { $0 << 8 | Int($1) }),
        count != image.memory.unitCount
      {
        throw ImageError(
          "\"pagescount\" is \(count), and there are \(image.memory.unitCount) blocks",
          at: .line(root["Card"]?["pagescount"]?.line ?? 1))
      }
      image.uid = try nonZeroCard("uid", count: 8)?.reversed()
      var details = TagImage.Vicinity()
      details.dsfid = try byte("dsfid")
      details.isDSFIDLocked = try byte("dsfidlock").map { $0 != 0 }
      details.afi = try byte("afi")
      details.isAFILocked = try byte("afilock").map { $0 != 0 }
      details.icReference = try byte("ic")
      details.lockedBlocks = try card("locks", count: image.memory.unitCount)?.map { $0 != 0 }
      details.passwords[.privacy] = try nonZeroCard("privacypasswd", count: 4)
      image.vicinity = details
      return image
    }

    /// Reads a Topaz. Proxmark3 writes only the static memory, although Size may indicate more.
    func topaz() throws(ImageError) -> TagImage {
      let blocks = try blocks(size: 8)
      if let image = ProxmarkTopaz.image(
        shifted: blocks.bytes, header: try card("H0R1", count: 2) ?? [],
        uid: try card("UID", count: 7) ?? [], size: try card("Size", count: 2) ?? [])
      {
        return image
      }
      let size = try card("Size", count: 2).map { Int($0[0]) | Int($0[1]) << 8 }
      var image = TagImage(.topaz, memory: blocks)
      if let size, size > blocks.bytes.count, size <= Self.largestMemory, size % 8 == 0 {
        image.memory = TagImage.Memory(unitSize: 8, unitCount: size / 8)
        image.memory.set(blocks.bytes, at: 0)
      }
      image.uid = try card("UID", count: 7)
      if let header = try card("H0R1", count: 2) {
        image.headerROM = header
      } else {
        image.headerROM = try card("HR01", count: 2)
      }
      return image
    }

    func iClass() throws(ImageError) -> TagImage {
      let memory = try blocks(size: PicoPassLayout.blockSize)
      guard let image = PicoPassLayout.image(memory.bytes) else {
        throw ImageError(
          "no iCLASS card has \(memory.unitCount) blocks",
          at: .line(root["blocks"]?.line ?? 1))
      }
      return image
    }

    func st25tb() throws(ImageError) -> TagImage {
      let memory = try blocks(size: 4)
      let count = memory.unitCount - 1
      guard ProxmarkFile.systemBlockNumbers.contains(count) else {
        return TagImage(.st25tb, memory: memory)
      }
      var image = TagImage(.st25tb, memory: memory.prefix(count * 4))
      image.systemBlock = memory.known(memory.range(ofUnit: count))
      return image
    }
  }
}
