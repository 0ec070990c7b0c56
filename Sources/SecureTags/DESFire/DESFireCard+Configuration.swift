import SwiftNFCCore

extension DESFireCard {
  /// Plans a permanent change of what the card does (MF3ICDx21_41_81 data sheet, 9.4.9: SetConfiguration, option 00). No
  /// exchange.
  ///
  /// Performing the plan is one exchange, with the card's master key. **Cannot be undone**, which is why each effect is
  /// named twice. If the answer is lost, the error says so, and the same change completes it.
  ///
  /// - Parameter effects: ``IrreversibleEffect/showsRandomUID``, ``IrreversibleEffect/disablesFormatting`` or both; what
  ///   is not named does not change.
  /// - Throws: ``NFCError/Code/invalidParameter`` for no effect, or another one. Performing throws
  ///   ``NFCError/Code/notAuthenticated`` without a session of the card's master key.
  public func configurationPlan(_ effects: Set<IrreversibleEffect>) throws -> ChangePlan {
    let possible: [IrreversibleEffect] = [.showsRandomUID, .disablesFormatting]
    guard !effects.isEmpty, effects.isSubset(of: possible) else {
      throw NFCError(
        .invalidParameter, "the card can show a random UID, and refuse to be formatted")
    }
    return ChangePlan(
      for: self,
      possible.filter { effects.contains($0) }.map {
        .action($0 == .showsRandomUID ? "a random UID" : "formatting is disabled")
      }, effects: effects, recovery: NFCError.settingsInDoubt,
      performing: {
        try await self.performUninterrupted(in: .card) { try $0.configure(effects) }
      })
  }

  /// Sets the initial key of later applications: one exchange, with the card's master key
  /// (SetConfiguration, option 01).
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of the card's master key.
  public func setDefaultKey(_ key: DESFireKey) async throws {
    try await performUninterrupted(in: .card) { try $0.setDefaultKey(key) }
  }
}

extension DESFireCard {
  /// **Permanently** switches a DESFire Light or an NTAG 424 DNA to LRP: it no longer accepts EV2's
  /// authentication, and Secure Dynamic Messaging ends. One exchange with key 0, which the chip
  /// performs completely or not at all and which ends the session (SetConfiguration, option 05: NXP
  /// AN12343, table 18; NT4H2421Gx data sheet, table 50). If the answer is lost, the next authentication shows the mode.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for another card; ``NFCError/Code/notAuthenticated``
  ///   without a session of key 0; ``NFCError/Code/invalidParameter`` for a chip that already uses
  ///   LRP (``usesLRP``).
  public func switchToLRPPermanently() async throws {
    guard hasLRP else {
      throw NFCError(.unsupported, "no public source says that this card has LRP")
    }
    try await performUninterrupted(in: .fixed) { try $0.switchToLRP() }
  }
}

extension DESFireApplication {
  /// Sets the limits of a DESFire Light's value file, its value, and what everyone may do with it:
  /// one exchange with key 0, which the chip performs completely or not at all (SetConfiguration,
  /// option 09: NXP AN12343, table 5). On other cards, this is set when the file is created.
  ///
  /// - Parameter settings: ``DESFireValueSettings/initialValue`` becomes the value.
  /// - Throws: ``NFCError/Code/unsupported`` for another card; ``NFCError/Code/invalidParameter`` for a value beyond
  ///   the limits; ``NFCError/Code/notAuthenticated`` without a session of key 0.
  public func configureValueFile(_ number: Int, _ settings: DESFireValueSettings) async throws {
    let code = try Self.fileNumber(number)
    guard card.generation == .fixed else {
      throw NFCError(.unsupported, "the limits of a value are set when its file is created")
    }
    try await performUninterrupted { try $0.configureValueFile(code, settings) }
  }
}

extension DESFireProcedure {
  private enum Option {
    static let configuration: UInt8 = 0x00
    static let defaultKey: UInt8 = 0x01
    /// The option for chips whose files are fixed.
    static let capabilities: UInt8 = 0x05
    static let valueFile: UInt8 = 0x09
  }

  /// PDCap2.1 with LRP, and zeros for bytes that are reserved or do not change (AN12343, table 18).
  private static let lrpCapabilities: [UInt8] = [0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0]
  private static let masterKey: UInt8 = 0

  mutating func switchToLRP() throws {
    guard state.session?.keyNumber == Self.masterKey else {
      throw NFCError(.notAuthenticated, "switching the chip to LRP requires a session with key 0")
    }
    guard !state.usesLRP else {
      throw NFCError(.invalidParameter, "the chip already uses LRP")
    }
    // AN12343 shows an answer without a MAC, as for other commands that end the session.
    _ = try NFCError.inDoubt(
      "the chip may already use LRP: authenticate again, which shows whether it does"
    ) {
      try send(
        DESFireCommand(
          code: .setConfiguration, header: [Option.capabilities], data: Self.lrpCapabilities,
          protection: .encrypted, answer: .endOfSession))
    }
    state.usesLRP = true
  }

  private static let formatDisabledFlag: UInt8 = 0x01
  private static let randomUIDFlag: UInt8 = 0x02
  /// The room for a default key, the same for keys of every kind.
  private static let defaultKeySize = 24

  mutating func configure(_ effects: Set<IrreversibleEffect>) throws {
    var flags: UInt8 = 0
    if effects.contains(.disablesFormatting) { flags |= Self.formatDisabledFlag }
    if effects.contains(.showsRandomUID) { flags |= Self.randomUIDFlag }
    try setConfiguration(Option.configuration, [flags])
  }

  mutating func configureValueFile(_ number: UInt8, _ settings: DESFireValueSettings) throws {
    try setConfiguration(Option.valueFile, [number] + Self.parameters(settings))
  }

  mutating func setDefaultKey(_ key: DESFireKey) throws {
    var data = key.secret.withUnsafeBytes { Array($0) }
    defer { data.wipe() }
    data += [UInt8](repeating: 0, count: Self.defaultKeySize - data.count) + [key.version]
    try setConfiguration(
      Option.defaultKey, data,
      recovery: "the card may have the new default key already: set it again")
  }

  private mutating func setConfiguration(
    _ option: UInt8, _ data: [UInt8], recovery: String = NFCError.settingsInDoubt
  ) throws {
    _ = try NFCError.inDoubt(recovery) {
      try send(
        DESFireCommand(
          code: .setConfiguration, header: [option], data: data, protection: .encrypted))
    }
  }
}
