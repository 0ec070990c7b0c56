import NFC
import Testing
import VirtualNFC

@testable import SwiftNFCTool
@testable import TagTools

/// Tests of what `nfc info --personal` shows.
@Suite struct PersonalContentTests {
  /// A record in the layout of felicalib's description, with fictitious numbers.
  private static func record(_ process: UInt8, _ balance: UInt16, number: UInt8) -> [UInt8] {
    // 2026-06-10.
    let date = UInt16(26 << 9 | 6 << 5 | 10)
    return [0x16, process, 0, 0, UInt8(date >> 8), UInt8(date & 0xFF), 0x25, 0x02, 0x01, 0x07]
      + [UInt8(balance & 0xFF), UInt8(balance >> 8), 0, 0, number, 0]
  }

  @Test func interpretsJapaneseRecords() throws {
    let content = try #require(
      PersonalContent.japaneseTransit([
        Self.record(1, 792, number: 3), Self.record(2, 1000, number: 2),
        Self.record(70, 0, number: 1), [UInt8](repeating: 0, count: 16),
      ]))
    #expect(content.balance == 792 && content.currency == "JPY")
    #expect(content.entries.map(\.kind) == ["fare", "charge", "purchase"])
    #expect(content.entries.map(\.amount) == [-208, 1000, nil])
    #expect(content.entries.map(\.date) == ["2026-06-10", "2026-06-10", "2026-06-10"])
    #expect(content.entries[0].entry == "25-02" && content.entries[0].exit == "01-07")
    #expect(content.entries[2].entry == nil)
  }

  /// Any bytes give a value or nothing.
  @Test(
    arguments: [
      [], [[]], [[UInt8](repeating: 0, count: 16)], [[1, 2, 3]],
    ] as [[[UInt8]]])
  func otherBytesAreNothing(_ blocks: [[UInt8]]) {
    #expect(PersonalContent.japaneseTransit(blocks) == nil)
  }

  @Test func aWrongDateIsLeftOut() throws {
    let content = try #require(
      PersonalContent.japaneseTransit([[UInt8](repeating: 0xFF, count: 16)]))
    #expect(content.entries[0].date == nil && content.entries[0].kind == "other")
    #expect(content.balance == 0xFFFF)
  }

  @Test(arguments: [[], [0x01], [UInt8](repeating: 0x01, count: 13)] as [[UInt8]])
  func shortKoreanRecordsAreNothing(_ record: [UInt8]) {
    #expect(PersonalContent.koreanEntry(record) == nil)
  }

  @Test func readsAJapaneseCard() async throws {
    let result = try await Tool.run("info", "--personal", "--json", "--virtual", "suica")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains(#""personal":{"balance":"#))
    #expect(result.output.contains(#""kind":"fare","date":"2026-06-10""#))
    let text = try await Tool.run("info", "--personal", "--virtual", "suica")
    #expect(text.lines.contains { $0.hasPrefix("balance") && $0.hasSuffix(" JPY") })
    #expect(text.lines.count { $0.contains("2026-06-") } == 20)
  }

  @Test func readsAKoreanCard() async throws {
    let result = try await Tool.run("info", "--personal", "--json", "--virtual", "tmoney")
    #expect(result.output.contains(#""personal":{"balance":12340,"currency":"KRW","journeys":[{"#))
    #expect(result.output.contains(#"{"kind":"charge","amount":10000,"balance":13590,"number":4}"#))
  }

  /// Without the option nothing is read, and other cards have nothing to show.
  @Test func readsNothingUnasked() async throws {
    for tag in ["suica", "tmoney"] {
      let result = try await Tool.run("info", "--json", "--virtual", tag)
      #expect(!result.output.contains("personal") && !result.output.contains("balance"))
    }
    let other = try await Tool.run("info", "--personal", "--virtual", "ntag213")
    #expect(other.status == 0)
    #expect(other.output.contains("nothing that is known and needs no key"))
  }
}
