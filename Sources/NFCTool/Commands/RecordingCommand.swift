import ArgumentParser
import Recordings

/// The command `nfc recording`.
struct RecordingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording",
    abstract: "Records exchanges, to play them back or show them in Wireshark.",
    discussion: """
      These options stand before or after every command that uses a reader:

        --record FILE       records what reader and tags exchange: one JSON
                            object per line, keys and passwords as **
        --replay FILE       replaces the reader, and answers in the order
                            of the recording
        --replay-any-order  answers each command with its recorded answer, in any order
        --pcap FILE         writes the exchanges for Wireshark (pcapng), keys zero
        --with-secrets      masks nothing, and keeps the random numbers of the program
        --force             overwrites a file that is there already

      A command that is not in the recording ends with exit code 65 and the number of the line. Recordings \
      are written line by line, so a program that is ended leaves everything up to that point. --pcap \
      works with --replay, too.

      Masked bytes match any bytes of a command and are zero in an answer, except for a PACK that the \
      command has written itself. Authentication in which both sides prove a key with random numbers, as \
      with DESFire, MIFARE Plus, Ultralight C and AES, can be played back only from a recording made with \
      --with-secrets: the recorded numbers are used again, but never with a reader. With any other \
      recording it ends with exit code 65 and the number of the line, because the random numbers are \
      different; an authentication that failed when it was recorded fails again in the same way.

      In a capture, what the reader does by itself is reconstructed from what it reports: selection, \
      blocks of ISO 14443-4, check bytes. Wireshark decodes ISO 14443 (link type 264). FeliCa is User 0 \
      (147): set its protocol to felica, with a header of 1 and a trailer of 2. ISO 15693 is User 1 (148), \
      as bytes. Topaz, ISO 14443 B', SRx, CTx, barcode and iCLASS are User 3 (150), as bytes without check \
      bytes: Wireshark does not know them.

      Examples:
        nfc read --record session.jsonl --virtual ntag216
        nfc read --replay session.jsonl
        nfc info --pcap session.pcapng --virtual ntag216
        nfc recording anonymize session.jsonl shared.jsonl
      """,
    subcommands: [AnonymizeCommand.self])
}

/// The command `nfc recording anonymize`.
struct AnonymizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anonymize",
    abstract: "Replaces the UIDs in a recording.",
    usage: "nfc recording anonymize <in> <out> [--content] [--force]",
    discussion: """
      Gives each tag another UID wherever its own appears: in searches, commands and answers, in \
      either byte order, together with its check bytes, and as hexadecimal text. The manufacturer's part \
      stays, because it identifies the kind of tag. Signatures, which prove a UID, become zeros. The \
      result can be played back like the original.

      With --content the data of messages, pages, blocks and files is replaced, too, by data of the same \
      length. The structure of a message stays, so that it can still be read. Check the result before you \
      share it.

      Example:
        nfc recording anonymize session.jsonl shared.jsonl --content
      """)

  @Argument(help: ArgumentHelp("The recording.", valueName: "in"), completion: .file())
  var input: String

  @Argument(help: ArgumentHelp("The file to write.", valueName: "out"), completion: .file())
  var output: String

  @Flag(help: "Replace what is on the tags too.")
  var content = false

  @Flag(help: "Overwrite a file that is there already.")
  var force = false

  @OptionGroup private var ignored: IgnoredReaderOptions
  @OptionGroup private var ignoredJSON: IgnoredJSONOption

  func run() async throws {
    try File.checkNew(output, isForced: force)
    let recording = try Recording(file: input)
    let anonymous = recording.anonymized(replacingContent: content)
    try File.write(Array(anonymous.text.utf8), to: output)
  }
}
