import SwiftNFCCore

extension UltralightAESTag {
  /// Plans the protection of the tag. Writes nothing; one exchange, and those of an authentication.
  ///
  /// Performing the plan costs one exchange per page, and some for the authentications. Once begun, it is
  /// completed even if the task is cancelled. Repeat an interrupted run with a new plan. The effects that may have to be
  /// accepted are ``IrreversibleEffect/forgetsKey``, ``IrreversibleEffect/mayClosePermanently`` and
  /// ``IrreversibleEffect/locksConfiguration``.
  ///
  /// - Parameters:
  ///   - protection: `nil` to remove the protection.
  ///   - key: the tag's current first key, if it requires it. A plan that keeps it and closes pages requires it, so
  ///     that no tag is closed by an unknown key.
  /// - Throws: ``NFCError/Code/readOnly`` if the settings or keys are locked;
  ///   ``NFCError/Code/authenticationFailed``; ``NFCError/Code/notAuthenticated`` if the settings cannot be read
  ///   without the key; ``NFCError/Code/invalidParameter`` without the key that a plan requires.
  public func protectionPlan(
    _ protection: UltralightAESProtection?, key: SecretKey?
  ) async throws -> ChangePlan {
    guard protection == nil || protection?.key != nil || key != nil else {
      throw NFCError(
        .invalidParameter, "pages can be protected only by a key that the tag has proved to have")
    }
    let channel = try key.map { try self.channel(.dataProtection, $0) }
    let plan = try await commands.run { link in
      let link = try Self.proved(channel, link)
      return (
        try UltralightAESProtectionPlan(protection, before: Self.configuration(link)), channel
      )
    }
    return ChangePlan(
      for: self, plan.planned.map(\.step), effects: plan.effects, recovery: Self.recovery,
      limitsAttempts: plan.limitsAttempts,
      performing: { try await self.protect(plan, key: key) })
  }

  private static let recovery =
    "request the change again, with the new key, with the old one, and without one; pages are unprotected until a key "
    + "is complete"

  private func protect(_ plan: UltralightAESProtectionPlan, key: SecretKey?) async throws {
    let channel = try key.map { try self.channel(.dataProtection, $0) }
    let random = random
    try await commands.run { link in
      let link = try Self.proved(channel, link)
      guard try Self.configuration(link) == plan.before else { throw NFCError.planIsStale }
      let change = UltralightAESChange(link: link, channel: channel, random: random)
      return (
        (),
        try link.uninterrupted(recovery: Self.recovery) {
          try change.run(plan, hasChanged: &$0)
        }
      )
    }
  }

  // MARK: Steps

  private func channel(_ number: KeyNumber, _ key: SecretKey) throws -> UltralightAESChannel {
    try UltralightAESChannel(number, key, needsCodes: false, random: random)
  }

  private static func proved(_ channel: UltralightAESChannel?, _ link: TagLink) throws -> TagLink {
    guard let channel else { return link }
    try channel.prove(link)
    return link.protected(by: channel)
  }

  private static func configuration(_ link: TagLink) throws -> UltralightAESConfiguration {
    let first = UltralightAESConfiguration.firstPage
    do {
      let bytes =
        try link.readUltralight(page: first)
        + link.readUltralight(page: UltralightAESConfiguration.keyLockPage)
      guard let configuration = UltralightAESConfiguration(bytes) else {
        throw NFCError(.tagResponseError, "the tag's configuration is broken")
      }
      return configuration
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(
        .notAuthenticated, "the tag requires its current key", cause: error.cause,
        place: .page(Int(first)))
    }
  }
}

/// A change under way: the authentication that is valid, and the connection in it.
final class UltralightAESChange {
  private(set) var link: TagLink
  private var channel: UltralightAESChannel?
  private let random: RandomBytes?

  init(link: TagLink, channel: UltralightAESChannel?, random: RandomBytes?) {
    self.link = link
    self.channel = channel
    self.random = random
  }

  /// Carries out the plan, and returns the authentication that remains at the end.
  func run(
    _ plan: UltralightAESProtectionPlan, hasChanged: inout Bool
  ) throws -> UltralightAESChannel? {
    for step in plan.planned { try step.run(self, &hasChanged) }
    // Settings take effect at the next selection, too; whether MACs are required may have changed.
    if plan.protection == nil { channel = nil }
    try renew()
    return channel
  }

  /// Has the tag authenticate with a key: the new one, or the one that it has.
  func authenticate(_ number: UltralightAESTag.KeyNumber, with key: SecretKey?) throws {
    // A key takes effect at the next selection, as in an Ultralight C, or earlier.
    let new = try key.map {
      try UltralightAESChannel(number, $0, needsCodes: false, random: random)
    }
    guard number == .dataProtection else {
      try link.restartUltralight()
      try new?.prove(link.protected(by: nil))
      return try renew()
    }
    channel = new ?? channel
    try renew()
  }

  /// Selects the tag again and authenticates with a key, if there is one.
  private func renew() throws {
    try link.restartUltralight()
    link = link.protected(by: channel)
    channel?.forgetMessaging()
    try channel?.prove(link)
  }
}

extension SecretKey {
  /// Returns four bytes as a page holds them: the key's last byte first.
  func page(_ index: Int) -> [UInt8] {
    withUnsafeBytes { bytes in
      let end = bytes.count - index * UltralightAESConfiguration.pageSize
      return bytes[max(0, end - UltralightAESConfiguration.pageSize)..<max(0, end)].reversed()
    }
  }
}
