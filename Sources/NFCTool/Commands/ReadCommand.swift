import ArgumentParser
import NFC

/// `nfc read`.
struct ReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads the NDEF message.",
    discussion: """
      A line a record. Exit code 66 if the tag is no NDEF tag, 65 if its message is broken.

      Example:
        nfc read --json
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("Save the message's bytes in a file.", valueName: "file"))
  var raw: String?

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectTag("a tag") { $0 }
      let content = try await tag.work { try await NDEFContent(tag.kind) }
      guard content.status.access != .notSupported else {
        if options.json { try Output.line(try content.json.text) }
        throw Failure(
          .notThere, "the tag holds no NDEF", tag: tag.name,
          advice: "nfc format makes an NDEF tag of a blank one")
      }
      if let raw { try File.write(content.bytes, to: raw) }
      let message: NDEFMessage
      do {
        message = try content.message
      } catch {
        throw Failure(
          .content, "the NDEF message is broken: \(error)", tag: tag.name,
          advice: "nfc write or nfc erase replaces it")
      }
      if options.json { return try Output.line(try content.json.text) }
      try Output.line(message.description)
    }
  }
}
