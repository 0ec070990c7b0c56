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
      protection: TagProtection(
        password: SecretKey(password), acknowledge: pack, first: from, protectsReading: read,
        attemptLimit: attempts == 0 ? nil : attempts),
      current: currentPassword.map { SecretKey($0) }, isPlan: plan)
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
    let change = ProtectionChange(
      protection: nil, current: try password.bytes.map { SecretKey($0) }, isPlan: plan)
    try await Session.run(options) { try await change.run($0) }
  }
}

/// Sets or removes the protection of a tag, as `nfc protect` and `nfc unprotect` do.
struct ProtectionChange: Sendable {
  static let passwordSizes = [
    UltralightProtection.passwordSize, ST25Tag.passwordSize, UltralightAESTag.keySize,
  ]

  /// The protection to set, or `nil` to remove it.
  let protection: TagProtection?
  /// The tag's current password.
  let current: SecretKey?
  let isPlan: Bool

  /// The option for the tag's current password.
  private var currentOption: String {
    protection == nil ? "--tag-password" : "--current-password"
  }

  func run(_ session: Session) async throws {
    let options = session.options
    let tag = try await session.selectTag(
      "a tag with a password", polling: [.iso14443a, .iso15693],
      for: isPlan ? .reading : .changing
    ) { $0.mayHavePassword ? $0 : nil }
    let plan: ChangePlan? = try await naming(on: tag) {
      guard !isPlan else {
        return try await tag.detected.protectionPlan(protection, current: current)
      }
      // What the options of the command name.
      var effects: Set<IrreversibleEffect> = [.forgetsPassword, .forgetsKey]
      if protection?.attemptLimit != nil { effects.insert(.mayClosePermanently) }
      try await tag.detected.protect(protection, current: current, accepting: effects)
      return nil
    }
    if let plan { return try PlanOutput.show(plan, options) }
    try Output.done(
      options, tag.detected.identifier,
      [
        "protection": .members([
          "password": .bool(protection != nil),
          "from": protection.map { .integer($0.first ?? tag.detected.firstProtectedNumber) },
          "read": protection.map { .bool($0.protectsReading) },
          "attempts": protection.map { .integer($0.attemptLimit ?? 0) },
        ])
      ])
    if !options.json {
      Output.printNotice("\(protection == nil ? "unprotected" : "protected") \(tag.name)")
    }
  }

  /// Runs `body`. The options are added to errors.
  private func naming<Result: Sendable>(
    on tag: SelectedTag<DetectedTag>, _ body: () async throws -> Result
  ) async throws -> Result {
    let isMissing = current == nil
    do {
      return try await tag.namingPassword(currentOption, isMissing: isMissing) {
        do {
          return try await body()
        } catch TagProtectionError.newPasswordNotTried(let error) {
          var failure = tag.failure(error, currentOption, isMissing: isMissing)
          failure.advice = [
            failure.advice,
            "if an earlier command has set the new one already, \(currentOption) is the same",
          ].compactMap(\.self).joined(separator: "; ")
          throw failure
        } catch let error as NFCError
          where error.code == .invalidParameter && tag.detected.technology == .iso15693
        {
          throw Failure(
            .usage, error.reason, tag: tag.name,
            advice: "give another --from, --read or --password")
        }
      }
    } catch let error as TagProtectionError {
      throw Failure(.usage, reason(error), tag: tag.name, advice: advice(error))
    }
  }

  private func option(for part: TagProtectionError.Part) -> String {
    switch part {
    case .acknowledge: "--pack"
    case .attemptLimit: "--attempts"
    case .first: "--from"
    }
  }

  private func reason(_ error: TagProtectionError) -> String {
    guard case .unsupported(let part) = error else { return error.description }
    return "this tag has nothing for \(option(for: part))"
  }

  private func advice(_ error: TagProtectionError) -> String? {
    switch error {
    case .unsupported(let part): "leave \(option(for: part)) out"
    case .attemptLimit(let maximum): "give --attempts \(maximum) or less"
    case .noPassword, .newPasswordNotTried: nil
    }
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
      throw failure(error, option, isMissing: isMissing)
    }
  }

  fileprivate func failure(
    _ error: NFCError, _ passwordOption: String, isMissing: Bool
  ) -> Failure {
    var failure = Failure(error, tag: name)
    if [.notAuthenticated, .authenticationFailed].contains(error.code) {
      failure.advice = "give the password that the tag has now with \(passwordOption)"
    } else if error.code == .readOnly, isMissing {
      failure.advice = "if it has a password or key, give it with \(passwordOption)"
    }
    return failure
  }
}
