import ArgumentParser

/// The command `nfc plus`.
struct PlusSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plus",
    abstract: "Works with MIFARE Plus cards.",
    discussion: """
      Blocks are read and written in security level 3. In security level 1 the card is a MIFARE Classic for \
      every other command: see nfc mifare. Keys are given as PLACE:HEX with --key, in a file with --keys, \
      one per line, or in the environment variable NFC_KEYS. PLACE is a sector with A or B, or master, \
      configuration, level1, level2 or level3.

      Example:
        nfc plus read 4-6 --key 1A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF --virtual mifare-plus
      """,
    subcommands: [
      PlusReadCommand.self, PlusWriteCommand.self, PlusValueCommand.self,
      PlusChangeKeyCommand.self, PlusLevelCommand.self, PlusPersonalizeCommand.self,
    ])
}
