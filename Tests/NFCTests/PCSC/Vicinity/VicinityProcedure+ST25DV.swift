import NFC
import Testing

@testable import VirtualNFC

/// The custom commands of ST25DV (data sheet DS10925, 7.6).
extension VicinityProcedure {
  private static let zero = [UInt8](repeating: 0, count: ST25DVSecurity.passwordLength)
  private static let new: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

  private static func step(
    _ code: UInt8, _ parameters: [UInt8], _ expected: VicinityOutcome
  ) -> VicinityStep {
    let command = ISO15693Command.custom(
      code: code, manufacturer: VicinityModel.st25dv64K.profile.manufacturer,
      parameters: parameters)
    return (command, [], expected)
  }

  private static func present(
    _ number: UInt8, _ password: [UInt8], _ expected: VicinityOutcome = .done
  ) -> VicinityStep {
    step(ST25DVCommand.presentPassword, [number] + password, expected)
  }

  /// Area 1 becomes the first 32 bytes; area 2, the rest, is read and written with password 1.
  static let areas = VicinityProcedure(
    "ST25DV: areas protected by passwords", with: .st25dv()
  ) { bench, chip, tag in
    typealias Command = ST25DVCommand
    try await tag.check([
      step(Command.readConfiguration, [0x05], .payload("FF")),
      step(Command.readConfiguration, [0x0B], .refusal(0x10)),
      step(Command.readConfiguration, [], .refusal(0x02)),
      step(Command.writeConfiguration, [0x05, 0x00], .refusal(0x12)),
      present(0, new, .refusal(0x0F)),
      present(4, zero, .refusal(0x10)),
      present(0, [0, 0, 0, 0], .refusal(0x02)),
      present(0, zero),
      step(Command.writeConfiguration, [0x05, 0x00], .done),
      step(Command.writeConfiguration, [0x06, 0x09], .done),
      step(Command.readConfiguration, [0x06], .payload("09")),
      // A password is changed in its own session.
      step(Command.writePassword, [0x01] + new, .refusal(0x12)),
      present(1, zero),
      step(Command.writePassword, [0x01] + new, .done),
    ])
    let before = chip.memory
    let back = try await bench.tag()
    #expect(try await back.readBlocks(0..<8).count == 8)
    let unread = await #expect(throws: NFCError.self) { try await back.readBlocks(0..<60) }
    #expect(unread?.code == .notAuthenticated)
    #expect(unread?.cause == .iso15693(0x15))
    #expect(unread?.place == .block(8))
    let unwritten = await #expect(throws: NFCError.self) {
      try await back.writeBlocks(at: 8, [UInt8](repeating: 0x5A, count: 16))
    }
    #expect(unwritten?.code == .readOnly)
    #expect(unwritten?.cause == .iso15693(0x12))
    #expect(chip.memory == before)

    try await back.check([present(1, zero, .refusal(0x0F)), present(1, new)])
    try await back.writeBlocks(at: 6, [UInt8](repeating: 0x5A, count: 16))
    #expect(try await back.readBlocks(0..<60).flatMap(\.data) == Array(chip.memory.prefix(240)))
    #expect(chip.memory[24..<40].allSatisfy { $0 == 0x5A })
    // Another session ends it.
    try await back.check([
      present(0, zero), (.readSingleBlock(8), [], .refusal(0x15)),
      // Never to be written.
      step(Command.writeConfiguration, [0x06, 0x0D], .done),
      present(1, new), (.readSingleBlock(8), [], .payload("5A5A5A5A")),
      (.writeSingleBlock(8, data: [1, 2, 3, 4]), [], .refusal(0x12)),
      // Area 1 is read whatever its register says.
      present(0, zero), step(Command.writeConfiguration, [0x04, 0x0D], .done),
      (.readSingleBlock(7), [], .payload("5A5A5A5A")),
      (.writeSingleBlock(7, data: [1, 2, 3, 4]), [], .refusal(0x12)),
      // A fast read obeys the areas, too.
      step(0xC0, [0x00], .payload("E2400001")), step(0xC0, [0x08], .refusal(0x15)),
    ])
  }
}
