import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags
import TagTools

/// The command `nfc protect`.
struct ProtectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protect",
    abstract: "Protects a tag with a password.",
    usage: "nfc protect --password <password> [--from <number>] [--read] [<options>]",
    discussion: """
      For NTAG21x, Ultralight EV1, C and AES, ICODE SLIX2, SLIX-S and SLI-S, NTAG 5, ST25DV, ST25TV and ST25TA. Without --read \
      anyone can still read the tag. nfc write --tag-password writes to it, and nfc unprotect removes the \
      protection. --plan shows what would be written.

      A password is not encrypted: it goes over the air in plain text. Ultralight C and AES have a key instead, \
      which goes over the air only while it is set.

      Examples:
        nfc protect --password 11223344 --plan --virtual ntag216
        nfc protect --password text:abcd --from 4 --read --virtual ntag216
        nfc protect --password 11223344 --virtual icode-slix2
      """)

  @Option(
    name: [.customLong("password"), .customLong("tag-password")],
    help: ArgumentHelp(
      "The new password: 4 bytes, 8 for an ST25DV or ST25TV, 16 for an ST25TA; for an Ultralight C or AES a key of 16 bytes.",
      discussion: "In hexadecimal, or as text: text:abcd is 61626364.", valueName: "password"),
    transform: { try TagPasswordText.argument($0, "the password") })
  var password: [UInt8]

  @Option(
    help: ArgumentHelp(
      "What an NTAG or Ultralight answers to the right password, 2 bytes; zeros unless given.",
      valueName: "hex"),
    transform: { try Hexadecimal.secret($0, "--pack") })
  var pack: [UInt8]?

  @Option(
    help: ArgumentHelp(
      "The first page or block that is protected; the first of the user memory unless given.",
      valueName: "number"),
    transform: { try NumberArgument.integer($0, "--from", in: 0...255) })
  var from: Int?

  @Flag(help: "Require the password for reading, too.")
  var read = false

  @Option(
    help: ArgumentHelp(
      "The number of wrong passwords in a row that an NTAG or Ultralight accepts: 1 to 7, up to 1022 for an Ultralight AES; 0 for any number.",
      discussion: "One more permanently closes the tag. Cannot be undone.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--attempts", in: 0...1022) })
  var attempts: Int?

  @Option(
    help: ArgumentHelp("The password that the tag has now, if it has one.", valueName: "password"),
    transform: { try TagPasswordText.argument($0, "the current password") })
  var currentPassword: [UInt8]?

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard ProtectionChange.passwordSizes.contains(password.count) else {
      throw ValidationError(
        "--password takes 4 bytes, 8 for an ST25DV or ST25TV, 16 for an ST25TA, Ultralight C or AES, not \(password.count)."
      )
    }
    guard pack.map({ $0.count == UltralightProtection.passwordAcknowledgeSize }) ?? true else {
      throw ValidationError("--pack takes 2 bytes, not \(pack?.count ?? 0).")
    }
  }

  func run() async throws {
    let change = ProtectionChange(
      request: ProtectionChange.Request(
        password: password, pack: pack, from: from, protectsReading: read, attempts: attempts),
      password: currentPassword, isPlan: plan)
    try await Session.run(options) { try await change.run($0) }
  }
}

/// The command `nfc unprotect`.
struct UnprotectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unprotect",
    abstract: "Removes a tag's password protection.",
    usage: "nfc unprotect [--tag-password <password>] [--plan] [<options>]",
    discussion: """
      For NTAG21x, Ultralight EV1, C and AES, ICODE SLIX2, SLIX-S and SLI-S, NTAG 5, ST25DV, ST25TV and ST25TA. The password itself \
      stays on the tag, but no longer protects anything.

      Example:
        nfc unprotect --tag-password FFFFFFFF --virtual ntag216
      """)

  @OptionGroup var password: TagPassword

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let change = ProtectionChange(request: nil, password: try password.bytes, isPlan: plan)
    try await Session.run(options) { try await change.run($0) }
  }
}

/// Sets or removes the protection of a tag.
struct ProtectionChange: Sendable {
  struct Request: Sendable {
    var password: [UInt8]
    var pack: [UInt8]?
    var from: Int?
    var protectsReading: Bool
    var attempts: Int?
  }

  static let passwordSizes = [
    UltralightProtection.passwordSize, ST25Tag.passwordSize, keySize,
  ]
  /// The first user page of an Ultralight or NTAG.
  static let firstUserPage = 4

  /// The protection to set, or `nil` to remove it.
  let request: Request?
  /// The tag's current password.
  var password: [UInt8]?
  let isPlan: Bool
  /// Whether ``password`` is the new one, in case that an earlier command has set it.
  var isTrial = false

  /// The option for the tag's current password.
  var passwordOption: String { request == nil ? "--tag-password" : "--current-password" }

