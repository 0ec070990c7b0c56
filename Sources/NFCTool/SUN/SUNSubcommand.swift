import ArgumentParser

/// The command `nfc sun`.
struct SUNSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sun",
    abstract: "Sets up and verifies the signed links of NTAG 424 DNA and DESFire EV3.",
    discussion: """
      Example:
        nfc sun verify 'https://ntag.nxp.com/424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086' \
      --key 00000000000000000000000000000000
      """,
    subcommands: [SUNVerifyCommand.self, SUNSetupCommand.self])
}
