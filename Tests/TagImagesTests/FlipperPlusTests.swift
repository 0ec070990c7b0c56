import TagImages
import Testing

/// Tests `.nfc` files of a MIFARE Plus, in the form in which development versions of Flipper Zero's firmware write
/// them (lib/nfc/protocols/mf_plus/mf_plus_i.c and mf_plus.c).
@Suite struct FlipperPlusTests {
  private static let unknown = Array(repeating: "??", count: 16).joined(separator: " ")
  private static let block = "00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF"

  /// - Parameter changes: lines in place of others with the same key; without a value, the line is left out.
  private static func file(
    size: (name: String, blocks: Int, sectors: Int) = ("2K", 128, 32), level: String = "SL3",
    model: String = "Mifare Plus EV1", changes: [String: String?] = [:]
  ) -> [UInt8] {
    var lines = [
      ("Filetype", "Flipper NFC device"), ("Version", "4"), ("Device type", "Mifare Plus"),
      ("UID", "04 51 2C 8A 3D 61 80"), ("ATQA", "00 44"), ("SAK", "20"), ("T0", "77"),
      ("TA(1)", "80"), ("TB(1)", "02"), ("TC(1)", "02"),
      (
        "PICC Version",
        "04 02 01 11 00 16 04 04 02 01 01 00 16 04 04 51 2C 8A 3D 61 80 00 00 00 00 00 10 20"
      ),
      ("Card Type", model), ("Security Level", level), ("Memory Size", size.name),
      ("Data format version", "1"),
    ]
    if level == "SL3" {
      lines.append(("# SL3 blocks and keys, '??' means unknown", ""))
      lines += (0..<size.blocks).map { ("Block \($0)", $0 == 4 ? block : unknown) }
      for sector in 0..<size.sectors {
        lines.append(("Key A \(sector)", sector == 1 ? block : unknown))
        lines.append(("Key B \(sector)", unknown))
      }
      lines += [
        ("Card Master Key", block), ("Card Config Key", unknown), ("L3 Switch Key", unknown),
        ("SL1 Card Auth Key", unknown), ("Config Block 0", unknown), ("Config Block 1", unknown),
        ("Config Block 2", unknown), ("Config Block 3", block),
      ]
    }
    lines.append(("Signature", Array(repeating: "5A", count: 56).joined(separator: " ")))
    let text = lines.compactMap { key, value -> String? in
      guard !key.hasPrefix("#") else { return key }
      guard let change = changes[key] else { return "\(key): \(value)" }
      return change.map { "\(key): \($0)" }
    }
    return Array((text.joined(separator: "\n") + "\n").utf8)
  }

  /// The blocks of level 3 are the card's memory.
  @Test func blocksAreCompared() throws {
    let image = try ImageFormat.flipper.decode(Self.file())
    #expect(image.comparison(with: image).isEqual)
    let changed = try ImageFormat.flipper.decode(
      Self.file(changes: ["Block 4": Self.block.replacing("00 11", with: "00 12")]))
    let changes = image.comparison(with: changed).changes
    #expect(changes.map(\.number) == [4])
    #expect(changes.first?.before.hasPrefix("0011") == true)
    #expect(changes.first?.after.hasPrefix("0012") == true)
    let unknown = try ImageFormat.flipper.decode(Self.file(changes: ["Block 4": Self.unknown]))
    #expect(image.comparison(with: unknown).isEqual)
    #expect(image.comparison(with: unknown).incomparable == [4])
    let large = try ImageFormat.flipper.decode(Self.file(size: ("4K", 256, 40)))
    #expect(!image.isComparable(with: large))
    let level1 = try ImageFormat.flipper.decode(Self.file(level: "SL1"))
    #expect(image.isComparable(with: level1))
    #expect(image.isComparable(with: TagImage(.iso14443a)))
    #expect(image.comparison(with: TagImage(.iso14443a)).isEqual)
  }

  @Test(arguments: [("1K", 64, 16), ("2K", 128, 32), ("4K", 256, 40)])
  func readsBlocksAndKeys(_ name: String, _ blocks: Int, _ sectors: Int) throws {
    let bytes = Self.file(size: (name, blocks, sectors))
    let decoding = try ImageFormat.flipper.decoding(bytes)
    #expect(decoding.losses == [])
    let image = decoding.image
    let plus = try #require(image.plus)
    #expect(image.kind == .iso14443a)
    #expect(image.signature?.count == 56)
    #expect(plus.model == .ev1)
    #expect(plus.securityLevel == 3)
    #expect(plus.memory.unitCount == blocks)
    #expect(plus.sectorCount == sectors)
    let content = (0..<16).map { UInt8($0 * 0x11) }
    #expect(plus.memory.known(64..<80) == content)
    #expect(plus.memory.isKnown.count { $0 } == 16)
    #expect(plus.keys == [0x4002: content, 0x9000: content])
    #expect(plus.configuration == [0xB003: content])
    let again = try ImageFormat.flipper.encode(image)
    #expect(again.losses == [])
    #expect(try ImageFormat.flipper.decode(again.bytes) == image)
    // The same lines in the same order, which Flipper Zero requires.
    #expect(
      Array(again.bytes).split(separator: 10).dropFirst(10)
        == bytes.split(separator: 10).dropFirst(10))
    // No other format has a place for such a card.
    for format in ImageFormat.allCases where format != .flipper {
      #expect(throws: ImageError.self) { try format.encode(image) }
    }
  }

  @Test(arguments: ["SL0", "SL1", "SL2", "Unknown"]) func otherLevels(_ level: String) throws {
    let image = try ImageFormat.flipper.decode(Self.file(level: level))
    #expect(image.plus?.securityLevel == ["SL0": 0, "SL1": 1, "SL2": 2][level])
    #expect(image.plus?.hasContent == false)
    #expect(try ImageFormat.flipper.decode(ImageFormat.flipper.encode(image).bytes) == image)
  }

  /// Each of these is refused with its line.
  @Test(
    arguments: [
      ("Data format version", "2"), ("Block 7", "00 11"), ("Block 7", nil), ("Key B 31", "ZZ"),
      ("Card Master Key", nil), ("Security Level", "SL4"), ("Memory Size", "8K"),
      ("Card Type", "Mifare Plus Z"), ("Signature", "00"), ("Config Block 3", nil),
    ] as [(String, String?)])
  func whatIsWrong(_ key: String, _ value: String?) throws {
    #expect(throws: ImageError.self) {
      try ImageFormat.flipper.decode(Self.file(changes: [key: value]))
    }
  }
}
