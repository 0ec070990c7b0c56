import TagImages
import Testing

/// Tests `.json`, `.eml` and `.bin` as Proxmark3 writes them.
@Suite struct ProxmarkFileTests {
  private static func classicBlocks(_ count: Int) -> [String] {
    (0..<count).map { block in
      let isTrailer = block < 128 ? block % 4 == 3 : block % 16 == 15
      if block == 0 { return "BAE27C9DB9080400626364656667686" + "9" }
      return isTrailer ? "FFFFFFFFFFFFFF078069FFFFFFFFFFFF" : String(repeating: "0", count: 32)
    }
  }

  private static func bytes(_ digits: String) -> [UInt8] {
    stride(from: 0, to: digits.count, by: 2).compactMap { start in
      UInt8(digits.dropFirst(start).prefix(2), radix: 16)
    }
  }

  @Test(arguments: ["mfcard", "mfc v2", "mfc v3"], [20, 64, 256])
  func readsAClassic(_ type: String, _ count: Int) throws {
    var card = [("UID", "BAE27C9D"), ("ATQA", "0400"), ("SAK", "08")]
    let signature = String(repeating: "A5", count: 32)
    if type == "mfc v3" { card += [("ATS", "00"), ("SIGNATURE", signature)] }
    let text = Dialects.proxmark(type, card: card, blocks: Self.classicBlocks(count))
    let image = try ImageFormat.proxmark.decode(Array(text.utf8))
    #expect(image.kind == .classic)
    #expect(image.memory.unitCount == count)
    #expect(image.uid == [0xBA, 0xE2, 0x7C, 0x9D])
    #expect(image.atqa == [0x00, 0x04])
    #expect(image.sak == 0x08)
    #expect((image.signature != nil) == (type == "mfc v3"))
    let again = try ImageFormat.proxmark.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.proxmark.decode(again.bytes) == image)
    let written = String(decoding: again.bytes, as: UTF8.self)
    #expect(
      written.contains("\"FileType\": \"\(type == "mfc v3" ? "mfc v3" : "mfc v2")\""))
    #expect(written.contains("\"ATQA\": \"0400\""))
    #expect(written.contains("\"KeyA\": \"FFFFFFFFFFFF\""))
  }

  /// `hf mf autopwn` stores a MIFARE Classic EV1 with its two sectors after the memory: 72 blocks, of which 69 and 70
  /// hold the signature of the UID.
  @Test(arguments: [ImageFormat.binary, .emulator, .proxmark])
  func readsAClassicEV1(_ format: ImageFormat) throws {
    var blocks = Self.classicBlocks(72)
    blocks[69] = String(repeating: "A5", count: 16)
    blocks[70] = String(repeating: "5A", count: 16)
    let file: [UInt8] =
      switch format {
      case .proxmark:
        Array(
          Dialects.proxmark(
            "mfc v2", card: [("UID", "BAE27C9D"), ("ATQA", "0400"), ("SAK", "08")], blocks: blocks
          ).utf8)
      case .emulator: Array(blocks.joined(separator: "\n").utf8)
      default: blocks.flatMap { Self.bytes($0) }
      }
    let image = try format.decode(file)
    #expect(image.kind == .classic)
    #expect(image.memory.unitCount == 64)
    #expect(image.memory.bytes == blocks.prefix(64).flatMap { Self.bytes($0) })
    let signature = [UInt8](repeating: 0xA5, count: 16) + [UInt8](repeating: 0x5A, count: 16)
    #expect(image.signature == signature)
  }

  /// Without a key for the second application, `hf iclass dump` stores the blocks up to the limit in block 1.
  @Test(arguments: [ImageFormat.binary, .proxmark])
  func readsTheFirstApplicationOfAnICLASS(_ format: ImageFormat) throws {
    var blocks = ["6DC25B15FEFF12E0", "12FFFFFF7F1FFF3C", "FFFFFFFF05FEFFFF"]
    blocks += [String](repeating: "FFFFFFFFFFFFFFFF", count: 16)
    let file: [UInt8] =
      format == .proxmark
      ? Array(Dialects.proxmark("iclass", card: [("CSN", blocks[0])], blocks: blocks).utf8)
      : blocks.flatMap { Self.bytes($0) }
    let image = try format.decode(file)
    #expect(image.kind == .iClass)
    #expect(image.memory.unitCount == 32)
    #expect(image.memory.known(0..<19 * 8) == blocks.flatMap { Self.bytes($0) })
    #expect(image.memory.isKnown.filter { $0 }.count == 19 * 8)
    if format == .proxmark {
      let text = Dialects.proxmark(
        "iclass", card: [("CSN", blocks[0])], blocks: Array(blocks.dropLast()))
      #expect(throws: ImageError.self) { try format.decode(Array(text.utf8)) }
    }
  }

  /// `hf 15 dump` stores the whole structure of a tag: `iso15_tag_t`, with the UID as it is sent.
  @Test(arguments: [2233, 2235]) func readsTheStructureOfAVicinityTag(_ size: Int) throws {
    var file = [UInt8](repeating: 0, count: size)
    file.replaceSubrange(0..<8, with: [0x83, 0x8E, 0xD2, 0x2A, 0x08, 0x01, 0x04, 0xE0])
    // DSFID, AFI and its lock, size and number of blocks, IC reference.
    file.replaceSubrange(8..<15, with: [0x33, 0, 0x50, 1, 4, 28, 0x01])
    file[15 + 3] = 1
    for index in 0..<112 { file[175 + index] = UInt8(index) }
    file.replaceSubrange(2225..<2229, with: [0x0F, 0x0F, 0x0F, 0x0F])
    let image = try ImageFormat.binary.decode(file)
    #expect(image.kind == .iso15693)
    #expect(image.uid == [0xE0, 0x04, 0x01, 0x08, 0x2A, 0xD2, 0x8E, 0x83])
    #expect(image.memory.unitSize == 4)
    #expect(image.memory.bytes == (0..<112).map { UInt8($0) })
    #expect(image.vicinity?.dsfid == 0x33)
    #expect(image.vicinity?.isDSFIDLocked == false)
    #expect(image.vicinity?.afi == 0x50)
    #expect(image.vicinity?.isAFILocked == true)
    #expect(image.vicinity?.icReference == 0x01)
    #expect(image.vicinity?.lockedBlocks == (0..<28).map { $0 == 3 })
    #expect(image.vicinity?.passwords[.privacy] == [0x0F, 0x0F, 0x0F, 0x0F])
    // A structure that claims more than it holds is none.
    for (index, byte): (Int, UInt8) in [(7, 0xE1), (12, 0), (12, 33), (13, 0), (13, 161), (9, 2)] {
      var broken = file
      broken[index] = byte
      #expect(throws: ImageError.self) { try ImageFormat.binary.decode(broken) }
    }
  }

  @Test func readsAnUltralight() throws {
    let tag = Dialects.NTAG215()
    let text = Dialects.proxmark(
      "mfu",
      card: [
        ("UID", Dialects.hexadecimal(tag.uid, "")),
        ("Version", Dialects.hexadecimal(tag.version, "")),
        ("TBO_0", "0000"), ("TBO_1", "00"), ("Signature", Dialects.hexadecimal(tag.signature, "")),
        ("Counter0", "000000"), ("Tearing0", "00"), ("Counter1", "000000"), ("Tearing1", "00"),
        ("Counter2", "2F0100"), ("Tearing2", "BD"),
      ], blocks: tag.pages.map { Dialects.hexadecimal($0, "") })
    let image = try ImageFormat.proxmark.decode(Array(text.utf8))
    #expect(image.type2Chip?.name == "NTAG215")
    #expect(image.counters == [nil, nil, .init(value: 0x12F, tearing: 0xBD)])
    #expect(image.signature == tag.signature)
    let again = try ImageFormat.proxmark.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.proxmark.decode(again.bytes) == image)
    let flipper = try ImageFormat.flipper.encode(image)
    #expect(flipper.losses == [])
    #expect(try ImageFormat.flipper.decode(flipper.bytes) == image)
  }

  /// The file has a new header, an old one, or none.
  @Test(arguments: [56, 48, 0]) func recognizesTheHeader(_ length: Int) throws {
    let tag = Dialects.NTAG215()
    var header = tag.version
    switch length {
    case 56:
      header += [0, 0, 0, 134] + tag.signature
      header += [0, 0, 0, 0, 0, 0, 0, 0, 0x2F, 0x01, 0x00, 0xBD]
    case 48: header += [0, 0, 0xBD, 0xBD, 0xBD, 0, 0, 0] + tag.signature
    default: header = []
    }
    #expect(header.count == length)
    let bytes = header + tag.pages.flatMap { $0 }
    for format in [ImageFormat.binary, .emulator] {
      let file =
        format == .binary
        ? bytes
        : stride(from: 0, to: bytes.count, by: 4).flatMap {
          Array((Dialects.hexadecimal(Array(bytes[$0..<$0 + 4]), "") + "\r\n").utf8)
        }
      let image = try format.decode(file)
      #expect(image.kind == .type2)
      #expect(image.memory.unitCount == 135)
      #expect(image.uid == tag.uid)
      #expect(image.version == (length == 0 ? nil : tag.version))
      #expect(image.signature == (length == 0 ? nil : tag.signature))
      #expect(image.counters[2]?.value == (length == 56 ? 0x12F : nil))
    }
  }

  @Test func readsVicinityTags() throws {
    let blocks = (0..<28).map {
      String(repeating: "0", count: 6) + ($0 < 16 ? "0" : "") + String($0, radix: 16)
    }
    let old = try ImageFormat.proxmark.decode(
      Array(
        "{\"Created\": \"proxmark3\", \"FileType\": \"15693\", \"raw\": \"\(blocks.joined())\"}"
          .utf8))
    let two = try ImageFormat.proxmark.decode(
      Array(Dialects.proxmark("15693 v2", card: [], blocks: blocks).utf8))
    let four = try ImageFormat.proxmark.decode(
      Array(
        Dialects.proxmark(
          "15693 v4",
          card: [
            ("uid", "9A713E2C500104E0"), ("dsfid", "07"), ("dsfidlock", "00"), ("afi", "50"),
            ("afilock", "01"), ("bytesperpage", "04"), ("pagescount", "1C"), ("ic", "01"),
            ("locks", "01" + String(repeating: "00", count: 27)), ("random", "0000"),
            ("privacypasswd", "00000000"), ("state", "00"),
          ], blocks: blocks
        ).utf8))
    for image in [old, two, four] {
      #expect(image.kind == .iso15693)
      #expect(image.memory.unitCount == 28)
      #expect(image.memory.unit(27) == [0, 0, 0, 27])
    }
    #expect(two.uid == nil)
    #expect(four.uid == [0xE0, 0x04, 0x01, 0x50, 0x2C, 0x3E, 0x71, 0x9A])
    #expect(four.vicinity?.afi == 0x50)
    #expect(four.vicinity?.isAFILocked == true)
    #expect(four.vicinity?.lockedBlocks?.first == true)
    let again = try ImageFormat.proxmark.encode(four)
    #expect(again.losses == [])
    #expect(try ImageFormat.proxmark.decode(again.bytes) == four)
    let wide = try ImageFormat.proxmark.decode(
      Array(
        Dialects.proxmark(
          "15693 v3", card: [], blocks: Array(repeating: "0011223344556677", count: 250)
        ).utf8))
    #expect(wide.memory.unitSize == 8)
    // Proxmark3 loads at most 256 blocks.
    let large = TagImage(.iso15693, unitSize: 4, bytes: [UInt8](repeating: 0, count: 257 * 4))
    let error = #expect(throws: ImageError.self) { try ImageFormat.proxmark.encode(large) }
    #expect(error?.alternatives == [.binary, .emulator])
  }

  /// Version 5 has two bytes for the number of blocks, least significant first, and up to 256 of them.
  @Test(arguments: [(80, "5000", "15693 v4"), (161, "A100", "15693 v5"), (256, "0001", "15693 v5")])
  func readsVersion5(_ count: Int, _ number: String, _ written: String) throws {
    func file(_ type: String, _ number: String) -> [UInt8] {
      let card = [
        ("uid", "9A713E2C500104E0"), ("dsfid", "07"), ("dsfidlock", "00"), ("afi", "50"),
        ("afilock", "01"), ("bytesperpage", "04"), ("pagescount", number), ("ic", "01"),
        ("locks", "01" + String(repeating: "00", count: count - 1)), ("random", "0000"),
        ("privacypasswd", "00000000"), ("state", "00"),
      ]
      let blocks = (0..<count).map { Dialects.hexadecimal([0, 0, 0, UInt8($0)], "") }
      return Array(Dialects.proxmark(type, card: card, blocks: blocks).utf8)
    }
    let image = try ImageFormat.proxmark.decode(file("15693 v5", number))
    #expect(image.memory.unitCount == count)
    #expect(image.uid == [0xE0, 0x04, 0x01, 0x50, 0x2C, 0x3E, 0x71, 0x9A])
    #expect(image.vicinity?.lockedBlocks?.count == count)
    let again = try ImageFormat.proxmark.encode(image)
    #expect(again.losses == [])
    #expect(String(decoding: again.bytes, as: UTF8.self).contains("\"\(written)\""))
    #expect(try ImageFormat.proxmark.decode(again.bytes) == image)
    // The number has the size of its version.
    for (type, wrong) in [("15693 v4", number), ("15693 v5", String(number.prefix(2)))] {
      #expect(throws: ImageError.self) { try ImageFormat.proxmark.decode(file(type, wrong)) }
    }
  }

  /// The same version's structure, with 256 locks.
  @Test(arguments: [2329, 2332]) func readsTheStructureOfVersion5(_ size: Int) throws {
    var file = [UInt8](repeating: 0, count: size)
    file.replaceSubrange(0..<8, with: [0x83, 0x8E, 0xD2, 0x2A, 0x08, 0x01, 0x04, 0xE0])
    file.replaceSubrange(8..<16, with: [0x33, 0, 0x50, 1, 4, 0x00, 0x01, 0x01])
    file[16 + 255] = 1
    for index in 0..<1024 { file[272 + index] = UInt8(truncatingIfNeeded: index) }
    file.replaceSubrange(2322..<2326, with: [0x0F, 0x0F, 0x0F, 0x0F])
    let image = try ImageFormat.binary.decode(file)
    #expect(image.kind == .iso15693)
    #expect(image.memory.bytes == (0..<1024).map { UInt8(truncatingIfNeeded: $0) })
    #expect(image.vicinity?.icReference == 0x01)
    #expect(image.vicinity?.lockedBlocks == (0..<256).map { $0 == 255 })
    #expect(image.vicinity?.passwords[.privacy] == [0x0F, 0x0F, 0x0F, 0x0F])
  }

  /// `hf 14b dump` stores block 255 after the others.
  @Test(arguments: [16, 64, 128]) func readsTheSystemBlockOfAnST25TB(_ count: Int) throws {
    let blocks = (0..<count).map { Dialects.hexadecimal([0xA0, 0, 0, UInt8($0)], "") }
    for (file, system) in [
      (blocks, nil), (blocks + ["FFFFFF3E"], [0xFF, 0xFF, 0xFF, 0x3E] as [UInt8]),
    ] {
      let image = try ImageFormat.proxmark.decode(
        Array(Dialects.proxmark("14b v2", card: [], blocks: file).utf8))
      #expect(image.kind == .st25tb)
      #expect(image.memory.unitCount == count)
      #expect(image.systemBlock == system)
      let again = try ImageFormat.proxmark.encode(image)
      #expect(again.losses == [])
      #expect(try ImageFormat.proxmark.decode(again.bytes) == image)
    }
  }

  /// Proxmark3 writes the static memory only.
  @Test func readsATopaz() throws {
    let blocks = (0..<15).map {
      String(repeating: "0", count: 14) + ($0 < 16 ? "0" : "") + String($0, radix: 16)
    }
    let card = [("UID", "8A5C032E001025"), ("H0R1", "124C"), ("Size", "0002")]
    let image = try ImageFormat.proxmark.decode(
      Array(Dialects.proxmark("topaz", card: card, blocks: blocks).utf8))
    #expect(image.kind == .topaz)
    #expect(image.memory.bytes.count == 512)
    #expect(image.memory.known(0..<120) != nil)
    #expect(!image.memory.isKnown[120])
    #expect(image.headerROM == [0x12, 0x4C])
  }

  // MARK: Files that look like another tag's

  private static let topaz: [UInt8] =
    bytes("0102030405062500E1100E0003000000") + [UInt8](repeating: 0, count: 104)

  /// `topaz_tag_t`: header ROM, UID, size, 15 blocks, and two addresses.
  @Test(arguments: [4, 8]) func readsTheStructureOfATopaz(_ address: Int) throws {
    var file: [UInt8] = [0x11, 0x48] + Self.topaz.prefix(7) + [0, 120, 0] + Self.topaz
    file += [UInt8](repeating: address == 8 ? 0x55 : 0, count: address == 8 ? 20 : 8)
    let image = try ImageFormat.binary.decode(file)
    #expect(image.kind == .topaz)
    #expect(image.memory.bytes == Self.topaz)
    #expect(image.headerROM == [0x11, 0x48])
    #expect(image.uid == Array(Self.topaz.prefix(7)))
  }

  /// Of a Topaz 512, Proxmark3 writes the memory in the place of the structure: all members are shifted.
  @Test func readsTheShiftedFileOfATopaz512() throws {
    var memory = Self.topaz + [UInt8](repeating: 0xA5, count: 392)
    memory[10] = 0x3F
    let blocks = (0..<15).map { block in
      Dialects.hexadecimal(Array(memory[12 + 8 * block..<20 + 8 * block])).filter { $0 != " " }
    }
    let card = [
      ("UID", Dialects.hexadecimal(Array(memory[2..<9])).filter { $0 != " " }),
      ("H0R1", Dialects.hexadecimal(Array(memory[0..<2])).filter { $0 != " " }),
      ("Size", Dialects.hexadecimal(Array(memory[10..<12])).filter { $0 != " " }),
    ]
    let text = Dialects.proxmark("topaz", card: card, blocks: blocks)
    let image = try ImageFormat.proxmark.decode(Array(text.utf8))
    #expect(image.memory.bytes.count == 512)
    #expect(image.uid == Array(memory.prefix(7)))
    #expect(image.memory.known(0..<9) == Array(memory[0..<9]))
    #expect(image.memory.isKnown[9] == false)
    #expect(image.memory.known(10..<132) == Array(memory[10..<132]))
    #expect(image.headerROM == nil)
  }

  /// Six bytes for each sector, keys A before keys B.
  @Test(arguments: [5, 7, 16, 18, 32, 40]) func refusesAFileOfKeys(_ sectors: Int) throws {
    var keys = [UInt8](repeating: 0xFF, count: sectors * 12)
    keys.replaceSubrange(0..<6, with: [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5])
    let error = #expect(throws: ImageError.self) { try ImageFormat.binary.decode(keys) }
    #expect(error?.reason.contains("key file of a MIFARE Classic") == true)
    // A memory that was never written is no keys, except of the size of the keys of a new MIFARE Classic 1K.
    let zeros = [UInt8](repeating: 0, count: sectors * 12)
    #expect(((try? ImageFormat.binary.decode(zeros)) == nil) == (sectors == 16))
  }

  @Test func saysWhatAFileOfPlainBytesLacks() throws {
    let image = try ImageFormat.binary.decode([UInt8](repeating: 0xFF, count: 512))
    let error = #expect(throws: ImageError.self) { try ImageFormat.flipper.encode(image) }
    #expect(error?.reason.contains("may also be of another kind of tag") == true)
  }
}
