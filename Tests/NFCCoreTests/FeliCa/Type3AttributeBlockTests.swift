import SwiftNFCSeededRandom
import Testing

@testable import SwiftNFCCore

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

  @Test func anUnfinishedWriteIsNotAMessage() throws {
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

  @Test func anyBytesAreAnAnswer() {
    var generator = SplitMix64(seed: 3)
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
