import SwiftNFCCore

/// Secure Dynamic Messaging of an NTAG 424 DNA (NT4H2421Gx data sheet, 9.3 and 10.7), and of a DESFire EV3 (NXP AN12752)
/// with the same bytes: liblogicalaccess
/// (`DESFireEV3ISO7816Commands`), NXP's reader library, and AndroidCrypto's programs, which were used with EV3 cards.
extension DESFireApplication {
  /// Changes what the card inserts into a file of standard data that is read without authentication: GetFileSettings
  /// and one exchange. Everything else in the settings of the file stays as it is.
  ///
  /// Requires a session of the key that the settings name, and a file that was created for it; see
  /// ``createFile(_:_:isoIdentifier:allowsDynamicMessaging:)``. Enabling it sets the counter of the file to zero.
  ///
  /// - Parameter messaging: keys and places in the file; `nil` to read the file as it was written.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no card has, and for a file of another type;
  ///   ``NFCError/Code/unsupported`` for another chip; ``NFCError/Code/notAuthenticated`` without the key
  ///   that the settings name; ``NFCError/Code/tagRefused`` if there is no such file, for places that the card does not
  ///   accept, and for a file that was not created for it.
  public func setDynamicMessaging(_ messaging: NTAG424DynamicMessaging?, file: Int) async throws {
    let code = try Self.fileNumber(file)
    try checkHasLinks()
    try await performUninterrupted { procedure in
      let old = try procedure.fileSettings(code)
      try procedure.requireDynamicMessaging(of: old)
      var new = old
      new.dynamicMessaging = messaging
      try procedure.changeFileSettings(code, from: old, to: new)
    }
  }

  /// Plans what ``setUp(_:file:accepting:)`` does. Changes nothing.
  ///
  /// Authenticates with the keys: the chip counts each wrong key as an attempt. Performing the plan begins by making it
  /// again; ``setUp(_:file:accepting:)``, which does both, is shorter.
  ///
  /// - Throws: as ``setUp(_:file:accepting:)``.
  public func plan(
    _ setup: NTAG424Setup, file: Int = NTAG424Link.ndefFile
  ) async throws -> ChangePlan {
    try setup.check()
    let code = try Self.fileNumber(file)
    try checkHasLinks()
    let plan = try await perform { try $0.withLink(in: code) { try $0.plan(setup) } }
    let steps = plan.steps
    return ChangePlan(
      for: card, steps, effects: plan.effects, recovery: NTAG424Plan.recovery,
      performing: { _ = try await self.setUp(setup, code) { try $0.check(stepsAre: steps) } })
  }

  /// Writes a signed link to a file, makes the card insert its data, and changes keys of the application.
  ///
  /// If a tag is removed halfway, the file holds the old link, none, or the new one, and the same call completes the
  /// setup: keys 1 to 4 first, then the link with its length last, key 0 at the end. Once begun, a cancelled task ends
  /// after the last change. Steps that are not needed are left out.
  ///
  /// An NTAG 424 DNA has its link in its NDEF file. A file of a DESFire EV3 has to be one of standard data that was
  /// created for it; see ``createFile(_:_:isoIdentifier:allowsDynamicMessaging:)``. A card that refuses the settings,
  /// because the file was not, keeps its message. Phones find the link if the application and the file have the names of
  /// NFC Forum type 4: D2760000850101 and E104, beside a capability container E103.
  ///
  /// - Parameters:
  ///   - setup: the link, the keys and the rights.
  ///   - file: the number of the file; the NDEF file of an NTAG 424 DNA unless given.
  ///   - effects: what cannot be undone and may nevertheless be done: rights that nobody can change require
  ///     ``IrreversibleEffect/locksConfiguration``.
  /// - Returns: the steps that were performed.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key, with its number; ``NFCError/Code/readOnly``
  ///   or ``NFCError/Code/notAuthenticated``, before anything is changed, if none of the keys may change the file;
  ///   ``NFCError/Code/unsupported`` for another chip, for an application without AES keys, or whose keys key 0 does
  ///   not change, and for a file with additional rights or one that was not created for it;
  ///   ``NFCError/Code/invalidParameter`` for a key that the application does not have;
  ///   ``NFCError/Code/capacityExceeded`` for a file that is too small.
  @discardableResult
  public func setUp(
    _ setup: NTAG424Setup, file: Int = NTAG424Link.ndefFile,
    accepting effects: Set<IrreversibleEffect> = []
  ) async throws -> NTAG424SetupResult {
    try setup.check()
    return try await setUp(setup, try Self.fileNumber(file)) { try $0.check(accepting: effects) }
  }

  private func checkHasLinks() throws {
    guard card.generation != .fixed || card.isNTAG424 else { throw NFCError.hasNoLinks }
  }

  private func setUp(
    _ setup: NTAG424Setup, _ file: UInt8, _ check: @escaping @Sendable (NTAG424Plan) throws -> Void
  ) async throws -> NTAG424SetupResult {
    try checkHasLinks()
    let result = try await performUninterrupted { procedure in
      try procedure.withLink(in: file) { procedure in
        let plan = try procedure.plan(setup)
        try check(plan)
        try procedure.carryOut(plan, setup)
        return NTAG424SetupResult(steps: plan.steps, link: plan.link)
      }
    }
    try Task.checkCancellation()
    return result
  }

  /// Reads how many times a file with Secure Dynamic Messaging was read (GetFileCounters): GetFileSettings and one
  /// exchange, with the key that the file's settings name.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if the file has no Secure Dynamic Messaging;
  ///   ``NFCError/Code/notAuthenticated`` without the key that its settings name.
  public func readCounter(file: Int = NTAG424Link.ndefFile) async throws -> Int {
    let code = try Self.fileNumber(file)
    return try await perform { try $0.readCounter(code) }
  }
}

extension NFCError {
  fileprivate static let hasNoLinks = NFCError(
    .unsupported, "only an NTAG 424 DNA and files of a DESFire EV3 can have dynamic messages")
}

extension DESFireProcedure {
  /// Runs the procedure of a link in the selected application.
  fileprivate mutating func withLink<Result>(
    in file: UInt8, _ body: (inout NTAG424Procedure) throws -> Result
  ) throws -> Result {
    guard generation?.hasDynamicFiles ?? true else {
      throw NFCError.hasNoLinks
    }
    var procedure = NTAG424Procedure(self, file: file)
    defer { self = procedure.commands }
    return try body(&procedure)
  }

  private static let counterSize = 3
  /// The counter and two reserved bytes (NT4H2421Gx data sheet, 10.7.3).
  private static let countersSize = 5

  /// - Throws: `unsupported` or `invalidParameter` for a card or a file that cannot have Secure Dynamic Messaging.
  func requireDynamicMessaging(of settings: DESFireFileSettings) throws {
    guard generation?.hasDynamicFiles ?? true else {
      throw NFCError.hasNoLinks
    }
    guard case .standardData = settings.content else {
      throw NFCError(.invalidParameter, "only a file of standard data can have dynamic messages")
    }
  }

  mutating func readCounter(_ number: UInt8) throws -> Int {
    guard let messaging = try fileSettings(number).dynamicMessaging else {
      throw NFCError(.unsupported, "the card counts no reads: the file has no dynamic messages")
    }
    let isOwn = state.session.map { messaging.counterRetrieval == .key(Int($0.keyNumber)) }
    let answer = try send(
      DESFireCommand(
        code: .getFileCounters, header: [number],
        protection: .data(isOwn ?? false ? .encrypted : .plain),
        answer: .data(count: Self.countersSize)))
    return Int(littleEndian: answer.prefix(Self.counterSize))
  }
}
