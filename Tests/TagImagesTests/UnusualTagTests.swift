import TagImages
import Testing
import VirtualNFC

/// Files of tags that Core NFC does not know.
@Suite struct UnusualTagTests {
  /// Returns a file as `hf iclass dump` of Proxmark3 writes it: the first blocks by their names, and all
  /// by their numbers (client/src/fileutils.c, `jsfIclass`).
  private static func proxmark(_ blocks: [String], names: [String]) -> String {
    let card = zip(names, blocks).map { "    \"\($0)\": \"\($1)\"" }
    let lines = blocks.enumerated().map { "    \"\($0.offset)\": \"\($0.element)\"" }
    return "{\n  \"Created\": \"proxmark3\",\n  \"FileType\": \"iclass\",\n  \"Card\": {\n"
      + card.joined(separator: ",\n") + "\n  },\n  \"blocks\": {\n"
      + lines.joined(separator: ",\n") + "\n  }\n}"
  }

  /// The blocks in a file of Flipper Zero.
  private static let blocks =
    [
      "96D15710FEFF12E0", "12FFFFFF7F1FFF3C", "F6FEFFFFFFFFFFFF", "71A4E121621A1637",
      "FFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF", "030303030003E017", "0123456789ABCDEF",
    ] + Array(repeating: "2AD4C8211F996871", count: 2)
    + Array(repeating: "FFFFFFFFFFFFFFFF", count: 22)

  /// The current names, only a serial number, and `UID` as in older versions.
  @Test(arguments: [["CSN", "Configuration", "Epurse", "Kd", "Kc", "AIA"], ["CSN"], ["UID"]])
  func readsFilesOfProxmark3(_ names: [String]) throws {
    let text = Self.proxmark(Self.blocks, names: names)
    let image = try ImageFormat.proxmark.decode(Array(text.utf8))
    #expect(image.kind == .iClass)
    #expect(image.uid == [0xE0, 0x12, 0xFF, 0xFE, 0x10, 0x57, 0xD1, 0x96])
    #expect(image.memory.unitCount == 32)
    #expect(image.memory.known(56..<64) == [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF])
    let tag = try VirtualTag.image(image)
    #expect(tag.image == image)
    // The same in binary form and as text.
    let bytes = try ImageFormat.binary.encode(image)
    #expect(bytes.losses.isEmpty)
    #expect(try ImageFormat.binary.decode(bytes.bytes) == image)
    let lines = Self.blocks.joined(separator: "\n")
    #expect(try ImageFormat.emulator.decode(Array(lines.utf8)) == image)
    // The file is written in the current form.
    if names.count > 1 {
      let written = try ImageFormat.proxmark.encode(image).bytes
      #expect(String(decoding: written, as: UTF8.self) == text + "\n")
    }
  }

  /// Flipper Zero's program writes the number of blocks that the first application has. Older versions
  /// also write a credential; newer ones write question marks for blocks that were not read.
  @Test(arguments: [19, 32], [false, true])
  func readsFilesOfPicopass(_ count: Int, _ hasCredential: Bool) throws {
    var lines = ["Filetype: Flipper Picopass device", "Version: 1"]
    if hasCredential { lines.append("Credential: 00 00 40 00 64 00 00 C8") }
    lines.append("# Picopass blocks")
    for (number, block) in Self.blocks.prefix(count).enumerated() {
      let digits = stride(from: 0, to: 16, by: 2).map { block.dropFirst($0).prefix(2) }
      let text = number == 3 ? "?? ?? ?? ?? ?? ?? ?? ??" : digits.joined(separator: " ")
      lines.append("Block \(number): \(text)")
    }
    let text = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    let image = try ImageFormat.picoPass.decode(text)
    #expect(image.uid == [0xE0, 0x12, 0xFF, 0xFE, 0x10, 0x57, 0xD1, 0x96])
    #expect(image.memory.known(24..<32) == nil)
    #expect(image.memory.known(56..<64) != nil)
    #expect((image.memory.known(31 * 8..<32 * 8) != nil) == (count == 32))
    // With another file name, the content decides.
    #expect(try ImageFormat.flipper.decode(text) == image)
    #expect(ImageFormat(guessing: text) == .flipper)
    let again = try ImageFormat.picoPass.encode(image)
    #expect(again.losses.isEmpty)
    #expect(try ImageFormat.picoPass.decode(again.bytes) == image)
    #expect(try ImageFormat.proxmark.encode(image).losses == ["which bytes are unknown"])
    #expect(try VirtualTag.image(image).identifier == image.uid)
  }

