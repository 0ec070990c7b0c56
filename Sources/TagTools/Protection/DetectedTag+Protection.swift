import NFC
import SecureTags

extension DetectedTag {
  /// Whether tags of this kind may have a password or a key that protects their memory. No exchange: only the tag itself
  /// knows whether it has one.
  public var mayHavePassword: Bool { ProtectableMemory(self) != nil }

  /// The number of the page, for an Ultralight or NTAG, or block with which a ``TagProtection`` begins unless it names
  /// another one.
  public var firstProtectedNumber: Int {
    if case .miFare = self { TagProtection.firstUserPage } else { 0 }
  }

  /// Returns what protecting the tag will change. Reads the tag, and writes nothing.
  ///
  /// If the tag requires a password that is not given, the new one is tried in its place: an earlier change may have set
  /// it, and its answer was lost. It is not tried with a tag that limits wrong passwords, or whose limit cannot be read
  /// without the password.
  ///
  /// - Parameters:
  ///   - protection: the new protection; `nil` removes the one that the tag has. The password itself stays on the tag.
  ///   - current: the password or key that the tag has now; `nil` for a tag that is not protected.
  /// - Throws: ``TagProtectionError``; ``TagSecretError`` for a password of another size; `NFCError` `notAuthenticated`
  ///   if a password is required, `authenticationFailed` for a wrong one, `invalidParameter` for memory that the tag
  ///   cannot protect, `readOnly` for settings that are locked.
  public func protectionPlan(
    _ protection: TagProtection?, current: SecretKey? = nil
  ) async throws -> ChangePlan {
    try await tryingNewPassword(protection, current) { memory, current in
      try await memory.plan(protection, current: current, for: self)
    }
  }

  /// Protects the tag, or removes its protection: makes the plan of ``protectionPlan(_:current:)`` and performs it.
  ///
  /// - Parameters:
  ///   - protection: the new protection; `nil` removes the one that the tag has.
  ///   - current: the password or key that the tag has now; `nil` for a tag that is not protected.
  ///   - effects: what cannot be undone and may nevertheless be done. A new password always overwrites the old one.
  /// - Throws: as ``protectionPlan(_:current:)`` and `perform(_:accepting:)`.
  @discardableResult
  public func protect(
    _ protection: TagProtection?, current: SecretKey? = nil,
    accepting effects: Set<IrreversibleEffect> = []
  ) async throws -> ChangePlan.Outcome {
    try await tryingNewPassword(protection, current) { memory, current in
      try await perform(
        try await memory.plan(protection, current: current, for: self), accepting: effects)
    }
  }

  /// Runs `body` with the current password, and once more with the new one if the tag requires a password.
  private func tryingNewPassword<Result: Sendable>(
    _ protection: TagProtection?, _ current: SecretKey?,
    _ body: (ProtectableMemory, SecretKey?) async throws -> Result
  ) async throws -> Result {
    guard let memory = ProtectableMemory(self) else { throw TagProtectionError.noPassword }
    do {
      return try await body(memory, current)
    } catch let error as NFCError where Self.requiresPassword(error) {
      guard let protection, current == nil else { throw error }
      guard try await !memory.mayLimitAttempts else {
        throw TagProtectionError.newPasswordNotTried(error)
      }
      do {
        return try await body(memory, protection.password)
      } catch let other as NFCError where Self.requiresPassword(other) {
        throw error
      }
    }
  }

  /// Whether a tag answers so if it has a password. A refused page does not say whether it is locked.
  private static func requiresPassword(_ error: NFCError) -> Bool {
    [.notAuthenticated, .authenticationFailed, .readOnly].contains(error.code)
  }
}
