import SwiftNFCCore

extension UltralightAESTag {
  /// Plans the protection of the tag. Writes nothing; one exchange, and those of an authentication.
  ///
  /// - Parameters:
  ///   - protection: `nil` to remove the protection.
  ///   - key: the tag's current first key, if it requires it.
  /// - Throws: ``NFCError/Code/readOnly`` if the settings or keys are locked;
  ///   ``NFCError/Code/authenticationFailed``; ``NFCError/Code/notAuthenticated`` if the settings cannot be read
  ///   without the key.
  public func protectionPlan(
    _ protection: UltralightAESProtection?, key: SecretKey?
  ) async throws -> UltralightAESProtectionPlan {
    let channel = try key.map { try self.channel(.dataProtection, $0) }
    return try await commands.run { link in
      let link = try Self.proved(channel, link)
      return (
        try UltralightAESProtectionPlan(protection, before: Self.configuration(link)), channel
      )
    }
  }

  /// Carries out a plan: one exchange per page, and some for the authentications. Once begun, it is
  /// completed even if the task is cancelled. Repeat an interrupted run with a new plan.
  ///
  /// - Parameters:
  ///   - effects: the irreversible effects that you accept. They must be those of the plan.
  ///   - key: the tag's current first key. A plan that keeps it and closes pages requires it, so
  ///     that no tag is closed by an unknown key.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if the plan has other
  ///   effects, lacks the key, or if the tag has changed since the plan was made;
  ///   ``NFCError/Code/authenticationFailed``; ``NFCError/Code/readOnly``.
  public func protect(
    _ plan: UltralightAESProtectionPlan,
    accepting effects: Set<UltralightAESProtectionPlan.IrreversibleEffect>, key: SecretKey? = nil
  ) async throws {
    try NFCError.checkAccepted(plan.irreversibleEffects, by: effects)
    guard plan.protection == nil || plan.protection?.key != nil || key != nil else {
      throw NFCError(
        .invalidParameter, "pages can be protected only by a key that the tag has proved to have")
    }
    let channel = try key.map { try self.channel(.dataProtection, $0) }
    try await commands.run { link in
      let link = try Self.proved(channel, link)
      guard try Self.configuration(link) == plan.before else {
        throw NFCError(.invalidParameter, "the plan was made for another tag, or before a change")
      }
      return (
        (),
        try link.uninterrupted(
          recovery:
            "request the change again, with the new key, with the old one, and without one; "
            + "pages are unprotected until a key is complete"
        ) { try self.runSteps(plan, channel, link, hasChanged: &$0) }
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

  /// Carries out the plan, and returns the authentication that remains at the end.
  private func runSteps(
    _ plan: UltralightAESProtectionPlan, _ first: UltralightAESChannel?, _ link: TagLink,
    hasChanged: inout Bool
  ) throws -> UltralightAESChannel? {
    let newKeys = plan.protection?.keys ?? []
    var channel = first
    var link = link
    for step in plan.steps {
      switch step {
      case .write(let page, _, let after?):
        try link.writeUltralight(after, page: UInt8(truncatingIfNeeded: page))
        hasChanged = true
      case .write(let page, _, nil):
        guard let key = newKeys.first(where: { $0.number.pages.contains(page) }) else { continue }
        var data = key.key.page(page - key.number.pages.lowerBound)
        defer { data.wipe() }
        try link.writeUltralight(
          data, page: UInt8(truncatingIfNeeded: page), isSecret: true)
        hasChanged = true
      case .authenticate(let number):
        // A key takes effect at the next selection, as in an Ultralight C, or earlier.
        let new = try newKeys.first { $0.number == number }.map { try self.channel(number, $0.key) }
        guard number == .dataProtection else {
          try link.restartUltralight()
          try new?.prove(link.protected(by: nil))
          link = try renew(channel, link)
          continue
        }
        channel = new ?? channel
        link = try renew(channel, link)
      }
    }
    // So do settings; whether MACs are required may have changed.
    link = try renew(plan.protection == nil ? nil : channel, link)
    return plan.protection == nil ? nil : channel
  }

  /// Selects the tag again and authenticates with a key, if there is one.
  private func renew(_ channel: UltralightAESChannel?, _ link: TagLink) throws -> TagLink {
    try link.restartUltralight()
    let link = link.protected(by: channel)
    channel?.forgetMessaging()
    try channel?.prove(link)
    return link
  }
}

extension SecretKey {
  /// Returns four bytes as a page holds them: the key's last byte first.
  fileprivate func page(_ index: Int) -> [UInt8] {
    withUnsafeBytes { bytes in
      let end = bytes.count - index * UltralightAESConfiguration.pageSize
      return bytes[max(0, end - UltralightAESConfiguration.pageSize)..<max(0, end)].reversed()
    }
  }
}
