import NFCCore

extension DESFireApplication {
  /// Takes the place of a key: one exchange, which is carried out whole or not at all.
  ///
  /// The card has to be authenticated with the key that its settings name: the master key, a key for all changes,
  /// or the key itself. A change of the session's own key ends the session.
  ///
  /// A key that is lost cannot be had back. If the answer is lost, only another authentication shows which key is
  /// there: the error then says so. A task that is cancelled meanwhile ends after the exchange.
  ///
  /// - Parameters:
  ///   - old: the key that is there; `nil` for the session's own, for which the card does not ask.
  ///   - new: of the kind of the application's keys; the card's own master key may change its kind.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session, or with one whose key may not do it;
  ///   ``NFCError/Code/invalidParameter`` for a key of another kind; ``NFCError/Code/tagRefused`` if `old` is not
  ///   the key that is there.
  public func changeKey(
    _ number: Int, from old: DESFireKey? = nil, to new: DESFireKey
  ) async throws {
    let code = try Self.keyNumber(number)
    try await performWhole { procedure in
      try procedure.changeKey(
        code, from: old, to: new, isCard: identifier == .card)
    }
  }

  /// Changes who may do what with the application or the card: one exchange, with the master key.
  ///
  /// What is taken away by ``DESFireKeySettings/isChangeable`` and
  /// ``DESFireKeySettings/isMasterKeyChangeable`` **cannot be had back**.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a session of the master key, or if the settings are
  ///   closed.
  public func changeKeySettings(_ settings: DESFireKeySettings) async throws {
    try await performWhole { try $0.changeKeySettings(settings) }
  }
}

extension DESFireProcedure {
  private static let keyHalf = 8

  mutating func changeKey(
    _ number: UInt8, from old: DESFireKey?, to new: DESFireKey, isCard: Bool
  ) throws {
    guard let session = state.session else {
      throw NFCError(.notAuthenticated, "a key is changed in a session")
    }
    let isOwn = session.keyNumber == number
    guard isOwn || old != nil else {
      throw NFCError(
        .invalidParameter, "to change another key than the session's the card asks for the old one")
    }
    guard isOwn || old?.kind == new.kind else {
      throw NFCError(.invalidParameter, "a key is replaced by one of the same kind")
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
      trailer: check, protection: .enciphered, answer: isOwn ? .endOfSession : .none)
    do {
      _ = try send(command)
    } catch let error as NFCError where error.group == .connection {
      throw NFCError(
        error.code,
        "the answer to the change of a key was lost: authenticate with the new key, and then with "
          + "the old one, to see which is there",
        cause: error.cause)
    }
  }

  mutating func changeKeySettings(_ settings: DESFireKeySettings) throws {
    _ = try send(
      DESFireCommand(
        code: .changeKeySettings, data: [settings.byte], protection: .enciphered))
  }
}
