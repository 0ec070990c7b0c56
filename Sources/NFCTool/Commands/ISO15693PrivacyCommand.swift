import ArgumentParser
import NFC
import SecureTags

/// The command `nfc iso15693 privacy`.
struct ISO15693PrivacyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "privacy", abstract: "Hides a label from readers, or ends that.",
    usage: "nfc iso15693 privacy on|off [--tag-password <password>] [<options>]",
    discussion: """
      For ICODE SLIX2, SLIX-S, SLIX-L, SLI-S and SLI-L. In privacy mode, a label answers only its privacy \
      password, which is 0F0F0F0F on delivery and unless given. nfc iso15693 set-password changes it.

      No reader finds a label in privacy mode. To end the mode, give its UID with --uid, and hold another ISO \
      15693 tag to the reader, too: a reader sends nothing while it sees no tag. It must be a PC/SC reader with \
      transparent sessions.

      Examples:
        nfc iso15693 privacy on --virtual icode-slix2
        nfc iso15693 privacy off --uid E00401082AD28E83 --password 0F0F0F0F
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
  }

  @Argument(help: "on or off.")
  var state: State

  @OptionGroup var password: TagPassword

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard state == .on || options.uid != nil else {
      throw ValidationError("No reader finds a tag in privacy mode: name it with --uid.")
    }
  }

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag =
        state == .on
        ? try await session.selectVicinityTag(for: plan ? .reading : .changing)
        : try await session.selectHiddenVicinityTag(for: plan ? .reading : .changing)
      let secret = try ICODETag.secret(password, .privacy, tag)
      try await tag.namingPassword {
        let change = try await ICODETag(tag.kind).privacyPlan(state == .on, password: secret)
        guard !plan else { return try PlanOutput.show(change, options) }
        try await tag.detected.perform(change)
        try Output.done(options, tag.detected.identifier, ["privacy": .bool(state == .on)])
        if !options.json, state == .on {
          Output.printNotice("\(tag.name) is hidden; keep its UID, with which it is found again")
        }
      }
    }
  }
}

/// The command `nfc iso15693 destroy`.
struct ISO15693DestroyCommand: PermanentChange {
  static let configuration = CommandConfiguration(
    commandName: "destroy", abstract: "Permanently disables a label.",
    usage: "nfc iso15693 destroy --permanently [--plan] [<options>]",
    discussion: """
      For ICODE SLIX2, SLIX-S, SLIX-L, SLI-S and SLI-L, with the destroy password, which is 0F0F0F0F on \
      delivery and unless given. The label never answers again. This cannot be undone, and is refused without \
      --permanently.

      Example:
        nfc iso15693 destroy --permanently --virtual icode-slix2
      """)

  static let refusalUnlessConfirmed =
    "Destroying cannot be undone. To disable the label, add --permanently."

  @OptionGroup var password: TagPassword

  @Flag(help: "Confirm that the label can never be used again.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      let secret = try ICODETag.secret(password, .destroy, tag)
      try await tag.namingPassword {
        let change = try await ICODETag(tag.kind).destructionPlan(password: secret)
        guard !plan else { return try PlanOutput.show(change, options) }
        try await tag.detected.perform(change, accepting: [.destroysTag])
        try Output.done(options, tag.detected.identifier, ["destroyed": .bool(true)])
      }
    }
  }
}

/// The command `nfc iso15693 set-password`.
struct ISO15693SetPasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-password", abstract: "Changes one of an ICODE label's passwords.",
    usage: "nfc iso15693 set-password <use> --new-password <hex> [<options>]",
    discussion: """
      SLIX2, SLIX-S and SLI-S have all passwords; SLIX-L and SLI-L have privacy, destroy and eas; SLIX has \
      eas. Without --tag-password, the label has the one that it has on delivery: zeros, or 0F0F0F0F for privacy and \
      destroy. The new password is verified afterwards. A lost password cannot be recovered. nfc protect \
      sets the read and the write password together. --plan does not try the password.

      Example:
        nfc iso15693 set-password privacy --new-password 11223344 --virtual icode-slix2
      """)

  enum Use: String, ExpressibleByArgument, CaseIterable {
    case read
    case write
    case privacy
    case destroy
    case eas

    var password: ICODETag.Password {
      switch self {
      case .read: .read
      case .write: .write
      case .privacy: .privacy
      case .destroy: .destroy
      case .eas: .surveillance
      }
    }
  }

  @Argument(help: "read, write, privacy, destroy or eas.")
  var use: Use

  @Option(
    help: ArgumentHelp("The new password, 4 bytes.", valueName: "hex"),
    transform: { try SecretKey($0, "--new-password", size: ICODETag.passwordSize) })
  var newPassword: SecretKey

  @OptionGroup var password: TagPassword

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      let secret = try ICODETag.secret(password, use.password, tag)
      try await tag.namingPassword {
        let change = try await ICODETag(tag.kind).passwordPlan(
          use.password, from: secret, to: newPassword)
        guard !plan else { return try PlanOutput.show(change, options) }
        try await tag.detected.perform(change, accepting: [.forgetsPassword])
        try Output.done(options, tag.detected.identifier, ["password": .string(use.rawValue)])
      }
    }
  }
}

extension ICODETag {
  /// Returns the given password, or the one on delivery.
  ///
  /// - Throws: ``Failure`` `usage` for a password of another length.
  static func secret(
    _ given: [UInt8]?, _ use: Password, _ tag: SelectedTag<any ISO15693Tag>
  ) throws -> SecretKey {
    guard let given else { return factoryPassword(use) }
    guard given.count == passwordSize else {
      throw Failure(
        .usage,
        "the password has \(given.count) bytes, and the \(use) password of an ICODE has "
          + "\(passwordSize)",
        tag: tag.name, advice: "give \(2 * passwordSize) hexadecimal digits")
    }
    return SecretKey(given)
  }
}
