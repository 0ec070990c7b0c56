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
      or after the subcommand.

      Example:
        nfc --virtual demo poll
      """,
    version: Version.line,
    subcommands: [
      ReadersCommand.self, DoctorCommand.self, PollCommand.self, WatchCommand.self,
      RecordingCommand.self,
      InfoCommand.self, ReadCommand.self, WriteCommand.self, EmulateCommand.self,
      EraseCommand.self, FormatCommand.self,
      LockCommand.self, ProtectCommand.self, UnprotectCommand.self, DumpCommand.self,
      RestoreCommand.self, DiffCommand.self, CopyCommand.self, ConvertCommand.self,
      DecodeCommand.self, EncodeCommand.self, MiFareCommand.self, APDUCommand.self,
      SUNSubcommand.self, DESFireSubcommand.self, PlusSubcommand.self,
      FeliCaSubcommand.self, ISO15693Subcommand.self, PassportSubcommand.self, VirtualCommand.self,
      ManualCommand.self,
    ])
}
