import SwiftNFCCore

extension ICODETag {
  /// Plans the protection of the tag. Writes nothing; one exchange.
  ///
  /// - Parameter protection: `nil` to remove the protection.
  /// - Throws: ``NFCError/Code/unsupported`` for a chip without passwords for its memory;
  ///   ``NFCError/Code/readOnly`` if the protection is locked; ``NFCError/Code/invalidParameter``
  ///   for a block that cannot be the first.
  public func protectionPlan(_ protection: ICODEProtection?) async throws -> ICODEProtectionPlan {
    let memory = try passwordMemory()
    return try ICODEProtectionPlan(protection, before: try await memoryProtection(), memory: memory)
  }

  /// Carries out a plan. Once begun, it is completed even if the task is cancelled.
  ///
  /// An interrupted run may have changed one password and not yet the other. The same call
  /// completes it: if the tag refuses a password, the field is turned off and the plan's password
  /// is tried.
  ///
  /// - Parameters:
  ///   - effects: the irreversible effects that you accept. They must be those of the plan.
  ///   - current: the passwords that the tag has now.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if the plan has other
  ///   effects, or if the tag has changed since the plan was made;
  ///   ``NFCError/Code/authenticationFailed``: nothing has changed.
  public func protect(
    _ plan: ICODEProtectionPlan, accepting effects: Set<ICODEProtectionPlan.IrreversibleEffect>,
    current: ICODEPasswords = .factory
  ) async throws {
    try NFCError.checkAccepted(plan.irreversibleEffects, by: effects)
    guard !plan.steps.isEmpty else { return }
    let memory = try passwordMemory()
    try await open(current, or: plan.protection?.passwords)
    try await run { commands in
      guard try Self.memoryProtection(memory, commands) == plan.before else {
        throw NFCError(.invalidParameter, "the plan was made for another tag, or before a change")
      }
      try commands.link.uninterrupted(
        recovery:
          "the tag may already have new passwords: request the change again, which tries both"
      ) { hasChanged in
        for step in plan.steps { try Self.run(step, plan, commands, &hasChanged) }
      }
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

  private static func run(
    _ step: ICODEProtectionPlan.Step, _ plan: ICODEProtectionPlan, _ commands: VicinityCommands,
    _ hasChanged: inout Bool
  ) throws {
    switch step {
    // This was done before the first step that changes anything.
    case .authenticate: return
    case .writePassword(let use):
      guard let new = plan.protection?.passwords[use] else { return }
      try write(new, for: use, commands)
      hasChanged = true
      try give(new, for: use, commands)
    case .divide(_, let after):
      _ = try commands.send(ICODECommandCode.protectPage, after.parameters)
    case .protectPage(let number, _, let after):
      _ = try commands.send(
        ICODECommandCode.protectPage, ICODEPage.parameters(number, after))
    case .needBothPasswords: _ = try commands.send(ICODECommandCode.protectBy64Bits)
    case .lockProtection:
      // The number of either part is accepted: the pointer is the high part's.
      _ = try commands.send(
        ICODECommandCode.lockPageProtection,
        [UInt8(clamping: plan.protection?.firstBlock ?? 0)])
    case .lockPageProtection(let number):
      _ = try commands.send(ICODECommandCode.lockPageProtection, [UInt8(clamping: number)])
    }
    hasChanged = true
  }
}
