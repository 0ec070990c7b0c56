import Foundation
import NFC
import TagImages
import TestSupport
import Testing

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore
@testable import SwiftNFCTool
@testable import TagTools
@testable import VirtualNFC

/// Tests of images of tags that Core NFC does not support, and of cards of which only the identity is
/// available.
@Suite struct UnusualTagImageTests {
  /// The data that libnfc reports for each tag is the data of the virtual chip.
  @Test(arguments: [
    ("bprime", nil), ("ask-ctx", nil), ("barcode", nil), ("srix4k", nil),
    ("iclass", "the keys, and blocks 6-31"), ("mifare-plus", "AES keys"),
    ("tmoney", "without a key"),
  ])
  func isReadThroughLibnfc(_ name: String, _ missing: String?) async throws {
    let tag = try VirtualTag.named(name)
    let field = VirtualField()
    field.place(tag)
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    let reader = try await Reader.open(virtual.connectionString)
    let found = try await reader.firstTag(within: .seconds(10))
    let content = try await #require(MemoryTag(found)).read(
      TagKeys(), password: nil, .everything)
    await reader.close()
    #expect((content.missing == nil) == (missing == nil))
    if let missing { #expect(content.missing?.contains(missing) == true) }
    var image = try #require(tag.image)
    // The blocks of a MIFARE Plus require its keys.
    if name == "mifare-plus" { image.plus = nil }
    guard name == "iclass" else {
      #expect(content.image == image)
      return
    }
    #expect(content.image.uid == image.uid)
    let comparison = content.image.comparison(with: image)
    #expect(comparison.isEqual)
    #expect(comparison.incomparable == [3, 4] + Array(6..<32))
  }

  /// Public sources differ on whether the last four pages of an Ultralight AES, which are reserved, can be read.
  @Test func reservedPagesAreNoContent() {
    func missing(from page: Int?) -> String? {
      UltralightDump(
        chip: .ultralightAES, bytes: [UInt8](repeating: 0, count: 240), firstProtectedPage: page
      ).missing
    }
    #expect(missing(from: nil) == nil && missing(from: 56) == nil)
    #expect(missing(from: 45)?.contains("45") == true)
    #expect(missing(from: 4)?.contains("pages from 4 on") == true)
  }

