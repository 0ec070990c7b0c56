import NFCCore

/// A new application.
public struct DESFireApplicationPlan: Hashable, Sendable {
  /// The identifier, which no application of the card has yet.
  public var identifier: DESFireApplicationIdentifier
  /// 1 to 14; all have the card's default key at first.
  public var keyCount: Int
  /// The kind of all its keys.
  public var kind: DESFireKey.Kind
  /// Who may change keys and files.
  public var settings: DESFireKeySettings
  /// The file identifier by which ISO/IEC 7816-4 selects it.
  public var isoIdentifier: UInt16?
  /// The name by which ISO/IEC 7816-4 selects it, up to 16 bytes; needs ``isoIdentifier``.
  public var name: [UInt8]
  /// Whether files may have identifiers of ISO/IEC 7816-4.
  public var namesFiles: Bool
  /// Sets of keys to be prepared and put in use later; `nil` for the one set that every application has.
  public var keySets: DESFireKeySets?

  static let longestName = 16
  /// Bit 6 beside the number of keys.
  static let namesFilesFlag: UInt8 = 0x20

  /// An application; without a name of ISO/IEC 7816-4 unless one is given.
  public init(
    _ identifier: DESFireApplicationIdentifier, keyCount: Int, kind: DESFireKey.Kind,
    settings: DESFireKeySettings = .factory, isoIdentifier: UInt16? = nil, name: [UInt8] = [],
    namesFiles: Bool = false, keySets: DESFireKeySets? = nil
  ) {
    self.identifier = identifier
    self.keyCount = keyCount
    self.kind = kind
    self.settings = settings
    self.isoIdentifier = isoIdentifier
    self.name = name
    self.namesFiles = namesFiles
    self.keySets = keySets
  }

  /// - Throws: `invalidParameter` for what no card takes.
  func validate() throws {
    guard identifier != .card else {
      throw NFCError(.invalidParameter, "000000 is the card itself")
    }
    guard (1...DESFireApplication.mostKeys).contains(keyCount) else {
      throw NFCError(
        .invalidParameter, "an application has 1 to \(DESFireApplication.mostKeys) keys")
    }
    guard name.count <= Self.longestName, name.isEmpty || isoIdentifier != nil else {
      throw NFCError(
        .invalidParameter,
        "a name has up to \(Self.longestName) bytes, and an ISO file identifier beside it")
    }
    try keySets?.validate(keyCount: keyCount)
    guard keySets == nil || kind == .aes else {
      throw NFCError(.invalidParameter, "the keys of sets are AES")
    }
  }

  var parameters: [UInt8] {
    identifier.bytes + [
      settings.byte,
      UInt8(keyCount) | kind.bits | (namesFiles ? Self.namesFilesFlag : 0)
        | (keySets == nil ? 0 : DESFireKeySets.settingsFlag),
    ] + (keySets?.parameters(kind) ?? [])
      + (isoIdentifier.map { $0.littleEndianBytes + name } ?? [])
  }
}

extension DESFireCard {
  /// Makes an application: one exchange. Needs the card's master key unless its settings say otherwise.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if the number or name is taken; ``NFCError/Code/capacityExceeded``.
  public func createApplication(_ plan: DESFireApplicationPlan) async throws {
    try plan.validate()
    try await performWhole(in: .card) { try $0.createApplication(plan) }
  }

  /// Deletes an application with all its files and keys: one exchange, with the card's master key. **Cannot be
  /// undone.** A card of the first two generations does not give the memory back before it is formatted.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if there is no such application; ``NFCError/Code/notAuthenticated`` if
  ///   the settings ask for a master key; ``NFCError/Code/invalidParameter`` for the card itself.
  public func deleteApplication(
    _ identifier: DESFireApplicationIdentifier
  ) async throws {
    try await performWhole(in: .card) { try $0.deleteApplication(identifier) }
  }

  /// Deletes all applications with their files and keys, and gives their memory back: one exchange, with the card's
  /// master key, which stays as it is. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of the card's master key, or if formatting is
  ///   closed for good.
  public func formatPermanently() async throws {
    try await performWhole(in: .card) { try $0.format() }
  }
}

extension DESFireApplication {
  /// Deletes the application with all its files and keys, with its own master key: one exchange, after which the card
  /// itself is selected. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the card's settings ask for the card's key.
  public func deletePermanently() async throws {
    let identifier = identifier
    try await performWhole { try $0.deleteApplication(identifier, isSelected: true) }
  }
}

extension DESFireProcedure {
  mutating func createApplication(_ plan: DESFireApplicationPlan) throws {
    _ = try send(DESFireCommand(code: .createApplication, header: plan.parameters))
  }

  mutating func deleteApplication(
    _ identifier: DESFireApplicationIdentifier, isSelected: Bool = false
  ) throws {
    guard identifier != .card else {
      throw NFCError(.invalidParameter, "000000 is the card itself")
    }
    if isSelected { state.selection = nil }
    _ = try send(
      DESFireCommand(
        code: .deleteApplication, header: identifier.bytes,
        answer: isSelected ? .endOfSession : .none))
  }

  mutating func format() throws {
    _ = try send(DESFireCommand(code: .formatPICC))
  }
}
