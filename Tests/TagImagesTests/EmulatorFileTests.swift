import TagImages
import Testing

/// Tests `.eml` and `.json` files of MIFARE Classic Tool and of Chameleon Ultra's program.
@Suite struct EmulatorFileTests {
  private static let trailer = "FFFFFFFFFFFFFF078069FFFFFFFFFFFF"

  private static func classicLines(_ count: Int) -> [String] {
    (0..<count).map { block in
      let isTrailer = block < 128 ? block % 4 == 3 : block % 16 == 15
      if block == 0 { return "BAE27C9DB90804006263646566676869" }
      return isTrailer ? trailer : String(repeating: "0", count: 32)
    }
  }

  // MARK: MIFARE Classic Tool

  /// Its exports have the marks of its own text; a sector that was not read is missing in JSON.
  @Test(arguments: [false, true]) func readsUnknownBytesOfJSON(_ isMissing: Bool) throws {
    var blocks: [(Int, String)] = Array(Self.classicLines(64).enumerated()).map { ($0, $1) }
    blocks[7].1 = "A0A1A2A3A4A5FF078069------------"
    blocks[8].1 = String(repeating: "-", count: 32)
    if isMissing { blocks.removeAll { 12..<16 ~= $0.0 || 60..<64 ~= $0.0 } }
    func file(createdBy program: String) -> [UInt8] {
      let lines = blocks.map { "    \"\($0.0)\": \"\($0.1)\"" }.joined(separator: ",\n")
      return Array(
        """
        {
          "Created": "\(program)",
          "FileType": "mfcard",
          "blocks": {
        \(lines)
          }
        }
        """.utf8)
    }
    let image = try ImageFormat.proxmark.decode(file(createdBy: "MifareClassicTool"))
    #expect(image.kind == .classic)
    #expect(image.memory.unitCount == 64)
    #expect(image.uid == [0xBA, 0xE2, 0x7C, 0x9D])
    #expect(image.memory.isKnown[112..<128].count { $0 } == 10)
    #expect(image.memory.unit(8).allSatisfy { $0 == nil })
    #expect((image.memory.known(12 * 16..<16 * 16) == nil) == isMissing)
    #expect((image.memory.known(60 * 16..<64 * 16) == nil) == isMissing)
    let text = try ImageFormat.mifareClassicTool.encode(image)
    #expect(text.losses == [])
    #expect(try ImageFormat.mifareClassicTool.decode(text.bytes).memory == image.memory)
    // Proxmark3 has all blocks, and knows all bytes.
    #expect(throws: ImageError.self) {
      try ImageFormat.proxmark.decode(file(createdBy: "proxmark3"))
    }
  }

  @Test(arguments: [ImageFormat.emulator, .binary])
  func readsUnknownBytesOfLines(_ format: ImageFormat) throws {
    var lines = Self.classicLines(64)
    lines[7] = "A0A1A2A3A4A5FF078069------------"
    lines[8] = String(repeating: "-", count: 32)
    let image = try format.decode(Array((lines.joined(separator: "\n") + "\n").utf8))
    #expect(image.kind == .classic)
    #expect(image.memory.isKnown[112..<128].count { $0 } == 10)
    #expect(image.memory.unit(8).allSatisfy { $0 == nil })
    #expect(image.memory.isKnown.count { $0 } == 1024 - 22)
  }

  /// Only a MIFARE Classic has such files.
  @Test func refusesUnknownBytesOfOtherTags() {
    let pages = Dialects.NTAG215().pages.map { Dialects.hexadecimal($0, "") }
    let error = #expect(throws: ImageError.self) {
      try ImageFormat.emulator.decode(
        Array((pages.prefix(134) + ["--------"]).joined(separator: "\n").utf8))
    }
    #expect(error?.place == .line(135))
  }

  // MARK: Chameleon Ultra

  @Test(arguments: [20, 64, 128, 256], [true, false])
  func readsAClassicInOneLine(_ count: Int, _ hasLineEnd: Bool) throws {
    let line = Self.classicLines(count).joined().lowercased()
    let image = try ImageFormat.emulator.decode(Array((line + (hasLineEnd ? "\n" : "")).utf8))
    #expect(image.kind == .classic)
    #expect(image.memory.unitCount == count)
    #expect(image.uid == [0xBA, 0xE2, 0x7C, 0x9D])
  }

  @Test func readsVersionAndSignature() throws {
    let tag = Dialects.NTAG215()
    let pages = tag.pages.map { Dialects.hexadecimal($0, "").lowercased() }
    let comments = [
      "# Version: " + Dialects.hexadecimal(tag.version, "").lowercased(),
      "# Signature: " + Dialects.hexadecimal(tag.signature, "").lowercased(), "# a figure",
    ]
    for format in [ImageFormat.emulator, .binary] {
      let image = try format.decode(
        Array((comments + pages).map { $0 + "\n" }.joined().utf8))
      #expect(image.type2Chip?.name == "NTAG215")
      #expect(image.version == tag.version)
      #expect(image.signature == tag.signature)
      let file = try ImageFormat.emulator.encode(image)
      // Many programs take every line for a page.
      #expect(file.losses == ["version", "signature"])
      let lines = String(decoding: file.bytes, as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 135)
    }
    // A comment of a person that begins in the same way.
    let image = try ImageFormat.emulator.decode(
      Array((["# Version: 2 of the figure"] + pages).joined(separator: "\n").utf8))
    #expect(image.version == nil)
  }
}
