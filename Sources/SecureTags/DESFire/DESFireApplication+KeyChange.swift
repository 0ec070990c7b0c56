import SwiftNFCCore

/// A change of a key by the secrets that somebody has, whatever the settings of the application are.
public struct DESFireKeyChange: Sendable {
  /// The number of the key.
  public var number: Int
  /// The bytes of the new key.
  public var secret: SecretKey
  /// The version of the new key; `nil` for 0, or for a DES key what its bytes say.
  public var version: UInt8?
  /// The new kind of the card's own master key; `nil` leaves it.
  public var kind: DESFireKey.Kind?
  /// The keys of the application that are known, by their numbers. Which of them are needed depends on its settings.
  public var current: [Int: SecretKey]

  /// Creates a change.
  public init(
    _ number: Int, to secret: SecretKey, version: UInt8? = nil, kind: DESFireKey.Kind? = nil,
    current: [Int: SecretKey]
  ) {
    self.number = number
    self.secret = secret
    self.version = version
    self.kind = kind
    self.current = current
  }

  /// What a change has done, or would do.
  public struct Outcome: Hashable, Sendable {
    /// The version of the key before; `nil` if the card does not report it, or had the new key already.
    public let versionBefore: UInt8?
    /// The kind of the new key.
    public let kind: DESFireKey.Kind
    /// The version of the new key.
    public let version: UInt8
  }
}

extension DESFireApplication {
  /// Changes a key, with the key that the settings require for it, and verifies the new one: eight exchanges, without
  /// that which ends the session. Once begun, it ends before a cancelled task does.
  ///
  /// The same call can be made again after an answer was lost: it finds the new key then.
  ///
  /// - Returns: the versions before and after.
  /// - Throws: ``NFCError/Code/notAuthenticated`` without a key that is needed; ``NFCError/Code/authenticationFailed`` for
  ///   a wrong one; ``NFCError/Code/readOnly`` for a key that can never be changed; ``NFCError/Code/invalidParameter`` for
  ///   a new key of another size. Nothing has changed in these cases. ``NFCError/Code/unsupported`` if the card does not
  ///   report what kind its keys are.
  @discardableResult
  public func changeKey(_ change: DESFireKeyChange) async throws -> DESFireKeyChange.Outcome {
    let identifier = identifier
    return try await performUninterrupted { try $0.changeKey(change, in: identifier) }
  }

  /// Plans ``changeKey(_:)``. Changes nothing: five exchanges, with the key that the settings require.
  ///
  /// Performing the plan begins again, so that the settings are those of the moment.
  ///
  /// - Throws: as ``changeKey(_:)``, without the errors of the changed key itself.
  public func keyChangePlan(_ change: DESFireKeyChange) async throws -> ChangePlan {
    let identifier = identifier
    let planned = try await perform { try $0.prepare(change, in: identifier).outcome }
    let application = ChangePlan.Place.named(.application, identifier.name)
    let before = planned.versionBefore.map { "version \([$0].hexadecimal)" }
    return ChangePlan(
      for: card,
      [
        ChangePlan.Step(
          ChangePlan.Place(.key, change.number, in: application),
          before: .words(before ?? "unknown version"),
          after: .words("\(planned.kind.name), version \([planned.version].hexadecimal)"),
          isSecret: true)
      ], recovery: NFCError.newKeyInDoubt,
      performing: { try await self.changeKey(change) })
  }
}

extension DESFireApplicationIdentifier {
  /// A text for people: `the card`, `application F00001`.
  package var name: String { self == .card ? "the card" : "application \(self)" }
}

extension DESFireProcedure {
  /// What is known before a key is changed.
  fileprivate struct KeyChangePreparation {
    let outcome: DESFireKeyChange.Outcome
    let new: DESFireKey
    /// The number of the key whose session is open.
    let prover: Int
    /// Whether the card has the new key already.
    var isDone = false
  }

  /// INTEGRITY_ERROR: the old key is wrong, so the card decrypts a wrong new key, which does not match its checksum
  /// (NT4H2421Gx data sheet, table 63).
  private static let wrongOldKey = NFCError.Cause.desfireStatus(0x1E)

  fileprivate mutating func changeKey(
    _ change: DESFireKeyChange, in application: DESFireApplicationIdentifier
  ) throws -> DESFireKeyChange.Outcome {
    let ready = try prepare(change, in: application, findsNew: true)
    guard !ready.isDone else { return ready.outcome }
    let code = try DESFireApplication.keyNumber(change.number)
    var old: DESFireKey?
    if ready.prover != change.number {
      guard let given = change.current[change.number] else {
        throw NFCError(
          .notAuthenticated,
          "the card requires the current key \(change.number) of \(application.name), too",
          place: .key(change.number))
      }
      old = try DESFireKey(ready.outcome.kind, given)
    }
    do {
      try changeKey(code, from: old, to: ready.new, isCard: application == .card)
    } catch let error as NFCError where old != nil && error.cause == Self.wrongOldKey {
      guard try has(ready.new, code) else {
        throw Self.wrong(change.number, application, error)
      }
      return ready.outcome
    }
    do {
      try open(code, ready.new)
    } catch var error as NFCError where error.code == .authenticationFailed {
      error.code = .tagResponseError
      error.reason =
        "the card accepted the change of key \(change.number) but does not accept the new key"
      error.recovery = "try the old one"
      throw error
    }
    return ready.outcome
  }

