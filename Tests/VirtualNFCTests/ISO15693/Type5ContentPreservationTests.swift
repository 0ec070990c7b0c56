import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// Tests that other content of a Type 5 tag is kept when a message is written, and that no write relies
/// on earlier reads.
@Suite struct Type5ContentPreservationTests {
  static func slix2(_ memory: String) throws -> VicinityReader<ICODESLIX2> {
    var chip = ICODESLIX2(formatted: false)
    chip.memory = try #require([UInt8](hexadecimal: memory))
    return VicinityReader(chip)
  }

  // MARK: Beside the message

  /// A proprietary TLV after the message is kept, regardless of the end of a new message.
  @Test(arguments: [0, 1, 3, 40, 200])
  func proprietaryTLVsAreKept(length: Int) throws {
    let other = "FD0411223344"
    let reader = try Self.slix2("E1402701" + "0303D00000" + other + "FE")
    var mapping = reader.mapping()
    // The area has 312 bytes; the other TLV takes six of them.
    #expect(try mapping.status(reader.link).capacity == 302)
    try Type5MappingTests.write(pattern(length), reader)
    #expect(try Type5MappingTests.read(reader) ?? [] == pattern(length))
    #expect(reader.chip.memory.hexadecimal.contains(other))
    mapping = reader.mapping()
    #expect(try mapping.status(reader.link).capacity == 302)
    #expect { try Type5MappingTests.write(pattern(303), reader) } throws: {
      Type5LockTests.code($0) == .capacityExceeded
    }
    #expect(try Type5MappingTests.read(reader) ?? [] == pattern(length))
  }

  /// An area that other TLVs fill has no room for an empty message either. Block 79, which is a counter,
  /// and the bytes after the area are not changed.
  @Test(arguments: [0, 1])
  func aFullAreaIsLeftUnchanged(room: Int) throws {
    let size = 312 - 4 - room
    let filling = [UInt8](repeating: 0xAA, count: size)
    let reader = try Self.slix2(
      "E1402701" + "FDFF" + lengthBytes(size) + filling.hexadecimal + (room == 1 ? "FE" : ""))
    let memory = reader.chip.memory
    for message in [[], [0xD0, 0, 0]] as [[UInt8]] {
      #expect { try Type5MappingTests.write(message, reader) } throws: {
        Type5LockTests.code($0) == .capacityExceeded
      }
    }
    var mapping = reader.mapping()
    #expect(throws: NFCError.self) { try mapping.format(wipe: false, reader.link) }
    #expect(reader.chip.memory == memory)
  }

  private func lengthBytes(_ size: Int) -> String {
    [UInt8(size >> 8), UInt8(size & 0xFF)].hexadecimal
  }

  /// A container that includes the counter, as Android writes it: no write reaches block 79.
  @Test func theCounterIsNotPartOfTheArea() throws {
    let reader = try Self.slix2("E140280103" + "00FE00")
    var mapping = reader.mapping()
    let capacity = try mapping.status(reader.link).capacity
    #expect(capacity <= 316 - 4 - 4)
    try Type5MappingTests.write(pattern(capacity), reader)
    #expect(reader.chip.memory.suffix(4) == [0, 0, 0, 0])
  }

  /// Blocks of 8 bytes: the bytes of the last one after the message, and those after the area, are not
  /// changed.
  @Test func bytesAfterTheMessageStay() throws {
    var chip = PlainVicinityChip(.mb89r118, formatted: false)
    chip.memory =
      [0xE1, 0x40, 0x02, 0x01, 0x03, 0x00, 0xFE] + [UInt8](repeating: 0x5A, count: 60)
    let reader = VicinityReader(chip)
    // The area is bytes 4 to 19. The message's TLV with its terminator is bytes 4 to 18, then 4 to 19.
    for length in [12, 14] {
      try Type5MappingTests.write(pattern(length), reader)
      #expect(try Type5MappingTests.read(reader) == pattern(length))
      #expect(reader.chip.memory[20..<67].allSatisfy { $0 == 0x5A }, "\(length)")
      if length == 12 { #expect(reader.chip.memory[19] == 0x5A) }
    }
  }

  // MARK: What is on the tag now

  /// The I²C side changes a byte between a read and a write: the write takes the change into account.
  @Test func theWiredSideIsSeen() throws {
    let message = pattern(120)
    let reader = VicinityReader(try ST25DV(.st25dv64K, ndef: message))
    var mapping = reader.mapping()
    #expect(try mapping.read(reader.link) == message)
    reader.chip.memory[60] ^= 0xFF
    mapping.beginCall()
    #expect(try mapping.read(reader.link) != message)
    reader.chip.memory[90] ^= 0xFF
    mapping.beginCall()
    _ = try mapping.statusForWriting(reader.link)
    try mapping.write(message, reader.link)
    #expect(try Type5MappingTests.read(reader) == message)
  }

  /// Every command detects that a tag has been removed.
  @Test func aTagThatHasLeftIsDetected() throws {
    let reader = VicinityReader(try ST25DV(.st25dv64K, ndef: pattern(50)))
    var mapping = reader.mapping()
    #expect(try mapping.read(reader.link) == pattern(50))
    for ask in 0..<4 {
      var asked = mapping
      asked.beginCall()
      reader.clearCount()
      reader.faults = [0: .lost]
      #expect {
        switch ask {
        case 0: _ = try asked.read(reader.link)
        case 1: _ = try asked.status(reader.link)
        case 2: try asked.write(pattern(50), reader.link)
        default: try asked.lock(reader.link)
        }
      } throws: {
        Type5LockTests.code($0) == .tagConnectionLost
      }
    }
  }

  /// A block in the middle is locked: the existing message is not deleted for one that cannot be written.
  @Test func aLockedBlockIsFoundBeforeAnythingIsWritten() throws {
    let reader = VicinityReader(try ICODESLIX2(ndef: pattern(100)))
    reader.chip.core.locked[10] = true
    let memory = reader.chip.memory
    #expect { try Type5MappingTests.write(pattern(100, seed: 9), reader) } throws: {
      let error = $0 as? NFCError
      return error?.code == .readOnly && error?.place == .block(10)
    }
    #expect(reader.chip.memory == memory)
    // A message that does not reach it can be written.
    try Type5MappingTests.write(pattern(10), reader)
    #expect(try Type5MappingTests.read(reader) == pattern(10))
  }

  // MARK: Formatting

  @Test func formatRefusesATagInUse() throws {
    var chip = ICODESLIX2(formatted: false)
    chip.memory = [UInt8](repeating: 0, count: 200) + [0x42]
    let reader = VicinityReader(chip)
    var mapping = reader.mapping()
    #expect { try mapping.format(wipe: false, reader.link) } throws: {
      let error = $0 as? NFCError
      return error?.code == .unsupported && error?.place == .block(50)
    }
    #expect(reader.chip.memory == chip.memory)
    mapping.beginCall()
    try mapping.format(wipe: true, reader.link)
    #expect(try Type5MappingTests.read(reader) == nil)
  }

  /// The number of blocks is requested from a chip that has more than its kind.
  @Test func aLargerChipThanItsUIDSaysIsAsked() throws {
    let message = pattern(200)
    // A SLIX2 with the UID of an SLI.
    let uid: [UInt8] = [0xE0, 0x04, 0x01, 0x00, 0x2C, 0x3E, 0x71, 0x9A]
    let reader = VicinityReader(try ICODESLIX2(uid: uid, ndef: message))
    #expect(try Type5MappingTests.read(reader) == message)
  }
}
