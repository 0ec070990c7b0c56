import SwiftNFCSeededRandom
import NDEF
import TagImages
import Testing

/// The seeded, bounded run of what Scripts/fuzz runs longer.
@Suite struct FuzzTests {
  /// Inputs that are right, which the run then changes.
  private static let seeds: [DecoderFuzz: [[UInt8]]] = [
    .message: [
      NDEFMessage(records: [URIRecord("https://example.com").record]).encoded(),
      NDEFMessage(records: [TextRecord("a").record, .empty]).encoded(chunkSize: 2),
    ],
    // Type 2 TLVs: lock control, message, terminator.
    .tagLengthValues: [
      [0x01, 0x03, 0xA0, 0x0C, 0x34, 0x03, 0x03, 0xD0, 0x00, 0x00, 0xFE],
      [0x00, 0x03, 0xFF, 0x00, 0x03, 0xD0, 0x00, 0x00, 0xFD, 0x01, 0x00],
    ],
    .type12Container: [[0xE1, 0x10, 0x3E, 0x00], [0x01, 0xF2, 0x30, 0x33]],
    .type3AttributeBlock: [
      [0x10, 0x04, 0x01, 0x00, 0x0D, 0, 0, 0, 0, 0, 0x01, 0, 0, 0, 0x00, 0x23]
    ],
    .type4Container: [
      [0x00, 0x0F, 0x20, 0x00, 0xFB, 0x00, 0xF6, 0x04, 0x06, 0xE1, 0x04, 0x08, 0, 0, 0],
      [0x00, 0x11, 0x30, 0x00, 0xFB, 0x00, 0xF6, 0x06, 0x08, 0xE1, 0x04, 0, 1, 0, 0, 0, 0],
    ],
    .type5Container: [[0xE1, 0x40, 0x0D, 0x01], [0xE2, 0x40, 0x00, 0x01, 0, 0, 0x01, 0x00]],
    .commandAPDU: [
      [0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0, 0, 0x85, 0x01, 0x01, 0x00],
      [0x00, 0xB0, 0, 0, 0, 0x01, 0x00],
    ],
    .responseAPDU: [[0x90, 0x00], [0x01, 0x02, 0x62, 0x82]],
    .iso15693Request: [
      [0x02, 0x20, 0x05], [0x26, 0x01, 0x00], [0x22, 0x23, 1, 2, 3, 4, 5, 6, 7, 8, 0, 3],
    ],
    .iso15693Response: [[0x00, 1, 2, 3, 4], [0x01, 0x10]],
    .iso15693SystemInformation: [
      [0x0F, 1, 2, 3, 4, 5, 6, 7, 0xE0, 0, 0, 0x1B, 0x03, 0x01],
      [0x3F, 1, 2, 3, 4, 5, 6, 7, 0xE0, 0, 0, 0x1B, 0x00, 0x03, 0x01, 0, 0, 0, 0],
    ],
    .accessConditions: [
      [0xFF, 0x07, 0x80],
      [UInt8](repeating: 0xFF, count: 6) + [0xFF, 0x07, 0x80, 0x69]
        + [UInt8](repeating: 0xFF, count: 6),
    ],
    .applicationDirectory: [
      [0, 1] + [UInt8](repeating: 0x03, count: 30), [0, 1] + [UInt8](repeating: 0xE1, count: 46),
    ],
    .tagImage: images,
    .travelDocument: [
      [0x60, 0x06, 0x5C, 0x04, 0x61, 0x75, 0x6B, 0x6E],
      [0x75, 0x80, 0x7F, 0x61, 0x02, 0x02, 0x00, 0x00, 0x00],
      [0x6B, 0x0A, 0xA0, 0x08, 0x02, 0x01, 0x01, 0x5F, 0x0F, 0x02, 0x41, 0x3C],
      Array(
        "I<UTOD23145890<7349<<<<<<<<<<<3407127M9507122UTO<<<<<<<<<<<2STEVENSON<<PETER<JOHN".utf8)
        + [UInt8](repeating: 0x3C, count: 9),
      [
        0x31, 0x14, 0x30, 0x12, 0x06, 0x0A, 0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, 0x02,
        0x02,
      ]
        + [0x02, 0x01, 0x02, 0x02, 0x01, 0x0D],
    ],
  ]

  /// A small file of each format, after the byte that chooses it.
  private static let images: [[UInt8]] = {
    let zeros = String(repeating: "0", count: 32)
    let flipper = "Filetype: Flipper NFC device\nVersion: 4\nDevice type: "
    let files: [(ImageFormat, String)] = [
      (.emulator, "04DB0BDA\n993C8025\n"),
      (
        .proxmark,
        "{\"FileType\": \"15693 v2\",\n\"blocks\": {\"0\": \"E1400D01\", \"1\": \"0300FE00\"}}"
      ),
      (.flipper, flipper + "ISO14443-4A\nUID: 34 19 6D 41\nATQA: 00 04\nSAK: 20\nATS: 02 00\n"),
      (.flipper, flipper + "Calypso B'\nUID: 1C 8A 52 F7\nCard version: 82\nATR: 3B 6F\n"),
      (
        .flipper,
        flipper + "NFC Barcode\nUID: B7 04 62 6F 78 2E 64 65 76 2F 6E 66 63 FE FA 0D\n"
      ),
      (
        .mifareClassicTool,
        (0..<5).map { "+Sector: \($0)\n" + String(repeating: "\(zeros)\n", count: 4) }.joined()
      ),
      (
        .picoPass,
        "Filetype: Flipper Picopass device\nVersion: 1\nBlock 0: 61 2D 5B 00 F7 FF 12 E0\n"
          + "Block 1: 12 FF FF FF 7F 1F FF 3C\n"
      ),
    ]
    return files.map { format, text in
      [UInt8(ImageFormat.allCases.firstIndex(of: format) ?? 0)] + Array(text.utf8)
    }
  }()

  @Test(arguments: DecoderFuzz.allCases)
  func anyBytesGiveAValueOrAnError(_ decoder: DecoderFuzz) {
    var random = SplitMix64(seed: UInt64(decoder.rawValue))
    let seeds = Self.seeds[decoder] ?? []
    for round in 0..<2_000 {
      var bytes: [UInt8]
      if let seed = seeds.randomElement(using: &random), round % 4 != 0 {
        bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          guard let index = bytes.indices.randomElement(using: &random) else { break }
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
          case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
          case 2: bytes.insert([0x00, 0xFF].randomElement(using: &random) ?? 0, at: index)
          default: bytes.removeSubrange(index...)
          }
        }
      } else {
        bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
          UInt8.random(in: .min ... .max, using: &random)
        }
      }
      if let problem = DecoderFuzz.run([decoder.rawValue] + bytes) {
        Issue.record("\(problem): \(bytes)")
      }
    }
  }

  /// The unchanged inputs, so that the run is known to begin at what is accepted.
  @Test(arguments: DecoderFuzz.allCases) func acceptsWhatIsRight(_ decoder: DecoderFuzz) {
    for seed in Self.seeds[decoder] ?? [] {
      #expect(DecoderFuzz.run([decoder.rawValue] + seed) == nil)
    }
  }
}