  /// Finds out what the change requires, and opens a session with the key for it.
  ///
  /// - Parameter findsNew: whether a card that has the new key already is no error.
  fileprivate mutating func prepare(
    _ change: DESFireKeyChange, in application: DESFireApplicationIdentifier,
    findsNew: Bool = false
  ) throws -> KeyChangePreparation {
    let code = try DESFireApplication.keyNumber(change.number)
    var summary = try freeSummary()
    // Without a session, a refusal costs none.
    let version = try unlessRefused { try $0.keyVersion(code) }
    let prover = try prover(change.number, summary?.settings, application)
    do {
      try open(prover, change, summary?.kind, application)
    } catch let error as NFCError
      where prover == change.number && findsNew
      // A key that was changed to another kind has another size, too.
      && [.authenticationFailed, .invalidParameter].contains(error.code)
    {
      guard let kind = summary?.kind ?? fixedKind, kind == change.kind ?? kind,
        let new = try? DESFireKey(kind, change.secret, version: change.version),
        try has(new, code)
      else { throw error }
      return KeyChangePreparation(
        outcome: .init(versionBefore: nil, kind: kind, version: new.version), new: new,
        prover: prover, isDone: true)
    }
    if summary == nil, generation != .fixed { summary = try unlessRefused { try $0.keySummary() } }
    guard let kind = change.kind ?? summary?.kind ?? fixedKind else {
      throw NFCError(.unsupported, "the card does not report what the key is for")
    }
    let new = try DESFireKey(kind, change.secret, version: change.version)
    return KeyChangePreparation(
      outcome: .init(versionBefore: version, kind: kind, version: new.version), new: new,
      prover: prover)
  }

  private var fixedKind: DESFireKey.Kind? { generation == .fixed ? .aes : nil }

  /// Returns the settings of the keys; `nil` if the card requires its master key first. A chip with fixed files does not
  /// support the command.
  private mutating func freeSummary() throws -> DESFireKeySummary? {
    generation == .fixed ? nil : try unlessRefused { try $0.keySummary() }
  }

  private mutating func unlessRefused<Answer>(
    _ question: (inout Self) throws -> Answer
  ) throws -> Answer? {
    do {
      return try question(&self)
    } catch let error as NFCError
      where [.notAuthenticated, .unsupported, .tagRefused].contains(error.code)
    {
      return nil
    }
  }

  /// Returns the number of the key that authorizes the change.
  private func prover(
    _ number: Int, _ settings: DESFireKeySettings?, _ application: DESFireApplicationIdentifier
  ) throws -> Int {
    if number == 0 { return 0 }
    switch settings?.keyChange {
    case .key(let prover): return prover
    case .sameKey: return number
    case .nobody:
      throw NFCError(
        .readOnly, "key \(number) of \(application.name) can never be changed")
    case nil: return 0
    }
  }

  /// Opens a session with a key that is given. If the application does not report the kind of its keys, AES is tried
  /// before DES.
  private mutating func open(
    _ number: Int, _ change: DESFireKeyChange, _ kind: DESFireKey.Kind?,
    _ application: DESFireApplicationIdentifier
  ) throws {
    guard let secret = change.current[number] else {
      throw NFCError(
        .notAuthenticated,
        "key \(change.number) is changed with key \(number) of \(application.name)",
        place: .key(number))
    }
    let code = try DESFireApplication.keyNumber(number)
    let kinds: [DESFireKey.Kind] =
      if let kind = kind ?? fixedKind {
        [kind]
      } else {
        switch secret.count {
        case 24: [.threeKeyTripleDES]
        case 8: [.des]
        default: [.aes, .des]
        }
      }
    var failure: NFCError?
    for kind in kinds {
      do {
        return try open(code, try DESFireKey(kind, secret))
      } catch let error as NFCError where error.code == .authenticationFailed {
        failure = Self.wrong(number, application, error)
      }
    }
    if let failure { throw failure }
  }

  private static func wrong(
    _ number: Int, _ application: DESFireApplicationIdentifier, _ error: NFCError
  ) -> NFCError {
    var wrong = error
    wrong.code = .authenticationFailed
    wrong.reason = "key \(number) of \(application.name) is not the one that is given"
    wrong.recovery = nil
    wrong.place = .key(number)
    return wrong
  }

  private mutating func open(_ number: UInt8, _ key: DESFireKey) throws {
    guard generation == .fixed else {
      return try authenticate(number, key, by: DESFireAuthentication(key.kind, generation))
    }
    try authenticateAsConfigured(number, key)
  }

  /// Returns whether the card has a key.
  private mutating func has(_ key: DESFireKey, _ number: UInt8) throws -> Bool {
    do {
      try open(number, key)
      return true
    } catch let error as NFCError where error.code == .authenticationFailed {
      return false
    }
  }
}
