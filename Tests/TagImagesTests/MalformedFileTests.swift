import SwiftNFCSeededRandom
import TagImages
import TestSupport
import Testing

/// Tests files that do not follow their format: each is refused with its place.
@Suite struct MalformedFileTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let format: ImageFormat
    let text: String
    let place: ImageError.Place?
    let reason: String

    init(_ format: ImageFormat, _ text: String, _ place: ImageError.Place?, _ reason: String) {
      self.format = format
      self.text = text
      self.place = place
      self.reason = reason
    }

    var testDescription: String { "\(format) \(reason)" }
  }

  private static let flipperStart = """
    Filetype: Flipper NFC device
    Version: 4
    """
  private static let zeros = String(repeating: "0", count: 32)

  @Test(arguments: [
    ImageFormat.flipper, .proxmark, .emulator, .mifareClassicTool, .picoPass,
  ])
  func saysThatTextIsUTF16(_ format: ImageFormat) {
    for mark: [UInt8] in [[0xFF, 0xFE], [0xFE, 0xFF]] {
      let error = #expect(throws: ImageError.self) { try format.decode(mark + [0x46, 0x00]) }
      #expect(error?.reason.contains("UTF-16") == true)
    }
  }

  static let cases = [
    Case(.binary, "", .offset(0), "empty"),
    Case(.binary, "\u{1}\u{2}\u{3}\u{4}\u{5}", .offset(5), "whole number"),
    Case(.emulator, "", .line(1), "no line"),
    Case(.emulator, "00112233\n0011223\n", .line(2), "hexadecimal"),
    Case(.emulator, "00112233\n\n001122\n", .line(3), "4 bytes"),
    Case(.mifareClassicTool, "", .line(1), "no sector"),
    Case(.mifareClassicTool, "+Sector: 40\n", .line(1), "0 to 39"),
    Case(.mifareClassicTool, "\(zeros)\n", .line(1), "header"),
    Case(
      .mifareClassicTool, "+Sector: 0\n\(zeros)\n\(zeros)\n\(zeros)\n", .line(1), "3 blocks, not 4"),
    Case(.mifareClassicTool, "+Sector: 0\n\(zeros)0\n", .line(2), "32 hexadecimal digits"),
    Case(
      .mifareClassicTool,
      "+Sector: 0\n" + String(repeating: "\(zeros)\n", count: 4) + "+Sector: 0\n", .line(6), "twice"
    ),
    Case(.flipper, "", .line(1), "Filetype"),
    Case(
      .flipper,
      flipperStart
        + "\nDevice type: ISO14443-4A\nUID: 04 91 8E 62 C8 37 81\nATS: 75 77 81 02 80\n",
      .line(5), "5 bytes"),
    Case(.flipper, "Filetype: Flipper SubGhz\n", .line(1), "another kind"),
    Case(.flipper, "Filetype: Flipper NFC device\nVersion: 9\n", .line(2), "2 to 4"),
    Case(.flipper, flipperStart + "\nDevice type: Toaster\nUID: 01\n", .line(3), "Toaster"),
    Case(.flipper, flipperStart + "\nUID: 01\nUID: 02\n", .line(4), "twice"),
    Case(.flipper, flipperStart + "\nno colon\n", .line(3), "colon"),
    Case(
      .flipper, flipperStart + "\nDevice type: NTAG/Ultralight\nUID: 04 01\nPages total: 1000\n",
      .line(5), "1 to 510"),
    Case(
      .flipper,
      flipperStart
        + "\nDevice type: NTAG/Ultralight\nUID: 04 01\nPages total: 2\nPage 0: 01 02 03 04\n",
      .line(6), "Page 1"),
    Case(
      .flipper, flipperStart + "\nDevice type: NTAG/Ultralight\nPages total: 1\nPage 0: 01 02 03\n",
      .line(5), "3 bytes, not 4"),
    Case(
      .flipper, flipperStart + "\nDevice type: Mifare Classic\nMifare Classic type: 3K\n", .line(4),
      "of this name"),
    Case(
      .flipper,
      flipperStart + "\nDevice type: ISO15693-3\nUID: E0\nBlock Count: 1\nBlock Size: 21\n",
      .line(6),
      "01 to 20"),
    Case(
      .flipper,
      flipperStart
        + "\nDevice type: FeliCa\nUID: 01\nData format version: 4\n", .line(5), "1 to 3"),
    Case(.proxmark, "", .line(1), "it is empty"),
    Case(
      .proxmark, "{\n \"FileType\": \"mfu\",\n \"FileType\": \"mfu\"\n}", .line(3), "more than one"),
    Case(.proxmark, "{\"FileType\": \"t55x7\"}", .line(1), "t55x7"),
    Case(.proxmark, "{\"Created\": \"proxmark3\"}", .line(1), "FileType"),
    Case(.proxmark, "{\"FileType\": \"mfu\"}", .line(1), "blocks"),
    Case(
      .proxmark, "{\"FileType\": \"mfu\",\n\"blocks\": {\n\"0\": \"04\"}}", .line(3), "4 bytes"),
    Case(
      .proxmark, "{\"FileType\": \"mfu\",\n\"blocks\": {\n\"1\": \"04050607\"}}", .line(2),
      "block 0"),
    Case(
      .proxmark,
      "{\"FileType\": \"mfu\",\n\"blocks\": {\n\"0\": \"04050607\",\n\"00\": \"04050607\"}}",
      .line(4), "twice"),
    Case(
      .proxmark,
      "{\"FileType\": \"mfc v2\",\n\"blocks\": {\"0\": \"\(zeros)\"}}", .line(2), "1 blocks"),
    Case(
      .proxmark,
      "{\"FileType\": \"mfu\", \"Card\": {\n\"Version\": \"00\"},\n\"blocks\": {\"0\": \"04050607\"}}",
      .line(2), "not 8"),
    Case(.proxmark, String(repeating: "[", count: 100), .line(1), "nested"),
    Case(.proxmark, "{} x", .line(1), "after the end"),
    Case(
      .flipper,
      "Filetype: Flipper NFC device\nVersion: 4\nDevice type: ISO14443-3A\nUID: 04\nATQA: 00 04\nSAK: 08",
      .line(4), "no UID of 1 bytes"),
  ]

  @Test(arguments: cases) func isRefusedWithItsPlace(_ test: Case) throws {
    let error = #expect(throws: ImageError.self) {
      try test.format.decode(Array(test.text.utf8))
    }
    #expect(error?.code == .malformed)
    #expect(error?.place == test.place)
    #expect(error?.reason.contains(test.reason) == true)
  }

  private static let desfireStart =
    flipperStart + "\nDevice type: Mifare DESFire\nUID: 04 01 02 03 04 05 06\nPICC Version: "
    + Array(repeating: "01", count: 28).joined(separator: " ") + "\n"

  /// No card has two applications or files of one name; each repetition would be read and kept again.
  @Test(arguments: [
    Case(
      .flipper, desfireStart + "Application Count: 2\nApplication IDs: 01 02 03 01 02 03\n",
      .line(7), "occurs twice"),
    Case(
      .flipper,
      desfireStart + "Application Count: 1\nApplication IDs: 01 02 03\n"
        + "Application 010203 File IDs: 04 04\nApplication 010203 File 4 Type: 00\n"
        + "Application 010203 File 4 Access Rights: EE EE\nApplication 010203 File 4 Size: 0\n",
      .line(8), "occurs twice"),
    Case(
      .flipper,
      flipperStart + "\nDevice type: ISO14443-4A\nUID: 04 01 02 03 04 05 06\n"
        + "Application Count: 1\nApplication 0 AID:\nApplication 0 File IDs: 2F 00 2F 00\n",
      .line(7), "occurs twice"),
  ]) func nothingOccursTwice(_ test: Case) throws { try isRefusedWithItsPlace(test) }

  /// The value of a key was searched for in each part of the file, one after the other.
  @Test(.timeLimit(.minutes(1))) func manyPartsAreNotSearchedOneByOne() throws {
    let count = 4096
    let identifiers = (0..<count).map {
      Dialects.hexadecimal([UInt8($0 >> 8), UInt8($0 & 0xFF), 1])
    }
    let text =
      Self.desfireStart + "Application Count: \(count)\nApplication IDs: "
      + identifiers.joined(separator: " ") + "\n"
      + String(repeating: "System 00: 0003\n", count: 40_000)
    let image = try ImageFormat.flipper.decode(Array(text.utf8))
    #expect(image.desfire?.applications.count == count)
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private func isDigit(_ byte: UInt8) -> Bool { Self.digits.contains(byte) }

  /// Checks that a written file can be read and results in the same file again.
  private func check(_ image: TagImage, _ format: ImageFormat) throws {
    let encoding: ImageFormat.Encoding
    do {
      encoding = try format.encode(image)
    } catch {
      #expect(error.code == .cannotHold, "\(format): \(error.reason)\n\(image)")
      return
    }
    let copy = try format.decode(encoding.bytes)
    if copy.kind == image.kind {
      let again = try format.encode(copy).bytes
      #expect(
        again == encoding.bytes,
        "\(format)\n\(String(decoding: encoding.bytes, as: UTF8.self))")
    }
  }

  private static let largeFile = 2500

  /// Any bytes result in an image or an error, and every image can be written again.
  @Test(arguments: ImageFormat.allCases) func anyBytesEndWell(_ format: ImageFormat) throws {
    // This seed once led to an image of an NTAG I2C with a version that no chip has.
    var generator = SplitMix64(seed: 4)
    var count = 0
    for seed in try FuzzSeeds.all(format) {
      // A large file consists mostly of repeated blocks.
      for _ in 0..<(seed.count > Self.largeFile ? 15 : 60) {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
          let index = Int.random(in: 0..<bytes.count, using: &generator)
          switch Int.random(in: 0..<8, using: &generator) {
          case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
          case 3...6:
            // Digits are replaced by digits, so that some files remain valid.
            if isDigit(bytes[index]) {
              bytes[index] = Self.digits.randomElement(using: &generator) ?? bytes[index]
            }
          case 1: bytes.remove(at: index)
          case 2: bytes.insert(bytes[index], at: index)
          default: bytes.removeSubrange(index..<min(bytes.count, index + 40))
          }
        }
        guard let image = try? format.decode(bytes) else { continue }
        count += 1
        #expect(image.comparison(with: image).isEqual)
        // Each image is written in its own format and in one other, in turn.
        try check(image, format)
        try check(image, ImageFormat.allCases.randomElement(using: &generator) ?? format)
      }
    }
    #expect(count > 0)
  }
}