  /// Runs `body`. The option for the current password is added to errors.
  func naming<Result: Sendable>(
    on tag: SelectedTag<Kind>, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await tag.namingPassword(passwordOption, isMissing: password == nil, body)
    } catch let failure as Failure where failure.status == .notAllowed {
      guard request != nil, password == nil || isTrial else { throw failure }
      throw MissingPassword(failure: failure)
    }
  }

  /// The tags whose protection is supported.
  enum Kind: Sendable {
    case ultralight(UltralightCommands, any MiFareTag)
    case vicinity(any ISO15693Tag, VicinityPassword)
    case file(any ISO7816Tag)

    init?(_ tag: DetectedTag) {
      switch tag {
      case .miFare(let tag):
        guard let commands = tag.ultralight else { return nil }
        self = .ultralight(commands, tag)
      case .iso15693(let tag):
        let product = ISO15693Chip.tagProduct(uid: tag.identifier)
        guard let password = VicinityPassword(product) else { return nil }
        self = .vicinity(tag, password)
      case .iso7816(let card):
        guard ProtectionChange.mayHaveFilePassword(card) else { return nil }
        self = .file(card)
      default: return nil
      }
    }
  }

  func run(_ session: Session) async throws {
    let options = session.options
    let tag = try await session.selectTag(
      "a tag with a password", polling: [.iso14443a, .iso15693],
      for: isPlan ? .reading : .changing
    ) { Kind($0) }
    guard try await changeAgain(tag, options) else { return }
    let from = request.map { $0.from ?? Self.firstNumber(tag.kind) }
    try Output.done(
      options, tag.detected.identifier,
      [
        "protection": .members([
          "password": .bool(request != nil), "from": from.map { .integer($0) },
          "read": request.map { .bool($0.protectsReading) },
          "attempts": request.map { .integer($0.attempts ?? 0) },
        ])
      ])
    if !options.json {
      Output.printNotice("\(request == nil ? "unprotected" : "protected") \(tag.name)")
    }
  }

  /// Returns whether the protection was changed. It is not changed if only the plan is shown.
  func change(_ tag: SelectedTag<Kind>, _ options: GlobalOptions) async throws -> Bool {
    switch tag.kind {
    case .ultralight(let commands, let miFare):
      switch try await commands.secret() {
      case .tripleDES: try await changeTripleDES(commands, tag, options)
      case .aes: try await changeAES(miFare, tag, options)
      default: try await change(commands, tag, options)
      }
    case .vicinity(let vicinity, let kind): try await change(vicinity, kind, tag, options)
    case .file(let card): try await change(card, tag, options)
    }
  }

  /// Returns the number of the first user block, which is page 4 for Type 2 tags.
  private static func firstNumber(_ kind: Kind) -> Int {
    if case .ultralight = kind { firstUserPage } else { 0 }
  }

  // MARK: NTAG and Ultralight

  /// Returns whether the protection was changed. It is not changed if only the plan is shown.
  private func change(
    _ commands: UltralightCommands, _ tag: SelectedTag<Kind>, _ options: GlobalOptions
  ) async throws -> Bool {
    let limit = request?.attempts ?? 0
    let protection = try request.map { request in
      guard request.password.count == UltralightProtection.passwordSize else {
        throw Failure(
          .usage, "--password has \(request.password.count) bytes, and this tag's password has 4",
          tag: tag.name, advice: "give 8 hexadecimal digits")
      }
      guard limit <= UltralightProtection.attemptLimits.upperBound else {
        throw Failure(
          .usage,
          "this tag accepts a limit of 1 to \(UltralightProtection.attemptLimits.upperBound)",
          tag: tag.name,
          advice: "give --attempts \(UltralightProtection.attemptLimits.upperBound) or less")
      }
      return try UltralightProtection(
        password: request.password, passwordAcknowledge: request.pack ?? [0x00, 0x00],
        firstPage: request.from ?? Self.firstNumber(tag.kind),
        protectsReading: request.protectsReading,
        attemptLimit: limit == 0 ? nil : limit)
    }
    let plan = try await naming(on: tag) {
      try await commands.protectionPlan(protection, password: password)
    }
    return try await perform(plan, tag, options)
  }

  // MARK: ISO 15693

  private func change(
    _ vicinity: any ISO15693Tag, _ kind: VicinityPassword, _ tag: SelectedTag<Kind>,
    _ options: GlobalOptions
  ) async throws -> Bool {
    let unknown = [
      ("--pack", request?.pack != nil), ("--attempts", (request?.attempts ?? 0) > 0),
    ].first(where: \.1)
    if let unknown {
      throw Failure(
        .usage, "this tag has nothing for \(unknown.0)", tag: tag.name,
        advice: "leave \(unknown.0) out")
    }
    let protection = VicinityProtection(
      tag: vicinity, kind: kind,
      request: request.map {
        VicinityProtection.Request(
          password: $0.password, from: $0.from ?? Self.firstNumber(tag.kind),
          protectsReading: $0.protectsReading)
      }, current: password)
    let plan = try await naming(on: tag) { try await protection.plan() }
    return try await perform(plan, tag, options)
  }

  // MARK: Plan

  /// Shows the plan if it was requested, and performs it otherwise. Returns whether it was performed.
  func perform(
    _ plan: ChangePlan, _ tag: SelectedTag<Kind>, _ options: GlobalOptions
  ) async throws -> Bool {
    guard !isPlan else {
      try PlanOutput.show(plan, options)
      return false
    }
    // What the options of the command name.
    var effects: Set<IrreversibleEffect> = [.forgetsPassword, .forgetsKey]
    if request?.attempts ?? 0 > 0 { effects.insert(.mayClosePermanently) }
    try await naming(on: tag) { [effects] in
      _ = try await tag.detected.perform(plan, accepting: effects)
    }
    return true
  }
}

extension SelectedTag {
  /// Runs `body`. The name of the option is added to errors about a missing or wrong password.
  ///
  /// - Parameter isMissing: whether a page that cannot be written may require a password, as none is given.
  func namingPassword<Result: Sendable>(
    _ option: String = "--tag-password", isMissing: Bool = false, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await showingProgress(body)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      if [.notAuthenticated, .authenticationFailed].contains(error.code) {
        failure.advice = "give the password that the tag has now with \(option)"
      } else if error.code == .readOnly, isMissing {
        failure.advice = "if it has a password or key, give it with \(option)"
      }
      throw failure
    }
  }
}
