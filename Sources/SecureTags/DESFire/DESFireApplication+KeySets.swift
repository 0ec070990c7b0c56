import SwiftNFCCore

/// The key sets of an application: one is in use, and others are prepared to replace it in one
/// step.
///
/// Key sets exist since EV2, with AES. The bytes are those of NXP's reader library,
/// dumacp/smartcard and libnxpsc, which were tried on EV3 cards; NXP publishes no data sheet of
/// them.
public struct DESFireKeySets: Hashable, Sendable {
  /// The number of sets, 2 to 16, including the one in use.
  public var count: Int
  /// The version of the set that is in use at first.
  public var version: UInt8
  /// The number of the key that may put another set into use, 0 to 7.
  public var rollKey: Int

  static let counts = 2...16
  static let rollKeys = 0...7
  /// In the second byte of an application's key settings: a third byte follows.
  static let settingsFlag: UInt8 = 0x10
  /// The bit of the third byte that announces the description of the sets.
  private static let setsFlag: UInt8 = 0x01

  /// Creates a description of key sets. Key 0 puts another set into use unless another key is
  /// given.
  public init(count: Int, version: UInt8 = 0, rollKey: Int = 0) {
    self.count = count
    self.version = version
    self.rollKey = rollKey
  }

  /// - Throws: `invalidParameter` for values that no card accepts.
  func validate(keyCount: Int) throws {
    guard Self.counts.contains(count) else {
      throw NFCError(.invalidParameter, "an application has 2 to 16 sets of keys")
    }
    guard Self.rollKeys.contains(rollKey), rollKey < keyCount else {
      throw NFCError(.invalidParameter, "the key that puts a set in use is one of 0 to 7")
    }
  }

  /// - Parameter kind: the kind of the application's keys; their size is the longest of all sets.
  func parameters(_ kind: DESFireKey.Kind) -> [UInt8] {
    let size: UInt8 = kind == .threeKeyTripleDES ? 24 : 16
    return [Self.setsFlag, version, UInt8(truncatingIfNeeded: count), size, UInt8(rollKey)]
  }
}

extension DESFireApplication {
  /// Prepares a key set, or starts again with one that is already prepared: one exchange with the
  /// application's master key. The set in use does not change.
  ///
  /// - Parameter set: 1 to 15; 0 is the one in use.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without such a session;
  ///   ``NFCError/Code/tagRefused`` if the application has no such set.
  public func initializeKeySet(_ set: Int) async throws {
    let code = try Self.keySet(set)
    try await performUninterrupted { try $0.initializeKeySet(code) }
  }

  /// Changes a key of a set that is being prepared (ChangeKeyEV2): one exchange in a session of
  /// EV2, which continues.
  ///
  /// - Parameters:
  ///   - set: see ``initializeKeySet(_:)``.
  ///   - old: the current key. No public source says what a set that was only initialized contains;
  ///     try zeros first.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without such a session; ``NFCError/Code/tagRefused`` if `old` is
  ///   another key, or the set was not initialized.
  public func changeKey(
    _ number: Int, ofSet set: Int, from old: DESFireKey, to new: DESFireKey
  ) async throws {
    let code = try Self.keyNumber(number)
    let setCode = try Self.keySet(set)
    try await performUninterrupted { try $0.changeKey(code, ofSet: setCode, from: old, to: new) }
  }

  /// Finishes the preparation of a set: one exchange with the application's master key.
  ///
  /// - Throws: as ``initializeKeySet(_:)``.
  public func finalizeKeySet(_ set: Int, version: UInt8) async throws {
    let code = try Self.keySet(set)
    try await performUninterrupted { try $0.finalizeKeySet(code, version: version) }
  }

  /// Puts a set with all its keys into use: one exchange with the key that was named for this when
  /// the application was created. The card performs it completely or not at all, and it ends the
  /// session. The previous keys **cannot be recovered**.
  ///
  /// If the answer is lost, only another authentication shows which set is in use.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` with another key; ``NFCError/Code/tagRefused`` for a set that is not
  ///   finalized.
  public func rollKeySet(_ set: Int) async throws {
    let code = try Self.keySet(set)
    try await performUninterrupted { try $0.rollKeySet(code) }
  }

  private static func keySet(_ set: Int) throws -> UInt8 {
    guard (1..<DESFireKeySets.counts.upperBound).contains(set) else {
      throw NFCError(.invalidParameter, "sets that are prepared have numbers from 1 to 15")
    }
    return UInt8(set)
  }
}

extension DESFireProcedure {
  /// The kind of keys in InitializeKeySet.
  private static let aesKeySet: UInt8 = 0x02

  private func requireTransaction() throws {
    guard state.session?.messaging is any TransactionMessaging else {
      throw NFCError(.notAuthenticated, "sets of keys can be changed only in an EV2 session")
    }
  }

  mutating func initializeKeySet(_ set: UInt8) throws {
    try requireTransaction()
    _ = try NFCError.inDoubt("the set may already be initialized: initialize it again") {
      try send(DESFireCommand(code: .initializeKeySet, header: [set, Self.aesKeySet]))
    }
  }

  mutating func changeKey(
    _ number: UInt8, ofSet set: UInt8, from old: DESFireKey, to new: DESFireKey
  ) throws {
    try requireTransaction()
    guard old.kind == .aes, new.kind == .aes else {
      throw NFCError(.invalidParameter, "sets of keys hold AES keys")
    }
    var plain = new.secret.withUnsafeBytes { Array($0) }
    defer { plain.wipe() }
    var data = old.secret.withUnsafeBytes { plain.combined(with: $0) } + [new.version]
    defer { data.wipe() }
    let command = DESFireCommand(
      code: .changeKeyEV2, header: [set, number], data: data, trailer: Checksum.crc32(plain),
      protection: .encrypted)
    _ = try NFCError.inDoubt(
      "the set may already have the new key: initialize it again, and write all its keys"
    ) { try send(command) }
  }

  mutating func finalizeKeySet(_ set: UInt8, version: UInt8) throws {
    try requireTransaction()
    _ = try NFCError.inDoubt(
      "the set may already be finalized: put it into use, or finalize it again"
    ) {
      try send(DESFireCommand(code: .finalizeKeySet, header: [set, version]))
    }
  }

  /// The session's key disappears with its set: the answer has no MAC.
  mutating func rollKeySet(_ set: UInt8) throws {
    try requireTransaction()
    _ = try NFCError.inDoubt(
      "the card may use the new set already: authenticate with a key of the new set, and then with "
        + "one of the old, to see which is in use"
    ) {
      try send(DESFireCommand(code: .rollKeySet, header: [set], answer: .endOfSession))
    }
  }
}
