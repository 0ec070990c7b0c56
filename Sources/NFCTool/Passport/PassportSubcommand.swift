import ArgumentParser

/// The command `nfc passport`.
struct PassportSubcommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passport",
    abstract: "Reads passports, identity cards and residence permits.",
    discussion: """
      It is for your own documents. A document is opened with what is printed on it: the machine readable \
      zone at the bottom of its data page, or the card access number (CAN). One wrong attempt ends the \
      command; nothing is tried again by itself. Fingerprints, irises, PIN and PUK are not supported, by \
      intention. Nothing that is read appears in recordings, captures or messages.

      Example:
        nfc passport read --mrz zone.txt --face face.jpg --virtual emrtd
      """,
    subcommands: [PassportInfoCommand.self, PassportReadCommand.self])
}
