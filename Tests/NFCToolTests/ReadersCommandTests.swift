import Foundation
import Testing

/// Tests of `nfc readers` with PC/SC readers, which shows the commands that they support and the data that is
/// lost.
@Suite struct ReadersCommandTests {
  @Test func saysWhatGetsThroughByEachWay() async throws {
    let plain = try await Tool.run("readers", "--virtual", "icode-slix2")
    #expect(plain.status == 0)
    #expect(
      plain.lines.first
        == "pcsc:Virtual ACR1552 PICC 00 00  iso14443a iso14443b felica iso15693 jewel")
    let ways = plain.lines.dropFirst()
    #expect(ways.count == 3)
    let isIndented = ways.allSatisfy { $0.hasPrefix("  ") }
    #expect(isIndented)
    #expect(ways.last?.contains("storage card: ") == true)
    #expect(ways.last?.contains("iso15693 read and write;") == true)

    let json = try await Tool.run("readers", "--virtual", "icode-slix2", "--json")
    #expect(json.lines.count == 1)
    let reader = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let paths = try #require(reader["commandPaths"] as? [[String: Any]])
    let names = paths.map { $0["name"] as? String }
    #expect(names == ["transparent session", "maker's pass-through", "storage card"])
    let vicinity = paths.map { ($0["means"] as? [String: [String]])?["iso15693"] }
    #expect(
      vicinity == [
        ["rawCommands", "readAndWrite", "information", "multipleBlocks", "locks"],
        ["readAndWrite", "information", "multipleBlocks", "locks"],
        ["readAndWrite"],
      ])
    #expect(paths[1]["note"] as? String == "no request flags, no error codes, one tag at a time")
  }

  /// A reader of libnfc sends all frames unchanged.
  @Test func saysNothingOfWaysWhereThereIsOne() async throws {
    let plain = try await Tool.run("readers", "--virtual", "ntag215")
    #expect(plain.lines.dropFirst() == ["  can act as a tag: nfc emulate"])
    let json = try await Tool.run("readers", "--virtual", "ntag215", "--json")
    #expect(!json.output.contains("commandPaths"))
  }
}
