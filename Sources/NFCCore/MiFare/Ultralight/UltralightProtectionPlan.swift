/// The steps that protect a tag with a password, page by page, and which of their effects cannot be
/// undone.
///
/// Only the pages of the plan are written, and only the protection settings in them: mirror,
/// counter and modulation settings do not change. A tag that is removed early is never left with an
/// unknown password: first the pages are opened, then the password changes and the tag has to
/// accept the new one, and only then is anything closed; a lock of the configuration comes last.
public struct UltralightProtectionPlan: Hashable, Sendable {
  /// One exchange.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// WRITE. Contents are `nil` for password and acknowledge, which are never shown.
    case write(page: Int, before: [UInt8]?, after: [UInt8]?)
    /// PWD_AUTH with the new password.
    case authenticate
  }

  /// An effect that cannot be undone. More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable {
    /// CFGLCK: the settings can never be changed again.
    case locksConfiguration
    /// AUTHLIM: after too many wrong passwords, the protected pages are closed permanently.
    case mayClosePermanently
    /// The previous password is lost, because the tag does not show it.
    case forgetsPassword
  }

  /// The chip that the plan is for.
  public var product: TagProduct { chip.product }
  /// The steps, in the order in which they are performed.
  public let steps: [Step]
  /// The irreversible effects, in the order of their declaration.
  public let irreversibleEffects: [IrreversibleEffect]

  let chip: Type2Chip
  let settings: Type2Chip.PasswordSettings
  let before: UltralightConfiguration
  /// Whether the tag, as it is now, closes permanently after some wrong passwords.
  package var limitsAttempts: Bool { before.attemptLimit != 0 }
  let after: UltralightConfiguration
  let protection: UltralightProtection?

  /// - Parameters:
  ///   - protection: `nil` removes the protection and leaves the password unchanged.
  ///   - configuration: the current two pages of the tag.
  init(
    _ protection: UltralightProtection?, chip: Type2Chip, configuration before: [UInt8]
  ) throws {
    guard let settings = chip.passwordSettings, let before = UltralightConfiguration(before)
    else { throw Self.unsupported(chip) }
    var after = before
    after.firstPage = UltralightConfiguration.noPage
    after.protectsReading = protection?.protectsReading ?? false
    after.attemptLimit = UInt8(protection?.attemptLimit ?? 0)
    if let protection {
      guard (0...settings.firstPage).contains(protection.firstPage) else {
        throw NFCError(
          .invalidParameter,
          "protection from page \(protection.firstPage) on does not cover page "
            + "\(settings.firstPage), by which anyone could remove it")
      }
      after.firstPage = UInt8(protection.firstPage)
      if let protectsCounter = protection.protectsCounter {
        guard settings.hasProtectedCounter else {
          throw NFCError(
            .unsupported, "\(chip.name) has no counter that a password protects")
        }
        after.protectsCounter = protectsCounter
      }
      guard settings.hasConfigurationLock || !protection.locksConfiguration else {
        throw NFCError(.unsupported, "\(chip.name) has no lock of these settings")
      }
      after.isLocked = before.isLocked || protection.locksConfiguration
    }
    if before.isLocked, protection != nil || after != before {
      throw NFCError(
        .readOnly, "the tag's configuration is locked, and its protection cannot be changed",
        place: .page(settings.firstPage))
    }
    self.init(protection, chip, settings, before, after)
  }

  private init(
    _ protection: UltralightProtection?, _ chip: Type2Chip,
    _ settings: Type2Chip.PasswordSettings,
    _ before: UltralightConfiguration, _ after: UltralightConfiguration
  ) {
    self.chip = chip
    self.settings = settings
    self.before = before
    self.after = after
    self.protection = protection
    let page = settings.firstPage
    var steps: [Step] = []
    var page0 = before.page0
    func write(_ index: Int, _ before: [UInt8]?, _ after: [UInt8]?) {
      if before == nil || before != after {
        steps.append(.write(page: page + index, before: before, after: after))
      }
    }
    if protection != nil {
      var opened = before
      if Int(before.firstPage) < chip.pages?.end ?? Int(UltralightConfiguration.noPage) {
        opened.firstPage = UltralightConfiguration.noPage
      }
      write(0, page0, opened.page0)
      page0 = opened.page0
      write(2, nil, nil)
      write(3, nil, nil)
      steps.append(.authenticate)
      // AUTH0 closes the pages and comes after PROT and AUTHLIM, which have no effect on open pages: a tag
      // that is removed before it stays open. CFGLCK closes these pages and comes last.
      var accessible = after
      accessible.isLocked = before.isLocked
      write(1, before.page1, accessible.page1)
      write(0, page0, after.page0)
      write(1, accessible.page1, after.page1)
    } else {
      write(0, page0, after.page0)
      write(1, before.page1, after.page1)
    }
    self.steps = steps
    var effects: [IrreversibleEffect] = []
    if after.isLocked, !before.isLocked { effects.append(.locksConfiguration) }
    if after.attemptLimit != 0, before.attemptLimit == 0 { effects.append(.mayClosePermanently) }
    if protection != nil { effects.append(.forgetsPassword) }
    irreversibleEffects = effects
  }

  static func unsupported(_ chip: Type2Chip?) -> NFCError {
    NFCError(.unsupported, "\(chip?.name ?? "this chip") has no password that is known")
  }
}

