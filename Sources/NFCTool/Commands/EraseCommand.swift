import ArgumentParser
import NFC

/// `nfc erase`.
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Makes the NDEF message empty.",
    discussion: """
      The tag stays an NDEF tag. What stood in its memory behind the message's length may still be \
      there.

      Example:
        nfc erase --uid 04A1B2C3D4E5F6
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Read everything back and compare.")
  var verify = false

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag()
      try await tag.work { try await tag.kind.writeNDEFBytes([], verify: verify) }
      Output.remark("erased \(tag.name)")
    }
  }
}
