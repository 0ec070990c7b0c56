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
struct ST25TAProtectionPlan: Sendable {
  /// The steps, in the order in which they are performed, after the current write password was verified.
  let planned: [PlannedStep<ST25TAProcedure>]
  let effects: Set<IrreversibleEffect>
  /// What the file required when the plan was made.
  let before: ST25TAAccess
  /// What the file requires afterwards.
  let after: ST25TAAccess

  /// - Parameter protection: `nil` removes the protection and leaves the passwords unchanged.
  init(_ protection: ST25TAProtection?, before: ST25TAAccess) throws {
    try ST25TATag.check(protection?.writePassword)
    try ST25TATag.check(protection?.readPassword)
    guard before.read != .closed, before.write != .closed else {
      throw NFCError(.readOnly, "the file of this card is permanently closed")
    }
    self.before = before
    let read: ST25TAAccess.Right = protection?.readPassword == nil ? .open : .password
    after = ST25TAAccess(read: read, write: protection == nil ? .open : .password)
    guard protection != nil || after != before else {
      planned = []
      effects = []
      return
    }
    var steps: [PlannedStep<ST25TAProcedure>] = []
    if before.read == .password { steps.append(Self.require(.read, false)) }
    if before.write == .password { steps.append(Self.require(.write, false)) }
    if let protection {
      if let new = protection.readPassword { steps.append(Self.change(.read, to: new)) }
      steps.append(Self.change(.write, to: protection.writePassword))
      if read == .password { steps.append(Self.require(.read, true)) }
      steps.append(Self.require(.write, true))
    }
    planned = steps
    effects = protection == nil ? [] : [.forgetsPassword]
  }

  /// The steps as people see them, and what they come to.
  var steps: [ChangePlan.Step] {
    guard !planned.isEmpty else { return [] }
    return [.secret(nil, "the card receives its current write password")] + planned.map(\.step) + [
      ChangePlan.Step(
        ChangePlan.Place.named(.file, "the NDEF file"), before: .words("\(before)"),
        after: .words("\(after)"))
    ]
  }

  /// CHANGE REFERENCE DATA, and VERIFY with the new password.
  private static func change(
    _ use: ST25TATag.Password, to new: SecretKey
  ) -> PlannedStep<ST25TAProcedure> {
    PlannedStep(
      .secret(nil, "the new \(use) password"),
      marking: { procedure, hasChanged in
        try procedure.change(use, to: new)
        hasChanged = true
        try procedure.verify(use, new)
      })
  }

  /// ENABLE or DISABLE VERIFICATION REQUIREMENT.
  private static func require(
    _ use: ST25TATag.Password, _ isRequired: Bool
  ) -> PlannedStep<ST25TAProcedure> {
    PlannedStep(.action("the \(use) password is \(isRequired ? "" : "not ")required")) {
      try $0.require(use, isRequired)
    }
  }
}

extension ST25TATag {
  /// Plans the protection of the card. Writes nothing; costs the exchanges of ``access()``.
  ///
  /// Once performing the plan has begun, it is completed even if the task is cancelled. Repeat an interrupted run with a
  /// new plan, and with the new write password if its step was reached; until then the file is open. The effect that may
  /// have to be accepted is ``IrreversibleEffect/forgetsPassword``.
  ///
  /// - Parameters:
  ///   - protection: `nil` to remove the protection.
  ///   - writePassword: the current write password.
  /// - Throws: ``NFCError/Code/readOnly`` if the file is permanently closed;
  ///   ``NFCError/Code/invalidParameter`` for a password of another length. Performing throws
  ///   ``NFCError/Code/authenticationFailed``, with how many attempts are left: nothing has changed.
  public func protectionPlan(
    _ protection: ST25TAProtection?, writePassword: SecretKey = factoryPassword
  ) async throws -> ChangePlan {
    try await planProtection(protection, writePassword: writePassword).plan
  }

  /// - Returns: the plan, and whether writing requires a password now.
  package func planProtection(
    _ protection: ST25TAProtection?, writePassword: SecretKey
  ) async throws -> (plan: ChangePlan, isProtected: Bool) {
    try Self.check(writePassword)
    let plan = try ST25TAProtectionPlan(protection, before: try await access())
    return (
      ChangePlan(
        for: self, plan.steps, effects: plan.effects, recovery: Self.recovery,
        performing: { try await self.protect(plan, writePassword) }), plan.before.write != .open
    )
  }

  private static let recovery =
    "the card may already have the new passwords: request the change again, with the new "
    + "write password and with the old one; until then the file is open"

  private func protect(_ plan: ST25TAProtectionPlan, _ writePassword: SecretKey) async throws {
    try await tag.exclusively { link in
      var procedure = ST25TAProcedure(link)
      guard try procedure.open() == plan.before else { throw NFCError.planIsStale }
      try procedure.verify(.write, writePassword)
      try link.perform(plan.planned, procedure, recovery: Self.recovery)
    }
    tag.useFilePasswords(read: nil, write: nil)
  }
}
