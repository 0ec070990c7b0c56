import NFC
import Testing
import VirtualNFC

/// What sets chips apart, and that it is found out once.
extension VicinityProcedure {
  static let chips: [VicinityProcedure] = [
    tagIt, small, slix, twoBlocks, protocolExtension, size("ST25DV16K", .st25dv16K(), 512),
    size("ST25DV04K", .st25dv04K(), 128), size("ST25TV02K", .st25tv(), 64),
    unknown(
      "a limit of two blocks", .mb89r118, uid: [0xE0, 0x08, 0xFF, 0x18, 0x47, 0x0C, 0x93, 0x5E],
      reads: 20, in: 10),
    unknown(
      "silent on several blocks", .icodeSLIS,
      uid: [0xE0, 0x04, 0xFF, 0x00, 0x3D, 0x62, 0xA9, 0x15], reads: 40, in: 40),
    tellsNothing,
  ]

  private static func content(_ count: Int, seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed) }
  }

  /// Writes and locks take the option flag, and are answered after a second end of frame.
  private static let tagIt = VicinityProcedure(
    "Tag-it: option flag", with: .tagIt()
  ) { bench, chip, tag in
    #expect(try await tag.ask("02210511111111") == "0103")
    #expect(try await tag.ask("022205") == "0103")
    #expect(try await tag.ask("42210522222222") == "00")
    #expect(Array(chip.memory[20..<24]) == [0x22, 0x22, 0x22, 0x22])
    let (_, exchanges) = try await bench.counting {
      try await tag.writeBlocks(at: 5, content(12))
      try await tag.lockBlock(6)
      try await tag.check([
        (.writeAFI(0x42), [], .done), (.lockAFI, [], .done), (.writeAFI(0x43), [], .refusal(0x12)),
        (.writeSingleBlock(6, data: [1, 2, 3, 4]), [], .refusal(0x12)),
      ])
    }
    // The question for the size, and no command twice.
    #expect(exchanges == 1 + 3 + 1 + 4)
    #expect(Array(chip.memory[20..<32]) == content(12))
    #expect(try await tag.securityStatus(5..<8) == [0, 1, 0])
  }

  /// ICODE SLI-S has neither READ MULTIPLE BLOCKS nor GET MULTIPLE BLOCK SECURITY STATUS.
  private static let small = VicinityProcedure(
    "SLI-S: one block at a time", with: .icodeSLIS()
  ) { bench, chip, tag in
    let (blocks, exchanges) = try await bench.counting { try await tag.readBlocks(0..<40) }
    #expect(blocks.flatMap(\.data) == chip.memory)
    #expect(exchanges == 40)
    try await tag.lockBlock(3)
    #expect(try await tag.securityStatus(2..<5) == [0, 1, 0])
    let (status, reads) = try await bench.counting { try await tag.securityStatus(2..<5) }
    #expect(status == [0, 1, 0])
    #expect(reads == 3)
  }

  private static let slix = VicinityProcedure(
    "SLIX: 28 blocks", with: .icodeSLIX()
  ) { bench, chip, tag in
    #expect(try await tag.product()?.name == "ICODE SLIX")
    try await tag.check([
      // Past the end there are fewer bytes and no error (SL2ICS20 data sheet, 9.2.9).
      (
        .getMultipleBlockSecurityStatus(try blocks(20, 20)), [],
        .payload(String(repeating: "00", count: 8))
      ),
      (.readSingleBlock(28), [], .refusal(0x0F)),
      (.custom(code: 0xBD, manufacturer: 0x04, parameters: []), [], .refusal(0x0F)),
    ])
    let (read, exchanges) = try await bench.counting { try await tag.readBlocks(0..<28) }
    #expect(read.flatMap(\.data) == chip.memory)
    #expect(exchanges == 1)
    let (status, questions) = try await bench.counting { try await tag.securityStatus(0..<28) }
    #expect(status == [UInt8](repeating: 0, count: 28))
    #expect(questions == 1)
  }

  /// MB89R118: blocks of 8 bytes, at most two a command.
  private static let twoBlocks = VicinityProcedure(
    "MB89R118: 8-byte blocks, two a command", with: .mb89r118()
  ) { bench, chip, tag in
    let size = chip.memory.count
    try await tag.writeBlocks(at: 0, content(80))
    try await tag.check([
      (.readMultipleBlocks(try blocks(0, 3)), [], .refusal(0x0F)),
      (.writeMultipleBlocks(try blocks(0, 3), data: content(24)), [], .refusal(0x0F)),
      (.writeSingleBlock(0, data: [1, 2, 3, 4]), [], .refusal(0x02)),
      (.readSingleBlock(250), [], .refusal(0x10)),
    ])
    let (blocks, reads) = try await bench.counting { try await tag.readBlocks(0..<20) }
    #expect(blocks.flatMap(\.data) == Array(chip.memory.prefix(160)))
    #expect(reads == 10)
    let (_, writes) = try await bench.counting {
      try await tag.writeBlocks(at: 246, content(32, seed: 9))
    }
    #expect(writes == 2)
    #expect(Array(chip.memory[(size - 32)...]) == content(32, seed: 9))
  }

  /// ST's chips before the extended commands: numbers of two bytes in the ordinary ones.
  private static let protocolExtension = VicinityProcedure(
    "M24LR64: protocol extension flag", with: .vicinity(.m24lr64, formatted: false)
  ) { bench, chip, tag in
    #expect(try await tag.product()?.name == "M24LR64-R")
    #expect(try await tag.systemInformation().blockCount == 2048)
    try await tag.writeBlocks(at: 30, content(40))
    try await tag.writeBlocks(at: 1000, content(8, seed: 3))
    #expect(Array(chip.memory[120..<160]) == content(40))
    #expect(Array(chip.memory[4000..<4008]) == content(8, seed: 3))
    let (read, exchanges) = try await bench.counting { try await tag.readBlocks(16..<80) }
    #expect(read.flatMap(\.data) == Array(chip.memory[64..<320]))
    // 32 blocks, within a sector of 32.
    #expect(exchanges == 3)
    try await tag.lockBlock(1000)
    #expect(try await tag.securityStatus(999..<1002) == [0, 1, 0])
    try await tag.check([
      (.readSingleBlock(0), [], .refusal(0x03)),
      (.getSystemInformation, [], .refusal(0x03)),
      (.readSingleBlock(1000), .protocolExtension, .payload(content(4, seed: 3).hexadecimal)),
      (.writeSingleBlock(1000, data: [1, 2, 3, 4]), .protocolExtension, .refusal(0x12)),
      (.extendedReadSingleBlock(1000), [], .refusal(0x01)),
    ])
  }

  /// The number of blocks costs one exchange each time it is requested, whichever command reports it, and
  /// all of them are read.
  private static func size(
    _ name: String, _ tag: @escaping @autoclosure @Sendable () -> VirtualTag, _ count: Int
  ) -> VicinityProcedure {
    VicinityProcedure("\(name): \(count) blocks", with: tag()) { bench, chip, tag in
      let (information, questions) = try await bench.counting {
        (try await tag.systemInformation(), try await tag.systemInformation()).1
      }
      #expect(information.blockCount == count)
      #expect(information.blockSize == 4)
      #expect(questions == 2)
      #expect(try await tag.product()?.name == name)
      try await tag.writeBlocks(at: count - 6, content(24))
      let (read, exchanges) = try await bench.counting { try await tag.readBlocks(0..<count) }
      #expect(read.flatMap(\.data) == chip.memory)
      #expect(read.suffix(6).flatMap(\.data) == content(24))
      #expect(exchanges <= count / 60 + 2)
    }
  }

  /// A chip whose kind the UID does not show: what it refuses is learned once.
  ///
  /// - Parameters:
  ///   - count: how many blocks are read.
  ///   - fewest: in how many exchanges, once it is known.
  private static func unknown(
    _ name: String, _ model: VicinityModel, uid: [UInt8], reads count: Int, in fewest: Int
  ) -> VicinityProcedure {
    VicinityProcedure(
      "unknown kind: \(name)", with: .vicinity(model, uid: uid)
    ) { bench, chip, tag in
      #expect(try await tag.product() == nil)
      let (first, trials) = try await bench.counting { try await tag.readBlocks(0..<count) }
      #expect(first.flatMap(\.data) == Array(chip.memory.prefix(count * model.blockSize)))
      let (second, exchanges) = try await bench.counting { try await tag.readBlocks(0..<count) }
      #expect(second == first)
      #expect(exchanges == fewest)
      #expect(trials > exchanges)
    }
  }

  /// A Tag-it HF-I Standard by its UID is not asked for what it does not have.
  private static let tellsNothing = VicinityProcedure(
    "Tag-it Standard: no system information",
    with: .vicinity(.tagItHFIPlus, uid: [0xE0, 0x07, 0xC0, 0x00, 0x25, 0xB8, 0x6F, 0x02])
  ) { bench, chip, tag in
    for _ in 0..<2 {
      let error = await #expect(throws: NFCError.self) { try await tag.systemInformation() }
      #expect(error?.code == .unsupported)
    }
    let (blocks, exchanges) = try await bench.counting { try await tag.readBlocks(0..<8) }
    #expect(blocks.flatMap(\.data) == Array(chip.memory.prefix(32)))
    #expect(exchanges == 8)
    // Its end is what it refuses.
    let error = await #expect(throws: NFCError.self) { try await tag.readBlocks(63..<65) }
    #expect(error?.iso15693ErrorCode == .blockNotAvailable)
    #expect(error?.place == .block(64))
  }
}
