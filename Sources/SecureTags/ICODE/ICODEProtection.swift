import NFCCore

/// How the memory of an ICODE SLIX2 is to be protected. No description shows a password.
public struct ICODEProtection: Sendable {
  /// The new read and write passwords.
  public var passwords: ICODEPasswords
  /// The first block that asks for a password; all after it do too, except the counter.
  public var firstBlock: Int
  /// Reading asks for a password as well as writing.
  public var protectsReading: Bool
  /// LOCK PAGE PROTECTION: which blocks ask for a password can never be changed again. **Cannot be undone.**
  public var locksProtection: Bool
  /// 64-BIT PASSWORD PROTECTION: what one of the two passwords is needed for needs both. **Cannot be undone.**
  public var needsBothPasswords: Bool

  /// Makes a protection: of the whole memory, against writing, and such that it can be taken away, unless said otherwise.
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
  /// For reading.
  public var read: SecretKey
  /// For writing.
  public var write: SecretKey

  /// Makes a pair of passwords.
  public init(read: SecretKey, write: SecretKey) {
    self.read = read
    self.write = write
  }

  /// The same for both.
  public init(_ password: SecretKey) {
    self.init(read: password, write: password)
  }

  /// As the chip leaves the factory.
  public static var factory: ICODEPasswords {
    ICODEPasswords(
      read: ICODETag.factoryPassword(.read), write: ICODETag.factoryPassword(.write))
  }

  subscript(use: ICODETag.Password) -> SecretKey {
    get { use == .read ? read : write }
    set { if use == .read { read = newValue } else { write = newValue } }
  }

  /// The two that the memory is opened by, in the order in which they are given and written.
  static let uses = [ICODETag.Password.read, .write]

  /// Compares each password in constant time.
  public static func == (left: ICODEPasswords, right: ICODEPasswords) -> Bool {
    left.read == right.read && left.write == right.write
  }

  /// Equal passwords have equal numbers, and these say nothing about them.
  public func hash(into hasher: inout Hasher) { hasher.combine(read.count + write.count) }
}

/// What protecting an ICODE SLIX2 will do, and what of it cannot be undone.
///
/// A tag that is torn away is never left closed by a password that nobody knows: its memory is opened before a password
/// changes, the tag then accepts the new one, and only after that is anything closed.
public struct ICODEProtectionPlan: Sendable {
  /// One command, or two for a new password.
  public enum Step: Hashable, Sendable {
    /// SET PASSWORD with the one that the tag has.
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
    /// Whatever needed one of the two passwords needs both.
    case needsBothPasswords
    /// Which blocks ask for a password can never be changed again.
    case locksProtection
    /// The passwords that the tag had, which it does not show.
    case forgetsPasswords
  }

  /// In the order in which they are done.
  public let steps: [Step]
  /// In the order of their declaration.
  public let irreversibleEffects: [IrreversibleEffect]

  /// What the tag reported when the plan was made.
  public let before: ICODEInformation
  let protection: ICODEProtection?

  /// - Parameter protection: `nil` takes the protection away and leaves the passwords as they are.
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
  /// One line per step, then one for each thing that cannot be undone.
  public var description: String {
    (steps.map(\.description) + irreversibleEffects.map { "cannot be undone: \($0)" })
      .joined(separator: "\n")
  }
}

extension ICODEProtectionPlan.Step: CustomStringConvertible {
  public var description: String {
    switch self {
    case .authenticate(let use): "the tag is given the \(use) password that it has"
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
    case .needsBothPasswords: "both passwords are needed for good"
    case .locksProtection: "the protection can never be changed or taken away"
    case .forgetsPasswords: "the passwords that the tag has now are overwritten"
    }
  }
}
