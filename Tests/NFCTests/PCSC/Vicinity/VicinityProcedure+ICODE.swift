import NFC
import Testing

@testable import VirtualNFC

/// The custom commands of ICODE SLIX2 (SL2S2602 data sheet rev. 4.2, 9.5.3).
extension VicinityProcedure {
  static let icode: [VicinityProcedure] = [
    signature, surveillance, passwords, protectedPages, counter, privacy, quiet,
  ]

  private static let zero: [UInt8] = [0, 0, 0, 0]
  private static let fifteen: [UInt8] = [0x0F, 0x0F, 0x0F, 0x0F]
  private static let firstBlock: VicinityStep = (.readSingleBlock(0), [], .payload("E1402701"))

  private static func step(
    _ code: UInt8, _ parameters: [UInt8], option: Bool = false, _ expected: VicinityOutcome
  ) -> VicinityStep {
    (.icode(code, parameters), option ? .option : [], expected)
  }

  private static let signature = VicinityProcedure(
    "ICODE: signature, inventory that reads", with: .icodeSLIX2()
  ) { _, chip, tag in
    let uid = Array(chip.identifier.reversed()).hexadecimal
    let inventory: ISO15693RequestFlags = [.inventory, .inventoryOneSlot]
    func read(_ parameters: [UInt8]) -> ISO15693Command {
      .other(code: ICODECommand.inventoryRead, parameters: [0x04] + parameters)
    }
    try await tag.check([
      // The pair of a genuine chip.
      step(
        ICODECommand.readSignature, [],
        .payload("CAE8183CB4823C765AFDEB78C9D66C959990FD52A5820E76E1D6E025D76EAD79")),
      step(ICODECommand.readSignature, [0x00], .refusal(0x0F)),
      step(ICODECommand.getSystemInformation, [], .payload("0000007F350000")),
      // Mask of no bits, block 0, two of them; with the option flag UID and block.
      (read([0x00, 0x00, 0x01]), inventory, .payload("E14027010300FE00")),
      (read([0x00, 0x00, 0x00]), inventory.union(.option), .payload(uid + "E1402701")),
      (read([0x08, 0x84, 0x00, 0x00]), inventory, .silence),
    ])
  }

  private static let surveillance = VicinityProcedure(
    "ICODE: article surveillance", with: .icodeSLIX2()
  ) { bench, _, tag in
    let alarm = VicinityOutcome.payload(ICODESecurity.alarm.hexadecimal)
    typealias Command = ICODECommand
    try await tag.check([
      step(Command.alarmEAS, [], .silence),
      step(Command.setEAS, [], .done),
      step(Command.alarmEAS, [], alarm),
      step(Command.resetEAS, [], .done),
      step(Command.alarmEAS, [], .silence),
      step(Command.setEAS, [], .done),
      // The identifier, and what it is compared with: all 16 bits, other ones, or none, to have it reported.
      step(Command.writeEASIdentifier, [0xAB, 0xCD], .done),
      step(Command.alarmEAS, [0x10, 0xAB, 0xCD], option: true, alarm),
      step(Command.alarmEAS, [0x10, 0xAB, 0xCE], option: true, .silence),
      step(Command.alarmEAS, [0x00], option: true, .payload("ABCD")),
      // Without its password it cannot be protected by it.
      step(Command.passwordProtect, [], .refusal(0x0F)),
    ])
    #expect(try await tag.setPassword(.eas, zero) == .done)
    try await tag.check([step(Command.passwordProtect, [], .done)])

    // What the chip keeps when the field was off.
    let back = try await bench.tag()
    try await back.check([
      step(Command.resetEAS, [], .refusal(0x0F)), step(Command.alarmEAS, [], alarm),
    ])
    #expect(try await back.setPassword(.eas, zero) == .done)
    try await back.check([
      step(Command.lockEAS, [], .done),
      step(Command.resetEAS, [], .refusal(0x0F)),
      step(Command.getSystemInformation, [], .payload("0000027F350000")),
    ])
  }

