import ArgumentParser

/// The command `nfc pass`.
struct PassSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pass",
    abstract: "Reads passes from phones: Apple Wallet and Google Wallet.",
    discussion: """
      It is for passes of your own: whoever issues a pass has its private key. nfc pass key makes one; the \
      public key belongs in pass.json. Apple does not publish its protocol, and Google asks for a \
      certification of terminals: this program is certified by neither, and was not tried with a phone.

      Example:
        nfc pass read --pass-type pass.com.example.card --key private.pem
      """,
    subcommands: [PassKeyCommand.self, PassReadCommand.self, PassDecryptCommand.self])
}
