import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests every lock bit and every block-locking bit of every chip with the data sheets' tables.
@Suite struct LockBitTests {
  /// One lock bit with its position and the pages that it makes read-only, and the bit that freezes it.
  struct Row: Sendable, CustomTestStringConvertible {
    let chip: String
    let page: UInt8
    let byte: Int
    let bit: Int
    let pages: ClosedRange<Int>
    let blockByte: Int
    let blockBit: Int

    var testDescription: String { "\(chip) page \(page) byte \(byte) bit \(bit)" }

    func data(block: Bool) -> [UInt8] {
      var data: [UInt8] = [0, 0, 0, 0]
      data[block ? blockByte : byte] = 1 << UInt8(block ? blockBit : bit)
      return data
    }
  }

  static func rows(
    _ chip: String, page: UInt8, _ table: [(byte: Int, bit: Int, pages: String, block: String)]
  ) -> [Row] {
    table.map { entry in
      let pages = entry.pages.split(separator: "-").compactMap { Int($0) }
      let block = entry.block.split(separator: ".").compactMap { Int($0) }
      return Row(
        chip: chip, page: page, byte: entry.byte, bit: entry.bit,
        pages: pages[0]...(pages.last ?? pages[0]), blockByte: block[0], blockBit: block[1])
    }
  }

  /// MF0ICU2 rev. 3.3, table 6; the same in all chips.
  static let staticBits: [(byte: Int, bit: Int, pages: String, block: String)] = [
    (2, 3, "3", "2.0"), (2, 4, "4", "2.1"), (2, 5, "5", "2.1"), (2, 6, "6", "2.1"),
    (2, 7, "7", "2.1"), (3, 0, "8", "2.1"), (3, 1, "9", "2.1"), (3, 2, "10", "2.2"),
    (3, 3, "11", "2.2"), (3, 4, "12", "2.2"), (3, 5, "13", "2.2"), (3, 6, "14", "2.2"),
    (3, 7, "15", "2.2"),
  ]

  /// NTAG213/215/216 rev. 3.2, figure 11; NTAG212 (figure 9 of its sheet) ends with page 35.
  static let twoPageBits: [(byte: Int, bit: Int, pages: String, block: String)] = [
    (0, 0, "16-17", "2.0"), (0, 1, "18-19", "2.0"), (0, 2, "20-21", "2.1"),
    (0, 3, "22-23", "2.1"), (0, 4, "24-25", "2.2"), (0, 5, "26-27", "2.2"),
    (0, 6, "28-29", "2.3"), (0, 7, "30-31", "2.3"), (1, 0, "32-33", "2.4"),
    (1, 1, "34-35", "2.4"), (1, 2, "36-37", "2.5"), (1, 3, "38-39", "2.5"),
  ]

  /// Figures 12 and 13.
  static let sixteenPageBits: [(byte: Int, bit: Int, pages: String, block: String)] = [
    (0, 0, "16-31", "2.0"), (0, 1, "32-47", "2.0"), (0, 2, "48-63", "2.1"),
    (0, 3, "64-79", "2.1"), (0, 4, "80-95", "2.2"), (0, 5, "96-111", "2.2"),
    (0, 6, "112-127", "2.3"), (0, 7, "128-143", "2.3"), (1, 0, "144-159", "2.4"),
    (1, 1, "160-175", "2.4"), (1, 2, "176-191", "2.5"), (1, 3, "192-207", "2.5"),
    (1, 4, "208-223", "2.6"), (1, 5, "224-225", "2.6"),
  ]

  /// NTAG203 rev. 3.0, figure 7; MF0ICU2 rev. 3.3, section 7.5.3.
  static let fourPageBits: [(byte: Int, bit: Int, pages: String, block: String)] = [
    (0, 1, "16-19", "0.0"), (0, 2, "20-23", "0.0"), (0, 3, "24-27", "0.0"),
    (0, 5, "28-31", "0.4"), (0, 6, "32-35", "0.4"), (0, 7, "36-39", "0.4"),
    (1, 4, "41", "1.0"),
  ]

