import SwiftNFCCore

/// The steps that protect an ICODE SLIX2, SLIX-S or SLI-S, and which of their effects cannot be undone.
///
/// A tag that is removed early is never left closed by an unknown password: first the memory is
/// opened, then a password changes and the tag has to accept the new one, and only then is anything
/// closed.
struct ICODEProtectionPlan: Sendable {
  /// The steps, in the order in which they are performed, after both passwords were presented.
  let planned: [PlannedStep<VicinityCommands>]
  let effects: Set<IrreversibleEffect>

  /// The protection when the plan was made.
  let before: ICODEMemoryProtection
  let protection: ICODEProtection?

  /// - Parameter protection: `nil` removes the protection and leaves the passwords unchanged.
  init(
    _ protection: ICODEProtection?, before: ICODEMemoryProtection, memory: ISO15693Chip.ICODE.Memory
  ) throws {
    self.before = before
    self.protection = protection
    let changes = ICODEProtectionChanges(before, protection)
    try changes.checkLocks()
    if let protection {
      try Self.check(protection.passwords)
      try memory.check(firstBlock: protection.firstBlock)
    }
    guard protection != nil || !before.isOpen else {
      planned = []
      effects = []
      return
    }
    var steps = changes.opening
    var effects: Set<IrreversibleEffect> = []
    if let protection {
      steps += ICODEPasswords.uses.map { Self.write(protection.passwords[$0], for: $0) }
      steps += changes.closing
      if protection.needsBothPasswords {
        steps.append(
          PlannedStep(.action("both passwords are required from now on")) {
            _ = try $0.send(ICODECommandCode.protectBy64Bits)
          })
        effects.insert(.requiresBothPasswords)
      }
      if protection.locksProtection {
        steps += changes.locking
        effects.insert(.locksConfiguration)
      }
      effects.insert(.forgetsPassword)
    }
    planned = steps
    self.effects = effects
  }

  /// The steps as people see them, with the passwords that are presented first.
  var steps: [ChangePlan.Step] {
    guard !planned.isEmpty else { return [] }
    return ICODEPasswords.uses.map {
      .secret(nil, "the tag receives its current \($0) password")
    } + planned.map(\.step)
  }

  /// WRITE PASSWORD, and SET PASSWORD with the new one.
  private static func write(
    _ new: SecretKey, for use: ICODETag.Password
  ) -> PlannedStep<VicinityCommands> {
    PlannedStep(
      .secret(nil, "the new \(use) password"),
      marking: { commands, hasChanged in
        try ICODETag.write(new, for: use, commands)
        hasChanged = true
        try ICODETag.present(new, for: use, commands)
      })
  }

  private static func check(_ passwords: ICODEPasswords) throws {
    for use in ICODEPasswords.uses where passwords[use].count != ICODETag.passwordSize {
      throw NFCError(
        .invalidParameter,
        "a password has \(ICODETag.passwordSize) bytes, not \(passwords[use].count)")
    }
  }
}
