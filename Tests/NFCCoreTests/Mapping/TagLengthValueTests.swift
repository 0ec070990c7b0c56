import Testing

@testable import SwiftNFCCore

/// TLVs as in NFC Forum Type 2 Tag, 4.4.
@Suite struct TagLengthValueTests {
  /// The blocks of an area up to the terminator or the end: tag, offset and length of each.
  private func blocks(_ area: [UInt8], size: Int? = nil) throws -> [[Int]] {
    let size = size ?? area.count
    var offset = 0
    var found: [[Int]] = []
    while true {
      let step = try TagLengthValue.step(at: offset, size: size) {
        area.indices.contains($0) ? area[$0] : nil
      }
      switch step {
      case .block(let block):
        found.append([Int(block.tag), block.offset, block.length])
        offset = block.end
      case .terminator: return found + [[0xFE]]
      case .end: return found
      case .needs(let range): return found + [[range.lowerBound, range.upperBound]]
      }
    }
  }

  @Test(
    arguments: [
      // NTAG216 and NTAG213 as they leave the factory (NTAG213/215/216 data sheet, tables 6 and 8).
      ("03 00 FE 00", [[3, 0, 0], [0xFE]]),
      ("01 03 A0 0C 34 03 00 FE", [[1, 0, 3], [3, 5, 0], [0xFE]]),
      ("00 00 03 01 D0", [[3, 2, 1]]),
      ("FD 02 AA BB 03 00 03 01 FF FE", [[0xFD, 0, 2], [3, 4, 0], [3, 6, 1], [0xFE]]),
      ("00 00 00", []),
      ("", []),
      ("FE 03 00", [[0xFE]]),
      // A long length, also of a short value.
      ("03 FF 00 02 AA BB FE", [[3, 0, 2], [0xFE]]),
    ] as [(String, [[Int]])]) func findsBlocks(_ text: String, _ expected: [[Int]]) throws
  {
    let area = try #require([UInt8](hexadecimal: text))
    #expect(try blocks(area) == expected)
  }

  @Test(arguments: [
    ("03", 0), ("03 02 AA", 0), ("03 FF 00", 0), ("03 FF 00 03 AA BB", 0), ("00 00 03 FF", 2),
    ("FD 01 AA 03 FE", 3),
  ]) func refusesBlocksBeyondTheEnd(_ text: String, _ offset: Int) throws {
    let area = try #require([UInt8](hexadecimal: text))
    let error = #expect(throws: NFCError.self) { try blocks(area) }
    #expect(error?.code == .malformedContent)
    #expect(error?.place == .offset(offset))
  }

  @Test(
    arguments: [
      ("", 8, [[0, 2]]), ("00", 8, [[1, 3]]), ("03", 8, [[0, 2]]), ("03 FF", 8, [[0, 4]]),
      ("03 FF 00", 8, [[0, 4]]), ("00", 2, [[1, 2]]), ("03 04", 8, [[3, 0, 4], [6, 8]]),
    ] as [(String, Int, [[Int]])]) func asksForWhatItNeeds(
      _ text: String, _ size: Int, _ expected: [[Int]]
    ) throws
  {
    let area = try #require([UInt8](hexadecimal: text))
    #expect(try blocks(area, size: size) == expected)
  }

  /// Any bytes give blocks or an error, and no block reaches beyond the area.
  @Test func endsOnAnyBytes() {
    var state: UInt64 = 1
    for _ in 0..<2000 {
      var area: [UInt8] = []
      for _ in 0..<(state % 40) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        area.append(
          [0x00, 0x03, 0xFF, 0xFE, 0x01, UInt8(truncatingIfNeeded: state >> 40)][
            Int(state >> 33 % 6)])
      }
      state = state &* 6_364_136_223_846_793_005 &+ 1
      do {
        for block in try blocks(area) where block.count == 3 {
          #expect(block[1] + 2 + block[2] <= area.count)
        }
      } catch {
        #expect((error as? NFCError)?.code == .malformedContent)
      }
    }
  }

  /// 872 bytes are the NTAG216's data area: less tag and a length of three bytes, and no terminator.
  @Test(arguments: [
    (872, 868), (48, 46), (139, 137), (256, 254), (257, 254), (258, 254), (259, 255), (2, 0),
    (1, 0),
    (0, 0), (-5, 0), (4, 2),
  ]) func capacities(_ room: Int, _ capacity: Int) {
    #expect(TagLengthValue.capacity(room: room) == capacity)
    let block = TagLengthValue.block(message: [UInt8](repeating: 1, count: capacity), room: room)
    #expect(block.count <= max(room, 2))
  }

  @Test func headers() {
    #expect(TagLengthValue.header(3, length: 0) == [3, 0])
    #expect(TagLengthValue.header(3, length: 254) == [3, 0xFE])
    #expect(TagLengthValue.header(3, length: 255) == [3, 0xFF, 0x00, 0xFF])
    #expect(TagLengthValue.header(3, length: 868) == [3, 0xFF, 0x03, 0x64])
    #expect(TagLengthValue.block(message: [7], room: 3) == [3, 1, 7])
    #expect(TagLengthValue.block(message: [7], room: 4) == [3, 1, 7, 0xFE])
  }
}