  /// A comparison never shows keys.
  @Test func keysOfAnICLASSAreMasked() throws {
    let image = try #require(try VirtualTag.named("iclass").image)
    var other = image
    other.memory.set([0x5E, 0xC2, 0xE7, 0x77, 0, 0, 0, 0], at: 24)
    let change = try #require(image.comparison(with: other).changes.first)
    #expect(change.number == 3)
    #expect(change.before == "****************")
    #expect(change.after == "################")
  }

  /// All chips that Flipper Zero distinguishes by six bits of the UID
  /// (lib/nfc/protocols/st25tb/st25tb.c).
  @Test(arguments: [
    ("512AT", 16, 0x30), ("512AC", 16, 0x18), ("X512", 16, 0x10), ("2K", 64, 0x3C),
    ("4K", 128, 0x1C),
    ("X4K", 128, 0x0C), ("X4K", 128, 0x00),
  ])
  func namesChipsOfST25TB(_ name: String, _ count: Int, _ code: Int) throws {
    var image = TagImage(.st25tb, memory: .init(unitSize: 4, unitCount: count))
    image.memory.set([UInt8](repeating: 0x5A, count: 4 * count), at: 0)
    image.uid = [0xD0, 0x02, UInt8(code), 0x1F, 0x5A, 0x88, 0x13, 0x6E]
    image.systemBlock = [0xFF, 0xFF, 0xFF, 0x00]
    let file = try ImageFormat.flipper.encode(image)
    #expect(file.losses.isEmpty)
    #expect(String(decoding: file.bytes, as: UTF8.self).contains("ST25TB Type: \(name)\n"))
    #expect(try ImageFormat.flipper.decode(file.bytes) == image)
  }

  @Test func aCodeWithAWrongCheckIsNotABarcodeInBytes() throws {
    let image = try #require(try VirtualTag.named("barcode").image)
    let file = try ImageFormat.binary.encode(image)
    #expect(file.losses.isEmpty)
    #expect(try ImageFormat.binary.decode(file.bytes) == image)
    var broken = file.bytes
    broken[4] ^= 1
    #expect(try ImageFormat.binary.decode(broken).kind == .iso15693)
  }

  struct Malformed: Sendable, CustomTestStringConvertible {
    let format: ImageFormat
    let text: String
    let line: Int
    var testDescription: String { "\(format) \(text.prefix(60))" }
  }

  private static let start = "Filetype: Flipper NFC device\nVersion: 4\n"
  private static let picopass = "Filetype: Flipper Picopass device\nVersion: 1\n"

  @Test(arguments: [
    Malformed(format: .picoPass, text: "", line: 1),
    Malformed(format: .picoPass, text: start, line: 1),
    Malformed(format: .picoPass, text: "Filetype: Flipper Picopass device\nVersion: 2\n", line: 2),
    Malformed(format: .picoPass, text: picopass + "Block 0: 01 02\n", line: 3),
    Malformed(
      format: .picoPass, text: picopass + "Block 0: 61 2D 5B 00 F7 FF 12 E0\n", line: 3),
    Malformed(
      format: .picoPass,
      text: picopass
        + "Block 0: ?? ?? ?? ?? ?? ?? ?? ??\nBlock 1: 12 FF FF FF 7F 1F FF 3C\n", line: 1),
    Malformed(
      format: .flipper, text: start + "Device type: NFC Barcode\nUID: B7 04\n", line: 4),
    Malformed(
      format: .flipper, text: start + "Device type: ASK CTx\nUID: 02 60 08 28\n", line: 4),
    Malformed(
      format: .flipper,
      text: start + "Device type: ASK CTx\nUID: 02 60 08 28\nData Content: 00\n", line: 5),
    Malformed(
      format: .flipper, text: start + "Device type: Calypso B'\nUID: 02 60\n", line: 4),
    Malformed(
      format: .flipper, text: start + "Device type: Calypso B'\nUID: 02 60 08 28\nATR: x\n",
      line: 5),
    Malformed(
      format: .proxmark,
      text: "{\"FileType\": \"iclass\",\n\"blocks\": {\"0\": \"0011223344556677\"}}", line: 2),
  ])
  func isRefusedWithItsLine(_ test: Malformed) {
    let error = #expect(throws: ImageError.self) {
      try test.format.decode(Array(test.text.utf8))
    }
    #expect(error?.code == .malformed)
    #expect(error?.place == .line(test.line))
  }
}
