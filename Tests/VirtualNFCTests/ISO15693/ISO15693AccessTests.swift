import Testing

@testable import SwiftNFCCore
@testable import VirtualNFC

/// Tests the procedures of ``ISO15693Access`` with virtual chips.
@Suite struct ISO15693AccessTests {
  static func filled<Chip: VirtualChip>(
    _ chip: Chip, command: Int = 241, response: Int = 241
  ) -> VicinityReader<Chip> {
    var chip = chip
    chip.memory = pattern(chip.memory.count)
    return VicinityReader(chip, command: command, response: response)
  }

  static func data(_ blocks: [ISO15693Block]) -> [UInt8] { blocks.flatMap(\.data) }

  // MARK: Counts of reading

  @Test func oneCommandWhereTagAndReaderGrantIt() throws {
    let reader = Self.filled(ICODESLIX2())
    var access = reader.access
    #expect(try Self.data(access.readBlocks(0..<8)) == pattern(32))
    #expect(reader.codes == [0x23])
    // The reader's answer holds 60 blocks of 4 bytes, or 48 with their security status.
    reader.clearCount()
    #expect(try access.readBlocks(0..<80).count == 80)
    #expect(reader.codes == [0x23, 0x23])
    reader.clearCount()
    #expect(try access.readBlocks(0..<80, securityStatus: true).allSatisfy { $0.isLocked == false })
    #expect(reader.codes == [0x23, 0x23])
    #expect(reader.requests.map { $0.last } == [47, 31])
    reader.clearCount()
    #expect(try Self.data(access.readBlocks(79..<80)) == Array(pattern(320).suffix(4)))
    #expect(reader.codes == [0x20])
  }

  /// 4096 bytes of an ST25DV64K are read in the minimum number of exchanges that the reader's answers
  /// permit.
  @Test(arguments: [(65536, 1), (1025, 4), (241, 18), (129, 32), (5, 1024)])
  func manyBlocks(response: Int, exchanges: Int) throws {
    let reader = Self.filled(PlainVicinityChip(.st25dv64K), response: response)
    var knowledge = ISO15693Knowledge(uid: reader.chip.identifier)
    knowledge.blockSize = 4
    knowledge.blockCount = 2048
    var access = ISO15693Access(reader.link, knowledge: knowledge)
    #expect(try Self.data(access.readBlocks(0..<1024)) == Array(pattern(8192).prefix(4096)))
    #expect(reader.exchanges == exchanges)
    reader.clearCount()
    #expect(try Self.data(access.readBlocks(1024..<2048)) == Array(pattern(8192).suffix(4096)))
    #expect(reader.exchanges == exchanges)
    #expect(Set(reader.codes).isSubset(of: [0x30, 0x33]))
  }

  @Test func blockByBlockWhereTheChipIsKnownForIt() throws {
    let reader = Self.filled(PlainVicinityChip(.icodeSLIS))
    var access = reader.access
    #expect(try Self.data(access.readBlocks(0..<40)) == pattern(160))
    #expect(reader.codes == [UInt8](repeating: 0x20, count: 40))
  }

  /// Without a UID, the chip is unknown: the refusal is learned once.
  @Test func refusalIsLearned() throws {
    let reader = Self.filled(PlainVicinityChip(.icodeSLIS))
    var access = reader.access(uid: nil)
    #expect(try Self.data(access.readBlocks(0..<40)) == pattern(160))
    #expect(access.knowledge.readLimit == 1)
    #expect(reader.codes.count { $0 == 0x23 } == 6)
    reader.clearCount()
    #expect(try Self.data(access.readBlocks(0..<40)) == pattern(160))
    #expect(reader.codes == [UInt8](repeating: 0x20, count: 40))
  }

