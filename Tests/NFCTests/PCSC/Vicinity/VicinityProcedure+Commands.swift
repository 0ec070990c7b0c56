import NFC
import Testing
import VirtualNFC

/// The commands of ISO/IEC 15693-3, each by itself.
extension VicinityProcedure {
  static let commands: [VicinityProcedure] = [
    states, manyTags, singleAndMultiple, identifiers, wideNumbers, unknownCommands, unanswered,
  ]

  /// What a tag answers to an inventory: DSFID and UID.
  private static func answer(_ tag: VirtualTag, dsfid: UInt8 = 0) -> VicinityOutcome {
    .payload(([dsfid] + tag.identifier.reversed()).hexadecimal)
  }

  private static func inventory(
    _ expected: VicinityOutcome, afi: UInt8? = nil, mask: ISO15693InventoryMask = .none
  ) -> VicinityStep {
    (.inventory(afi: afi, mask: mask), .inventoryOneSlot, expected)
  }

  private static let states = VicinityProcedure(
    "inventory, stay quiet, select, reset to ready", with: [.icodeSLIX2(), .st25tv()]
  ) { bench in
    let answers = bench.field.tags.map { answer($0) }
    let tags = try await bench.vicinityTags()
    try await tags[0].connect()
    try await tags[0].check([
      inventory(.broken),
      inventory(answers[0], mask: ISO15693InventoryMask(length: 8, value: 0x83)),
      inventory(answers[1], mask: ISO15693InventoryMask(length: 8, value: 0x38)),
      inventory(.silence, mask: ISO15693InventoryMask(length: 8, value: 0x39)),
      // Of 16 slots only the first is heard: the reader sends no lone end of frame.
      (.inventory(afi: nil, mask: .none), [], .silence),
      (.stayQuiet, [], .done),
      inventory(answers[1]),
      (.readSingleBlock(0), [], .payload("E1402701")),
      inventory(answers[1]),
    ])
    // Switching to another tag and back wakes no tag that is in the state Quiet.
    try await tags[1].connect()
    try await tags[1].check([inventory(answers[1])])
    try await tags[0].connect()
    try await tags[0].check([
      inventory(answers[1]),
      (.resetToReady, [], .done),
      inventory(.broken),
      (.readSingleBlock(1), .select, .silence),
      (.select, [], .done),
      (.readSingleBlock(0), .select, .payload("E1402701")),
    ])
    try await tags[1].connect()
    try await tags[1].check([
      (.select, [], .done),
      (.readSingleBlock(0), .select, .payload("E1401F01")),
      (.readSingleBlock(0), [.select, .address], .error(.invalidParameter)),
      (.stayQuiet, [], .done),
    ])
    // A new search switches the field off and on.
    #expect(try await bench.vicinityTags().count == 2)
  }

  /// Tags whose UIDs differ from the 25th bit on only, and families.
  private static let manyTags = VicinityProcedure(
    "tags whose UIDs collide",
    with: (1...6).map { .icodeSLIX2(uid: [0xE0, 0x04, 0x01, 0x08, $0, 0x00, 0x00, 0x83]) }
  ) { bench in
    let tags = try await bench.vicinityTags()
    for (number, tag) in zip(UInt8(1)..., tags) {
      try await tag.connect()
      try await tag.writeBlocks(at: 4, [number, number, number, number])
      try await tag.check([(.writeAFI(0x40 | number), [], .done)])
    }
    #expect(bench.field.tags.map { $0.memory[16] } == [1, 2, 3, 4, 5, 6])
    let third = answer(bench.field.tags[2])
    let uid = bench.field.tags[2].identifier.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    try await tags[0].connect()
    try await tags[0].check([
      inventory(.broken),
      inventory(third, mask: ISO15693InventoryMask(length: 64, value: uid)),
      inventory(third, afi: 0x43),
      // Every family with this subfamily, and this family with every subfamily.
      inventory(third, afi: 0x03),
      inventory(.broken, afi: 0x40),
      inventory(.silence, afi: 0x50),
    ])
  }

