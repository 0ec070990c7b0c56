import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire lrp`.
struct DESFireLRPCommand: PermanentChange {
  static let configuration = CommandConfiguration(
    commandName: "lrp",
    abstract: "Switches a DESFire Light or an NTAG 424 DNA to LRP permanently.",
    usage: "nfc desfire lrp [--permanently] [--plan] [<options>]",
    discussion: """
      LRP protects keys against power analysis. The switch cannot be undone, and requires --permanently. \
      Afterwards the chip accepts no plain AES authentication, and does not sign its link until nfc sun setup \
      is run again. Keys, files and data stay.

      Examples:
        nfc desfire lrp --plan --virtual ntag424
        nfc desfire lrp --permanently --key 0:00112233445566778899AABBCCDDEEFF
      """)

  static let refusalUnlessConfirmed =
    "The switch to LRP cannot be undone; add --permanently to confirm."

  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Confirm that the chip is to use LRP permanently.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: plan ? .reading : .changing, keyring)
      try await card.run {
        guard card.card.hasLRP else {
          throw Failure(
            .notThere, "the card has no LRP", tag: card.tag.name,
            advice: "use a DESFire Light or an NTAG 424 DNA")
        }
        guard !plan else { return try PlanOutput.show(card.card.lrpPlan(), options) }
        let application = card.card.application(.fixed)
        try await card.authenticate(application, [0], for: "the chip is switched")
        // The answer to an earlier switch can have been lost.
        try await card.card.perform(card.card.lrpPlan(), accepting: [.usesLRP])
        try Output.done(options, card.tag.detected.identifier, ["lrp": .bool(true)])
      }
    }
  }
}
