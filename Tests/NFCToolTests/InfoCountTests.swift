import Foundation
import SwiftNFCJSONText
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// Tests what `nfc info` sends to each virtual tag. A number that grows unnoticed makes every look at such a tag slower.
@Suite struct InfoCountTests {
  /// What a recording has of one command.
  struct Count: Hashable, CustomTestStringConvertible {
    var exchanges = 0
    /// Sectors of a MIFARE Classic that were opened, or refused.
    var authentications = 0
    /// Selections after the first one: a chip that refuses a command is silent until then.
    var selections = 0
    var testDescription: String {
      "\(exchanges) exchanges, \(authentications) authentications, \(selections) selections"
    }

    init(_ exchanges: Int, selections: Int = 0, authentications: Int = 0) {
      self.exchanges = exchanges
      self.selections = selections
      self.authentications = authentications
    }

    init(_ calls: [JSONNode]) {
      self.init(0, selections: -1)
      for call in calls {
        switch call["call"]?.string {
        case "exchange": exchanges += 1
        case "authenticate": authentications += 1
        case "select": selections += 1
        default: break
        }
      }
    }
  }

  static let counts: [String: Count] = [
    "ask-ctx": Count(0),
    "barcode": Count(0),
    "bprime": Count(0),
    "classic-1k": Count(22, selections: 1, authentications: 35),
    "classic-4k": Count(52, authentications: 83),
    "classic-mini": Count(11, authentications: 12),
    "desfire-ev2": Count(19),
    "desfire-ev3": Count(19),
    "desfire-light": Count(10),
    "desfire": Count(19),
    "emrtd": Count(16),
    "felica-lite-s": Count(2),
    "felica-lite": Count(2),
    "iclass": Count(0),
    "icode-dna": Count(5),
    "icode-sli-s": Count(47, selections: 1),
    "icode-slix-l": Count(14, selections: 2),
    "icode-slix-s": Count(47, selections: 1),
    "icode-slix": Count(6, selections: 1),
    "icode-slix2": Count(6, selections: 1),
    "mb89r118": Count(4),
    "mifare-plus-4k-sl1": Count(45, selections: 1, authentications: 42),
    "mifare-plus-4k": Count(1, selections: 1),
    "mifare-plus-s": Count(1, selections: 1),
    "mifare-plus-sl1": Count(18, selections: 2, authentications: 19),
    "mifare-plus": Count(1, selections: 1),
    "ntag-i2c-1k": Count(10),
    "ntag-i2c-2k": Count(22),
    "ntag-i2c-plus-1k": Count(8),
    "ntag-i2c-plus-2k": Count(18),
    "ntag203": Count(17, selections: 3),
    "ntag210": Count(4),
    "ntag212": Count(5),
    "ntag213": Count(6, selections: 1),
    "ntag215": Count(8, selections: 1),
    "ntag216": Count(9, selections: 1),
    "ntag413": Count(17),
    "ntag424": Count(17),
    "ntag5-link": Count(9, selections: 1),
    "smartmx-1k": Count(13),
    "smartmx-4k": Count(13),
    "srix4k": Count(0),
    "st25dv": Count(18),
    "st25dv04k": Count(10),
    "st25dv16k": Count(12),
    "st25ta": Count(18),
    "st25ta02kb": Count(21),
    "st25tv": Count(5),
    "st25tv02kc": Count(7),
    "suica": Count(35, selections: 1),
    "tag-it": Count(3),
    "tmoney": Count(12),
    "topaz512": Count(4),
    "topaz96": Count(3),
    "type3": Count(1),
    "type4": Count(14),
    "type4b": Count(13),
    "ultralight-aes": Count(8),
    "ultralight-c": Count(17, selections: 3),
    "ultralight-ev1-128": Count(8),
    "ultralight-ev1": Count(7),
    "ultralight": Count(10, selections: 5),
  ]

  @Test func everyVirtualTagIsCounted() {
    #expect(Set(Self.counts.keys) == Set(VirtualTag.names))
  }

  /// Runs `nfc info` and returns the recorded calls.
  private static func calls(_ arguments: [String]) async throws -> [JSONNode] {
    let file = NSTemporaryDirectory() + "info-\(UUID().uuidString).recording"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let result = try await Tool.run(["info", "--record", file] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .map { try JSONNode(parsing: $0.utf8) }
  }

  @Test(arguments: counts.sorted { $0.key < $1.key })
  func needsNoMore(_ name: String, _ expected: Count) async throws {
    let found = Count(try await Self.calls(["--virtual", name]))
    #expect(found == expected, "\(name): \(found.testDescription)")
  }

  /// The two blocks of the signature, in place of a refusal and the selection after it.
  @Test func theSignatureOfAClassicEV1() async throws {
    let plain = try #require(Self.counts["classic-1k"])
    var card = MIFAREClassic(.oneK)
    card.signature = [UInt8](repeating: 0x5A, count: 32)
    let field = VirtualField()
    field.place(VirtualTag(card))
    let virtual = try VirtualReader(field)
    let found = Count(try await Self.calls(["--reader", virtual.connectionString]))
    #expect(found.exchanges == plain.exchanges + 2)
    #expect(found.authentications == plain.authentications)
    #expect(found.selections == plain.selections - 1)
    virtual.close()
  }

  /// What has identified a chip is its version.
  @Test(arguments: [
    ("ntag413", "9060000000"), ("ntag424", "9060000000"), ("desfire", "9060000000"),
    ("desfire-ev3", "9060000000"), ("desfire-light", "9060000000"),
    ("mifare-plus", "9060000000"), ("ntag215", "60"), ("ultralight-ev1", "60"),
    ("ntag-i2c-1k", "60"),
  ]) func theVersionIsAskedForOnce(_ name: String, _ command: String) async throws {
    let commands = try await Self.calls(["--virtual", name]).compactMap { $0["command"]?.string }
    // The bytes of GET_VERSION may be followed by their check bytes.
    let questions = commands.filter { $0 == command || $0 == "\(command)F832" }
    #expect(questions.count == 1, "\(commands)")
  }
}
