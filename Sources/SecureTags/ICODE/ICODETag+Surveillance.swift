import SwiftNFCCore

/// Electronic article surveillance, which gates in shops detect (SL2S2602 data sheet, 9.5.3.13 to
/// 9.5.3.18; SL2S2002 data sheet, 9.4.4).
extension ICODETag {
  /// A feature that the surveillance password can protect.
  @nonexhaustive
  public enum ProtectedFeature: Hashable, Sendable, CaseIterable {
    /// Turning the article surveillance on and off.
    case surveillance
    /// Writing the AFI.
    case afi
  }

  /// Returns whether the tag triggers the alarm: EAS ALARM, which a tag does not answer while its
  /// surveillance is off. One exchange.
  ///
  /// - Throws: what the reader reports about a tag that cannot be reached, such as
  ///   ``NFCError/Code/tagConnectionLost``.
  public func isSurveillanceActive() async throws -> Bool {
    do {
      let answer = try await tag.sendCommand(
        .custom(
          code: ICODECommandCode.alarm, manufacturer: ICODECommandCode.manufacturer,
          parameters: []))
      return !answer.payload.isEmpty
    } catch let error as NFCError where error.cause == .noAnswer || error.group == .refusal {
      return false
    }
  }

  /// Turns the surveillance on or off: SET EAS and RESET EAS. One exchange, three with a password.
  ///
  /// - Parameter password: the surveillance password, if the tag requires it.
  /// - Throws: ``NFCError/Code/readOnly`` if the setting is locked;
  ///   ``NFCError/Code/notAuthenticated`` if the tag requires a password;
  ///   ``NFCError/Code/authenticationFailed``.
  public func setSurveillance(_ isOn: Bool, password: SecretKey? = nil) async throws {
    try await change(
      isOn ? ICODECommandCode.setSurveillance : ICODECommandCode.resetSurveillance, [], password)
  }

  /// Writes the identifier that gates can request: WRITE EAS ID. One exchange, three with a
  /// password.
  ///
  /// - Throws: as ``setSurveillance(_:password:)``.
  public func writeSurveillanceIdentifier(
    _ identifier: UInt16, password: SecretKey? = nil
  ) async throws {
    // The lower byte is sent first (9.5.3.18; ST's NFC SDK does the same for its chips).
    try await change(
      ICODECommandCode.writeSurveillanceIdentifier,
      [UInt8(truncatingIfNeeded: identifier), UInt8(truncatingIfNeeded: identifier >> 8)], password)
  }

  /// LOCK EAS: the surveillance and its identifier can no longer be changed. **Cannot be undone.**
  /// One exchange, three with a password.
  ///
  /// - Throws: as ``setSurveillance(_:password:)``.
  public func lockSurveillance(password: SecretKey? = nil) async throws {
    try await change(ICODECommandCode.lockSurveillance, [], password)
  }

  /// PASSWORD PROTECT EAS/AFI: from now on, changing the surveillance or the AFI requires the
  /// surveillance password. **Cannot be undone.** Three exchanges.
  ///
  /// - Throws: as ``authenticate(_:_:)``.
  public func protect(_ feature: ProtectedFeature, password: SecretKey) async throws {
    try check(.surveillance, password)
    try await run { commands in
      try Self.present(password, for: .surveillance, commands)
      _ = try commands.link.uninterrupted(recovery: Self.settingRecovery) {
        try commands.send(ICODECommandCode.passwordProtect, option: feature == .afi)
      }
    }
  }

  private func change(
    _ code: UInt8, _ parameters: [UInt8], _ password: SecretKey?
  ) async throws {
    if let password { try check(.surveillance, password) }
    try await run { commands in
      if let password { try Self.present(password, for: .surveillance, commands) }
      do {
        _ = try commands.link.uninterrupted(recovery: Self.settingRecovery) {
          try commands.send(code, parameters)
        }
      } catch let error as NFCError where error.iso15693ErrorCode == .unknown {
        // A chip gives no other sign that a password is missing, or that the setting is locked.
        guard password == nil else {
          throw NFCError(.readOnly, "the tag refuses: the setting is locked", cause: error.cause)
        }
        throw NFCError(
          .notAuthenticated, "the tag requires its EAS password first, or the setting is locked",
          cause: error.cause)
      }
    }
  }

  private static let settingRecovery =
    "the tag may already have the new setting: request the change again"
}
