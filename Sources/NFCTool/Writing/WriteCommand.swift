import ArgumentParser
import NFC

/// The command `nfc write`.
struct WriteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Writes an NDEF message.",
    discussion: """
      The message replaces the one on the tag; with --append it is added to it. A message that does not \
      fit (exit code 65) and a read-only tag (77) are refused before anything is written. --backup saves the old \
      message, and --format formats a blank tag first.

      --each writes tag after tag. In texts, {uid} stands for the tag's UID, {n} for its number, and with \
      --from {column} for a value from the next row of a table, which --results completes with UIDs. Any other name in braces is refused; --as-is \
      writes it as it is. A command that was interrupted \
      says with which --row or --first it continues.

      Examples:
        nfc write uri https://example.com --verify --virtual ntag213
        nfc write text "Room {n}" --each --count 2 --virtual ntag213 --virtual ntag215
      """,
    subcommands: [
      WriteKindCommand<URIKind>.self, WriteKindCommand<TextKind>.self,
      WriteKindCommand<WiFiKind>.self, WriteKindCommand<ContactKind>.self,
      WriteKindCommand<TelephoneKind>.self, WriteKindCommand<SMSKind>.self,
      WriteKindCommand<MailKind>.self, WriteKindCommand<GeoKind>.self,
      WriteKindCommand<AppKind>.self, WriteKindCommand<BluetoothKind>.self,
      WriteKindCommand<PosterKind>.self, WriteKindCommand<HomeAssistantKind>.self,
      WriteKindCommand<MIMEKind>.self,
      WriteKindCommand<ExternalKind>.self, WriteKindCommand<RawKind>.self,
      WriteKindCommand<JSONKind>.self,
    ])
}

extension WriteCommand: SharedOptions {
  static let sharedFlags = [
    "--append", "--as-is", "--each", "--format", "--lock", "--no-default-keys", "--permanently",
    "--plan",
  ]
  static let sharedValueOptions = [
    "--backup", "--count", "--first", "--from", "--key", "--keys", "--password-file", "--results",
    "--row", "--tag-password",
  ]
}

/// The command `nfc encode`.
struct EncodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encode",
    abstract: "Saves an NDEF message in a file, without a reader.",
    discussion: """
      The file holds the bytes that nfc write would put on a tag; nfc write raw writes them. sign adds a signature \
      to a message in a file.

      Example:
        nfc encode uri https://example.com --output message.ndef
      """,
    subcommands: [
      EncodeKindCommand<URIKind>.self, EncodeKindCommand<TextKind>.self,
      EncodeKindCommand<WiFiKind>.self, EncodeKindCommand<ContactKind>.self,
      EncodeKindCommand<TelephoneKind>.self, EncodeKindCommand<SMSKind>.self,
      EncodeKindCommand<MailKind>.self, EncodeKindCommand<GeoKind>.self,
      EncodeKindCommand<AppKind>.self, EncodeKindCommand<BluetoothKind>.self,
      EncodeKindCommand<PosterKind>.self, EncodeKindCommand<HomeAssistantKind>.self,
      EncodeKindCommand<MIMEKind>.self,
      EncodeKindCommand<ExternalKind>.self, EncodeKindCommand<RawKind>.self,
      EncodeKindCommand<JSONKind>.self, EncodeSignCommand.self,
    ])
}

extension EncodeCommand: SharedOptions {
  static let sharedFlags = ["--as-is", "--force"]
  static let sharedValueOptions = ["--output", "-o"]
}
