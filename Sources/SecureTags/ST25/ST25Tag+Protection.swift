import SwiftNFCCore

extension ST25Tag {
  /// Plans the protection of the tag. Writes nothing; costs the exchanges of ``areas()``.
  ///
  /// - Parameter protection: `nil` to remove the protection.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a block at which no area begins, and for a
  ///   password of another length.
  public func protectionPlan(_ protection: ST25Protection?) async throws -> ST25ProtectionPlan {
    try ST25ProtectionPlan(protection, before: try await configuration())
  }

  /// Carries out a plan. Once begun, it is completed even if the task is cancelled.
  ///
  /// An interrupted run may have changed one password and not yet the other. The same call
  /// completes it: if the tag refuses the old password, the plan's password is tried.
  ///
  /// - Parameters:
  ///   - effects: the irreversible effects that you accept. They must be those of the plan.
  ///   - current: the ``ST25Protection/password`` with which the tag was protected; `nil` for the
  ///     factory's.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if the plan has other
  ///   effects, or if the tag has changed since the plan was made;
  ///   ``NFCError/Code/authenticationFailed``, and ``NFCError/Code/readOnly`` for a configuration that is locked:
  ///   nothing has changed.
  public func protect(
    _ plan: ST25ProtectionPlan, accepting effects: Set<ST25ProtectionPlan.IrreversibleEffect>,
    current: SecretKey? = nil
  ) async throws {
    try NFCError.checkAccepted(plan.irreversibleEffects, by: effects)
    if let current, !passwordSizes.contains(current.count) {
      throw NFCError(
        .invalidParameter, "a password has \(Self.passwordSize) bytes, not \(current.count)")
    }
    guard !plan.steps.isEmpty else { return }
    let secrets = ST25Secrets(chip: chip, current: current, new: plan.protection?.password)
    let chip = chip
    try await run { commands in
      guard try Self.configuration(chip, plan.before.blockCount, commands) == plan.before else {
        throw NFCError(.invalidParameter, "the plan was made for another tag, or before a change")
      }
      // Both passwords are tried before anything is changed.
      let proofs = plan.steps.prefix { if case .authenticate = $0 { true } else { false } }
      var hasChanged = false
      for step in proofs { try Self.run(step, secrets, chip, commands, &hasChanged) }
      try commands.link.uninterrupted(
        recovery:
          "the tag may already have new passwords: request the change again, which tries both"
      ) { hasChanged in
        for step in plan.steps.dropFirst(proofs.count) {
          try Self.run(step, secrets, chip, commands, &hasChanged)
        }
      }
    }
  }

  private static func run(
    _ step: ST25ProtectionPlan.Step, _ secrets: ST25Secrets, _ chip: ST25Chip,
    _ commands: VicinityCommands, _ hasChanged: inout Bool
  ) throws {
    switch step {
    case .authenticate(let number):
      try presentOne(of: secrets.candidates(number), number, chip, commands)
    case .writePassword(let number):
      guard let new = secrets.new(number) else { return }
      try write(new, number, chip, commands, &hasChanged)
      try present(new, number, chip, commands)
    case .write(let register, let before, let after):
      do {
        _ = try commands.send(ST25Chip.Code.writeConfiguration, register + [after])
      } catch let error as NFCError where error.group == .refusal && !hasChanged {
        throw NFCError(
          .readOnly, "the configuration of this tag cannot be changed: it may be locked",
          cause: error.cause)
      }
      hasChanged = hasChanged || before != after
    }
  }
}

/// The passwords before and after a change.
private struct ST25Secrets: Sendable {
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
