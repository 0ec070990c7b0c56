import SwiftNFCCore

/// The protection that the NDEF file of an ST25TA is to get. No description shows a password.
public struct ST25TAProtection: Sendable {
  /// The new write password, 16 bytes.
  public var writePassword: SecretKey
  /// The new read password, 16 bytes; `nil` leaves reading open.
  public var readPassword: SecretKey?

  /// Creates a protection; reading stays open unless there is a read password.
  public init(writePassword: SecretKey, readPassword: SecretKey? = nil) {
    self.writePassword = writePassword
    self.readPassword = readPassword
  }
}

/// The steps that protect an ST25TA.
///
/// A card that is removed early is never left closed by an unknown password: first its file is
/// opened, then a password changes and the card has to accept the new one, and only then is
/// anything closed.
public struct ST25TAProtectionPlan: Sendable {
  /// One exchange, two for a new password.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// VERIFY with the current password.
    case authenticate(ST25TATag.Password)
    /// CHANGE REFERENCE DATA, and VERIFY with the new password. The password is never shown.
    case changePassword(ST25TATag.Password)
    /// ENABLE or DISABLE VERIFICATION REQUIREMENT.
    case require(ST25TATag.Password, Bool)
  }

  /// An effect that cannot be undone. More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable {
    /// The previous passwords are lost, because the card does not show them.
    case forgetsPasswords
  }

  /// The steps, in the order in which they are performed.
  public let steps: [Step]
  /// The irreversible effects, which have to be accepted by name.
  public let irreversibleEffects: [IrreversibleEffect]
  /// What the file required when the plan was made.
  public let before: ST25TAAccess
  /// What the file requires afterwards.
  public let after: ST25TAAccess

  let protection: ST25TAProtection?

  /// - Parameter protection: `nil` removes the protection and leaves the passwords unchanged.
  init(_ protection: ST25TAProtection?, before: ST25TAAccess) throws {
    try ST25TATag.check(protection?.writePassword)
    try ST25TATag.check(protection?.readPassword)
    guard before.read != .closed, before.write != .closed else {
      throw NFCError(.readOnly, "the file of this card is permanently closed")
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
  /// Plans the protection of the card. Writes nothing; costs the exchanges of ``access()``.
  ///
  /// - Parameter protection: `nil` to remove the protection.
  /// - Throws: ``NFCError/Code/readOnly`` if the file is permanently closed;
  ///   ``NFCError/Code/invalidParameter`` for a password of another length.
  public func protectionPlan(_ protection: ST25TAProtection?) async throws -> ST25TAProtectionPlan {
    try ST25TAProtectionPlan(protection, before: try await access())
  }

  /// Carries out a plan. Once begun, it is completed even if the task is cancelled. Repeat an
  /// interrupted run with a new plan, and with the new write password if its step was reached;
  /// until then the file is open.
  ///
  /// - Parameters:
  ///   - effects: the irreversible effects that you accept. They must be those of the plan.
  ///   - writePassword: the current write password.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if the plan has other
  ///   effects, or if the card has changed since the plan was made;
  ///   ``NFCError/Code/authenticationFailed``, with how many attempts are left: nothing has
  ///   changed.
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
      try link.uninterrupted(
        recovery:
          "the card may already have the new passwords: request the change again, with the new "
          + "write password and with the old one; until then the file is open"
      ) { hasChanged in
        for step in plan.steps.dropFirst() { try Self.run(step, plan, opened, &hasChanged) }
      }
    }
    tag.useFilePasswords(read: nil, write: nil)
  }

  private static func run(
    _ step: ST25TAProtectionPlan.Step, _ plan: ST25TAProtectionPlan, _ procedure: ST25TAProcedure,
    _ hasChanged: inout Bool
  ) throws {
    switch step {
    case .authenticate: return
    case .changePassword(let use):
      let new = use == .read ? plan.protection?.readPassword : plan.protection?.writePassword
      guard let new else { return }
      try procedure.change(use, to: new)
      hasChanged = true
      try procedure.verify(use, new)
    case .require(let use, let isRequired):
      try procedure.require(use, isRequired)
      hasChanged = true
    }
  }
}

extension ST25TAProtectionPlan: CustomStringConvertible {
  /// One line per step, then one line per effect that cannot be undone.
  public var description: String {
    (steps.map(\.description) + irreversibleEffects.map { "cannot be undone: \($0)" })
      .joined(separator: "\n")
  }
}

extension ST25TAProtectionPlan.Step: CustomStringConvertible {
  public var description: String {
    switch self {
    case .authenticate(let use): "the card receives its current \(use) password"
    case .changePassword(let use): "the new \(use) password, not shown"
    case .require(let use, true): "the \(use) password is requested"
    case .require(let use, false): "the \(use) password is not requested"
    }
  }
}

extension ST25TAProtectionPlan.IrreversibleEffect: CustomStringConvertible {
  public var description: String { "the passwords that the card has now are overwritten" }
}
