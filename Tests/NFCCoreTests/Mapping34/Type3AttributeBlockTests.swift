import Testing

@testable import NFCCore

@Suite struct Type3AttributeBlockTests {
  /// A FeliCa Lite-S as its manual formats it: version 1.0, Nbr 4, Nbw 1, Nmaxb 13, writable, empty.
  static let liteS: [UInt8] = [
    0x10, 0x04, 0x01, 0x00, 0x0D, 0, 0, 0, 0, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x23,
  ]

  @Test func readsAndWritesTheBlock() throws {
    let attributes = try #require(try Type3AttributeBlock(Self.liteS))
    #expect(attributes.maximumBlocksRead == 4)
    #expect(attributes.maximumBlocksWritten == 1)
    #expect(attributes.dataBlocks == 13)
    #expect(attributes.capacity == 208)
    #expect(attributes.isWritable)
    #expect(!attributes.isBeingWritten)
    #expect(attributes.encoded == Self.liteS)
  }

  static func block(_ changes: [Int: UInt8]) -> [UInt8] {
    var bytes = liteS
    for (index, value) in changes { bytes[index] = value }
    let sum = bytes.prefix(14).reduce(0) { $0 + Int($1) }
    bytes[14] = UInt8(sum >> 8)
    bytes[15] = UInt8(sum & 0xFF)
    return bytes
  }

  @Test func anUnfinishedWriteIsNoMessage() throws {
    let bytes = Self.block([9: 0x0F, 13: 0x20])
    let attributes = try #require(try Type3AttributeBlock(bytes))
    #expect(attributes.isBeingWritten)
    #expect(attributes.length == 0x20)
    #expect(attributes.messageLength == 0)
    #expect(attributes.encoded == bytes)
  }

  @Test func aBlankBlockAndAnotherVersionAreNotNDEF() throws {
    #expect(try Type3AttributeBlock([UInt8](repeating: 0, count: 16)) == nil)
    #expect(try Type3AttributeBlock(Self.block([0: 0x20])) == nil)
    #expect(try Type3AttributeBlock(Self.block([0: 0x11]))?.version == 0x11)
  }

  @Test(arguments: [
    [], Array(liteS.dropLast()), liteS.dropLast() + [0x24], [UInt8](repeating: 0xFF, count: 16),
    // No block can be read; a message longer than the blocks.
    block([1: 0]), block([13: 209]), block([11: 0xFF]),
  ])
  func brokenBlocks(_ bytes: [UInt8]) {
    let error = #expect(throws: NFCError.self) { try Type3AttributeBlock(bytes) }
    #expect(error?.code == .malformedContent)
    #expect(error?.place == .block(0))
  }

  @Test func memoryConfiguration() throws {
    let factory: [UInt8] = [0xFF, 0xFF, 0xFF, 0x00, 0x07] + [UInt8](repeating: 0, count: 11)
    let configuration = try #require(FeliCaLiteConfiguration(factory))
    #expect(!configuration.isNDEF)
    #expect(configuration.optionsAreWritable && configuration.locksAreWritable)
    // Only what is meant: SYS_OP; the bits of S_PAD0 to S_PAD13.
    #expect(
      configuration.supportingNDEF.bytes.prefix(5).elementsEqual([0xFF, 0xFF, 0xFF, 0x01, 0x07]))
    let locked = configuration.lockingScratchPads
    #expect(locked.bytes.prefix(5).elementsEqual([0x00, 0xC0, 0xFF, 0x00, 0x07]))
    #expect((0...13).allSatisfy { configuration.isWritable($0) && !locked.isWritable($0) })
    #expect(locked.isWritable(14))
    #expect(FeliCaLiteConfiguration([1, 2, 3]) == nil)
    // S_PAD2 after authentication only, S_PAD9 with MAC_A only: Lite-S has that, Lite has not.
    var restricted = factory
    restricted[8] = 0x04
    restricted[11] = 0x02
    let liteS = try #require(FeliCaLiteConfiguration(restricted))
    #expect((0...13).filter { !liteS.isWritable($0) } == [2, 9])
    let lite = try #require(FeliCaLiteConfiguration(restricted, hasRestrictions: false))
    #expect((0...13).allSatisfy { lite.isWritable($0) })
  }

  @Test func anyBytesAreAnAnswer() {
    var generator = SplitMix(state: 3)
    for _ in 0..<5000 {
      var bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if bytes.count >= 16, Bool.random(using: &generator) {
        bytes[0] = 0x10
        let sum = bytes.prefix(14).reduce(0) { $0 + Int($1) }
        bytes[14] = UInt8(sum >> 8)
        bytes[15] = UInt8(sum & 0xFF)
      }
      if let attributes = try? Type3AttributeBlock(bytes) {
        #expect(attributes.length <= attributes.capacity)
      }
    }
  }
}

/// A generator that a seed repeats.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
