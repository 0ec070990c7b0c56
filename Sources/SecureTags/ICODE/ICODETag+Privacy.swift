import SwiftNFCCore

/// Privacy mode, in which a tag answers only its password, and the end of a tag (SL2S2602 data sheet, 9.5.3.8
/// and 9.5.3.9; SL2S5302 data sheet rev. 3.2, 8.4.3.10). SLIX2, SLIX-S, SLIX-L, SLI-S and SLI-L have both.
extension ICODETag {
  /// ENABLE PRIVACY: from now on, no search finds the tag, and it answers only what ends the mode; see
  /// ``leavePrivacy(password:)``. Four exchanges: the password is verified first.
  ///
  /// Keep the UID: the tag no longer shows it. Hold the tag still: it was reported that SLIX-L tags were
  /// damaged when they left the field during this command (Proxmark3, issue 2213).
  ///
  /// Once begun, it is completed even if the task is cancelled. If it is interrupted, the same call
  /// completes it.
  ///
  /// - Parameter password: the privacy password.
  /// - Throws: as ``authenticate(_:_:)``: nothing has changed then. An error with a
  ///   ``NFCError/recovery`` leaves open whether the tag is in privacy mode.
  public func enablePrivacy(password: SecretKey) async throws {
    try await finish(
      .privacy, ICODECommandCode.enablePrivacy, password,
      recovery: "the tag may already be in privacy mode: request it again")
  }

  /// Ends privacy mode with SET PASSWORD: two exchanges, four if an answer is lost. A tag that is not in
  /// privacy mode stays as it is.
  ///
  /// No search finds a tag in privacy mode; `Reader.vicinityTag(uid:)` reaches it.
  ///
  /// - Parameter password: the privacy password.
  /// - Throws: ``NFCError/Code/authenticationFailed``, after which the chip ignores commands until the
  ///   field has been off; ``NFCError/Code/unsupported`` for a chip without this mode. An error with a
  ///   ``NFCError/recovery`` leaves open whether the tag has left the mode.
  public func leavePrivacy(password: SecretKey) async throws {
    try check(.privacy, password)
    try await run { commands in
      let random = try Self.randomNumber(commands)
      try commands.link.uninterrupted(recovery: Self.leavingRecovery) {
        try Self.leavePrivacy(password, under: random, commands)
      }
    }
  }

  private static let leavingRecovery =
    "the tag may already have left privacy mode: request it again"

  private static func leavePrivacy(
    _ password: SecretKey, under random: [UInt8], _ commands: VicinityCommands
  ) throws {
    do {
      try present(password, for: .privacy, under: random, commands)
    } catch let error as NFCError where error.group == .refusal {
      throw wrong(.privacy, error)
    } catch let error as NFCError where error.cause == .noAnswer {
      // A chip that has refused a password ignores this, too; one whose answer was lost does not.
      let random = try answering(error) { try randomNumber(commands) }
      do {
        try present(password, for: .privacy, under: random, commands)
      } catch let error as NFCError where error.group == .refusal {
        throw wrong(.privacy, error)
      }
    }
  }

  /// Returns the result of a question after a password that was not answered.
  private static func answering<Result>(
    _ silence: NFCError, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as NFCError where error.cause == .noAnswer {
      var error = wrong(.privacy, silence)
      error.recovery = leavingRecovery
      throw error
    }
  }

  /// DESTROY: the tag never answers again. **Cannot be undone.** Four exchanges: the password is verified
  /// first.
  ///
  /// Once begun, it is completed even if the task is cancelled.
  ///
  /// - Parameter password: the destroy password.
  /// - Throws: as ``authenticate(_:_:)``: nothing has changed then. An error with a
  ///   ``NFCError/recovery`` leaves open whether the tag is destroyed.
  public func destroyPermanently(password: SecretKey) async throws {
    try await finish(
      .destroy, ICODECommandCode.destroy, password,
      recovery: "the tag may already be destroyed: if it still answers, request it again")
  }

  /// Verifies a password, and then sends the command that contains it. Silence after the command is not a
  /// wrong password: the tag may have carried it out.
  private func finish(
    _ use: Password, _ code: UInt8, _ password: SecretKey, recovery: String
  ) async throws {
    try check(use, password)
    try await run { commands in
      try Self.present(password, for: use, commands)
      var covered = password.covered(by: try Self.randomNumber(commands))
      defer { covered.wipe() }
      _ = try commands.link.uninterrupted(recovery: recovery) {
        try commands.send(code, [], password: covered)
      }
    }
  }
}
