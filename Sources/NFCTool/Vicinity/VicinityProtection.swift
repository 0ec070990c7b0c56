import NFC

/// Setting the password protection of an ISO 15693 tag, or taking it away.
///
/// The new password is written before anything is protected: a tag that is torn away is open, or closed by the new
/// password.
struct VicinityProtection: Sendable {
  /// What is to be protected; `nil` to take the protection away.
  struct Wish: Sendable {
    var password: [UInt8]
    /// The first block.
    var from: Int
    var protectsReading: Bool
  }

  /// A change of the plan, in words; passwords are not shown.
  struct Step: Sendable {
    var name: String
    var before: String?
    var after: String?

    var text: String {
      guard let before, let after else { return name }
      return "\(name): \(before) → \(after)"
    }

    var json: JSON {
      .members([
        "step": .string(name), "before": before.map { .string($0) },
        "after": after.map { .string($0) }, "secret": after == nil ? .bool(true) : nil,
      ])
    }
  }

  let tag: any ISO15693Tag
  let kind: VicinityPassword
  let wish: Wish?
  /// The password that the tag has now; `nil` for the factory's.
  let current: [UInt8]?

  private static let passwordSteps = [
    Step(name: "the tag is given the password that it has"),
    Step(name: "the new password, not shown"),
  ]

  /// What ``run()`` will do.
  ///
  /// - Throws: ``Failure`` for what the chip cannot do, or a password of the wrong length; `NFCError`
  ///   `notAuthenticated` for a tag that is protected, without its password.
  func plan() async throws -> [Step] {
    if let wish { try kind.check(wish.password, "--password", tag) }
    if let current {
      try kind.check(current, wish == nil ? "--password" : "--current-password", tag)
    }
    switch kind {
    case .icode: return try await planOfICODE()
    case .st25dv: return try await planOfST25DV()
    }
  }

  /// Does what the plan says.
  ///
  /// - Throws: `NFCError` `authenticationFailed` for a wrong password: nothing has changed then.
  func run() async throws {
    switch kind {
    case .icode: try await runOfICODE()
    case .st25dv: try await runOfST25DV()
    }
  }

  private var old: [UInt8] { current ?? kind.factoryPassword }

  private func refuse(_ reason: String, _ advice: String) -> Failure {
    Failure(.usage, reason, tag: "tag \(tag.identifier.hexadecimal)", advice: advice)
  }

  // MARK: ICODE SLIX2

  /// Block 79 is the counter, which the parts do not include (SL2S2602 data sheet, 9.5.3.8).
  private static let lastBlockOfICODE = 78

  private func planOfICODE() async throws -> [Step] {
    let state = try await ICODECommands(tag).state()
    let isProtected =
      state.lowPart.write || state.highPart.write || state.lowPart.read
      || state.highPart.read
    guard !state.isProtectionLocked else {
      throw NFCError(.readOnly, "the protection of this tag cannot be changed any more")
    }
    guard !isProtected || current != nil else {
      throw NFCError(.notAuthenticated, "the tag is protected by a password already")
    }
    if let wish, wish.from > Self.lastBlockOfICODE {
      throw refuse(
        "protection cannot begin at block \(wish.from)",
        "--from takes 0 to \(Self.lastBlockOfICODE)")
    }
    let before =
      isProtected
      ? [(state.lowPart, 0), (state.highPart, state.pointer)].first { $0.0.read || $0.0.write }
        .map { Self.words($0.0.read, $0.1) } ?? "none" : "none"
    let after = wish.map { Self.words($0.protectsReading, $0.from) } ?? "none"
    guard before != after || wish != nil else { return [] }
    let steps = wish == nil ? Array(Self.passwordSteps.prefix(1)) : Self.passwordSteps
    return steps + [Step(name: "password protection", before: before, after: after)]
  }

  private static func words(_ reads: Bool, _ from: Int) -> String {
    "to \(reads ? "read and write" : "write") from block \(from) on"
  }

  private func runOfICODE() async throws {
    let commands = ICODECommands(tag)
    let open = ICODECommands.Part(read: false, write: false)
    try await commands.open(old)
    guard let wish else { return try await commands.protect(from: 0, low: open, high: open) }
    for use in ICODECommands.Password.allCases { try await commands.write(wish.password, for: use) }
    try await commands.open(wish.password)
    try await commands.protect(
      from: wish.from, low: open,
      high: ICODECommands.Part(read: wish.protectsReading, write: true))
  }

  // MARK: ST25DV

  private func planOfST25DV() async throws -> [Step] {
    if let wish {
      guard !wish.protectsReading else {
        throw refuse(
          "the first area of an ST25DV can always be read", "protect it without --read")
      }
      guard wish.from == 0 else {
        throw refuse("an ST25DV is protected from block 0 on", "leave --from out")
      }
    }
    let register = try await ST25DVCommands(tag).register(ST25DVCommands.securityOfArea1)
    let access = ST25DVCommands.Access(register: register)
    guard access == .open || current != nil else {
      throw NFCError(.notAuthenticated, "the tag is protected by a password already")
    }
    let before = access == .open ? "none" : "to write"
    let after = wish == nil ? "none" : "to write"
    guard wish != nil || access != .open else { return [] }
    let steps = wish == nil ? Array(Self.passwordSteps.prefix(1)) : Self.passwordSteps
    return steps
      + [Step(name: "password protection of the first area", before: before, after: after)]
  }

  /// The configuration gets the password, too: with the factory's anybody could take the protection away.
  private func runOfST25DV() async throws {
    let commands = ST25DVCommands(tag)
    let numbers = [ST25DVCommands.areaPassword, ST25DVCommands.configurationPassword]
    if let wish {
      // Both are tried before one is changed.
      for number in numbers { try await commands.present(old, number: number) }
      for number in numbers {
        try await commands.present(old, number: number)
        try await commands.write(wish.password, number: number)
      }
    }
    try await commands.present(
      wish?.password ?? old, number: ST25DVCommands.configurationPassword)
    let access: ST25DVCommands.Access = wish == nil ? .open : .writePassword
    try await commands.write(
      wish == nil ? 0 : access.register(password: ST25DVCommands.areaPassword),
      register: ST25DVCommands.securityOfArea1)
  }
}
