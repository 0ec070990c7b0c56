import NFCCore

/// The protection that the memory of an ICODE SLIX2 is to get. No description shows a password.
public struct ICODEProtection: Sendable {
  /// The new read and write passwords.
  public var passwords: ICODEPasswords
  /// The first block that requires a password; all later blocks do too, except the counter.
  public var firstBlock: Int
  /// Whether reading requires a password as well as writing.
  public var protectsReading: Bool
  /// LOCK PAGE PROTECTION: which blocks require a password can never be changed again. **Cannot be
  /// undone.**
  public var locksProtection: Bool
  /// 64-BIT PASSWORD PROTECTION: what requires one of the two passwords will require both. **Cannot
  /// be undone.**
  public var needsBothPasswords: Bool

  /// Creates a protection. By default it covers the whole memory, protects only writing, and can be
  /// removed.
  public init(
    passwords: ICODEPasswords, firstBlock: Int = 0, protectsReading: Bool = false,
    locksProtection: Bool = false, needsBothPasswords: Bool = false
  ) {
    self.passwords = passwords
    self.firstBlock = firstBlock
    self.protectsReading = protectsReading
    self.locksProtection = locksProtection
    self.needsBothPasswords = needsBothPasswords
  }

  var division: ICODEInformation.Division {
    ICODEInformation.Division(
      pointer: firstBlock, lowPart: .open,
      highPart: ICODEInformation.Part(read: protectsReading, write: true))
  }
}

/// The read and the write password of an ICODE SLIX2, 4 bytes each.
public struct ICODEPasswords: Hashable, Sendable {
  /// The password for reading.
  public var read: SecretKey
  /// The password for writing.
  public var write: SecretKey

  /// Creates a pair of passwords.
  public init(read: SecretKey, write: SecretKey) {
    self.read = read
    self.write = write
  }

  /// Creates a pair of equal passwords.
  public init(_ password: SecretKey) {
    self.init(read: password, write: password)
  }

  /// The passwords on delivery.
  public static var factory: ICODEPasswords {
    ICODEPasswords(
      read: ICODETag.factoryPassword(.read), write: ICODETag.factoryPassword(.write))
  }

  subscript(use: ICODETag.Password) -> SecretKey {
    get { use == .read ? read : write }
    set { if use == .read { read = newValue } else { write = newValue } }
  }

  /// The two passwords of the memory, in the order in which they are presented and written.
  static let uses = [ICODETag.Password.read, .write]

  /// Compares each password in constant time.
  public static func == (left: ICODEPasswords, right: ICODEPasswords) -> Bool {
    left.read == right.read && left.write == right.write
  }

  /// Equal passwords have equal hashes, which do not depend on the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(read.count + write.count) }
}

/// The steps that protect an ICODE SLIX2, and which of their effects cannot be undone.
///
/// A tag that is removed early is never left closed by an unknown password: first the memory is
/// opened, then a password changes and the tag has to accept the new one, and only then is anything
/// closed.
public struct ICODEProtectionPlan: Sendable {
  /// One command, or two for a new password.
  public enum Step: Hashable, Sendable {
    /// SET PASSWORD with the current password.
    case authenticate(ICODETag.Password)
    /// WRITE PASSWORD, and SET PASSWORD with the new one. The password is never shown.
    case writePassword(ICODETag.Password)
    /// PROTECT PAGE.
    case divide(before: ICODEInformation.Division, after: ICODEInformation.Division)
    /// 64-BIT PASSWORD PROTECTION.
    case needBothPasswords
    /// LOCK PAGE PROTECTION.
    case lockProtection
  }

  /// What cannot be undone.
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

  /// The tag's information when the plan was made.
  public let before: ICODEInformation
  let protection: ICODEProtection?

  /// - Parameter protection: `nil` removes the protection and leaves the passwords unchanged.
  init(_ protection: ICODEProtection?, before: ICODEInformation, lastBlock: Int) throws {
    self.before = before
    self.protection = protection
    guard !before.isProtectionLocked else {
      throw NFCError(.readOnly, "the protection of this tag cannot be changed any more")
    }
    if let protection {
      guard (0...lastBlock).contains(protection.firstBlock) else {
        throw NFCError(
          .invalidParameter,
          "protection begins at block 0 to \(lastBlock), not \(protection.firstBlock)")
      }
      for use in ICODEPasswords.uses
      where protection.passwords[use].count != ICODETag.passwordSize {
        throw NFCError(
          .invalidParameter,
          "a password has \(ICODETag.passwordSize) bytes, not \(protection.passwords[use].count)")
      }
    }
    guard protection != nil || !before.division.isOpen else {
      steps = []
      irreversibleEffects = []
      return
    }
    var steps = ICODEPasswords.uses.map { Step.authenticate($0) }
    let open = ICODEInformation.Division.open
    if !before.division.isOpen { steps.append(.divide(before: before.division, after: open)) }
    var effects: [IrreversibleEffect] = []
    if let protection {
      steps += ICODEPasswords.uses.map { .writePassword($0) }
      steps.append(.divide(before: open, after: protection.division))
      if protection.needsBothPasswords {
        steps.append(.needBothPasswords)
        effects.append(.needsBothPasswords)
      }
      if protection.locksProtection {
        steps.append(.lockProtection)
        effects.append(.locksProtection)
      }
      effects.append(.forgetsPasswords)
    }
    self.steps = steps
    irreversibleEffects = effects
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
    case .needBothPasswords: "both passwords are needed from now on"
    case .lockProtection: "the protection is locked"
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