  private static let passwords = VicinityProcedure(
    "ICODE: passwords right, wrong and new", with: .icodeSLIX2()
  ) { bench, _, tag in
    let new: [UInt8] = [0xDE, 0xAD, 0xBE, 0xEF]
    let write = ICODEPassword.write.rawValue
    let change = step(ICODECommand.writePassword, [write] + new, .done)
    try await tag.check([
      // Without a random number, and for a password that there is none of.
      step(ICODECommand.setPassword, [write] + zero, .refusal(0x0F)),
      step(ICODECommand.writePassword, [write] + new, .refusal(0x0F)),
    ])
    #expect(try await tag.setPassword(ICODEPassword(rawValue: 0x20), zero) == .refusal(0x0F))
    #expect(try await tag.setPassword(.write, zero) == .done)
    try await tag.check([change])
    #expect(try await tag.setPassword(.write, new) == .done)
    // A wrong one is refused, and makes the chip deaf until its power goes: the next exchange finds out
    // that it does not answer, switches the field off and on, and reports the silence.
    #expect(try await tag.setPassword(.write, zero) == .refusal(0x0F))
    try await tag.check([(.readSingleBlock(0), [], .silence), firstBlock])
    #expect(try await tag.setPassword(.write, new) == .done)
    try await tag.check([
      step(ICODECommand.lockPassword, [write], .done),
      step(ICODECommand.writePassword, [write] + zero, .refusal(0x0F)),
    ])
    #expect(try await bench.tag().setPassword(.write, new) == .done)
  }

