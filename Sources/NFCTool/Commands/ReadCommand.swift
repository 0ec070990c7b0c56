import ArgumentParser
import NFC
import TagTools

/// The command `nfc read`.
struct ReadCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads the NDEF message.",
    usage: "nfc read [--raw <file>] [--phone] [<options>]",
    discussion: """
      Prints one line per record. Ends with exit code 66 if the tag is not an NDEF tag, and 65 if its \
      message is broken. --phone adds what an iPhone and an Android phone do with such a tag.

      Examples:
        nfc read --virtual ntag216
        nfc read --phone --virtual ntag216
      """)

  @Option(
    help: ArgumentHelp(
      "Save the bytes of the message in a file; with - only they are printed.",
      valueName: "file"), completion: .file())
  var raw: String?

  @Flag(help: "Say what phones do with the message, without an app of their own.")
  var phone = false

  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let secrets = try TagSecrets(keys, password)
    try File.checkNew(raw, isForced: options.force)
    try await Session.run(options) { session in
      let tag = try await session.selectTag(
        "a tag", polling: .ndef, asksVersion: false, for: .reading
      ) { $0 }
      let content = try await tag.changingNDEF {
        try await tag.kind.open(with: secrets)
        return try await NDEFContent(tag.kind)
      }
      guard content.status.access != .notSupported else {
        if options.json { try Output.line(try content.json.text) }
        throw Failure(
          .notThere, "the tag holds no NDEF", tag: tag.name, advice: tag.kind.adviceWithoutNDEF)
      }
      if let raw {
        try File.write(
          content.bytes, to: raw,
          isPublic: !secrets.areGiven && !Credentials.mayBe(in: content.bytes))
        if raw == File.standard { return }
      }
      let message: NDEFMessage
      do {
        message = try content.message
      } catch {
        throw Failure(
          .content, "the NDEF message is broken: \(error)", tag: tag.name,
          advice: "nfc write or nfc erase replaces it")
      }
      let phones = phone ? PhoneReactions(message) : nil
      if options.json {
        return try Output.line(try content.json(adding: ["phones": phones?.json]).text)
      }
      try Output.line(message.description)
      try phones?.print()
    }
  }
}
