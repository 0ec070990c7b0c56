import NFC
import TestSupport
import Testing
import VirtualNFC

/// A line of the history of a Japanese transit card: service 090F, as felicalib and Metrodroid describe it.
struct SuicaRecord: Equatable {
  var terminal: UInt8
  var process: UInt8
  var year: Int
  var month: Int
  var day: Int
  /// In yen, after what was done.
  var balance: Int
  var sequenceNumber: Int

  /// `nil` for an empty line.
  init?(_ block: [UInt8]) {
    guard block.count == 16, block[0] != 0 else { return nil }
    terminal = block[0]
    process = block[1]
    let date = Int(block[4]) << 8 | Int(block[5])
    year = 2000 + date >> 9
    month = date >> 5 & 0x0F
    day = date & 0x1F
    balance = Int(block[10]) | Int(block[11]) << 8
    sequenceNumber = Int(block[12]) << 16 | Int(block[13]) << 8 | Int(block[14])
  }
}

@Suite(.replayed) struct SuicaHistoryExample {
  @Test func history() async throws {
    let bench = try await Bench(.suica())
    let card = try await bench.tag(.iso18092).feliCa
    let blocks = try await card.readBlocks(service: 0x090F, blocks: 0..<20)
    let records = blocks.compactMap(SuicaRecord.init)
    #expect(records.count == 20)
    // The newest first: a ride for 208 yen on 10 June 2026.
    let newest = try #require(records.first)
    #expect((newest.year, newest.month, newest.day) == (2026, 6, 10))
    #expect(newest.terminal == 0x16 && newest.process == 0x01)
    #expect(records[1].balance - newest.balance == 208)
    #expect(newest.sequenceNumber == records[1].sequenceNumber + 1)
    #expect(SuicaRecord([UInt8](repeating: 0, count: 16)) == nil)
  }
}
