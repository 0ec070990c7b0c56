import ArgumentParser
import JSONText
import NFC
import SecureTags

/// The command `nfc iso15693 secrets`.
struct ISO15693SecretsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secrets", abstract: "Makes an NTAG 5 use AES keys, or passwords.",
    usage: "nfc iso15693 secrets keys|passwords [--plan] [<options>]",
    discussion: """
      For NTAG 5 link and boost, which use passwords on delivery. The tag changes once it has been removed and \
      presented again. With keys, its whole memory is open to everyone, whatever was protected by passwords, until \
      nfc iso15693 enforce puts the protection in force. nfc iso15693 set-keys sets the keys.

      Once a key is active, the tag can no longer change.

      Example:
        nfc iso15693 secrets keys --virtual ntag5-link
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case keys
    case passwords

    var security: NTAG5Configuration.Security { self == .keys ? .keys : .passwords }
  }

  @Argument(help: "keys or passwords.")
  var kind: Kind

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      let change: KeyValuePairs<String, JSONValue?> = ["secrets": .string(kind.rawValue)]
      try await tag.namingConfiguration {
        let chip = try await ICODETag(tag.kind)
        guard !plan else {
          let isNeeded = try await chip.checkUse(kind.security)
          return try PlannedChange.show(
            "secrets: \(kind.rawValue), once the tag was removed", change, if: isNeeded, options)
        }
        try await chip.use(kind.security)
        try Output.done(options, tag.detected.identifier, change)
        if !options.json {
          Output.printNotice("\(tag.name) uses \(kind.rawValue) once it was removed")
        }
      }
    }
  }
}

/// The command `nfc iso15693 enforce`.
struct ISO15693EnforceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enforce", abstract: "Puts the protection of an NTAG 5 with AES keys in force.",
    usage: "nfc iso15693 enforce --key <number:hex> --permanently [<options>]",
    discussion: """
      For NTAG 5 link and boost with an active key. Until then the memory is open, whatever its division requires. The \
      key must have the privileges read and write, because nobody could reach protected parts of the memory without \
      one that has. --lock privileges or --lock keys also locks the privileges, or all keys. None of this can be \
      undone, which is refused without --permanently.

      Example:
        nfc iso15693 enforce --key 0:00112233445566778899AABBCCDDEEFF --permanently
      """)

  enum Lock: String, ExpressibleByArgument, CaseIterable {
    case privileges
    case keys
  }

  @OptionGroup var keys: KeyOptions<ICODEKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Option(
    help: ArgumentHelp(
      "Also lock privileges, or keys: their values, privileges and states.", valueName: "what"))
  var lock: Lock?

  @Flag(help: "Confirm that the protection can never be lifted.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard permanently || plan else {
      throw ValidationError(
        "A protection in force can never be lifted. To put it in force, add --permanently.")
    }
  }

  private var access: NTAG5Configuration.Access {
    switch lock {
    case nil: .protected
    case .privileges: .protectedWithPrivilegesLocked
    case .keys: .locked
    }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles).byPlace
    guard let (place, key) = keyring.first, keyring.count == 1 else {
      throw Failure(
        .usage, "one key is needed, and \(keyring.count) are given",
        advice: "give it with --key 0:HEX, --keys or NFC_KEYS")
    }
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      let change: KeyValuePairs<String, JSONValue?> = [
        "enforced": .bool(true), "locked": lock.map { .string($0.rawValue) },
      ]
      try await tag.namingKeys {
        let chip = try await ICODETag(tag.kind)
        guard !plan else {
          let isNeeded = try await chip.checkProtection(access, provenBy: place.number, key)
          let locks = lock.map { ", and \($0.rawValue) locked" } ?? ""
          return try PlannedChange.show(
            "protection of the memory: in force\(locks)", change, if: isNeeded, options)
        }
        try await chip.protectPermanently(access, provenBy: place.number, key)
        try Output.done(options, tag.detected.identifier, change)
      }
    }
  }
}

/// The command `nfc iso15693 hide-passwords`.
struct ISO15693HidePasswordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide-passwords", abstract: "Hides the passwords of an NTAG 5 from everyone.",
    usage: "nfc iso15693 hide-passwords --permanently [--plan] [<options>]",
    discussion: """
      For NTAG 5 link and boost, whose passwords anyone can read until they are hidden. The password is the one for \
      reading and writing that nfc protect sets, zeros unless given. Afterwards the tag can never use AES keys. This \
      cannot be undone, and is refused without --permanently.

      Example:
        nfc iso15693 hide-passwords --permanently --virtual ntag5-link
      """)

  @OptionGroup var password: TagPassword

  @Flag(help: "Confirm that the passwords can never be read again, and no keys be used.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard permanently || plan else {
      throw ValidationError("Hiding cannot be undone. To hide the passwords, add --permanently.")
    }
  }

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      let secret = try ICODETag.secret(password, .write, tag)
      let change: KeyValuePairs<String, JSONValue?> = ["passwordsHidden": .bool(true)]
      try await tag.namingConfiguration {
        let chip = try await ICODETag(tag.kind)
        guard !plan else {
          let isNeeded = try await chip.checkHiding()
          return try PlannedChange.show("passwords: hidden", change, if: isNeeded, options)
        }
        try await chip.hidePasswordsPermanently(current: ICODEPasswords(secret))
        try Output.done(options, tag.detected.identifier, change)
      }
    }
  }
}

extension SelectedTag where Kind == any ISO15693Tag {
  /// Runs `body`. The tag and, for a wrong password, the option are added to errors.
  fileprivate func namingConfiguration(_ body: () async throws -> Void) async throws {
    try await namingPassword { try await body() }
  }
}

extension PlannedChange {
  /// Shows a change, or that there is none.
  fileprivate static func show(
    _ text: String, _ members: KeyValuePairs<String, JSONValue?>, if isNeeded: Bool,
    _ options: GlobalOptions
  ) throws {
    if isNeeded { return try show(text, members, options) }
    if !options.json { try Output.line("nothing to be changed") }
  }
}
