import Testing

@testable import SwiftNFCCore

/// Known answers of nfcpy's test suite: card key `0123456789abcdef`, challenge 00 to 0F, each half turned
/// round in its block.
@Suite struct FeliCaLiteTests {
  static let idm: [UInt8] = [0x01, 0x2E, 0x4C, 0xD8, 0x6A, 0x1F, 0x93, 0x05]
  static let challenge: [UInt8] = Array((0..<8).reversed()) + Array((8..<16).reversed())

  static func key() throws -> FeliCaLiteCardKey {
    try #require(FeliCaLiteCardKey("0123456789abcdef".utf8))
  }

  @Test(arguments: [
    ("00000000000000000000000000000000", "CC97F1B97B8BBC79"),
    ("10040100030000000000010000270040", "AF36B1F1524E3EB9"),
    ("01020304050607080000000000000000", "91AEC5B6D9B3B12D"),
  ])
  func codes(_ data: String, _ code: String) throws {
    let sessionKey = try #require(
      FeliCaLiteMAC.sessionKey(try Self.key(), challenge: Self.challenge))
    #expect(
      FeliCaLiteMAC.code(
        over: try #require([UInt8](hexadecimal: data)), sessionKey: sessionKey,
        challenge: Self.challenge)?.hexadecimal == code)
  }

  @Test(arguments: [(false, "0B1268D7A4AC6932"), (true, "18CDD33C0FB25DD7")])
  func readAndWriteCodes(_ isWrite: Bool, _ code: String) {
    #expect(
      FeliCaLiteMAC.code(
        over: Array(0..<32), sessionKey: Array(0..<16), challenge: Self.challenge,
        isWrite: isWrite)?.hexadecimal == code)
  }

  @Test func keyIsNeverShown() throws {
    let key = try Self.key()
    #expect(key.block.hexadecimal == "37363534333231306665646362613938")
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped] {
      #expect(!text.contains("49") && !text.contains("bytes"), "\(text)")
    }
    #expect(FeliCaLiteCardKey([1, 2, 3]) == nil)
  }

  @Test func memoryConfiguration() throws {
    let blank = try #require(
      [UInt8](hexadecimal: "FFFFFF00070000000000000000000000").flatMap {
        FeliCaLiteMemoryConfiguration($0)
      })
    #expect(blank.writableBlocks == Set(0...14))
    #expect(blank.systemBlocksAreWritable && blank.restrictionsAreWritable && !blank.supportsNDEF)
    var changed = blank
    #expect(changed.irreversibleEffects(on: blank).isEmpty)
    changed.supportsNDEF = true
    #expect(changed.irreversibleEffects(on: blank).isEmpty)
    changed.writableBlocks.remove(3)
    changed.readRestrictedBlocks = [13]
    changed.blocksWrittenWithMAC = [0]
    changed.keyIsWritableWithMAC = true
    changed.systemBlocksAreWritable = false
    #expect(changed.bytes.hexadecimal == "F7FF0001070100200000010000000000")
    #expect(
      changed.irreversibleEffects(on: blank)
        == [.locksMemory, .restrictsReading, .requiresCodes, .closesSystemBlocks])
    #expect(FeliCaLiteMemoryConfiguration([]) == nil)
  }

  /// Only what is meant changes: REG's bit and the field's own stay when the scratch pads' are taken.
  @Test func scratchPadsAreLocked() throws {
    var configuration = try #require(
      FeliCaLiteMemoryConfiguration(
        [0xFF, 0xFF, 0xFF, 0x00, 0x07] + Array(repeating: 0, count: 11)))
    configuration.writableBlocks.subtract(FeliCaLiteLayout.scratchPads)
    #expect(configuration.bytes.prefix(5) == [0x00, 0xC0, 0xFF, 0x00, 0x07])
    #expect(configuration.openBlocks(.lite) == [14])
    #expect(configuration.restrictionsAreWritable)
  }

  /// S_PAD2 after authentication only, S_PAD9 with MAC_A only: Lite-S has that, Lite has not.
  @Test(arguments: [
    (FeliCaLiteGeneration.lite, Set(0...14)), (.liteS, Set(0...14).subtracting([2, 9])),
  ])
  func openBlocks(_ generation: FeliCaLiteGeneration, _ open: Set<Int>) throws {
    var bytes: [UInt8] = [0xFF, 0xFF, 0xFF, 0x00, 0x07] + Array(repeating: 0, count: 11)
    bytes[8] = 0x04
    bytes[11] = 0x02
    #expect(try #require(FeliCaLiteMemoryConfiguration(bytes)).openBlocks(generation) == open)
  }

  /// A card that accepts two blocks at once reports A2 (FeliCa Card User's Manual, 4.5) until it is asked for
  /// no more.
  @Test func blocksStepDown() throws {
    var asked: [Int] = []
    let procedure = FeliCaBlockProcedure(
      idm: Self.idm, maximumCommandLength: 262, maximumResponseLength: 262
    ) { packet in
      let count = Int(packet[12])
      asked.append(count)
      let head = [packet[0] + 1] + Self.idm
      guard count <= 2 else { return head + [0xFF, 0xA2] }
      return head + [0, 0, UInt8(count)]
        + (0..<count).flatMap { [UInt8](repeating: packet[14 + 2 * $0], count: 16) }
    }
    var limit = 15
    let blocks = try procedure.read(service: 0x090F, blocks: Array(3..<8), limit: &limit)
    #expect(blocks.map(\.first) == [3, 4, 5, 6, 7])
    #expect(asked == [5, 2, 2, 1])
    #expect(limit == 2)
    #expect(throws: NFCError.self) {
      try procedure.read(service: 0x090F, blocks: Array(-1..<3), limit: &limit)
    }
  }

  /// Request Service v2, Request Specification Version, Search Service Code and Reset Mode, with broken
  /// answers beside the right ones.
  @Test func newerCommands() throws {
    let idm = Self.idm
    let services = FeliCaRequestServiceV2(idm: idm, nodeCodes: [0x000F, 0xFFFF])
    #expect(services.encoded.hexadecimal == "32\(idm.hexadecimal)020F00FFFF")
    let keys = try services.answer([0x33] + idm + [0, 0, 0x41, 2, 1, 0, 0xFF, 0xFF, 2, 0, 3, 0])
    #expect(keys.aes == [1, nil] && keys.des == [2, 3])
    #expect(try services.answer([0x33] + idm + [0, 0, 0x4F, 2, 1, 0, 2, 0]).des.isEmpty)
    #expect(throws: NFCError.self) { try services.answer([0x33] + idm + [0, 0, 0x41, 2, 1, 0]) }
    #expect(throws: NFCError.self) {
      try FeliCaRequestServiceV2(idm: idm, nodeCodes: []).validate()
    }
    let version = FeliCaRequestSpecificationVersion(idm: idm)
    #expect(
      try version.answer([0x3D] + idm + [0, 0, 0, 0x00, 0x05, 1, 0x00, 0x01])
        == FeliCaSpecificationVersion(basic: 0x0500, options: [0x0100]))
    for end in 0..<6 {
      #expect(throws: NFCError.self) {
        try version.answer(Array(([0x3D] + idm + [0, 0, 0, 0, 5, 1, 0, 1]).prefix(10 + end)))
      }
    }
    let search = FeliCaSearchServiceCode(idm: idm, index: 0x0102)
    #expect(search.encoded.suffix(2) == [0x02, 0x01])
    #expect(try search.answer([0x0B] + idm + [0x0F, 0x09]) == .service(0x090F))
    #expect(try search.answer([0x0B] + idm + [0, 0, 0xFE, 0xFF]) == .area(0, last: 0xFFFE))
    #expect(try search.answer([0x0B] + idm + [0xFF, 0xFF]) == nil)
    #expect(throws: NFCError.self) { try search.answer([0x0B] + idm + [0xFF]) }
    #expect(throws: NFCError.self) {
      try FeliCaResetMode(idm: idm).answer([0x3F] + idm + [0xFF, 0xA2])
    }
  }
}
