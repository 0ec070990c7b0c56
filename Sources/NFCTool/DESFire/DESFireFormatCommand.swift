import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire format`.
struct DESFireFormatCommand: PermanentChange {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Deletes all applications of a card.",
    usage: "nfc desfire format --permanently [--key <number:hex>] [<options>]",
    discussion: """
      This cannot be undone, and is refused without --permanently. The card's master key, which is needed \
      for it, stays as it is.

      Examples:
        nfc desfire format --plan --virtual desfire
        nfc desfire format --permanently --key 0:0000000000000000
      """)

  static let refusalUnlessConfirmed =
    "Formatting cannot be undone. To format the card, add --permanently."

  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Confirm that all applications, files and keys are deleted.")
  var permanently = false

  @Flag(help: "Print what would be deleted, and delete nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: plan ? .reading : .changing, keyring)
      guard !plan else { return try await show(card) }
      try await card.run {
        try await card.authenticate(card.card.root, [0], for: "a card is formatted")
        try await card.card.perform(card.card.formatPlan(), accepting: [.deletesContent])
      }
      try Output.done(options, card.tag.detected.identifier, ["formatted": .bool(true)])
    }
  }

  private func show(_ card: SelectedDESFire) async throws {
    let applications = try await card.run {
      try await card.openRoot("applications are listed") { $0.listsFreely }
      return try await card.card.applications()
    }
    try PlanOutput.show(card.card.formatPlan(applications), options)
  }
}
