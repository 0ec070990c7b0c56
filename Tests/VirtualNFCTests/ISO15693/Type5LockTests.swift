import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// Tests locks of Type 5 tags: complete, completed by a second call, or not begun.
@Suite struct Type5LockTests {
  static func code(_ error: any Error) -> NFCError.Code? { (error as? NFCError)?.code }

  @Test(.asking(.blockLock)) func locksEveryBlockOfContainerAndArea() throws {
    let reader = VicinityReader(PlainVicinityChip(.tagItHFIPlus))
    try Type5MappingTests.write(pattern(20), reader)
    var mapping = reader.mapping()
    try mapping.lock(reader.link)
    mapping.beginCall()
    #expect(try mapping.status(reader.link).access == .readOnly)
    #expect(reader.chip.memory[1] == 0x43)
    // The area ends at byte 252: block 63 is not locked.
    #expect(reader.chip.core.locked == Array(repeating: true, count: 63) + [false])
    #expect(try Type5MappingTests.read(reader) == pattern(20))
    #expect { try Type5MappingTests.write(pattern(3), reader) } throws: {
      Self.code($0) == .readOnly
    }
    var formatting = reader.mapping()
    #expect { try formatting.format(wipe: true, reader.link) } throws: {
      Self.code($0) == .readOnly
    }
    // A complete lock is not repeated.
    reader.clearCount()
    mapping.beginCall()
    try mapping.lock(reader.link)
    #expect(Set(reader.codes).isSubset(of: [0x20, 0x23, 0x2C]))
  }

  /// The chip is known to support block locks, regardless of its container; its counter is not changed.
  @Test(.asking(.blockLock), arguments: ["E1402701", "E1402709", "E1402801"])
  func theChipCounts(container: String) throws {
    var chip = ICODESLIX2()
    chip.memory = try #require([UInt8](hexadecimal: container)) + [0x03, 0x00, 0xFE, 0x00]
    let reader = VicinityReader(chip)
    var mapping = reader.mapping()
    try mapping.lock(reader.link)
    #expect(reader.chip.memory[1] == 0x43)
    let end = try #require(reader.chip.core.locked.firstIndex(of: false))
    #expect(end >= 79 - 1 && reader.chip.core.locked[79] == false)
    #expect(reader.chip.memory.suffix(4) == [0, 0, 0, 0])
  }

  /// The container is read-only, but blocks are not locked, after an interrupted run or another program.
  @Test(.asking(.blockLock)) func aReadOnlyContainerIsNotProof() throws {
    var chip = ICODESLIX2()
    chip.memory = [0xE1, 0x43, 0x27, 0x01, 0x03, 0x00, 0xFE]
    let reader = VicinityReader(chip)
    var mapping = reader.mapping()
    #expect(try mapping.status(reader.link).access == .readOnly)
    mapping.beginCall()
    try mapping.lock(reader.link)
    #expect(reader.chip.core.locked.prefix(79).allSatisfy { $0 })
  }

  @Test(.asking(.blockLock)) func anInterruptedLockIsCompleted() throws {
    let whole = VicinityReader(PlainVicinityChip(.tagItHFIPlus))
    var counting = whole.mapping()
    try counting.lock(whole.link)
    for exchange in 0..<whole.exchanges {
      for fault in [VicinityReader<PlainVicinityChip>.Fault.goneAfter, .gone] {
        let reader = VicinityReader(PlainVicinityChip(.tagItHFIPlus))
        var mapping = reader.mapping()
        reader.faults[exchange] = fault
        #expect(throws: NFCError.self) { try mapping.lock(reader.link) }
        reader.restart()
        var again = reader.mapping()
        try again.lock(reader.link)
        #expect(reader.chip.core.locked.count { $0 } == 63)
        #expect(reader.chip.memory[1] == 0x43)
      }
    }
  }

  /// An ST25DV can lock only blocks 0 and 1, and its I²C side can always write: nothing is changed.
  @Test func aChipThatCannotLockIsLeftUnchanged() throws {
    let reader = VicinityReader(try ST25DV(.st25dv04K, ndef: pattern(20)))
    let memory = reader.chip.memory
    var mapping = reader.mapping()
    #expect { try mapping.lock(reader.link) } throws: { Self.code($0) == .unsupported }
    #expect(reader.chip.memory == memory)
    #expect(!reader.chip.core.locked.contains(true))
  }

  /// The same for an unknown chip: after its refusal of the first lock, the container is restored.
  @Test func aRefusalPutsTheContainerBack() throws {
    let unknown: [UInt8] = [0xE0, 0x77, 0x24, 0x00, 0x2F, 0x71, 0x08, 0x5B]
    let reader = VicinityReader(try ST25DV(.st25dv04K, uid: unknown, ndef: pattern(20)))
    let memory = reader.chip.memory
    var mapping = reader.mapping()
    #expect(throws: NFCError.self) { try mapping.lock(reader.link) }
    #expect(reader.chip.memory == memory)
    #expect(!reader.chip.core.locked.contains(true))
  }

  /// A page of a SLIX2 requires the write password: nothing is written.
  @Test func aProtectedPageIsRefusedFirst() throws {
    let reader = VicinityReader(try ICODESLIX2(ndef: pattern(20)))
    for password in ["01", "02"] {
      _ = ICODETests.setPassword(reader, password, ICODETests.zero)
    }
    // The high page, from block 40 on, requires a password for writing.
    #expect(reader.ask("02B6042820") == "00")
    reader.restart()
    let memory = reader.chip.memory
    var mapping = reader.mapping()
    #expect(throws: NFCError.self) { try mapping.lock(reader.link) }
    #expect(reader.chip.memory == memory)
    #expect(!reader.chip.core.locked.contains(true))
  }
}
