import NDEF
import Testing

@Suite struct TigerTagTests {
  /// The example of TigerTag-RFID-Guide, README.md, 4, with the brand's number of its database.
  private static let spool =
    "5BF59264 FFFFFFFF 954B6800 8E384DF9 FF0000FF 0003E815 00C300E6 3205323C 2F7A0A5C 00000000 00000000"
    + "00E60000 53746172 74657220 52656400 00000000 00000000 00000000 00000000 00028000"

  @Test func aSpool() throws {
    let tag = try #require(try TigerTag(userMemory: hex(Self.spool)))
    #expect(tag.variant == .standard)
    #expect(tag.description == "TigerTag Rosa3D PLA 640 g of 1000 left")
    let expected: [(String, NDEFFieldValue)] = [
      ("type", "filament"), ("material", "PLA"), ("brand", "Rosa3D"), ("diameter", .number(1.75)),
      ("aspects", .list(["Basic"])), ("colors", .list(["FF0000FF"])), ("quantity", .integer(1000)),
      ("remainingQuantity", .integer(640)), ("unit", "g"),
      ("nozzleTemperatureMinimum", .integer(195)), ("nozzleTemperatureMaximum", .integer(230)),
      ("dryingTemperature", .integer(50)), ("dryingTime", .integer(5)),
      ("bedTemperatureMinimum", .integer(50)), ("bedTemperatureMaximum", .integer(60)),
      ("time", "2025-03-29T01:33:16Z"), ("transmissionDistance", .number(23)),
      ("message", "Starter Red"),
    ]
    for (name, value) in expected { #expect(tag.content[name] == value, "\(name)") }
    #expect(tag.content.names.count == expected.count)
  }

  @Test func theOtherVariants() throws {
    var bytes = hex(Self.spool)
    bytes.replaceSubrange(0..<8, with: hex("BC0FCB97 0000000A"))
    // Silk in two colors, resin of an unknown brand and material.
    bytes.replaceSubrange(8..<16, with: hex("0001 5CFC AD00 0002"))
    bytes.replaceSubrange(36..<39, with: hex("010203"))
    bytes += [UInt8](repeating: 0x11, count: 64)
    let plus = try #require(try TigerTag(userMemory: bytes))
    #expect(plus.variant == .plus && plus.content["product"] == .integer(10))
    #expect(plus.content["aspects"] == .list(["Silk", "Bicolor"]))
    #expect(plus.content["colors"] == .list(["FF0000FF", "010203"]))
    #expect(plus.content["brand"] == "2" && plus.content["material"] == "1")
    #expect(plus.content["type"] == "resin" && plus.content["diameter"] == nil)
    #expect(plus.content["signature"] != nil)
    let blank = hex("6C41A2E1") + [UInt8](repeating: 0, count: 140)
    let empty = try #require(try TigerTag(userMemory: blank))
    #expect(empty.variant == .blank && empty.content.isEmpty)
  }

  /// The time counts seconds from 2000, so that leap years matter.
  @Test(
    arguments: [
      (1, "2000-01-01T00:00:01Z"), (2_592_000, "2000-01-31T00:00:00Z"),
      (5_097_600, "2000-02-29T00:00:00Z"), (31_622_400, "2001-01-01T00:00:00Z"),
      (794_361_600, "2025-03-04T00:00:00Z"), (4_294_967_295, "2136-02-07T06:28:15Z"),
    ] as [(UInt32, String)])
  func times(_ seconds: UInt32, _ expected: String) throws {
    var bytes = hex(Self.spool)
    for index in 0..<4 {
      bytes[32 + index] = UInt8(truncatingIfNeeded: seconds >> UInt32(24 - 8 * index))
    }
    #expect(try TigerTag(userMemory: bytes)?.content["time"] == .text(expected))
  }

  @Test func otherBytes() throws {
    let spool = hex(Self.spool)
    #expect(try TigerTag(userMemory: []) == nil)
    #expect(try TigerTag(userMemory: hex("0103A00C 340300FE")) == nil)
    for count in 4..<80 {
      #expect(throws: NDEFError.self) { try TigerTag(userMemory: Array(spool.prefix(count))) }
    }
    // A message that is cut in the middle of a character is shown.
    var bytes = spool
    bytes.replaceSubrange(48..<76, with: [UInt8](repeating: 0xC3, count: 28))
    #expect(try TigerTag(userMemory: bytes)?.content["message"] != nil)
    #expect(try TigerTag(userMemory: [UInt8](repeating: 0xFF, count: 144)) == nil)
    #expect(
      try TigerTag(userMemory: spool.prefix(4) + [UInt8](repeating: 0xFF, count: 140)) != nil)
  }
}
