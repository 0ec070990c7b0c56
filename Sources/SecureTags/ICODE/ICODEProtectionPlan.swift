import SwiftNFCCore

/// The steps that protect an ICODE SLIX2, SLIX-S or SLI-S, and which of their effects cannot be undone.
///
/// A tag that is removed early is never left closed by an unknown password: first the memory is
/// opened, then a password changes and the tag has to accept the new one, and only then is anything
/// closed.
public struct ICODEProtectionPlan: Sendable {
  /// One command, or two for a new password.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// SET PASSWORD with the current password.
    case authenticate(ICODETag.Password)
    /// WRITE PASSWORD, and SET PASSWORD with the new one. The password is never shown.
    case writePassword(ICODETag.Password)
    /// PROTECT PAGE of a SLIX2, which divides the memory.
    case divide(before: ICODEInformation.Division, after: ICODEInformation.Division)
    /// PROTECT PAGE of a SLIX-S or SLI-S, for one page.
    case protectPage(Int, before: ICODEInformation.Part, after: ICODEInformation.Part)
    /// 64-BIT PASSWORD PROTECTION.
    case needBothPasswords
    /// LOCK PAGE PROTECTION of a SLIX2.
    case lockProtection
    /// LOCK PAGE PROTECTION of a SLIX-S or SLI-S, for one page.
    case lockPageProtection(Int)
  }

  /// What cannot be undone.
  @nonexhaustive
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable {
    /// What requires one of the two passwords will require both.
    case needsBothPasswords
    /// Which blocks require a password can never be changed again.
    case locksProtection
    /// The previous passwords are lost, because the tag does not show them.
    case forgetsPasswords
  }

  /// The steps, in the order in which they are performed.
  public let steps: [Step]
  /// The irreversible effects, in the order of their declaration.
  public let irreversibleEffects: [IrreversibleEffect]

  /// The protection when the plan was made.
  public let before: ICODEMemoryProtection
  let protection: ICODEProtection?

  /// - Parameter protection: `nil` removes the protection and leaves the passwords unchanged.
  init(
    _ protection: ICODEProtection?, before: ICODEMemoryProtection, memory: ICODETag.Memory
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
      steps = []
      irreversibleEffects = []
      return
    }
    var steps = ICODEPasswords.uses.map { Step.authenticate($0) } + changes.opening
    var effects: [IrreversibleEffect] = []
    if let protection {
      steps += ICODEPasswords.uses.map { .writePassword($0) }
      steps += changes.closing
      if protection.needsBothPasswords {
        steps.append(.needBothPasswords)
        effects.append(.needsBothPasswords)
      }
      if protection.locksProtection {
        steps += changes.locking
        effects.append(.locksProtection)
      }
      effects.append(.forgetsPasswords)
    }
    self.steps = steps
    irreversibleEffects = effects
  }

  private static func check(_ passwords: ICODEPasswords) throws {
    for use in ICODEPasswords.uses where passwords[use].count != ICODETag.passwordSize {
      throw NFCError(
        .invalidParameter,
        "a password has \(ICODETag.passwordSize) bytes, not \(passwords[use].count)")
    }
  }
}

extension ICODEProtectionPlan: CustomStringConvertible {
  /// One line per step, then one line per effect that cannot be undone.
  public var description: String {
    (steps.map(\.description) + irreversibleEffects.map { "cannot be undone: \($0)" })
      .joined(separator: "\n")
  }
}

extension ICODEProtectionPlan.Step: CustomStringConvertible {
  public var description: String {
    switch self {
    case .authenticate(let use): "the tag receives its current \(use) password"
    case .writePassword(let use): "the new \(use) password, not shown"
    case .divide(let before, let after): "password protection: \(before) becomes \(after)"
    case .protectPage(let number, let before, let after):
      "password protection of page \(number): \(before) becomes \(after)"
    case .needBothPasswords: "both passwords are needed from now on"
    case .lockProtection: "the protection is locked"
    case .lockPageProtection(let number): "the protection of page \(number) is locked"
    }
  }
}

extension ICODEProtectionPlan.IrreversibleEffect: CustomStringConvertible {
  public var description: String {
    switch self {
    case .needsBothPasswords: "both passwords are permanently required"
    case .locksProtection: "the protection can never be changed or removed"
    case .forgetsPasswords: "the passwords that the tag has now are overwritten"
    }
  }
}
