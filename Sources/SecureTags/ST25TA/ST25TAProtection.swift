import NFCCore

/// How the NDEF file of an ST25TA is to be protected. No description shows a password.
public struct ST25TAProtection: Sendable {
  /// 16 bytes.
  public var writePassword: SecretKey
  /// 16 bytes; `nil` leaves reading open.
  public var readPassword: SecretKey?

  /// Makes a protection; reading stays open unless there is a password for it.
  public init(writePassword: SecretKey, readPassword: SecretKey? = nil) {
    self.writePassword = writePassword
    self.readPassword = readPassword
  }
}

/// What protecting an ST25TA will do.
///
/// A card that is torn away is never left closed by a password that nobody knows: its file is opened before a password
/// changes, the card then accepts the new one, and only after that is anything closed.
public struct ST25TAProtectionPlan: Sendable {
  /// One exchange, two for a new password.
  public enum Step: Hashable, Sendable {
    /// VERIFY of the password that the card has.
    case authenticate(ST25TATag.Password)
    /// CHANGE REFERENCE DATA, and VERIFY of the new one. The password is never shown.
    case changePassword(ST25TATag.Password)
    /// ENABLE or DISABLE VERIFICATION REQUIREMENT.
    case require(ST25TATag.Password, Bool)
  }

  /// What cannot be undone.
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable {
    /// The passwords that the card had, which it does not show.
    case forgetsPasswords
  }

  /// In the order in which they are done.
  public let steps: [Step]
  /// What has to be asked for by name.
  public let irreversibleEffects: [IrreversibleEffect]
  /// What the file asked for when the plan was made.
  public let before: ST25TAAccess
  /// What it asks for after it.
  public let after: ST25TAAccess

  let protection: ST25TAProtection?

  /// - Parameter protection: `nil` takes the protection away and leaves the passwords as they are.
  init(_ protection: ST25TAProtection?, before: ST25TAAccess) throws {
    try ST25TATag.check(protection?.writePassword)
    try ST25TATag.check(protection?.readPassword)
    guard before.read != .closed, before.write != .closed else {
      throw NFCError(.readOnly, "the file of this card is closed for good")
    }
    self.before = before
    self.protection = protection
    let read: ST25TAAccess.Right = protection?.readPassword == nil ? .open : .password
    after = ST25TAAccess(read: read, write: protection == nil ? .open : .password)
    guard protection != nil || after != before else {
      steps = []
      irreversibleEffects = []
      return
    }
    var steps = [Step.authenticate(.write)]
    if before.read == .password { steps.append(.require(.read, false)) }
    if before.write == .password { steps.append(.require(.write, false)) }
    if protection != nil {
      if read == .password { steps.append(.changePassword(.read)) }
      steps.append(.changePassword(.write))
      if read == .password { steps.append(.require(.read, true)) }
      steps.append(.require(.write, true))
    }
    self.steps = steps
    irreversibleEffects = protection == nil ? [] : [.forgetsPasswords]
  }
}

extension ST25TATag {
  /// Finds out what protecting the card would do. Writes nothing; what ``access()`` costs.
  ///
  /// - Parameter protection: `nil` to take the protection away.
  /// - Throws: ``NFCError/Code/readOnly`` if the file is closed for good; ``NFCError/Code/invalidParameter`` for a password of another length.
  public func protectionPlan(_ protection: ST25TAProtection?) async throws -> ST25TAProtectionPlan {
    try ST25TAProtectionPlan(protection, before: try await access())
  }

  /// Does what a plan says. Once begun, it is completed even if the task is cancelled. A run that was torn can be
  /// repeated with a new plan, with the new write password if its step was reached; until then the file stands open.
  ///
  /// - Parameters:
  ///   - effects: all that cannot be undone about it and is wanted so.
  ///   - writePassword: the one that the card has.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if the plan has other effects, or if the card is not as it was
  ///   when the plan was made; ``NFCError/Code/authenticationFailed``, with how many attempts are left: nothing has changed.
  public func protect(
    _ plan: ST25TAProtectionPlan, accepting effects: Set<ST25TAProtectionPlan.IrreversibleEffect>,
    writePassword: SecretKey = factoryPassword
  ) async throws {
    try NFCError.checkAccepted(plan.irreversibleEffects, by: effects)
    try Self.check(writePassword)
    guard !plan.steps.isEmpty else { return }
    try await tag.exclusively { link in
      var procedure = ST25TAProcedure(link)
      guard try procedure.open() == plan.before else {
        throw NFCError(.invalidParameter, "the plan was made for another card, or before a change")
      }
      try procedure.verify(.write, writePassword)
      let opened = procedure
      try link.uninterrupted {
        for step in plan.steps.dropFirst() { try Self.run(step, plan, opened) }
      }
    }
    tag.useFilePasswords(read: nil, write: nil)
  }

  private static func run(
    _ step: ST25TAProtectionPlan.Step, _ plan: ST25TAProtectionPlan, _ procedure: ST25TAProcedure
  ) throws {
    switch step {
    case .authenticate: return
    case .changePassword(let use):
      let new = use == .read ? plan.protection?.readPassword : plan.protection?.writePassword
      guard let new else { return }
      try procedure.change(use, to: new)
      try procedure.verify(use, new)
    case .require(let use, let isRequired): try procedure.require(use, isRequired)
    }
  }
}

extension ST25TAProtectionPlan: CustomStringConvertible {
  /// One line per step, then one for each thing that cannot be undone.
  public var description: String {
    (steps.map(\.description) + irreversibleEffects.map { "cannot be undone: \($0)" })
      .joined(separator: "\n")
  }
}

extension ST25TAProtectionPlan.Step: CustomStringConvertible {
  public var description: String {
    switch self {
    case .authenticate(let use): "the card is given the \(use) password that it has"
    case .changePassword(let use): "the new \(use) password, not shown"
    case .require(let use, true): "the \(use) password is asked for"
    case .require(let use, false): "the \(use) password is not asked for"
    }
  }
}

extension ST25TAProtectionPlan.IrreversibleEffect: CustomStringConvertible {
  public var description: String { "the passwords that the card has now are overwritten" }
}
