import ArgumentParser
import Recordings

/// `nfc recording`.
struct RecordingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording",
    abstract: "Exchanges that are kept, played back, or shown in Wireshark.",
    discussion: """
      These options stand before or after every command that uses a reader:

        --record FILE       keeps what passes between reader and tags: one JSON
                            object per line, keys and passwords as **
        --replay FILE       takes the place of a reader, and answers in the order
                            of the recording
        --replay-any-order  answers a command by its own answer, wherever it stands
        --pcap FILE         writes the exchanges for Wireshark (pcapng), keys zero
        --with-secrets      masks nothing

      A command that the recording does not have ends with exit 65 and its line. Recordings are written \
      line by line: a command that is ended leaves all that went before. --pcap works with --replay, too.

      Masked bytes match any in a command, and are zero in an answer. An authentication in which both sides \
      prove a key by random numbers, as with DESFire, MIFARE Plus, Ultralight C and AES, cannot be played \
      back: other numbers are drawn, and only who has the key could answer those. It ends with exit 65 and \
      the line of the proof; one that failed when it was recorded fails again as it did.

      In a capture, what the reader does by itself is put together from what it reports: selection, blocks \
      of ISO 14443-4, checks. Wireshark takes ISO 14443 apart (link type 264). FeliCa is User 0 (147): set \
      its protocol to felica, with a header of 1 and a trailer of 2. ISO 15693 is User 1 (148), as bytes. \
      Topaz, ISO 14443 B', SRx, CTx, barcode and iCLASS are User 2 (149), as bytes without checks: Wireshark \
      knows nothing of them.

      Examples:
        nfc read --record session.jsonl
        nfc read --replay session.jsonl
        nfc info --pcap session.pcapng
        nfc recording anonymize session.jsonl shared.jsonl
      """,
    subcommands: [AnonymizeCommand.self])
}

/// `nfc recording anonymize`.
struct AnonymizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anonymize",
    abstract: "Replaces the UIDs in a recording.",
    discussion: """
      Each tag gets another UID wherever its own stands: in searches, commands and answers, in either order \
      of bytes, with the check bytes that go with it, and as hexadecimal text. The maker's part stays, since it \
      says what the tag is. Signatures, which prove a UID, become zeros. The result is played back as the \
      original is.

      With --content the data of messages, pages, blocks and files is replaced too, by as many bytes: what says \
      how a message is built stays, so that it can still be read. Look through the result before you give it \
      away.

      Example:
        nfc recording anonymize session.jsonl shared.jsonl --content
      """)

  @Argument(help: ArgumentHelp("The recording.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The file to write.", valueName: "out"))
  var output: String

  @Flag(help: "Replace what is on the tags too.")
  var content = false

  func run() async throws {
    let recording = try Recording(file: input)
    let anonymous = recording.anonymized(replacingContent: content)
    try File.write(Array(anonymous.text.utf8), to: output)
  }
}
