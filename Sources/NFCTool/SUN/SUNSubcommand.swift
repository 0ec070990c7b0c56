import ArgumentParser

/// The command `nfc sun`.
struct SUNSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sun",
    abstract: "Verifies the signed links of NTAG DNA and DESFire EV3, and sets them up.",
    discussion: """
      Example:
        nfc sun verify 'https://ntag.nxp.com/424?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086' \\
          --key 00000000000000000000000000000000
      """,
    subcommands: [SUNVerifyCommand.self, SUNSetupCommand.self])
}
