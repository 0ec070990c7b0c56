import SwiftNFCCore

extension DESFireApplication {
  /// Replaces a key: one exchange, which the card performs completely or not at all.
  ///
  /// The session must be that of the key that the settings name: the master key, a key for all
  /// changes, or the key itself. Changing the session's own key ends the session.
  ///
  /// A lost key cannot be recovered. If the answer is lost, the error says so, and only another
  /// authentication shows which key is valid. If the task is cancelled meanwhile, it ends after the
  /// exchange.
  ///
  /// The answers that have no MAC are a refusal, and the one to a change of the session's own key. Where
  /// somebody between reader and card could change them, authenticate again: that proves which key the
  /// card has.
  ///
  /// - Parameters:
  ///   - old: the current key; `nil` for the session's own key, which the card does not require.
  ///   - new: a key of the kind that the application uses; only the card's own master key may
  ///     change its kind.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session, or with a session whose key
  ///   does not allow it; ``NFCError/Code/invalidParameter`` for a key of another kind;
  ///   ``NFCError/Code/tagRefused`` if `old` is not the current key.
  public func changeKey(
    _ number: Int, from old: DESFireKey? = nil, to new: DESFireKey
  ) async throws {
    let code = try Self.keyNumber(number)
    try await performUninterrupted { procedure in
      try procedure.changeKey(
        code, from: old, to: new, isCard: identifier == .card)
    }
  }

  /// Changes the rights of the keys of the application or the card: one exchange, with the master
  /// key.
  ///
  /// What ``DESFireKeySettings/isChangeable`` and ``DESFireKeySettings/isMasterKeyChangeable`` take
  /// away **cannot be restored**.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of the master key, or if the
  ///   settings are frozen; ``NFCError/Code/invalidParameter`` for a key that no application has.
  public func changeKeySettings(_ settings: DESFireKeySettings) async throws {
    try await performUninterrupted { try $0.changeKeySettings(settings) }
  }
}

extension DESFireProcedure {
  private static let keyHalf = 8

  mutating func changeKey(
    _ number: UInt8, from old: DESFireKey?, to new: DESFireKey, isCard: Bool
  ) throws {
    guard let session = state.session else {
      throw NFCError(.notAuthenticated, "a key can be changed only in a session")
    }
    let isOwn = session.keyNumber == number
    guard isOwn || old != nil else {
      throw NFCError(
        .invalidParameter, "to change a key other than the session's, the card requires the old key"
      )
    }
    guard isOwn || old?.kind == new.kind else {
      throw NFCError(.invalidParameter, "a key can be replaced only by one of the same kind")
    }
    var plain = new.secret.withUnsafeBytes { Array($0) }
    defer { plain.wipe() }
    var data = plain
    defer { data.wipe() }
    if !isOwn, let old {
      data = old.secret.withUnsafeBytes { data.combined(with: $0) }
    }
    if new.kind == .aes { data.append(new.version) }
    var check: [UInt8] = []
    if !isOwn {
      check =
        session.messaging is LegacyMessaging
        ? CyclicRedundancyCheck.a(plain) : Checksum.crc32(plain)
    }
    let command = DESFireCommand(
      code: .changeKey, header: [isCard ? number | new.kind.bits : number], data: data,
      trailer: check, protection: .encrypted, answer: isOwn ? .endOfSession : .none)
    _ = try NFCError.inDoubt(NFCError.newKeyInDoubt) { try send(command) }
  }

  mutating func changeKeySettings(_ settings: DESFireKeySettings) throws {
    try settings.check()
    _ = try NFCError.inDoubt(NFCError.settingsInDoubt) {
      try send(
        DESFireCommand(
          code: .changeKeySettings, data: [settings.byte], protection: .encrypted))
    }
  }
}

extension NFCError {
  /// ``recovery`` after the change of a key.
  static let newKeyInDoubt =
    "the card may already have the new key: authenticate with the new key, and then with the old "
    + "one, to see which it has"
}
