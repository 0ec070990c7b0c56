import ArgumentParser

/// `nfc desfire`.
struct DESFireSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "desfire",
    abstract: "Works with MIFARE DESFire cards.",
    discussion: """
      Keys are given as NUMBER:HEX by --key, by --keys FILE with one on each line, or by the environment variable \
      NFC_KEYS; a number alone is of the application that the command works with, AID/NUMBER of the one that is \
      named. They are tried only where the card asks for one.

      Example:
        nfc desfire info --virtual desfire
      """,
    subcommands: [
      DESFireInfoCommand.self, DESFireReadCommand.self, DESFireWriteCommand.self,
      DESFireValueCommand.self, DESFireCreateAppCommand.self, DESFireCreateFileCommand.self,
      DESFireDeleteAppCommand.self, DESFireDeleteFileCommand.self, DESFireChangeKeyCommand.self,
      DESFireFormatCommand.self, DESFireLRPCommand.self,
    ])
}