  static let all: [Row] =
    Type2Chips.all.flatMap { rows($0.name, page: 2, staticBits) }
    + rows("ntag212", page: 0x24, Array(twoPageBits.prefix(10)))
    + rows("ultralight-ev1-128", page: 0x24, Array(twoPageBits.prefix(10)))
    + rows("ntag213", page: 0x28, twoPageBits)
    + rows("ntag215", page: 0x82, sixteenPageBits.prefix(7) + [(0, 7, "128-129", "2.3")])
    + rows("ntag216", page: 0xE2, sixteenPageBits)
    + rows("ntag-i2c-1k", page: 0xE2, sixteenPageBits)
    + rows("ntag203", page: 0x28, fourPageBits)
    + rows(
      "ultralight-c", page: 0x28,
      fourPageBits + [(1, 5, "42", "1.1"), (1, 6, "43", "1.2"), (1, 7, "44-47", "1.3")])

  /// Returns the pages on which a WRITE of 30 00 00 00 can be tested without locking anything else. As
  /// AUTH0, which an Ultralight C has in page 42, this value protects nothing.
  static func writablePages(_ chip: any VirtualChip, except lockPage: UInt8) -> [Int] {
    let last: Int
    switch chip.name {
    case "ultralight-c": last = 47
    case "ntag-i2c-1k", "ntag-i2c-2k": last = 0xE1
    case "ntag203": last = 41
    case "ultralight": last = 15
    default: last = chip.memory.count / 4 - 5
    }
    return (3...last).filter { $0 != 2 && $0 != 0x28 && $0 != Int(lockPage) }
  }

  @Test(arguments: all)
  func locks(_ row: Row) throws {
    var bench = try Type2Bench(named: row.chip)
    #expect(bench.send([0xA2, row.page] + row.data(block: false)) == "A")
    bench.run("reselect")
    for page in Self.writablePages(bench.chip, except: row.page) {
      let answer = bench.send([0xA2, UInt8(page), 0x30, 0x00, 0x00, 0x00])
      #expect(answer == (row.pages.contains(page) ? "N0" : "A"), "page \(page)")
      if answer != "A" { bench.select(wakeUp: true) }
    }
    // No write clears it.
    let before = bench.chip.memory
    #expect(bench.send([0xA2, row.page, 0x00, 0x00, 0x00, 0x00]) == "A")
    #expect(bench.chip.memory == before)
    bench.run("field")
    let locked = try #require(row.pages.first)
    #expect(bench.send([0xA0, UInt8(locked)]) == "N0")
  }

  @Test(arguments: all)
  func freezes(_ row: Row) throws {
    var bench = try Type2Bench(named: row.chip)
    #expect(bench.send([0xA2, row.page] + row.data(block: true)) == "A")
    bench.run("field")
    #expect(bench.send([0xA2, row.page, 0xFF, 0xFF, 0xFF, 0xFF]) == "A")
    bench.run("field")
    let offset = Int(row.page) * 4
    let bytes = Array(bench.chip.memory[offset..<(offset + 4)])
    #expect(bytes[row.byte] & row.data(block: false)[row.byte] == 0)
    let sameBlock = Self.all.filter { $0.chip == row.chip && $0.page == row.page }
    for other in sameBlock {
      let isFrozen = other.blockByte == row.blockByte && other.blockBit == row.blockBit
      let isSet = bytes[other.byte] & other.data(block: false)[other.byte] != 0
      #expect(isSet != isFrozen, "\(other.testDescription)")
    }
    #expect(bench.send([0xA2, UInt8(row.pages.lowerBound), 1, 0, 0, 0]) == "A")
  }

  /// A lock bit takes effect immediately, or at the next REQA or WUPA (MF0ICU2 rev. 3.3, 7.5.3; NTAG203
  /// rev. 3.0, 8.5.2).
  @Test(arguments: Type2Chips.all.map(\.name))
  func beginning(_ name: String) throws {
    var bench = try Type2Bench(named: name)
    let isLate = ["ultralight", "ultralight-c", "ntag203"].contains(name)
    bench.run(
      """
      A2 02 00001000 > A
      A2 04 01020304 > \(isLate ? "A" : "N0")
      """)
    if isLate { bench.run("reselect\nA2 04 01020304 > N0") }
  }
}
