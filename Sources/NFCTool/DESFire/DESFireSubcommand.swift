import ArgumentParser

/// The command `nfc desfire`.
struct DESFireSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "desfire",
    abstract: "Works with MIFARE DESFire cards.",
    discussion: """
      Keys are given as NUMBER:HEX with --key, in a file with --keys, one per line, or in the environment \
      variable NFC_KEYS. NUMBER means a key of the application that the command works with, AID/NUMBER a \
      key of the application that it names. A key is used only where the card requires one.

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