  private static let singleAndMultiple = VicinityProcedure(
    "blocks one by one and several at once", with: .icodeSLIX2()
  ) { bench, chip, tag in
    let new: [UInt8] = [0xA1, 0xA2, 0xA3, 0xA4]
    let uid = Array(chip.identifier.reversed()).hexadecimal
    try await tag.check([
      (.getSystemInformation, [], .payload("0F" + uid + "00004F0301")),
      (.readSingleBlock(0), [], .payload("E1402701")),
      (.readSingleBlock(0), .option, .payload("00E1402701")),
      (.readMultipleBlocks(try blocks(0, 2)), [], .payload("E14027010300FE00")),
      (.readMultipleBlocks(try blocks(0, 2)), .option, .payload("00E1402701000300FE00")),
      (.writeSingleBlock(4, data: new), [], .done),
      (.writeSingleBlock(4, data: [1, 2, 3]), [], .refusal(0x0F)),
      (.readSingleBlock(4), [], .payload("A1A2A3A4")),
      (.getMultipleBlockSecurityStatus(try blocks(3, 3)), [], .payload("000000")),
      (.lockBlock(4), [], .done),
      (.lockBlock(4), [], .refusal(0x0F)),
      (.writeSingleBlock(4, data: [0, 0, 0, 0]), [], .refusal(0x0F)),
      (.readSingleBlock(4), .option, .payload("01A1A2A3A4")),
      (.getMultipleBlockSecurityStatus(try blocks(3, 3)), [], .payload("000100")),
      // Beyond the end, where the tag is the one that says it, or leaves it out.
      (.readSingleBlock(80), [], .refusal(0x0F)),
      (.readMultipleBlocks(try blocks(79, 2)), [], .payload("00000000")),
      (.writeSingleBlock(80, data: new), [], .refusal(0x0F)),
      (.lockBlock(80), [], .refusal(0x0F)),
      (.getMultipleBlockSecurityStatus(try blocks(80, 1)), [], .refusal(0x0F)),
    ])
    #expect(Array(chip.memory[16..<20]) == new)
    #expect(try await tag.ask("022004") == "00A1A2A3A4")
    #expect(try await tag.ask("2221" + uid + "0411111111") == "010F")

    // The procedures over them, each by the fewest exchanges.
    #expect(try await tag.product()?.name == "ICODE SLIX2")
    let (blocks, exchanges) = try await bench.counting { () async throws -> [[UInt8]] in
      try await tag.writeBlocks(at: 5, new + new)
      try await tag.lockBlock(6)
      // Locked already is as good.
      try await tag.lockBlock(6)
      return try await tag.readBlocks(3..<8).map(\.data)
    }
    // The question for the size, two writes, two locks, the status of the block whose lock was refused, a read.
    #expect(exchanges == 7)
    #expect(blocks.joined().elementsEqual(chip.memory[12..<32]))
    #expect(try await tag.securityStatus(3..<8) == [0, 1, 0, 1, 0])
    #expect(try await tag.systemInformation().blockCount == 80)
    let error = await #expect(throws: NFCError.self) {
      try await tag.writeBlocks(at: 5, [UInt8](repeating: 0, count: 8))
    }
    #expect(error?.code == .readOnly)
    #expect(error?.place == .block(6))
  }

  private static let identifiers = VicinityProcedure(
    "AFI and DSFID, written and locked", with: .icodeSLIX2()
  ) { bench, chip, tag in
    let uid = Array(chip.identifier.reversed()).hexadecimal
    // What is written is what is reported next, also where a request of the program's own has written it.
    #expect(try await tag.systemInformation().afi == 0)
    try await tag.check([(.writeAFI(0x50), [], .done), (.writeDSFID(0x33), [], .done)])
    var information = try await tag.systemInformation()
    #expect(information.afi == 0x50 && information.dsfid == 0x33 && tag.dsfid == 0x33)
    #expect(try await tag.ask("2227" + uid + "42") == "00")
    #expect(try await tag.ask("2229" + uid + "24") == "00")
    information = try await tag.systemInformation()
    #expect(information.afi == 0x42 && information.dsfid == 0x24 && tag.dsfid == 0x24)
    try await tag.check([
      (.writeAFI(0x42), [], .done),
      (.writeDSFID(0x24), [], .done),
      inventory(answer(chip, dsfid: 0x24), afi: 0x42),
      inventory(.silence, afi: 0x43),
      (.lockAFI, [], .done),
      (.lockAFI, [], .refusal(0x0F)),
      (.writeAFI(0x43), [], .refusal(0x0F)),
      (.writeDSFID(0x25), [], .done),
      (.lockDSFID, [], .done),
      (.lockDSFID, [], .refusal(0x0F)),
      (.writeDSFID(0x24), [], .refusal(0x0F)),
      (.lockBlock(5), [], .done),
      (.getSystemInformation, [], .payload("0F" + uid + "25424F0301")),
    ])
    #expect(try await tag.lockStates(of: 4..<7) == [false, true, false])
    let again = try await bench.vicinityTags()
    #expect(again.map(\.dsfid) == [0x25])
  }

  private static let wideNumbers = VicinityProcedure(
    "extended commands", with: .st25dv()
  ) { bench, chip, tag in
    let new: [UInt8] = [0xA1, 0xA2, 0xA3, 0xA4]
    let uid = Array(chip.identifier.reversed()).hexadecimal
    try await tag.check([
      // Two bytes of block number have no room in the ordinary answer: it leaves out the memory.
      (.getSystemInformation, [], .payload("0B" + uid + "000026")),
      (
        .extendedGetSystemInformation(.standard), [],
        .payload("3F" + uid + "0000FF070326FF1F3F00")
      ),
      (.extendedGetSystemInformation(.memorySize), [], .payload("04" + uid + "FF0703")),
      (.extendedWriteSingleBlock(2047, data: new), [], .done),
      (.extendedReadSingleBlock(2047), [], .payload("A1A2A3A4")),
      (.extendedReadSingleBlock(2047), .option, .payload("00A1A2A3A4")),
      (.extendedReadSingleBlock(2048), [], .refusal(0x10)),
      (.extendedReadSingleBlock(0), [], .payload("E2400001")),
      (.extendedWriteMultipleBlocks(try blocks(1000, 4), data: new + new + new + new), [], .done),
      (
        .extendedWriteMultipleBlocks(try blocks(1000, 5), data: new + new + new + new + new), [],
        .refusal(0x0F)
      ),
      (
        .extendedReadMultipleBlocks(try blocks(999, 3)), [],
        .payload("00000000A1A2A3A4A1A2A3A4")
      ),
      (.extendedReadMultipleBlocks(try blocks(2047, 2)), [], .refusal(0x0F)),
      // Only blocks 0 and 1 have a lock.
      (.extendedLockBlock(2047), [], .refusal(0x10)),
      (.extendedLockBlock(1), [], .done),
      (.extendedLockBlock(1), [], .refusal(0x11)),
      (.extendedWriteSingleBlock(1, data: new), [], .refusal(0x12)),
      (.extendedGetMultipleBlockSecurityStatus(try blocks(0, 3)), [], .payload("000100")),
      (.writeMultipleBlocks(try blocks(8, 2), data: new + new), [], .done),
    ])
    #expect(Array(chip.memory.suffix(4)) == new)
    #expect(Array(chip.memory[32..<40]) == new + new)

    // 60 blocks of 4 bytes are what fits the 256 bytes of an answer with its objects.
    _ = try await tag.systemInformation()
    let (read, exchanges) = try await bench.counting { try await tag.readBlocks(0..<1024) }
    #expect(read.flatMap(\.data) == Array(chip.memory.prefix(4096)))
    #expect(exchanges == (1024 + 59) / 60)
    let (_, writes) = try await bench.counting {
      try await tag.writeBlocks(at: 250, [UInt8](repeating: 0x5A, count: 40))
    }
    // Four blocks a write, the ordinary command up to block 255.
    #expect(writes == 3)
    #expect(chip.memory[1000..<1040].allSatisfy { $0 == 0x5A })
  }

  /// What the standard of 2018 has, and no chip here: the tag's own refusal, and its own silence.
  private static func newCommands() throws -> [ISO15693Command] {
    [
      .fastReadMultipleBlocks(try blocks(0, 2)), .extendedFastReadMultipleBlocks(try blocks(0, 2)),
      .authenticate(cryptoSuite: 0x00, message: [0x01, 0x02]),
      .keyUpdate(keyIdentifier: 0x01, message: [0x03]), .readBuffer,
      .other(code: 0xE0, parameters: [0x01]),
    ]
  }

  private static let unknownCommands = VicinityProcedure(
    "commands that a chip refuses", with: [.icodeSLIX2(), .st25dv(), .st25tv(), .mb89r118()]
  ) { bench in
    for tag in try await bench.vicinityTags() {
      try await tag.connect()
      let maker = try #require(tag.icManufacturerCode)
      // NXP's chips give no reason, and do not answer with a flag that they do not support.
      let isNXP = maker == 0x04
      let refusal = VicinityOutcome.refusal(isNXP ? 0x0F : 0x01)
      try await tag.check(try newCommands().map { ($0, [], refusal) })
      try await tag.check([
        (.challenge(cryptoSuite: 0x00, message: [0x01]), [], refusal),
        // A custom command of its own maker's that it does not have, and one of another maker's.
        (.custom(code: 0xDF, manufacturer: maker, parameters: []), [], refusal),
        (.custom(code: 0xBD, manufacturer: 0x16, parameters: []), [], .silence),
        (.readSingleBlock(0), .protocolExtension, isNXP ? .silence : .refusal(0x03)),
      ])
    }
    let slix2 = try #require(try await bench.vicinityTags().first)
    try await slix2.connect()
    try await slix2.check([
      (.writeMultipleBlocks(try blocks(8, 1), data: [1, 2, 3, 4]), [], .refusal(0x0F)),
      (.extendedReadSingleBlock(0), [], .refusal(0x0F)),
      (.extendedGetSystemInformation(.standard), [], .refusal(0x0F)),
      (.readSingleBlock(0), [], .payload("E1402701")),
    ])
  }

  private static let unanswered = VicinityProcedure(
    "commands that a chip does not answer", with: .icodeSLIXL()
  ) { _, _, tag in
    try await tag.check(try newCommands().map { ($0, [], .silence) })
    try await tag.check([
      (.readMultipleBlocks(try blocks(0, 2)), [], .silence),
      (.getMultipleBlockSecurityStatus(try blocks(0, 2)), [], .silence),
      // Silent on it by design are those that have it, too: an answer is asked for by READ BUFFER.
      (.challenge(cryptoSuite: 0x00, message: [0x01]), [], .done),
      (.readSingleBlock(0), [], .payload("E1400300")),
    ])
  }
}
