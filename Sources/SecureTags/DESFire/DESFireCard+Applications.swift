import SwiftNFCCore

/// The description of a new application.
public struct DESFireApplicationDescription: Hashable, Sendable {
  /// The identifier, which must be new on the card.
  public var identifier: DESFireApplicationIdentifier
  /// The number of keys, 1 to 14; at first, all are the card's default key.
  public var keyCount: Int
  /// The kind of all keys.
  public var kind: DESFireKey.Kind
  /// Who may change keys and files.
  public var settings: DESFireKeySettings
  /// The ISO/IEC 7816-4 file identifier that selects the application.
  public var isoIdentifier: UInt16?
  /// The ISO/IEC 7816-4 name that selects the application, up to 16 bytes; requires
  /// ``isoIdentifier``.
  public var name: [UInt8]
  /// Whether files may have ISO/IEC 7816-4 identifiers.
  public var namesFiles: Bool
  /// Key sets to be prepared and put into use later; `nil` for the one set that every application
  /// has.
  public var keySets: DESFireKeySets?

  static let longestName = 16
  /// Bit 6 of the byte with the number of keys.
  static let namesFilesFlag: UInt8 = 0x20

  /// Creates the description of an application, without an ISO/IEC 7816-4 name unless one is given.
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

  /// - Throws: `invalidParameter` for values that no card accepts.
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
        "a name has up to \(Self.longestName) bytes, and requires an ISO file identifier")
    }
    try settings.check()
    try keySets?.validate(keyCount: keyCount)
    guard keySets == nil || kind == .aes else {
      throw NFCError(.invalidParameter, "sets of keys hold AES keys")
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
  /// Creates an application: one exchange. Requires the card's master key unless its settings say
  /// otherwise.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if the number or name is taken; ``NFCError/Code/capacityExceeded``.
  public func createApplication(_ plan: DESFireApplicationDescription) async throws {
    try plan.validate()
    try await performUninterrupted(in: .card) { try $0.createApplication(plan) }
  }

  /// Deletes an application with all its files and keys: one exchange, with the card's master key.
  /// **Cannot be undone.** On a card of the first two generations, the memory becomes free only
  /// when the card is formatted.
  ///
  /// For a delegated application, see also
  /// ``deleteDelegatedApplication(_:authenticationKey:)``.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if there is no such application;
  ///   ``NFCError/Code/notAuthenticated`` if the settings require a master key;
  ///   ``NFCError/Code/invalidParameter`` for the card itself.
  public func deleteApplication(
    _ identifier: DESFireApplicationIdentifier
  ) async throws {
    try await performUninterrupted(in: .card) { try $0.deleteApplication(identifier) }
  }

  /// Deletes all applications with their files and keys, and frees their memory: one exchange, with
  /// the card's master key, which does not change. **Cannot be undone.** No public source says
  /// whether this includes delegated applications.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of the card's master key, or if
  ///   formatting is permanently disabled.
  public func formatPermanently() async throws {
    try await performUninterrupted(in: .card) { try $0.format() }
  }
}

extension DESFireApplication {
  /// Deletes the application with all its files and keys, using its own master key: one exchange,
  /// after which the card itself is selected. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the card's settings require the card's key.
  public func deletePermanently() async throws {
    let identifier = identifier
    try await performUninterrupted { try $0.deleteApplication(identifier, isSelected: true) }
  }
}

extension DESFireProcedure {
  mutating func createApplication(_ plan: DESFireApplicationDescription) throws {
    _ = try NFCError.inDoubt(
      "the card may already have the application: list its applications to see whether it has"
    ) {
      try send(DESFireCommand(code: .createApplication, header: plan.parameters))
    }
  }

  mutating func deleteApplication(
    _ identifier: DESFireApplicationIdentifier, isSelected: Bool = false
  ) throws {
    guard identifier != .card else {
      throw NFCError(.invalidParameter, "000000 is the card itself")
    }
    if isSelected { state.selection = nil }
    _ = try NFCError.inDoubt(
      "the card may already have deleted the application: list its applications to see whether it has"
    ) {
      try send(
        DESFireCommand(
          code: .deleteApplication, header: identifier.bytes,
          answer: isSelected ? .endOfSession : .none))
    }
  }

  mutating func format() throws {
    _ = try NFCError.inDoubt(
      "the card may already be formatted: list its applications to see whether it is"
    ) {
      try send(DESFireCommand(code: .formatPICC))
    }
  }
}
