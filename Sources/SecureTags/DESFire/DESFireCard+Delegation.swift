import SwiftNFCCore

/// Delegated applications, since EV2: the card's issuer permits somebody else to create an application
/// within a limit of memory, and needs no access to the card for it.
///
/// The bytes are those of NXP's reader library and Proxmark3; NXP AN12696 has the issuer's part with an
/// example. No public source has a recording of a complete creation, and none lists the statuses
/// with which a card refuses one.
extension DESFireCard {
  /// Reads what a slot for delegated applications contains: one exchange, and one that selects the
  /// card. Returns `nil` if the card has no such slot; this ends a session.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on a card without delegated applications;
  ///   ``NFCError/Code/notAuthenticated`` if the card's settings require a key.
  public func delegatedSlot(_ number: UInt16) async throws -> DESFireDelegatedSlot? {
    try await perform(in: .card) { try $0.delegatedSlot(number) }
  }

  /// Creates a delegated application: reads its slot, authenticates with the card's key for
  /// delegation, and sends the issuer's permission. Five exchanges, and one that selects the card; the
  /// card performs the last two completely or not at all. The session is then that of the key.
  ///
  /// The card does not learn whether the issuer encrypted the first key with the right key. Authenticate
  /// with it immediately afterward. If it is wrong, only the issuer can help, with a
  /// ``DESFireDelegatedDeletionAuthorization``.
  ///
  /// - Parameters:
  ///   - key: ``DESFireDelegationKey/authentication``, which the issuer has given to the one who
  ///     creates applications.
  ///   - old: an application in the slot that the new one replaces, with all its files and keys. This
  ///     **cannot be undone**. `nil` requires a slot that is new or empty. A test of liblogicalaccess
  ///     replaces an application by one of a higher slot version; no other public source says that it
  ///     is possible. Somebody between reader and card can hide the application that is in the slot,
  ///     because a refusal has no MAC.
  /// - Throws: ``NFCError/Code/tagRefused`` if the slot holds an application, the issuer's code is
  ///   wrong, the identifier or name is taken, or the issuer has not set the card's keys for
  ///   delegation; ``NFCError/Code/authenticationFailed`` for a wrong `key`;
  ///   ``NFCError/Code/capacityExceeded`` if the quota exceeds the card's memory or is too small;
  ///   ``NFCError/Code/unsupported`` on a card without delegated applications. If the answer is lost,
  ///   ``delegatedSlot(_:)`` shows whether the application exists.
  public func createDelegatedApplication(
    _ authorization: DESFireDelegatedApplicationAuthorization, authenticationKey key: DESFireKey,
    replacingPermanently old: DESFireApplicationIdentifier? = nil
  ) async throws {
    try await performUninterrupted(in: .card) {
      try $0.createDelegatedApplication(authorization, key, replacing: old)
    }
  }

  /// Deletes a delegated application with all its files and keys: authenticates with the card's key
  /// for delegation, and sends the issuer's permission. Three exchanges, and one that selects the card.
  /// **Cannot be undone.** The slot keeps its memory and its version.
  ///
  /// The owner of the application deletes it without the issuer, by
  /// ``DESFireApplication/deletePermanently()``.
  ///
  /// - Parameter key: ``DESFireDelegationKey/authentication``.
  /// - Throws: ``NFCError/Code/tagRefused`` if there is no such application, the issuer's code is
  ///   wrong, or the issuer has not set the card's keys for delegation;
  ///   ``NFCError/Code/notAuthenticated`` for an application that is not delegated;
  ///   ``NFCError/Code/authenticationFailed`` for a wrong `key`.
  public func deleteDelegatedApplication(
    _ authorization: DESFireDelegatedDeletionAuthorization, authenticationKey key: DESFireKey
  ) async throws {
    try await performUninterrupted(in: .card) {
      try $0.deleteDelegatedApplication(authorization, key)
    }
  }

  /// Replaces one of the card's keys for delegation: one exchange in a session of the card's master key,
  /// which continues. A card accepts delegated applications after all three were set.
  ///
  /// A lost key cannot be recovered; see ``DESFireApplication/changeKey(_:from:to:)``.
  ///
  /// - Parameters:
  ///   - old: the current key. On delivery, tests of liblogicalaccess and SpringCard's sample found
  ///     zeros, of the same kind as the card's master key; a card may have other keys, for a service
  ///     of NXP.
  ///   - new: a key of the same kind.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without such a session;
  ///   ``NFCError/Code/invalidParameter`` for a key of another kind; ``NFCError/Code/tagRefused`` if
  ///   `old` is not the current key, or the card has no delegated applications.
  public func changeDelegationKey(
    _ number: DESFireDelegationKey, from old: DESFireKey, to new: DESFireKey
  ) async throws {
    try await performUninterrupted(in: .card) {
      try $0.changeDelegationKey(number, from: old, to: new)
    }
  }
}

