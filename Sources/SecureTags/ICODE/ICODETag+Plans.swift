import SwiftNFCCore

/// Plans of what else a chip can be asked to do, for programs that show a change before they make it.
extension ICODETag {
  /// Plans turning article surveillance on or off, and perhaps locking the setting; see
  /// ``setSurveillance(_:password:)`` and ``lockSurveillance(password:)``. No exchange.
  public func surveillancePlan(
    _ isOn: Bool, locksSetting: Bool = false, password: SecretKey? = nil
  ) -> ChangePlan {
    let name = "article surveillance"
    var steps = [ChangePlan.Step(nil, name, after: .words(isOn ? "turned on" : "turned off"))]
    if locksSetting {
      steps.append(ChangePlan.Step(nil, name, after: .words("permanently locked")))
    }
    return ChangePlan(
      for: self, steps, effects: locksSetting ? [.locksSurveillance] : [],
      recovery: "request it again",
      performing: {
        try await self.setSurveillance(isOn, password: password)
        if locksSetting { try await self.lockSurveillance(password: password) }
      })
  }

  /// Plans turning privacy mode on or off; see ``enablePrivacy(password:)`` and ``leavePrivacy(password:)``. No exchange.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a chip without this mode; ``NFCError/Code/invalidParameter`` for another
  ///   number of bytes.
  public func privacyPlan(_ isOn: Bool, password: SecretKey) throws -> ChangePlan {
    try check(.privacy, password)
    return ChangePlan(
      for: self,
      [
        ChangePlan.Step(
          nil, "privacy mode",
          after: .words(
            isOn ? "turned on; the tag then answers only its privacy password" : "turned off"))
      ], recovery: "request it again, and search for the tag by its UID",
      performing: {
        if isOn {
          try await self.enablePrivacy(password: password)
        } else {
          try await self.leavePrivacy(password: password)
        }
      })
  }

  /// Plans destroying the tag; see ``destroyPermanently(password:)``. No exchange.
  ///
  /// Performing the plan has to accept ``IrreversibleEffect/destroysTag``.
  ///
  /// - Throws: as ``privacyPlan(_:password:)``.
  public func destructionPlan(password: SecretKey) throws -> ChangePlan {
    try check(.destroy, password)
    return ChangePlan(
      for: self, [ChangePlan.Step(nil, "the tag", after: .words("permanently disabled"))],
      effects: [.destroysTag],
      recovery: "the tag may already be destroyed: if it still answers, request it again",
      performing: { try await self.destroyPermanently(password: password) })
  }

  /// Plans replacing a password; see ``writePassword(_:from:to:)``. No exchange.
  ///
  /// Performing the plan again, after an answer was lost, succeeds if the tag has the new password already. It has to
  /// accept ``IrreversibleEffect/forgetsPassword``.
  ///
  /// - Throws: as ``privacyPlan(_:password:)``.
  public func passwordPlan(
    _ use: Password, from current: SecretKey, to new: SecretKey
  ) throws -> ChangePlan {
    try check(use, current)
    try check(use, new)
    return ChangePlan(
      for: self,
      [
        .secret(nil, "the tag receives its current \(use) password"),
        .secret(.named(.password, "\(use) password"), "written"),
      ], effects: [.forgetsPassword],
      recovery: "the tag may already have the new password: request the change again",
      performing: {
        do {
          try await self.writePassword(use, from: current, to: new)
        } catch let error as NFCError where error.code == .authenticationFailed {
          guard try await self.has(new, as: use) else { throw error }
        }
      })
  }

  /// Returns whether the tag has a password already: an earlier change has made it, but its answer was lost. A tag is
  /// silent after a wrong password until its field was off.
  private func has(_ password: SecretKey, as use: Password) async throws -> Bool {
    do {
      try await wake()
      try await authenticate(use, password)
      return true
    } catch let error as NFCError
      where [.authenticationFailed, .tagConnectionLost, .unsupported].contains(error.code)
    {
      return false
    }
  }

  /// Plans setting an NTAG 5 to keys or passwords; see ``use(_:)``. Writes nothing; at most three exchanges. The plan has
  /// no steps for a tag that uses them already.
  ///
  /// - Throws: as ``use(_:)``.
  public func securityPlan(_ security: NTAG5Configuration.Security) async throws -> ChangePlan {
    let words = security == .keys ? "keys" : "passwords"
    let steps = [
      ChangePlan.Step(nil, "secrets", after: .words("\(words), once the tag has been removed"))
    ]
    return ChangePlan(
      for: self, try await checkUse(security) ? steps : [],
      recovery: Self.configurationRecovery, performing: { try await self.use(security) })
  }

  /// Plans hiding the passwords of an NTAG 5; see ``hidePasswordsPermanently(current:)``. Writes nothing; two exchanges.
  /// The plan has no steps for a tag that hides them already.
  ///
  /// Performing the plan has to accept ``IrreversibleEffect/hidesPasswords``.
  ///
  /// - Throws: as ``hidePasswordsPermanently(current:)``, except for a wrong password.
  public func hidingPlan(current: ICODEPasswords) async throws -> ChangePlan {
    let isNeeded = try await checkHiding()
    return ChangePlan(
      for: self, isNeeded ? [ChangePlan.Step(nil, "passwords", after: .words("hidden"))] : [],
      effects: isNeeded ? [.hidesPasswords] : [], recovery: Self.configurationRecovery,
      performing: { try await self.hidePasswordsPermanently(current: current) })
  }

  /// Plans putting the protection of an NTAG 5's memory in force; see ``protectPermanently(_:provenBy:_:)``. Writes
  /// nothing; two exchanges. The plan has no steps if it is in force already.
  ///
  /// Performing the plan has to accept ``IrreversibleEffect/enforcesProtection``, and
  /// ``IrreversibleEffect/locksKeys`` if keys or privileges are locked, too.
  ///
  /// - Throws: as ``protectPermanently(_:provenBy:_:)``, except for a wrong key.
  public func enforcementPlan(
    _ access: NTAG5Configuration.Access, provenBy number: Int, _ key: SecretKey
  ) async throws -> ChangePlan {
    let isNeeded = try await checkProtection(access, provenBy: number, key)
    let locks: String? =
      switch access {
      case .openWithPrivilegesLocked, .protectedWithPrivilegesLocked: "privileges"
      case .locked: "keys"
      default: nil
      }
    let words = "in force" + (locks.map { ", and \($0) locked" } ?? "")
    return ChangePlan(
      for: self,
      isNeeded ? [ChangePlan.Step(nil, "protection of the memory", after: .words(words))] : [],
      effects: !isNeeded
        ? [] : locks == nil ? [.enforcesProtection] : [.enforcesProtection, .locksKeys],
      recovery: Self.configurationRecovery,
      performing: { try await self.protectPermanently(access, provenBy: number, key) })
  }
}
