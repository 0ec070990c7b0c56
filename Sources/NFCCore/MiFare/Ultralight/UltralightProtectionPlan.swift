/// The steps that protect a tag with a password, page by page, and which of their effects cannot be
/// undone.
///
/// Only the pages of the plan are written, and only the protection settings in them: mirror,
/// counter and modulation settings do not change. A tag that is removed early is never left with an
/// unknown password: first the pages are opened, then the password changes and the tag has to
/// accept the new one, and only then is anything closed; a lock of the configuration comes last.
struct UltralightProtectionPlan: Sendable {
  /// The steps, in the order in which they are performed.
  let planned: [PlannedStep<TagLink>]
  let effects: Set<IrreversibleEffect>

  let chip: Type2Chip
  let settings: Type2Chip.PasswordSettings
  let before: UltralightConfiguration
  /// Whether the tag, as it is now, closes permanently after some wrong passwords.
  var limitsAttempts: Bool { before.attemptLimit != 0 }
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
    var steps: [PlannedStep<TagLink>] = []
    var page0 = before.page0
    func write(_ index: Int, _ before: [UInt8], _ after: [UInt8]) {
      guard before != after else { return }
      steps.append(
        PlannedStep(.write(.page(page + index), before, after)) {
          try Self.write(after, to: page + index, over: before, $0)
        })
    }
    func write(_ index: Int, secret: [UInt8], _ name: String) {
      steps.append(
        PlannedStep(.secret(.page(page + index), name)) {
          try UltralightProcedure.write(
            secret: secret, to: UInt8(truncatingIfNeeded: page + index), $0)
        })
    }
    if let protection {
      var opened = before
      if Int(before.firstPage) < chip.pages?.end ?? Int(UltralightConfiguration.noPage) {
        opened.firstPage = UltralightConfiguration.noPage
      }
      write(0, page0, opened.page0)
      page0 = opened.page0
      write(2, secret: protection.password, "the new password")
      write(3, secret: protection.passwordAcknowledge + [0x00, 0x00], "its acknowledge")
      steps.append(
        PlannedStep(
          .action("the tag proves the new password"),
          marking: { link, _ in
            try Self.prove(protection, link)
          }))
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
    planned = steps
    var effects: Set<IrreversibleEffect> = []
    if after.isLocked, !before.isLocked { effects.insert(.locksConfiguration) }
    if after.attemptLimit != 0, before.attemptLimit == 0 { effects.insert(.mayClosePermanently) }
    if protection != nil { effects.insert(.forgetsPassword) }
    self.effects = effects
  }

  static func unsupported(_ chip: Type2Chip?) -> NFCError {
    NFCError(.unsupported, "\(chip?.name ?? "this chip") has no password that is known")
  }
}

// MARK: - Commands

extension UltralightCommands {
  /// Plans the protection of the tag with a password. Writes nothing; reads two pages.
  ///
  /// Performing the plan costs one exchange per step, and one to check that the tag has not changed since. It takes
  /// effect when the tag is selected again. Repeat an interrupted run with a new plan, and with the new password if its
  /// step was reached. The effects that may have to be accepted are ``IrreversibleEffect/forgetsPassword``,
  /// ``IrreversibleEffect/mayClosePermanently`` and ``IrreversibleEffect/locksConfiguration``.
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
  ) async throws -> ChangePlan {
    let handle = handle
    let plan = try await handle.performCommand { link in
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
    return ChangePlan(
      for: self, plan.planned.map(\.step), effects: plan.effects,
      recovery: UltralightProtectionPlan.recovery, limitsAttempts: plan.limitsAttempts,
      performing: {
        try await handle.performCommand { link in
          let chip = try handle.type2Chip(link)
          try plan.run(chip, password: password, link)
          if let protection = plan.protection {
            handle.knowledge.withLock { $0.authentication = .password(protection.password) }
          }
        }
      })
  }
}

extension UltralightProtectionPlan {
  static let recovery =
    "the tag may already have the new password: request the change again, with the new password and with the old one"

  func run(_ chip: Type2Chip?, password: [UInt8]?, _ link: TagLink) throws {
    if let password {
      _ = try UltralightProcedure.authenticate(password: password, link, chip: { _ in chip })
    }
    guard chip == self.chip, try Self.configuration(self.chip, settings, link) == before else {
      throw NFCError.planIsStale
    }
    try link.perform(planned, link, recovery: Self.recovery)
  }

  private static func prove(_ protection: UltralightProtection, _ link: TagLink) throws {
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
      var reader = PageReader(hasFastRead: chip.hasFastRead)
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