extension DESFireProcedure {
  private static let masterKey: UInt8 = 0

  mutating func delegatedSlot(_ number: UInt16) throws -> DESFireDelegatedSlot? {
    do {
      return try send(
        DESFireCommand(
          code: .getDelegatedInfo, header: number.littleEndianBytes,
          answer: .data(count: DESFireDelegatedSlot.answerSize))
      ) { try DESFireDelegatedSlot(number, $0) }
    } catch let error as NFCError
      where error.cause == .desfireStatus(DESFireStatus.applicationNotFound.code)
    {
      // libhcinfc recorded this status of a slot that an EV3 does not have.
      return nil
    }
  }

  mutating func createDelegatedApplication(
    _ authorization: DESFireDelegatedApplicationAuthorization, _ key: DESFireKey,
    replacing old: DESFireApplicationIdentifier?
  ) throws {
    let plan = authorization.plan
    var isAuthenticated = false
    var slot: DESFireDelegatedSlot?
    do {
      slot = try delegatedSlot(plan.slot)
    } catch let error as NFCError where error.code == .notAuthenticated {
      // The card lists nothing without a key. No public source says which of its keys it accepts.
      try authenticateForDelegation(key)
      slot = try delegatedSlot(plan.slot)
      isAuthenticated = state.session != nil
    }
    try Self.requireRoom(for: plan, in: slot, replacing: old)
    if !isAuthenticated { try authenticateForDelegation(key) }
    _ = try NFCError.inDoubt(
      "the card may already have the application: read its slot to see whether it has"
    ) {
      try Self.naming(wrongCode: "the application") {
        try send(
          DESFireCommand(
            code: .createDelegatedApplication, header: plan.parameters,
            data: authorization.encryptedKey + authorization.mac, headerHasOwnFrame: true))
      }
    }
  }

  mutating func deleteDelegatedApplication(
    _ authorization: DESFireDelegatedDeletionAuthorization, _ key: DESFireKey
  ) throws {
    try authenticateForDelegation(key)
    _ = try NFCError.inDoubt(
      "the card may already have deleted the application: read its slot to see whether it has"
    ) {
      try Self.naming(wrongCode: "the deletion") {
        try send(
          DESFireCommand(
            code: .deleteApplication, header: authorization.identifier.bytes,
            data: authorization.mac))
      }
    }
  }

  /// The number has no bits for the kind of the key, unlike that of the card's master key
  /// (Proxmark3; SpringCard's sample; liblogicalaccess).
  mutating func changeDelegationKey(
    _ number: DESFireDelegationKey, from old: DESFireKey, to new: DESFireKey
  ) throws {
    guard state.session?.keyNumber == Self.masterKey else {
      throw NFCError(
        .notAuthenticated, "a key for delegation can be changed only with the card's master key")
    }
    try changeKey(number.rawValue, from: old, to: new, isCard: false)
  }

  private mutating func authenticateForDelegation(_ key: DESFireKey) throws {
    do {
      try authenticate(
        DESFireDelegationKey.authentication.rawValue, key,
        by: DESFireAuthentication(key.kind, generation))
    } catch let error as NFCError where Self.isWithoutKeys(error) {
      throw NFCError(
        .tagRefused, "the issuer has not set the card's keys for delegation", cause: error.cause)
    }
  }

  /// libhcinfc recorded the first status of an EV3 on delivery, with every method of authentication.
  private static func isWithoutKeys(_ error: NFCError) -> Bool {
    [DESFireStatus.permissionDenied, .noSuchKey].contains {
      error.cause == .desfireStatus($0.code)
    }
  }

  private static func requireRoom(
    for plan: DESFireDelegatedApplicationDescription, in slot: DESFireDelegatedSlot?,
    replacing old: DESFireApplicationIdentifier?
  ) throws {
    guard let slot, let present = slot.application else { return }
    guard present != plan.application.identifier || slot.version != plan.slotVersion else {
      throw NFCError(.tagRefused, "the card already has this application, in this slot version")
    }
    guard present == old else {
      throw NFCError(.tagRefused, "slot \(slot.number) holds application \(present)")
    }
  }

  /// Adds to a refusal what the card has found wrong: not the session's MAC, which is right.
  private static func naming<Result>(
    wrongCode subject: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as NFCError
      where error.cause == .desfireStatus(DESFireStatus.integrityError.code)
    {
      throw NFCError(
        .tagRefused,
        "the card does not accept the issuer's code for \(subject): it has another key for MACs, or "
          + "what was permitted differs", cause: error.cause)
    }
  }
}
