import SwiftNFCCore

extension ICODETag {
  /// Plans the protection of the tag. Writes nothing; one exchange.
  ///
  /// Once performing the plan has begun, it is completed even if the task is cancelled. An interrupted run may have
  /// changed one password and not yet the other: the same request completes it. If the tag refuses a password, the field
  /// is turned off and the new password is tried. The effects that may have to be accepted are
  /// ``IrreversibleEffect/forgetsPassword``, ``IrreversibleEffect/locksConfiguration`` and
  /// ``IrreversibleEffect/requiresBothPasswords``.
  ///
  /// - Parameters:
  ///   - protection: `nil` to remove the protection.
  ///   - current: the passwords that the tag has now.
  /// - Throws: ``NFCError/Code/unsupported`` for a chip without passwords for its memory;
  ///   ``NFCError/Code/readOnly`` if the protection is locked; ``NFCError/Code/invalidParameter``
  ///   for a block that cannot be the first. Performing throws ``NFCError/Code/authenticationFailed`` for a wrong password:
  ///   nothing has changed.
  public func protectionPlan(
    _ protection: ICODEProtection?, current: ICODEPasswords = .factory
  ) async throws -> ChangePlan {
    try await planProtection(protection, current: current).plan
  }

  /// - Returns: the plan, and whether the tag is protected now.
  package func planProtection(
    _ protection: ICODEProtection?, current: ICODEPasswords
  ) async throws -> (plan: ChangePlan, isProtected: Bool) {
    let memory = try passwordMemory()
    let plan = try ICODEProtectionPlan(
      protection, before: try await memoryProtection(), memory: memory)
    return (
      ChangePlan(
        for: self, plan.steps, effects: plan.effects, recovery: Self.recovery,
        performing: { try await self.protect(plan, memory, current) }), !plan.before.isOpen
    )
  }

  private static let recovery =
    "the tag may already have new passwords: request the change again, which tries both"

  private func protect(
    _ plan: ICODEProtectionPlan, _ memory: ISO15693Chip.ICODE.Memory, _ current: ICODEPasswords
  ) async throws {
    try await open(current, or: plan.protection?.passwords)
    try await run { commands in
      guard try Self.memoryProtection(memory, commands) == plan.before else {
        throw NFCError.planIsStale
      }
      try commands.link.perform(plan.planned, commands, recovery: Self.recovery)
    }
  }

  /// Presents both passwords: the current ones or, after an interrupted change, the new ones.
  private func open(_ current: ICODEPasswords, or new: ICODEPasswords?) async throws {
    for use in ICODEPasswords.uses { try check(use, current[use]) }
    var passwords = current
    var failure: NFCError?
    var waiting = ICODEPasswords.uses[...]
    while let use = waiting.first {
      do {
        try await authenticate(use, passwords[use])
        waiting = waiting.dropFirst()
      } catch let error as NFCError where error.code == .authenticationFailed {
        guard let new, new[use] != passwords[use] else { throw failure ?? error }
        failure = failure ?? error
        passwords[use] = new[use]
        do {
          try await wake()
        } catch let second as NFCError where second.group == .connection {
          throw error
        }
        // The tag has lost the presented passwords when it wakes.
        waiting = ICODEPasswords.uses[...]
      } catch let error as NFCError where error.group == .connection {
        // If the tag could not be woken, the wrong password keeps it silent.
        throw failure ?? error
      }
    }
  }
}