  /// A Tag-it HF-I Pro has no command for the size of its memory; the UID says which chip it is.
  @Test(arguments: [false, true])
  func vicinityTagWithoutSystemInformation(_ isSilent: Bool) async throws {
    let model = VicinityModel(
      "tag-it-pro", uid: [0xE0, 0x07, 0xC4, 0x00, 0x01, 0x02, 0x03, 0x04], blockCount: 8,
      features: .lockBlock,
      profile: VicinityProfile(
        commands: [0x01, 0x02, 0x20, 0x21, 0x22], requiresWriteOption: true,
        isSilentOnUnknown: isSilent, manufacturer: 0x07))
    let bench = try await VicinityBench(.vicinity(model, formatted: false))
    try await bench.tag().writeBlocks(at: 7, [1, 2, 3, 4])
    let found = try await bench.found()
    let content = try await #require(MemoryTag(found)).read(
      TagKeys(), password: nil, .everything)
    await bench.reader.close()
    #expect(content.missing == nil)
    #expect(content.image.memory.unitCount == 8 && content.image.memory.isComplete)
    #expect(content.image.memory.unit(7) == [1, 2, 3, 4])
  }

  /// Every image is a virtual tag, those of smaller ST25TB chips, too, such as transit tickets.
  @Test(arguments: [
    ("512AT", 16, "D0023300AABBCCDD"), ("2K", 64, "D0023F00AABBCCDD"),
    ("X4K", 128, "D0020F00AABBCCDD"),
  ])
  func showsEveryST25TB(_ type: String, _ count: Int, _ uid: String) async throws {
    let blocks = (0..<count).map { number in
      "Block \(number): 00 11 22 " + (number < 16 ? "0" : "") + String(number, radix: 16)
    }
    let text =
      "Filetype: Flipper NFC device\nVersion: 4\nDevice type: ST25TB\n"
      + "UID: \(uid)\nST25TB Type: \(type)\n"
      + blocks.joined(separator: "\n") + "\nSystem OTP Block: FF FF FF FE\n"
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "ticket.nfc")
      let copy = directory.appending(path: "copy.nfc").path
      try Data(text.utf8).write(to: file)
      let poll = try await Tool.run("poll", "--once", "--json", "--virtual", file.path)
      #expect(poll.output.contains(uid), "\(poll.errors)")
      #expect(try await Tool.run("dump", copy, "--virtual", file.path).status == 0)
      #expect(try await Tool.run("diff", file.path, copy).status == 0)
    }
  }

  /// An ST25TB that answers for blocks that it does not have: no public source says that such a read is met with
  /// silence. How many there are is known from the UID.
  private struct EndlessChip<Chip: VirtualChip>: ForwardingChip {
    var chip: Chip

    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      let answer = chip.receive(frame)
      guard answer == nil, let command = frame.checkedPayload, command.count == 2,
        command[0] == 0x08
      else { return answer }
      return .typeB([0xFF, 0xFF, 0xFF, 0xFF])
    }
  }

  @Test(arguments: [(0x33, 16), (0x1B, 16), (0x3F, 64), (0x1F, 128)] as [(UInt8, Int)])
  func theUIDSaysHowManyBlocksThereAre(_ code: UInt8, _ count: Int) async throws {
    let memory = (0..<count * 4).map { UInt8(truncatingIfNeeded: $0) }
    var image = TagImage(.st25tb, unitSize: 4, bytes: memory)
    image.uid = [0xD0, 0x02, code, 0x00, 0xAA, 0xBB, 0xCC, 0xDD]
    image.systemBlock = [0xFF, 0xFF, 0xFF, 0xFF]
    let field = VirtualField()
    let chip = try #require(try VirtualTag.image(image).chip as? SRIX4K)
    field.place(VirtualTag(EndlessChip(chip: chip)))
    let found = try await Self.read(field, exchanges: 1 + count)
    #expect(found.memory.bytes == memory)
  }

  /// Proxmark3, cmdhf14b.c: a ticket with product code 50 is a CTS256B, of 16 words. One that is not known has as many
  /// as it answers.
  @Test(arguments: [(0x50, 16), (0x60, 32), (0x70, 32)] as [(UInt8, Int)])
  func ticketsOfBothSizes(_ code: UInt8, _ count: Int) async throws {
    var image = TagImage(.ctx, unitSize: 2, bytes: (0..<UInt8(count * 2)).map { $0 })
    // Word 4 is the upper half of the serial number.
    image.uid = [0x09, 0x08, 0x08, 0x28]
    image.protocolInfo = [code, 0x1C]
    let field = VirtualField()
    field.place(try VirtualTag.image(image))
    let found = try await Self.read(field, exchanges: count)
    #expect(found == image)
  }

  /// Reads the tag in a field, in this number of exchanges.
  private static func read(_ field: VirtualField, exchanges: Int) async throws -> TagImage {
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    let reader = try await Reader.open(virtual.connectionString)
    let tag = try await reader.firstTag(within: .seconds(10))
    try await tag.connect()
    virtual.setFaults([])
    let content = try await #require(MemoryTag(tag)).read(
      TagKeys(), password: nil, .everything)
    #expect(virtual.statistics.exchanges == exchanges)
    await reader.close()
    return content.image
  }

  /// If the tag is removed or disturbed in the middle, no image is created.
  @Test func aBrokenAnswerIsAnError() async throws {
    for name in ["iclass", "ask-ctx", "srix4k"] {
      for effect in [Fault.Effect.tagLeaves, .answerLost, .answerBroken] {
        let field = VirtualField()
        field.place(try VirtualTag.named(name))
        let virtual = try VirtualReader(field)
        defer { virtual.close() }
        let reader = try await Reader.open(virtual.connectionString)
        let found = try await reader.firstTag(within: .seconds(10))
        try await found.connect()
        virtual.setFaults([Fault(effect, at: .exchange(2))])
        let error = await #expect(throws: NFCError.self, "\(name)") {
          _ = try await #require(MemoryTag(found)).read(
            TagKeys(), password: nil, .everything)
        }
        #expect([.tagResponseError, .tagConnectionLost].contains(error?.code), "\(name) \(effect)")
        await reader.close()
      }
    }
  }

  /// A saved tag can be used as a tag again and is saved in the same way. Other formats are refused, and the
  /// error lists the suitable ones.
  @Test(arguments: [("bprime", "nfc"), ("ask-ctx", "nfc eml"), ("iclass", "picopass json")])
  func savesAndIsATagAgain(_ name: String, _ formats: String) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let formats = formats.split(separator: " ").map(String.init)
      let file = directory.appending(path: "tag.\(formats[0])").path
      if name == "iclass" {
        let refused = try await Tool.run("dump", file, "--virtual", name)
        #expect(refused.status == 77)
        #expect(refused.errorLines.count == 1)
        #expect(!FileManager.default.fileExists(atPath: file))
      }
      let dump = try await Tool.run("dump", file, "--partial", "--virtual", name)
      #expect(dump.status == 0)
      #expect(dump.output == "")
      #expect(try await Tool.run("diff", file, "-", "--virtual", name).status == 0)
      let again = directory.appending(path: "again.\(formats[0])").path
      #expect(try await Tool.run("dump", again, "--partial", "--virtual", file).status == 0)
      #expect(FileManager.default.contentsEqual(atPath: file, andPath: again))
      let other = directory.appending(path: "tag.mct").path
      let refused = try await Tool.run("convert", file, other)
      #expect(refused.status == 65)
      #expect(!FileManager.default.fileExists(atPath: other))
      for format in formats { #expect(refused.errors.contains(".\(format)")) }
    }
  }

  /// A card that a Flipper Zero has saved can be converted for Proxmark3, compared, and used as a tag.
  @Test func convertsAnICLASSCard() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.picopass").path
      let other = directory.appending(path: "card.json").path
      let blocks = ["96 D1 57 10 FE FF 12 E0", "12 FF FF FF 7F 1F FF 3C"]
      let lines = ["Filetype: Flipper Picopass device", "Version: 1", "# Picopass blocks"]
      let text =
        (lines
        + (0..<19).map {
          "Block \($0): \($0 < blocks.count ? blocks[$0] : "03 03 03 03 00 03 E0 17")"
        }).joined(separator: "\n") + "\n"
      try Data(text.utf8).write(to: URL(filePath: file))
      let converted = try await Tool.run("convert", file, other)
      #expect(converted.status == 0)
      #expect(converted.errorLines.count == 1)
      #expect(converted.errors.contains("does not hold: which bytes are unknown"))
      #expect(try await Tool.run("diff", file, other).status == 0)
      let info = try await Tool.run("info", "--json", "--virtual", file)
      #expect(info.status == 0)
      #expect(info.output.contains("E012FFFE1057D196"))
      // The memories of these tags are never written.
      let restored = try await Tool.run(
        "restore", file, "--uid", "E012FFF7005B2D61", "--timeout", "1", "--virtual", "iclass")
      #expect(restored.status == 66)
    }
  }
}
