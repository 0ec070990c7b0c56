import ArgumentParser
import NFC
import SecureTags
import TagTools

/// The command `nfc desfire info`.
struct DESFireInfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows a card's version, memory, applications and files.",
    usage: "nfc desfire info [--key <number:hex>] [<options>]",
    discussion: """
      Without keys, prints what the card reports to everyone; a key is used only where the card requires \
      one. What the card does not report is left out.

      Examples:
        nfc desfire info --virtual desfire
        nfc desfire info --json --key 0:00000000000000000000000000000000
      """)

  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: .reading, keyring)
      let report = try await card.run { try await DESFireReport(card) }
      guard !options.json else { return try Output.line(report.json.text) }
      var table = FactTable()
      report.addRows(to: &table)
      try table.print()
    }
  }
}