extension UltralightProtectionPlan: CustomStringConvertible, CustomReflectable {
  /// One line per step, then one line per effect that cannot be undone.
  public var description: String {
    (steps.map(\.description) + irreversibleEffects.map { "cannot be undone: \($0)" })
      .joined(separator: "\n")
  }
  public var customMirror: Mirror {
    Mirror(self, children: ["steps": steps, "irreversibleEffects": irreversibleEffects])
  }
}

extension UltralightProtectionPlan.Step: CustomStringConvertible {
  public var description: String {
    switch self {
    case .authenticate: "the tag proves the new password"
    case .write(let page, let before?, let after?):
      "page \(page): \(before.hexadecimal) becomes \(after.hexadecimal)"
    case .write(let page, _, _): "page \(page): receives the password or its acknowledge"
    }
  }
}

extension UltralightProtectionPlan.IrreversibleEffect: CustomStringConvertible {
  public var description: String {
    switch self {
    case .locksConfiguration: "the protection can never be changed or removed"
    case .mayClosePermanently: "after too many wrong passwords the tag no longer accepts any"
    case .forgetsPassword: "the password that the tag has now is overwritten"
    }
  }
}

// MARK: - Commands

extension UltralightCommands {
  /// Plans the protection of the tag with a password. Writes nothing; reads two pages.
  ///
  /// - Parameters:
  ///   - protection: `nil` to remove the protection.
  ///   - password: the tag's current password, if it requires one.
  /// - Throws: ``NFCError/Code/unsupported`` for a chip without a password; ``NFCError/Code/invalidParameter`` for
  ///   a first page that would leave the settings open; ``NFCError/Code/readOnly`` if they are locked;
  ///   ``NFCError/Code/authenticationFailed``; ``NFCError/Code/notAuthenticated`` if they cannot be read without
  ///   the password.
  public func protectionPlan(
    _ protection: UltralightProtection?, password: [UInt8]? = nil
  ) async throws -> UltralightProtectionPlan {
    let handle = handle
    return try await handle.performCommand { link in
      let identification = try handle.identification(link)
      guard let chip = identification.chip, let settings = chip.passwordSettings else {
        throw identification.readerError
          ?? UltralightProtectionPlan.unsupported(identification.chip)
      }
      if let password {
        _ = try UltralightProcedure.authenticate(password: password, link, chip: { _ in chip })
      }
      let configuration = try UltralightProtectionPlan.configuration(chip, settings, link)
      return try UltralightProtectionPlan(
        protection, chip: chip, configuration: configuration.bytes)
    }
  }

