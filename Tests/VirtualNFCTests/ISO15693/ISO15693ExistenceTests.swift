import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// Tests that impossible commands are refused before anything is sent, or after one request for the tag's
/// size.
@Suite struct ISO15693ExistenceTests {
  @Test(arguments: [-1..<1, 0..<0, 79..<81, 80..<81, 0..<65537, 65535..<65537, -5 ..< -1])
  func numbersThatAreNotThere(range: Range<Int>) throws {
    let reader = ISO15693AccessTests.filled(ICODESLIX2())
    var access = reader.access
    _ = try access.systemInformation()
    reader.clearCount()
    for attempt in [
      { try _ = access.readBlocks(range) }, { try _ = access.securityStatus(range) },
    ] {
      #expect { try attempt() } throws: { ($0 as? NFCError)?.code == .invalidParameter }
    }
    #expect(reader.exchanges == 0)
  }

  @Test(arguments: [
    (0, 0), (0, 3), (0, 5), (0, 81 * 4), (80, 4), (79, 8), (-1, 4), (65536, 4), (Int.max, 4),
  ])
  func writesThatCannotBe(first: Int, length: Int) throws {
    let reader = ISO15693AccessTests.filled(ICODESLIX2())
    var access = reader.access
    _ = try access.systemInformation()
    reader.clearCount()
    #expect {
      try access.writeBlocks(at: first, [UInt8](repeating: 0, count: length))
    } throws: { ($0 as? NFCError)?.code == .invalidParameter }
    #expect(reader.exchanges == 0)
    #expect(reader.chip.memory == pattern(320))
  }

  @Test func lockOfABlockThatIsNotThere() throws {
    let reader = ISO15693AccessTests.filled(ICODESLIX2())
    var access = reader.access
    _ = try access.systemInformation()
    reader.clearCount()
    for number in [-1, 80, 65536] {
      #expect { try access.lockBlock(number) } throws: {
        ($0 as? NFCError)?.code == .invalidParameter
      }
    }
    #expect(reader.exchanges == 0)
  }

  /// If the size of a tag is unknown, it is requested once before an access beyond the known part.
  @Test func sizeIsAskedFirst() throws {
    let attempts: [(inout ISO15693Access) throws -> Void] = [
      { try $0.writeBlocks(at: 79, pattern(8)) }, { _ = try $0.readBlocks(80..<81) },
      { _ = try $0.readBlocks(0..<81) }, { _ = try $0.securityStatus(79..<81) },
      { try $0.lockBlock(80) },
    ]
    for attempt in attempts {
      let reader = ISO15693AccessTests.filled(ICODESLIX2())
      var access = reader.access
      for _ in 0..<2 {
        #expect { try attempt(&access) } throws: {
          let error = $0 as? NFCError
          return error?.code == .invalidParameter && error?.place == .block(80)
        }
      }
      #expect(reader.codes == [0x2B])
      #expect(reader.chip.memory == pattern(320))
    }
  }

  /// Nothing is requested if the kind of chip has all the blocks; a chip that is smaller than its kind
  /// refuses the access itself.
  @Test(.asking(.blockLock)) func aKnownKindIsNotAsked() throws {
    let reader = ISO15693AccessTests.filled(ICODESLIX2())
    var access = reader.access
    #expect(try access.readBlocks(0..<8).count == 8)
    try access.lockBlock(79)
    #expect(reader.codes == [0x23, 0x22])
    // An ICODE SLIX2's UID on a chip with 28 blocks.
    let small = ISO15693AccessTests.filled(ICODESLIX(uid: ICODESLIX2.model.defaultUID))
    var other = small.access
    #expect { try other.readBlocks(40..<41) } throws: {
      let error = $0 as? NFCError
      return error?.cause == .iso15693(0x0F) && error?.place == .block(40)
    }
  }

  /// If one of several blocks in a write is locked, the error names it, and none is written.
  @Test(.asking(.blockLock)) func theLockedBlockOfARunIsNamed() throws {
    let reader = VicinityReader(PlainVicinityChip(.st25dv64K))
    var access = reader.access
    try access.lockBlock(402)
    #expect { try access.writeBlocks(at: 400, pattern(16, seed: 1)) } throws: {
      let error = $0 as? NFCError
      return error?.code == .readOnly && error?.place == .block(402)
    }
    #expect(try access.readBlocks(400..<404).allSatisfy { $0.data == [0, 0, 0, 0] })
  }

  @Test func requestTooLongForTheReader() throws {
    let reader = ISO15693AccessTests.filled(ICODESLIX2(), command: 12)
    var access = reader.access
    _ = try access.systemInformation()
    reader.clearCount()
    #expect { try access.writeBlocks(at: 0, pattern(4)) } throws: {
      ($0 as? NFCError)?.code == .commandTooLong
    }
    #expect(reader.exchanges == 0)
  }
}
