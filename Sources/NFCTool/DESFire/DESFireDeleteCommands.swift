import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire delete-app`.
struct DESFireDeleteAppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-app",
    abstract: "Deletes an application with its files and keys.",
    usage: "nfc desfire delete-app <aid> [--key <number:hex>] [<options>]",
    discussion: """
      This cannot be undone. The card's master key is needed, or the application's own where the card's \
      settings allow that: --key 0:HEX gives the card's, --key AID/0:HEX the application's. On a \
      DESFire EV1, the memory becomes free only when the card is formatted.

      Example:
        nfc desfire delete-app F00001 --key 0:0000000000000000
      """)

  @Argument(
    help: ArgumentHelp("Six hexadecimal digits.", valueName: "aid"),
    transform: { try DESFireText.application($0, "The application") })
  var application: DESFireApplicationIdentifier

  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Print what would be deleted, and delete nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard application != .card else { throw ValidationError("000000 is the card itself.") }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: plan ? .reading : .changing, keyring)
      try await card.run {
        guard try await card.card.hasApplication(application) else {
          throw NFCError(.wrongTag, "the card has no application \(application)")
        }
        let own = card.keyring.ownSecret(0, of: application)
        let change = card.card.deletionPlan(application, withOwnKey: own != nil)
        guard !plan else { return try PlanOutput.show(change, options) }
        if let own {
          try await card.authenticate(card.card.application(application), 0, own)
        } else {
          try await card.authenticate(card.card.root, [0], for: "an application is deleted")
        }
        try await card.card.perform(change, accepting: [.deletesContent])
        try Output.done(
          options, card.tag.detected.identifier, ["app": .string("\(application)")])
      }
    }
  }
}

/// The command `nfc desfire delete-file`.
struct DESFireDeleteFileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-file",
    abstract: "Deletes a file with its content.",
    usage: "nfc desfire delete-file --app <aid> --file <number> [<options>]",
    discussion: """
      This cannot be undone. On a DESFire EV1, the memory becomes free only when the card is formatted.

      Example:
        nfc desfire delete-file --app F00001 --file 2 --key 0:00112233445566778899AABBCCDDEEFF
      """)

  @OptionGroup var file: DESFireFileOptions
  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Print what would be deleted, and delete nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: plan ? .reading : .changing, keyring)
      try await card.run {
        let application = card.card.application(file.application)
        let settings = try await card.fileSettings(application, file.file)
        let change = application.deletionPlan(ofFile: file.file, settings.text)
        guard !plan else { return try PlanOutput.show(change, options) }
        if case .transactionMAC = settings.content,
          let secret = card.keyring.secret(0, of: application.identifier)
        {
          // Whether the settings free this file too is not public; a driver of others (M5Stack's M5Unit-NFC) uses the
          // master key.
          try await card.authenticate(application, 0, secret)
        } else {
          try await card.open(application, "a file is deleted") { $0.createsFreely }
        }
        try await card.card.perform(change, accepting: [.deletesContent])
        try Output.done(
          options, card.tag.detected.identifier,
          [
            "app": .string("\(file.application)"), "file": .integer(file.file),
            "deleted": .bool(true),
          ])
      }
    }
  }
}