  private static let protectedPages = VicinityProcedure(
    "ICODE: pages protected by passwords", with: .icodeSLIX2()
  ) { bench, _, tag in
    let protect = [ICODESLIX2.counterBlock / 2 + 1, 0x30].map { UInt8($0) }
    try await tag.check([step(ICODECommand.protectPage, protect, .refusal(0x0F))])
    for kind in [ICODEPassword.read, .write] {
      #expect(try await tag.setPassword(kind, zero) == .done)
    }
    try await tag.check([
      step(ICODECommand.protectPage, protect, .done),
      step(ICODECommand.getBlockProtectionStatus, [39, 1], .payload("0006")),
    ])
    let back = try await bench.tag()
    #expect(try await back.readBlocks(0..<40).count == 40)
    let error = await #expect(throws: NFCError.self) { try await back.readBlocks(38..<42) }
    #expect(error?.iso15693ErrorCode == .unknown)
    #expect(error?.place == .block(40))
    #expect(try await back.setPassword(.read, zero) == .done)
    #expect(try await back.readBlocks(38..<42).count == 4)
    let unwritten = await #expect(throws: NFCError.self) {
      try await back.writeBlocks(at: 40, [1, 2, 3, 4])
    }
    #expect(unwritten?.iso15693ErrorCode == .unknown)
    #expect(try await back.setPassword(.write, zero) == .done)
    try await back.writeBlocks(at: 40, [1, 2, 3, 4])
    try await back.check([
      step(ICODECommand.lockPageProtection, [40], .done),
      step(ICODECommand.protectPage, protect, .refusal(0x0F)),
    ])
  }

  /// Data sheet, 9.5.3.21.
  private static let counter = VicinityProcedure(
    "ICODE: the counter in block 79", with: .icodeSLIX2()
  ) { _, chip, tag in
    let count: [UInt8] = [0x01, 0x00, 0x00, 0x00]
    try await tag.writeBlocks(at: 79, count)
    try await tag.writeBlocks(at: 79, count)
    #expect(try await tag.readBlocks(79..<80).map(\.data) == [[0x02, 0x00, 0x00, 0x00]])
    // Set to its end, and counting with the read password.
    try await tag.writeBlocks(at: 79, [0xFE, 0xFF, 0x00, 0x01])
    #expect(try await tag.outcome(of: .writeSingleBlock(79, data: count)) == .refusal(0x0F))
    #expect(try await tag.setPassword(.read, zero) == .done)
    try await tag.writeBlocks(at: 79, count)
    #expect(Array(chip.memory.suffix(4)) == [0xFF, 0xFF, 0x00, 0x01])
    #expect(try await tag.outcome(of: .writeSingleBlock(79, data: count)) == .refusal(0x0F))
  }

  /// Data sheet, 9.5.3.9 and 9.5.3.17.
  private static let privacy = VicinityProcedure(
    "ICODE: privacy and the way out of it", with: .icodeSLIX2()
  ) { bench, chip, tag in
    #expect(try await tag.covered(ICODECommand.enablePrivacy, by: zero) == .refusal(0x0F))
    // Deaf after the wrong password.
    try await tag.check([(.readSingleBlock(0), [], .silence)])
    #expect(try await tag.covered(ICODECommand.enablePrivacy, by: fifteen) == .done)
    // Nothing is answered any more but the random number and the password.
    try await tag.check([
      (.readSingleBlock(0), [], .silence),
      (.getSystemInformation, [], .silence),
      step(ICODECommand.readSignature, [], .silence),
      (.inventory(afi: nil, mask: .none), .inventoryOneSlot, .silence),
    ])
    #expect(try await tag.setPassword(.privacy, fifteen) == .done)
    try await tag.check([firstBlock])

    // A search finds no tag that hides. Once it is out, it is one like all others.
    #expect(try await tag.covered(ICODECommand.enablePrivacy, by: fifteen) == .done)
    #expect(try await bench.reader.tagsInField().isEmpty)
    let lost = await #expect(throws: NFCError.self) { try await tag.readBlocks(0..<1) }
    #expect(lost?.code == .tagConnectionLost)
    chip.withChip(ICODESLIX2.self) { $0.security.isPrivate = false }
    let back = try await bench.tag()

    // The end of the chip comes with its password, and is silent like a tag that has left.
    #expect(try await back.covered(ICODECommand.destroy, by: fifteen) == .done)
    let destroyed = await #expect(throws: NFCError.self) { try await back.readBlocks(0..<1) }
    #expect(destroyed?.code == .tagConnectionLost)
  }

  private static let quiet = VicinityProcedure(
    "ICODE: permanently quiet", with: .icodeSLIX2()
  ) { bench, _, tag in
    try await tag.check([
      step(ICODECommand.stayQuietPersistent, [], .silence),
      (.inventory(afi: nil, mask: .none), .inventoryOneSlot, .silence),
      firstBlock,
      (.resetToReady, [], .done),
      (.inventory(afi: nil, mask: .none), .inventoryOneSlot, .payload("00838ED22A080104E0")),
    ])
    #expect(try await bench.reader.tagsInField().isEmpty)
  }
}

extension ISO15693Command {
  /// A custom command of NXP's.
  static func icode(_ code: UInt8, _ parameters: [UInt8] = []) -> ISO15693Command {
    .custom(code: code, manufacturer: ICODESLIX2.model.profile.manufacturer, parameters: parameters)
  }
}

extension ISO15693Tag {
  /// SET PASSWORD under a new random number.
  func setPassword(_ kind: ICODEPassword, _ password: [UInt8]) async throws -> VicinityOutcome {
    try await covered(ICODECommand.setPassword, [kind.rawValue], by: password)
  }

  /// A command with a password under a new random number, twice (SL2S2602 data sheet, 9.5.3.2).
  func covered(
    _ code: UInt8, _ parameters: [UInt8] = [], by password: [UInt8]
  ) async throws -> VicinityOutcome {
    let random = try await sendCommand(.icode(ICODECommand.getRandomNumber)).payload
    let cover = zip(password, random + random).map { $0 ^ $1 }
    return try await outcome(of: .icode(code, parameters + cover))
  }
}