  @Test func limitIsLearnedByHalving() throws {
    let reader = Self.filled(PlainVicinityChip(.mb89r118))
    var access = reader.access(uid: nil)
    #expect(try Self.data(access.readBlocks(0..<20)) == pattern(160))
    #expect(access.knowledge.readLimit == 2)
    reader.clearCount()
    #expect(try Self.data(access.readBlocks(0..<20)) == pattern(160))
    #expect(reader.codes == [UInt8](repeating: 0x23, count: 10))
    // With its UID, the limit is known.
    let other = Self.filled(PlainVicinityChip(.mb89r118))
    var known = other.access
    #expect(try Self.data(known.readBlocks(0..<250)) == pattern(2000))
    #expect(other.exchanges == 125)
  }

  /// If a tag refuses a command as unknown, smaller numbers of blocks are not tried.
  @Test func unknownCommandIsNotHalved() throws {
    let reader = Self.filled(ICODESLIX2())
    reader.faults[0] = .refusal(0x01)
    var access = reader.access
    #expect(try Self.data(access.readBlocks(0..<3)) == pattern(12))
    #expect(reader.codes == [0x23, 0x20, 0x20, 0x20])
    #expect(access.knowledge.readLimit == 1)
  }

  /// A chip that returns fewer blocks than requested, without an error.
  @Test func cutAnswer() throws {
    let link = ISO15693Link(maximumCommandLength: 64, maximumResponseLength: 64) { frame, _ in
      [0x00] + pattern(frame[1] == 0x23 ? 16 : 4)
    }
    var access = ISO15693Access(
      link, knowledge: ISO15693Knowledge(uid: ICODESLIX2.model.defaultUID))
    #expect { try access.readBlocks(0..<8) } throws: {
      ($0 as? NFCError)?.code == .tagResponseError
    }
    #expect(try Self.data(access.readBlocks(0..<4)) == pattern(16))
  }

  // MARK: Two-byte numbers

  @Test(.asking(.blockLock)) func protocolExtensionOfAKnownChip() throws {
    let reader = Self.filled(PlainVicinityChip(.m24lr64))
    var access = reader.access
    #expect(try Self.data(access.readBlocks(16..<80)) == Array(reader.chip.memory[64..<320]))
    // 32 blocks, within a sector of 32.
    #expect(
      reader.requests.map { [$0[0], $0[1], $0[10], $0[12]] } == [
        [0x2A, 0x23, 16, 15], [0x2A, 0x23, 32, 31], [0x2A, 0x23, 64, 15],
      ])
    #expect(try access.systemInformation().blockCount == 2048)
    try access.writeBlocks(at: 1000, [1, 2, 3, 4])
    #expect(try Self.data(access.readBlocks(1000..<1001)) == [1, 2, 3, 4])
    try access.lockBlock(1000)
    #expect(try access.securityStatus(999..<1001) == [0, 1])
    #expect(Set(reader.codes).isDisjoint(with: 0x30...0x3D))
  }

  @Test func protocolExtensionIsDetected() throws {
    let uid: [UInt8] = [0xE0, 0x02, 0xFC, 0x00, 0x11, 0x22, 0x33, 0x44]
    let reader = Self.filled(PlainVicinityChip(.m24lr64, uid: uid))
    var access = reader.access
    #expect(try Self.data(access.readBlocks(0..<32)) == Array(reader.chip.memory[0..<128]))
    #expect(access.knowledge.wideNumbers == .protocolExtension)
    reader.clearCount()
    #expect(try access.readBlocks(32..<64).count == 32)
    #expect(reader.exchanges == 1)
  }

  @Test func extendedCommandsAreDetected() throws {
    let reader = Self.filled(PlainVicinityChip(.st25dv64K))
    var access = reader.access(uid: nil)
    #expect(try Self.data(access.readBlocks(250..<320)) == Array(pattern(8192)[1000..<1280]))
    #expect(access.knowledge.wideNumbers == .extendedCommands)
    // The size is read by the second form of the command, and afterwards only the requested data.
    #expect(reader.codes == [0x2B, 0x3B, 0x33, 0x33])
  }

  // MARK: Writing

  @Test func writesBlockByBlock() throws {
    let reader = Self.filled(ICODESLIX2())
    var access = reader.access
    try access.writeBlocks(at: 5, pattern(12, seed: 99))
    #expect(Array(reader.chip.memory[20..<32]) == pattern(12, seed: 99))
    #expect(reader.codes == [0x2B, 0x21, 0x21, 0x21])
  }

  @Test func writesAsManyAsTheChipAccepts() throws {
    let reader = Self.filled(PlainVicinityChip(.st25dv64K))
    var access = reader.access
    _ = try access.systemInformation()
    reader.clearCount()
    try access.writeBlocks(at: 250, pattern(40, seed: 7))
    #expect(Array(reader.chip.memory[1000..<1040]) == pattern(40, seed: 7))
    #expect(reader.codes == [0x24, 0x34, 0x34])
    // A refusal is learned.
    reader.restart()
    reader.faults[0] = .refusal(0x0F)
    try access.writeBlocks(at: 0, pattern(16, seed: 8))
    #expect(reader.codes == [0x24, 0x24, 0x24])
    #expect(access.knowledge.writeLimit == 2)
    let fujitsu = Self.filled(PlainVicinityChip(.mb89r118))
    access = fujitsu.access
    try access.writeBlocks(at: 248, pattern(16, seed: 9))
    #expect(fujitsu.codes == [0x2B, 0x24])
    #expect(Array(fujitsu.chip.memory.suffix(16)) == pattern(16, seed: 9))
  }

  /// After a silence in a write of several blocks, the blocks that were written are not sent again.
  @Test func silenceAfterAWriteOfSeveral() throws {
    let reader = Self.filled(PlainVicinityChip(.st25dv64K))
    var access = reader.access
    _ = try access.systemInformation()
    for (fault, writes) in [(VicinityReader<PlainVicinityChip>.Fault.mute, 2), (.deaf, 4)] {
      reader.restart()
      reader.faults[0] = fault
      try access.writeBlocks(at: 300, pattern(32, seed: writes))
      #expect(Array(reader.chip.memory[1200..<1232]) == pattern(32, seed: writes))
      #expect(reader.codes.count { $0 == 0x34 } == writes + (fault == .deaf ? 1 : 0))
    }
  }

  @Test(.asking(.blockLock)) func optionFlagOfTexasInstruments() throws {
    let reader = Self.filled(PlainVicinityChip(.tagItHFIPlus))
    var access = reader.access
    try access.writeBlocks(at: 1, [1, 2, 3, 4])
    try access.lockBlock(1)
    #expect(try access.send(.writeAFI(0x42)).payload == [])
    #expect(reader.codes == [0x2B, 0x21, 0x22, 0x27])
    #expect(reader.requests.dropFirst().allSatisfy { $0[0] == 0x62 })
    #expect(reader.chip.core.locked[1])
    #expect(reader.chip.core.afi == 0x42)
    // The limit is determined if the maker is unknown.
    reader.restart()
    access = reader.access(uid: nil)
    try access.writeBlocks(at: 2, [5, 6, 7, 8, 9, 10, 11, 12])
    #expect(
      reader.requests.map { [$0[0], $0[1]] } == [
        [0x02, 0x2B], [0x02, 0x21], [0x42, 0x21], [0x42, 0x21],
      ])
    #expect { try access.writeBlocks(at: 1, [0, 0, 0, 0]) } throws: {
      let error = $0 as? NFCError
      return error?.code == .readOnly && error?.place == .block(1)
    }
  }

  @Test(.asking(.blockLock)) func lockedBlockStopsAWrite() throws {
    let reader = Self.filled(ICODESLIX2())
    var access = reader.access
    try access.lockBlock(6)
    try access.lockBlock(6)
    #expect { try access.writeBlocks(at: 5, pattern(12, seed: 50)) } throws: {
      let error = $0 as? NFCError
      return error?.code == .readOnly && error?.place == .block(6)
        && error?.cause == .iso15693(0x0F)
    }
    #expect(Array(reader.chip.memory[24..<32]) == Array(pattern(320)[24..<32]))
    #expect(try access.securityStatus(4..<8) == [0, 0, 1, 0])
    #expect(reader.codes.last == 0x2C)
  }

  @Test(.asking(.blockLock)) func securityStatusWithoutACommandForIt() throws {
    let reader = Self.filled(PlainVicinityChip(.icodeSLIS))
    var access = reader.access
    try access.lockBlock(3)
    #expect(try access.securityStatus(2..<5) == [0, 1, 0])
    reader.clearCount()
    #expect(try access.securityStatus(2..<5) == [0, 1, 0])
    #expect(reader.codes == [0x20, 0x20, 0x20])
  }

  // MARK: System information

  @Test func systemInformation() throws {
    let slix = Self.filled(ICODESLIX2())
    var access = slix.access
    #expect(try access.systemInformation().blockCount == 80)
    #expect(try access.systemInformation().blockSize == 4)
    #expect(slix.codes == [0x2B])
    let dv = Self.filled(PlainVicinityChip(.st25dv64K))
    access = dv.access
    #expect(try access.systemInformation().blockCount == 2048)
    #expect(dv.codes == [0x3B])
    dv.clearCount()
    access = dv.access(uid: nil)
    #expect(try access.systemInformation().blockCount == 2048)
    #expect(dv.codes == [0x2B, 0x3B])
  }

  /// A Tag-it Standard has no system information, and none is requested; its refusal shows the end of the
  /// memory.
  @Test func noSystemInformation() throws {
    let reader = Self.filled(
      PlainVicinityChip(.tagItHFIPlus, uid: [0xE0, 0x07, 0xC0, 0, 1, 2, 3, 4]))
    var access = reader.access
    #expect { try access.systemInformation() } throws: {
      ($0 as? NFCError)?.code == .unsupported
    }
    #expect(reader.codes == [0x20])
    #expect(try Self.data(access.readBlocks(0..<64)) == pattern(256))
    #expect { try access.readBlocks(63..<65) } throws: {
      ($0 as? NFCError)?.place == .block(64)
    }
    #expect(Set(reader.codes) == [0x20])
  }

  @Test func tagThatIsGoneIsNotTakenForOneWithoutInformation() {
    let reader = Self.filled(ICODESLIX2())
    reader.faults[0] = .gone
    var access = reader.access
    #expect { try access.systemInformation() } throws: { ($0 as? NFCError)?.isSilence == true }
    #expect(!access.knowledge.refusesInformation)
  }

  // MARK: Failures

  static let passing: [VicinityReader<ICODESLIX2>.Fault] = [.deaf, .mute, .broken]

  /// A temporary fault is overcome at every exchange of a read, a write and a lock.
  @Test(.asking(.blockLock), arguments: passing, 0..<6)
  func passingFailures(fault: VicinityReader<ICODESLIX2>.Fault, exchange: Int) throws {
    let reader = Self.filled(ICODESLIX2(), response: 41)
    reader.faults[exchange] = fault
    var access = reader.access
    #expect(try Self.data(access.readBlocks(0..<40)) == pattern(160))
    reader.restart()
    access = reader.access
    _ = try access.systemInformation()
    reader.clearCount()
    reader.faults[exchange] = fault
    try access.writeBlocks(at: 10, pattern(24, seed: 77))
    #expect(Array(reader.chip.memory[40..<64]) == pattern(24, seed: 77))
    reader.restart()
    reader.faults[exchange] = fault
    for number in 10..<16 { try access.lockBlock(number) }
    #expect(reader.chip.core.locked[10..<16].allSatisfy { $0 })
    // A command that the tag has executed is not sent again.
    if fault != .deaf { #expect(reader.codes.count { $0 == 0x22 } == 6) }
  }

  static let lasting: [VicinityReader<ICODESLIX2>.Fault] = [.gone, .goneAfter, .lost]

  /// The removal of a tag results in an error with its cause, after few exchanges, and each block is old
  /// or new.
  @Test(.asking(.blockLock), arguments: lasting, 0..<6)
  func lastingFailures(fault: VicinityReader<ICODESLIX2>.Fault, exchange: Int) throws {
    func isLoss(_ error: any Error) -> Bool {
      let error = error as? NFCError
      return fault == .lost ? error?.code == .tagConnectionLost : error?.isSilence == true
    }
    let reader = Self.filled(ICODESLIX2(), response: 25)
    reader.faults[exchange] = fault
    var access = reader.access
    #expect { try access.readBlocks(0..<40) } throws: { isLoss($0) }
    #expect(reader.exchanges <= exchange + 5)
    reader.restart()
    access = reader.access
    _ = try access.systemInformation()
    reader.clearCount()
    reader.faults[exchange] = fault
    let new = pattern(24, seed: 77)
    #expect { try access.writeBlocks(at: 10, new) } throws: { isLoss($0) }
    #expect(reader.exchanges <= exchange + 5)
    let written = exchange + (fault == .goneAfter ? 1 : 0)
    #expect(
      Array(reader.chip.memory[40..<64])
        == Array(new.prefix(written * 4)) + Array(pattern(320)[(40 + written * 4)..<64]))
    reader.restart()
    reader.faults[exchange] = fault
    #expect { for number in 10..<16 { try access.lockBlock(number) } } throws: { isLoss($0) }
    #expect(reader.chip.core.locked.count { $0 } == written)
  }

  /// A refusal at any exchange: the error contains its code and the block.
  @Test(.asking(.blockLock), arguments: [UInt8(0x10), 0x12, 0x15, 0xA3], 0..<4)
  func refusals(code: UInt8, exchange: Int) throws {
    let reader = Self.filled(ICODESLIX2(), response: 41)
    var access = reader.access
    reader.faults[exchange] = .refusal(code)
    #expect { try access.readBlocks(0..<40) } throws: {
      let error = $0 as? NFCError
      return error?.cause == .iso15693(code) && error?.place == .block(exchange * 10)
    }
    reader.restart()
    _ = try access.systemInformation()
    reader.clearCount()
    reader.faults[exchange] = .refusal(code)
    #expect { try access.writeBlocks(at: 10, pattern(16, seed: 3)) } throws: {
      let error = $0 as? NFCError
      return error?.cause == .iso15693(code) && error?.place == .block(10 + exchange)
    }
    reader.restart()
    reader.faults[exchange] = .refusal(code)
    #expect { for number in 10..<14 { try access.lockBlock(number) } } throws: {
      ($0 as? NFCError)?.place == .block(10 + exchange)
    }
  }

  // MARK: Other commands

  @Test func statesAndCustomCommands() throws {
    let reader = Self.filled(ICODESLIX2())
    let access = reader.access
    #expect(try access.send(.stayQuiet).payload == [])
    #expect(reader.ask("260100") == "")
    #expect(try access.send(.resetToReady).payload == [])
    #expect(reader.ask("260100") != "")
    #expect(try access.send(.select).payload == [])
    #expect(
      try access.send(.custom(code: 0xBD, manufacturer: 0x04, parameters: [])).payload.count == 32)
    #expect(throws: NFCError.self) {
      try access.send(.custom(code: 0xBF, manufacturer: 0x04, parameters: []))
    }
  }

  /// Many tags in one field are distinguished without a single end of frame.
  @Test(arguments: 0...7)
  func inventory(count: Int) throws {
    let tags = [
      VirtualTag.icodeSLIX2(), .icodeSLIX(), .icodeSLIS(), .st25dv(), .st25tv(), .tagIt(),
      .mb89r118(),
    ].prefix(count)
    let field = VirtualField()
    for tag in tags { field.place(tag) }
    field.setPower(true)
    var exchanges = 0
    let link = ISO15693Link(maximumCommandLength: 241, maximumResponseLength: 241) { frame, _ in
      exchanges += 1
      switch field.transmit(.iso15693(frame)) {
      case .silence: throw NFCError(.tagResponseError, "silence", cause: .noAnswer)
      case .collision: throw NFCError(.tagResponseError, "collision", cause: .checksum)
      case .frame(let answer): return answer.checkedPayload ?? []
      }
    }
    let found = try ISO15693Inventory.run(link)
    #expect(Set(found.map(\.uid)) == Set(tags.map(\.identifier)))
    #expect(found.count == count)
    #expect(exchanges <= max(1, 8 * count))
  }
}
