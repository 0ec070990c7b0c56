import NFC
import Testing

@testable import VirtualNFC

/// What goes wrong in the middle of commands that are sent once: passwords, article surveillance,
/// states. Reads, writes and locks, which procedures repeat, are in `PCSCFaultTests`.
extension VicinityProcedure {
  static let faults = effects.flatMap { effect in [inPassword(effect), inSurveillance(effect)] }

  private typealias Effect = VirtualPCSCReader.Fault.Effect

  private static let effects: [Effect] = [.frameLost, .answerLost, .answerBroken, .tagLeaves]

  /// What the caller of a single command receives.
  private static func outcome(_ effect: Effect) -> VicinityOutcome {
    switch effect {
    case .answerBroken: .broken
    case .tagLeaves: .error(.tagConnectionLost)
    default: .silence
    }
  }

  /// The tag on which it goes on, once what was wrong has passed.
  private static func tag(
    after effect: Effect, _ tag: any ISO15693Tag, _ chip: VirtualTag, _ bench: Bench
  ) async throws -> any ISO15693Tag {
    bench.virtual.setFaults([])
    guard effect == .tagLeaves else { return tag }
    let lost = await #expect(throws: NFCError.self) { try await tag.readBlocks(0..<1) }
    #expect(lost?.code == .tagConnectionLost)
    bench.field.place(chip)
    return try await bench.tag()
  }

  /// At the random number and at the password.
  private static func inPassword(_ effect: Effect) -> VicinityProcedure {
    VicinityProcedure("\(effect) in a password", with: .icodeSLIX2()) { bench, chip, tag in
      let zero: [UInt8] = [0, 0, 0, 0]
      bench.virtual.setFaults([.init(effect, at: 0)])
      #expect(
        try await tag.outcome(of: .icode(ICODECommand.getRandomNumber)) == outcome(effect))
      var tag = try await Self.tag(after: effect, tag, chip, bench)
      bench.virtual.setFaults([.init(effect, at: 1)])
      #expect(try await tag.setPassword(.read, zero) == outcome(effect))
      // The tag may have taken it; whoever is not sure gives it again.
      let isOpen = chip.withChip(ICODESLIX2.self) { $0.security.open.contains(.read) }
      #expect(isOpen == (effect == .answerLost || effect == .answerBroken))
      tag = try await Self.tag(after: effect, tag, chip, bench)
      #expect(try await tag.setPassword(.read, zero) == .done)
      #expect(try await tag.readBlocks(0..<80).count == 80)
    }
  }

  private static func inSurveillance(_ effect: Effect) -> VicinityProcedure {
    VicinityProcedure(
      "\(effect) in article surveillance", with: .icodeSLIX2()
    ) { bench, chip, tag in
      bench.virtual.setFaults([.init(effect, at: 0)])
      #expect(try await tag.outcome(of: .icode(ICODECommand.setEAS)) == outcome(effect))
      let isSet = chip.withChip(ICODESLIX2.self) { $0.security.isEASSet }
      #expect(isSet == (effect == .answerLost || effect == .answerBroken))
      let tag = try await Self.tag(after: effect, tag, chip, bench)
      try await tag.check([
        (.icode(ICODECommand.setEAS), [], .done),
        (.icode(ICODECommand.alarmEAS), [], .payload(ICODESecurity.alarm.hexadecimal)),
      ])
    }
  }
}

/// Two exchanges that belong together.
enum VicinityPair: CaseIterable {
  case password
  case surveillance

  var expected: VicinityOutcome {
    self == .password ? .done : .payload(ICODESecurity.alarm.hexadecimal)
  }

  func run(on tag: any ISO15693Tag) async throws -> VicinityOutcome {
    guard self == .surveillance else {
      return try await tag.setPassword(.read, ICODEPassword.read.factoryValue)
    }
    _ = try await tag.sendCommand(.icode(ICODECommand.setEAS))
    return try await tag.outcome(of: .icode(ICODECommand.alarmEAS))
  }
}
