import ArgumentParser
import NFC

/// The command `nfc lock`.
struct LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Makes a tag permanently read-only.",
    usage: "nfc lock --permanently [<options>]",
    discussion: """
      This cannot be undone, and is refused without --permanently.

      Example:
        nfc lock --permanently --virtual ntag213
      """)

  @Flag(help: "Confirm that the tag can never be written again.")
  var permanently = false

  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard permanently else {
      throw ValidationError(
        "A locked tag can never be written again. To lock it, add --permanently.")
    }
  }

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: .changing)
      try await tag.changingNDEF {
        try await tag.detected.authenticate(password)
        do {
          try await tag.kind.makeReadOnly()
        } catch let error as NFCError
          where error.code == .unsupported && error.cause != .unsupportedByReader
        {
          // The tag is an NDEF tag that cannot be locked.
          throw Failure(
            .notAllowed, error.description, tag: tag.name, advice: "the tag was left as it was")
        }
      }
      try Output.done(options, tag.detected.identifier, ["locked": .bool(true)])
      if !options.json { Output.printNotice("locked \(tag.name)") }
    }
  }
}