  /// Carries out a plan: one exchange per step, and one to check that the tag has not changed since
  /// the plan was made. Takes effect when the tag is selected again.
  ///
  /// Repeat an interrupted run with a new plan, and with the new password if its step was reached.
  ///
  /// - Parameters:
  ///   - effects: the irreversible effects that you accept. They must be those of the plan.
  ///   - password: the tag's current password, if it requires one.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if the plan has other
  ///   effects, or if the tag has changed since the plan was made;
  ///   ``NFCError/Code/authenticationFailed``; ``NFCError/Code/notAuthenticated``;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func protect(
    _ plan: UltralightProtectionPlan,
    accepting effects: Set<UltralightProtectionPlan.IrreversibleEffect>, password: [UInt8]? = nil
  ) async throws {
    try NFCError.checkAccepted(plan.irreversibleEffects, by: effects)
    let handle = handle
    try await handle.performCommand { link in
      let chip = try handle.type2Chip(link)
      try plan.run(chip, password: password, link)
      if let protection = plan.protection {
        handle.knowledge.withLock { $0.authentication = .password(protection.password) }
      }
    }
  }
}

extension UltralightProtectionPlan {
  func run(_ chip: Type2Chip?, password: [UInt8]?, _ link: TagLink) throws {
    if let password {
      _ = try UltralightProcedure.authenticate(password: password, link, chip: { _ in chip })
    }
    guard chip == self.chip, try Self.configuration(self.chip, settings, link) == before else {
      throw NFCError(.invalidParameter, "the plan was made for another tag, or before a change")
    }
    try link.uninterrupted(
      recovery: "the tag may already have the new password: request the change again, with the new "
        + "password and with the old one"
    ) { hasChanged in
      for step in steps {
        switch step {
        case .write(let page, let before, let after?):
          try Self.write(after, to: page, over: before, link)
          hasChanged = true
        case .write(let page, _, nil):
          try UltralightProcedure.write(
            secret: secret(ofPage: page), to: UInt8(truncatingIfNeeded: page), link)
          hasChanged = true
        case .authenticate: try prove(link)
        }
      }
    }
  }

  /// Returns the password for the first of the two pages, the acknowledge and two reserved bytes
  /// for the second.
  private func secret(ofPage page: Int) -> [UInt8] {
    guard let protection else { return [] }
    guard page > settings.secrets.lowerBound else { return protection.password }
    return protection.passwordAcknowledge + [0x00, 0x00]
  }

  private func prove(_ link: TagLink) throws {
    guard let protection else { return }
    let answer = try UltralightProcedure.authenticate(password: protection.password, link)
    guard answer == protection.passwordAcknowledge else {
      throw NFCError(
        .tagResponseError, "the tag did not accept the password and was left unprotected")
    }
  }

  private static func write(
    _ data: [UInt8], to page: Int, over before: [UInt8]?, _ link: TagLink
  ) throws {
    do {
      try UltralightProcedure.write(
        data, to: UInt8(truncatingIfNeeded: page), over: before, link)
    } catch let error as NFCError
      where error.code == .readOnly
      && error.cause == .negativeAcknowledge(UltralightCommand.notAllowed)
    {
      throw needsPassword(page, error.cause)
    }
  }

  static func configuration(
    _ chip: Type2Chip, _ settings: Type2Chip.PasswordSettings, _ link: TagLink
  ) throws -> UltralightConfiguration {
    let page = settings.firstPage
    do {
      var reader = UltralightReader(hasFastRead: chip.hasFastRead)
      let bytes = try reader.read(page, count: settings.configuration.count, link)
      guard let configuration = UltralightConfiguration(bytes) else {
        throw NFCError(.tagResponseError, "the tag's configuration is broken", place: .page(page))
      }
      return configuration
    } catch let error as NFCError where error.code == .tagRefused {
      throw needsPassword(page, error.cause)
    }
  }

  private static func needsPassword(_ page: Int, _ cause: NFCError.Cause?) -> NFCError {
    NFCError(
      .notAuthenticated, "the tag requires the password that it has now", cause: cause,
      place: .page(page))
  }
}
