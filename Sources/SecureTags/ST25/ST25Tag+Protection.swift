import SwiftNFCCore

extension ST25Tag {
  /// Plans the protection of the tag. Writes nothing; costs the exchanges of ``areas()``.
  ///
  /// Once performing the plan has begun, it is completed even if the task is cancelled. An interrupted run may have
  /// changed one password and not yet the other: the same request completes it. If the tag refuses the old password, the
  /// new one is tried. The effect that may have to be accepted is ``IrreversibleEffect/forgetsPassword``.
  ///
  /// - Parameters:
  ///   - protection: `nil` to remove the protection.
  ///   - current: the ``ST25Protection/password`` with which the tag was protected; `nil` for the
  ///     factory's.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a block at which no area begins, and for a
  ///   password of another length. Performing throws ``NFCError/Code/authenticationFailed``, and
  ///   ``NFCError/Code/readOnly`` for a configuration that is locked: nothing has changed.
  public func protectionPlan(
    _ protection: ST25Protection?, current: SecretKey? = nil
  ) async throws -> ChangePlan {
    try await planProtection(protection, current: current).plan
  }

  /// - Returns: the plan, and whether an area of the tag is protected now.
  package func planProtection(
    _ protection: ST25Protection?, current: SecretKey?
  ) async throws -> (plan: ChangePlan, isProtected: Bool) {
    if let current, !passwordSizes.contains(current.count) {
      throw NFCError(
        .invalidParameter, "a password has \(Self.passwordSize) bytes, not \(current.count)")
    }
    let plan = try ST25ProtectionPlan(protection, before: try await configuration())
    let changes = zip(plan.areasAfter.indices, plan.areasAfter).compactMap { index, area in
      Self.step(index, plan.before.areas, area)
    }
    return (
      ChangePlan(
        for: self, plan.steps.isEmpty ? [] : plan.steps + changes, effects: plan.effects,
        recovery: Self.recovery, performing: { try await self.protect(plan, current) }),
      plan.before.areas.contains { $0.access != .open }
    )
  }

  /// Returns what the registers come to for an area; `nil` if it stays as it is.
  private static func step(
    _ index: Int, _ before: [ST25Area], _ area: ST25Area
  ) -> ChangePlan.Step? {
    let old = before.indices.contains(index) ? before[index] : nil
    guard old != area else { return nil }
    func words(_ area: ST25Area) -> ChangePlan.Content {
      .words("blocks \(area.blocks.lowerBound)-\(area.blocks.upperBound - 1), \(area)")
    }
    return ChangePlan.Step(
      ChangePlan.Place(.area, index + 1), before: old.map(words) ?? .words("not there"),
      after: words(area))
  }

  private static let recovery =
    "the tag may already have new passwords: request the change again, which tries both"

  private func protect(_ plan: ST25ProtectionPlan, _ current: SecretKey?) async throws {
    let secrets = ST25Secrets(chip: chip, current: current, new: plan.protection?.password)
    let chip = chip
    try await run { commands in
      guard try Self.configuration(chip, plan.before.blockCount, commands) == plan.before else {
        throw NFCError.planIsStale
      }
      let change = ST25Change(commands: commands, secrets: secrets)
      // Both passwords are tried before anything is changed.
      var hasChanged = false
      for proof in plan.proofs { try proof.run(change, &hasChanged) }
      try commands.link.perform(plan.planned, change, recovery: Self.recovery)
    }
  }
}

/// A change under way.
struct ST25Change {
  let commands: VicinityCommands
  let secrets: ST25Secrets
}

/// The passwords before and after a change.
struct ST25Secrets: Sendable {
  let chip: ST25Chip
  private let current: SecretKey
  private let new: SecretKey?

  init(chip: ST25Chip, current: SecretKey?, new: SecretKey?) {
    self.chip = chip
    self.new = new
    self.current = current ?? SecretKey([UInt8](repeating: 0, count: ST25Tag.passwordSize))
  }

  private static let half = ST25Tag.shortPasswordSize

  /// Returns the passwords that the tag may have under a number: the old one, then that of an
  /// interrupted run.
  func candidates(_ number: UInt8) -> [SecretKey] {
    guard chip.hasJoinedPassword else { return [current, new].compactMap(\.self).unequal }
    switch number {
    case chip.configurationPassword:
      return [current, new].compactMap { $0?.first(Self.half) }.unequal
    case ST25Chip.secondAreaPassword:
      return [current, new].compactMap { $0?.last(Self.half) }.unequal
    default:
      // The password of both areas as one. If only a second area was protected, the first area's
      // password is still the factory's, and an interrupted run has written its first half.
      let whole = current.whole
      let torn = new.flatMap {
        $0.count > Self.half ? $0.first(Self.half) + whole.last(Self.half) : nil
      }
      return [whole, new?.whole, torn].compactMap(\.self).unequal
    }
  }

  func new(_ number: UInt8) -> SecretKey? {
    chip.hasJoinedPassword && number == chip.configurationPassword ? new?.first(Self.half) : new
  }
}

extension SecretKey {
  fileprivate func first(_ count: Int) -> SecretKey {
    withUnsafeBytes { SecretKey($0.prefix(count)) }
  }

  fileprivate func last(_ count: Int) -> SecretKey {
    withUnsafeBytes { SecretKey($0.suffix(count)) }
  }

  fileprivate static func + (first: SecretKey, second: SecretKey) -> SecretKey {
    first.withBytes { first in second.withBytes { SecretKey(first + $0) } }
  }

  /// The password of both areas of an ST25TV as one.
  fileprivate var whole: SecretKey {
    count == ST25Tag.passwordSize
      ? self : SecretKey([UInt8](repeating: 0, count: ST25Tag.passwordSize - count)) + self
  }
}

extension [SecretKey] {
  /// The secrets without repetitions.
  fileprivate var unequal: [SecretKey] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
