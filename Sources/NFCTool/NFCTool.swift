import ArgumentParser

/// The command `nfc`.
struct NFCTool: AsyncParsableCommand {
  /// The text that precedes the parser's errors, as it precedes every other error.
  static var _errorPrefix: String { "nfc: " }

  static let configuration = CommandConfiguration(
    commandName: "nfc",
    abstract: "Reads, writes and simulates NFC tags.",
    discussion: """
      Name a reader with --reader or NFC_READER; otherwise all readers that are found are used. --virtual \
      TAG needs no hardware. --reader, --virtual, --timeout, --json, --uid and --verbose can stand before \
      or after the subcommand. -h is shorter than --help. nfc help exit-codes, environment and files say more.

      Example:
        nfc --virtual demo poll
      """,
    version: Version.line,
    subcommands: [ManualCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Tags",
        subcommands: [
          PollCommand.self, InfoCommand.self, ReadCommand.self, WriteCommand.self,
          EraseCommand.self, FormatCommand.self, LockCommand.self, ProtectCommand.self,
          UnprotectCommand.self, CopyCommand.self,
        ]),
      CommandGroup(
        name: "Memory and files",
        subcommands: [
          DumpCommand.self, RestoreCommand.self, DiffCommand.self, ConvertCommand.self,
          DecodeCommand.self, EncodeCommand.self,
        ]),
      CommandGroup(
        name: "Kinds of tags and cards",
        subcommands: [
          MiFareCommand.self, ISO15693Subcommand.self, FeliCaSubcommand.self, APDUCommand.self,
          DESFireSubcommand.self, PlusSubcommand.self, SUNSubcommand.self, PassportSubcommand.self,
          PassSubcommand.self,
        ]),
      CommandGroup(
        name: "Running all the time",
        subcommands: [WatchCommand.self, EmulateCommand.self]),
      CommandGroup(
        name: "Readers",
        subcommands: [
          ReadersCommand.self, DoctorCommand.self, VirtualCommand.self, RecordingCommand.self,
        ]),
    ])
}
