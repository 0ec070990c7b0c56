import ArgumentParser

/// The `nfc` command.
struct NFCTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nfc",
    abstract: "Reads, writes and plays NFC tags.",
    discussion: """
      A reader is named by --reader or NFC_READER; with neither, all that are found are used. \
      --virtual TAG needs no reader at all. --reader, --virtual, --timeout, --json, --uid and \
      --verbose stand before or after the subcommand.

      Example:
        nfc --virtual demo poll
      """,
    subcommands: [
      ReadersCommand.self, PollCommand.self, InfoCommand.self, ReadCommand.self,
      WriteCommand.self, EraseCommand.self, FormatCommand.self, LockCommand.self,
      MiFareCommand.self, APDUCommand.self, FeliCaCommand.self,
      ISO15693Command.self, VirtualCommand.self, DoctorCommand.self,
    ])
}
