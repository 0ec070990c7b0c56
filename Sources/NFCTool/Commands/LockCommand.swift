import ArgumentParser
import NFC

/// `nfc lock`.
struct LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Makes the tag read-only for good.",
    discussion: """
      This cannot be undone, and is refused without --permanently.

      Example:
        nfc lock --permanently --uid 04A1B2C3D4E5F6
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Yes, the tag is never to be written again.")
  var permanently = false

  mutating func validate() throws {
    guard permanently else {
      throw ValidationError(
        "A locked tag can never be written again. If that is wanted, say --permanently.")
    }
  }

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag()
      do {
        try await tag.work { try await tag.kind.writeLock() }
      } catch let failure as Failure where failure.status == .notThere {
        // It is an NDEF tag, and does not let itself be closed.
        throw Failure(
          .notAllowed, failure.reason, tag: tag.name, advice: "the tag was left as it was")
      }
      Output.remark("locked \(tag.name)")
    }
  }
}
