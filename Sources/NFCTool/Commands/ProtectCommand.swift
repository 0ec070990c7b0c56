import ArgumentParser
import NFC

/// `nfc protect`.
struct ProtectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect",
    abstract: "Asks for a password before a tag is written.",
    discussion: """
      For NTAG21x and Ultralight EV1. Without --read anybody can read the tag as before. nfc write --password \
      writes it, and nfc unprotect takes the protection away. --plan shows what would be written.

      A password is no encryption: it goes over the air as it is.

      Examples:
        nfc protect --password 11223344 --plan --virtual ntag216
        nfc protect --password 11223344 --from 4 --read --virtual ntag216
      """)

  @Option(
    help: ArgumentHelp("The new password, 4 bytes.", valueName: "hex"),
    transform: { try Hexadecimal.secret($0, "--password") })
  var password: [UInt8]

  @Option(
    help: ArgumentHelp(
      "What the tag answers to the right password, 2 bytes; zeros unless given.", valueName: "hex"),
    transform: { try Hexadecimal.secret($0, "--pack") })
  var pack: [UInt8]?

  @Option(
    help: ArgumentHelp("The first page that is protected; 4 unless given.", valueName: "page"),
    transform: { try NumberArgument.integer($0, "--from", in: 0...255) })
  var from: Int?

  @Flag(help: "Ask for the password before reading, too.")
  var read = false

  @Option(
    help: ArgumentHelp(
      "How many wrong passwords the tag takes in a row, 1 to 7; 0 for any number.",
      discussion: "After one more it is closed for good. Cannot be undone.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--attempts", in: 0...7) })
  var attempts: Int?

  @Option(
    help: ArgumentHelp("The password that the tag has now, if it has one.", valueName: "hex"),
    transform: { try Hexadecimal.secret($0, "--current-password") })
  var currentPassword: [UInt8]?

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  /// Page 4 is the first of the user's memory.
  private static let firstUserPage = 4

  mutating func validate() throws {
    guard password.count == UltralightProtection.passwordSize else {
      throw ValidationError("--password has 4 bytes, not \(password.count).")
    }
    guard pack.map({ $0.count == UltralightProtection.acknowledgeSize }) ?? true else {
      throw ValidationError("--pack has 2 bytes, not \(pack?.count ?? 0).")
    }
  }

  func run() async throws {
    let limit = attempts ?? 0
    let protection = try UltralightProtection(
      password: password, acknowledge: pack ?? [0x00, 0x00], firstPage: from ?? Self.firstUserPage,
      protectsReading: read, attemptLimit: limit == 0 ? nil : limit)
    var effects: Set<UltralightProtectionPlan.IrreversibleEffect> = [.forgetsPassword]
    if limit > 0 { effects.insert(.mayCloseForGood) }
    let change = ProtectionChange(
      protection: protection, password: currentPassword, effects: effects, isPlan: plan)
    try await Session.run(options) { try await change.run($0) }
  }
}

/// `nfc unprotect`.
struct UnprotectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unprotect",
    abstract: "Takes a tag's password protection away.",
    discussion: """
      For NTAG21x and Ultralight EV1. The password itself stays on the tag and protects nothing.

      Example:
        nfc unprotect --password 11223344 --virtual ntag216
      """)

  @OptionGroup var password: TagPassword

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let change = ProtectionChange(
      protection: nil, password: try password.bytes, effects: [], isPlan: plan)
    try await Session.run(options) { try await change.run($0) }
  }
}

/// Setting a tag's protection, or taking it away.
private struct ProtectionChange: Sendable {
  /// `nil` to take it away.
  let protection: UltralightProtection?
  /// The one that the tag has.
  let password: [UInt8]?
  let effects: Set<UltralightProtectionPlan.IrreversibleEffect>
  let isPlan: Bool

  func run(_ session: Session) async throws {
    let options = session.options
    let tag = try await session.selectTag(
      "an NTAG or Ultralight", polling: .miFare, for: .changing
    ) { tag -> UltralightCommands? in
      if case .miFare(let tag) = tag { tag.ultralight } else { nil }
    }
    let plan = try await tag.namingPassword {
      try await tag.kind.protectionPlan(protection, password: password)
    }
    guard !isPlan else { return try show(plan, options) }
    try await tag.namingPassword {
      try await tag.kind.protect(
        plan, accepting: effects.union(protection == nil ? plan.irreversibleEffects : []),
        password: password)
    }
    try Output.done(options, tag.detected.identifier, ["protection": json])
    if !options.json {
      Output.remark("\(protection == nil ? "unprotected" : "protected") \(tag.name)")
    }
  }

  private var json: JSON {
    .members([
      "password": .bool(protection != nil), "from": protection.map { .integer($0.firstPage) },
      "read": protection.map { .bool($0.protectsReading) },
      "attempts": protection.map { .integer($0.attemptLimit ?? 0) },
    ])
  }

  /// One line per exchange; secrets are not shown.
  private func show(_ plan: UltralightProtectionPlan, _ options: GlobalOptions) throws {
    for step in plan.steps {
      guard options.json else {
        try Output.line(step.text)
        continue
      }
      switch step {
      case .authenticate: try Output.line(JSON.members(["authenticate": .bool(true)]).text)
      case .write(let page, let before, let after):
        try Output.line(
          JSON.members([
            "page": .integer(page), "before": before.map { .bytes($0) },
            "after": after.map { .bytes($0) }, "secret": after == nil ? .bool(true) : nil,
          ]).text)
      }
    }
    guard !options.json else { return }
    for effect in plan.irreversibleEffects {
      try Output.line("cannot be undone: \(effect)")
    }
    if plan.steps.isEmpty { try Output.line("nothing to be written") }
  }
}

extension UltralightProtectionPlan.Step {
  /// As `restore --plan` shows changes.
  fileprivate var text: String {
    switch self {
    case .authenticate: "the tag is asked to accept the new password"
    case .write(let page, let before?, let after?):
      "page \(page): \(before.hexadecimal) → \(after.hexadecimal)"
    case .write(let page, _, _): "page \(page): password or its acknowledge, not shown"
    }
  }
}

extension SelectedTag where Kind == UltralightCommands {
  /// Runs `body`, and says of a password that is missing or wrong how it is given.
  fileprivate func namingPassword<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await showingProgress(body)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      if [.notAuthenticated, .authenticationFailed].contains(error.code) {
        failure.advice = "give the password that the tag has now"
      }
      throw failure
    }
  }
}
