import NFC
import Testing
import VirtualNFC

/// What cannot be is said before anything is sent.
extension VicinityProcedure {
  static let refusals: [VicinityProcedure] = [
    mistakes, mistakesByKind, blocksAlone, wideNumbers(.storageCard, areCarried: true),
    wideNumbers(.storageCardNumberInP1, areCarried: false),
  ]

  /// Something that a caller does, and the error that it is to be.
  private struct Mistake: Sendable {
    let code: NFCError.Code
    let place: NFCError.Place?
    let attempt: @Sendable (any ISO15693Tag) async throws -> Void

    init(
      _ code: NFCError.Code, _ place: NFCError.Place? = nil,
      _ attempt: @escaping @Sendable (any ISO15693Tag) async throws -> Void
    ) {
      self.code = code
      self.place = place
      self.attempt = attempt
    }

    /// Of one command.
    init(
      _ code: NFCError.Code, _ command: ISO15693Command, _ flags: ISO15693RequestFlags = []
    ) {
      self.init(code) { tag in _ = try await tag.sendCommand(command, flags: flags) }
    }
  }

  /// Makes each mistake, and sees that neither the tag nor the reader has been sent anything.
  private static func check(
    _ mistakes: [Mistake], on tag: any ISO15693Tag, _ bench: Bench, _ chip: VirtualTag
  ) async throws {
    let before = chip.memory
    for (index, mistake) in mistakes.enumerated() {
      bench.virtual.setFaults([])
      let error = await #expect(throws: NFCError.self, "mistake \(index)") {
        try await mistake.attempt(tag)
      }
      #expect(error?.code == mistake.code, "mistake \(index)")
      #expect(error?.place == mistake.place, "mistake \(index)")
      let usage = bench.virtual.statistics
      #expect([usage.commands, usage.exchanges] == [0, 0], "mistake \(index)")
    }
    #expect(chip.memory == before)
  }

  private static func read(_ code: NFCError.Code, _ range: Range<Int>, at block: Int?) -> Mistake {
    Mistake(code, block.map { .block($0) }) { _ = try await $0.readBlocks(range) }
  }

  private static func write(_ first: Int, _ length: Int, at block: Int? = nil) -> Mistake {
    Mistake(.invalidParameter, block.map { .block($0) }) {
      try await $0.writeBlocks(at: first, [UInt8](repeating: 0x5A, count: length))
    }
  }

  private static func lock(_ block: Int, isNamed: Bool) -> Mistake {
    Mistake(.invalidParameter, isNamed ? .block(block) : nil) { try await $0.lockBlock(block) }
  }

  private static let mistakes = VicinityProcedure(
    "what cannot be on any tag", with: .icodeSLIX2()
  ) { bench, chip, tag in
    #expect(ISO15693BlockRange(first: 0xFFFF, count: 2) == nil)
    #expect(ISO15693BlockRange(first: 0x1_0000, count: 1) == nil)
    _ = try await tag.systemInformation()
    let seven = [UInt8](chip.identifier.prefix(7))
    let long = [UInt8](repeating: 0, count: 300)
    try await check(
      [
        read(.invalidParameter, 80..<81, at: 80), read(.invalidParameter, 79..<81, at: 80),
        read(.invalidParameter, 200..<300, at: 200), read(.invalidParameter, -1..<1, at: nil),
        read(.invalidParameter, 0..<0, at: nil),
        read(.invalidParameter, 0xFFFF..<0x1_0001, at: nil),
        Mistake(.invalidParameter, .block(80)) { _ = try await $0.securityStatus(79..<81) },
        Mistake(.invalidParameter) { _ = try await $0.securityStatus(-2..<0) },
        // Data that are no whole blocks, none, or too many; blocks that there are none of.
        write(0, 3), write(0, 5), write(0, 0), write(0, 81 * 4, at: 80), write(79, 8, at: 80),
        write(80, 4, at: 80), write(-1, 4), write(0x1_0000, 4), write(.max, 4),
        lock(80, isNamed: true), lock(-1, isNamed: false), lock(0x1_0000, isNamed: false),
        lock(.min, isNamed: false),
        // Frames that are none, that are too long, and answers that would be.
        Mistake(.invalidParameter) { _ = try await $0.transceive([], timeout: .seconds(1)) },
        Mistake(.invalidParameter) { _ = try await $0.transceive([0x02], timeout: .seconds(1)) },
        Mistake(.commandTooLong) { _ = try await $0.transceive(long, timeout: .seconds(1)) },
        Mistake(.commandTooLong, .custom(code: 0xA0, manufacturer: 0x04, parameters: long)),
        Mistake(.commandTooLong, .readMultipleBlocks(try blocks(0, 61))),
        Mistake(.commandTooLong, .readMultipleBlocks(try blocks(0, 49)), .option),
        Mistake(.commandTooLong, .getMultipleBlockSecurityStatus(try blocks(0, 241))),
        // Numbers, codes and flags that a command has no room for.
        Mistake(.invalidParameter, .custom(code: 0x9F, manufacturer: 0x04, parameters: [])),
        Mistake(.invalidParameter, .getSystemInformation, .inventory),
        Mistake(.invalidParameter, .getSystemInformation, [.select, .address]),
        Mistake(.invalidParameter, .block(256)) {
          _ = try await $0.sendCommand(.readSingleBlock(256))
        },
        Mistake(.invalidParameter) {
          let request = try ISO15693Request(.readSingleBlock(0), uid: seven).encoded()
          _ = try await $0.transceive(request, timeout: .seconds(1))
        },
      ], on: tag, bench, chip)
  }

  /// Data that do not suit the tag's kind are refused before the tag is asked for its size; a run beyond
  /// the end after one question, the first time.
  private static let mistakesByKind = VicinityProcedure(
    "what cannot be on this tag", with: .mb89r118()
  ) { bench, chip, tag in
    try await check([write(0, 4), write(0, 12), write(249, 7)], on: tag, bench, chip)
    for exchanges in [1, 0] {
      bench.virtual.setFaults([])
      let error = await #expect(throws: NFCError.self) { try await tag.readBlocks(240..<260) }
      #expect(error?.code == .invalidParameter)
      #expect(error?.place == .block(250))
      #expect(bench.virtual.statistics.exchanges == exchanges)
    }
  }

  /// A reader that has commands to read and write a block, and nothing else.
  private static let blocksAlone = VicinityProcedure(
    "reader with storage-card commands alone", .storageCard, with: .icodeSLIX2()
  ) { bench, chip, tag in
    let read: ISO15693Command = .readSingleBlock(0)
    try await check(
      [
        // The tag cannot be asked; its kind shows where it ends.
        Self.read(.invalidParameter, 80..<81, at: 80),
        Self.read(.invalidParameter, 60..<90, at: 80),
        write(80, 4, at: 80), write(79, 8, at: 80), write(0, 3), lock(80, isNamed: true),
        // No answer is made up where the tag was not asked.
        Mistake(.unsupported) { _ = try await $0.systemInformation() },
        Mistake(.unsupported, .getSystemInformation),
        Mistake(.unsupported, .readMultipleBlocks(try blocks(0, 2))),
        Mistake(.unsupported, .lockBlock(4)), Mistake(.unsupported, .writeAFI(0x42)),
        Mistake(.unsupported, .stayQuiet), Mistake(.unsupported, .readBuffer),
        Mistake(.unsupported, .inventory(afi: nil, mask: .none), .inventoryOneSlot),
        Mistake(.unsupported, .custom(code: 0xBD, manufacturer: 0x04, parameters: [])),
        Mistake(.unsupported, read, .option), Mistake(.unsupported, read, .select),
        Mistake(.unsupported, .block(4)) { try await $0.lockBlock(4) },
        Mistake(.unsupported, .block(0)) { _ = try await $0.securityStatus(0..<4) },
        Mistake(.unsupported, .block(0)) {
          _ = try await $0.readBlocks(0..<4, securityStatus: true)
        },
      ]
        + [[0x02, 0x2B], [0x02, 0x23, 0x00, 0x03], [0x02, 0x20, 0x00]].map { request in
          Mistake(.unsupported) { _ = try await $0.transceive(request, timeout: .seconds(1)) }
        }, on: tag, bench, chip)

    #expect(tag.identifier == chip.identifier)
    #expect(try await tag.product()?.name == "ICODE SLIX2")
    try await tag.check([
      (read, [], .payload("E1402701")),
      (.writeSingleBlock(4, data: [0x11, 0x22, 0x33, 0x44]), [], .done),
    ])
    let (found, exchanges) = try await bench.counting { () async throws -> [ISO15693Block] in
      try await tag.writeBlocks(at: 5, [UInt8](repeating: 0x55, count: 8))
      return try await tag.readBlocks(3..<8)
    }
    #expect(found.flatMap(\.data) == Array(chip.memory[12..<32]))
    // A block for its size, two writes, five reads.
    #expect(exchanges == 8)
    #expect(
      Array(chip.memory[16..<28]) == [0x11, 0x22, 0x33, 0x44] + [UInt8](repeating: 0x55, count: 8))
  }

  /// A tag with more blocks than some readers' commands have numbers for.
  private static func wideNumbers(
    _ dialect: VirtualPCSCReader.Dialect, areCarried: Bool
  ) -> VicinityProcedure {
    VicinityProcedure(
      "block 256 by storage-card commands: \(dialect)", dialect, with: .st25dv()
    ) { bench, chip, tag in
      try await tag.writeBlocks(at: 248, [UInt8](repeating: 0x77, count: 32))
      #expect(chip.memory[992..<1024].allSatisfy { $0 == 0x77 })
      #expect(
        try await tag.readBlocks(248..<256).flatMap(\.data) == Array(chip.memory[992..<1024]))
      guard areCarried else {
        let error = await #expect(throws: NFCError.self) { try await tag.readBlocks(254..<257) }
        #expect(error?.code == .unsupported)
        #expect(error?.place == .block(256))
        return
      }
      try await tag.writeBlocks(at: 256, [1, 2, 3, 4])
      #expect(try await tag.readBlocks(254..<257).map(\.data).last == [1, 2, 3, 4])
    }
  }
}
