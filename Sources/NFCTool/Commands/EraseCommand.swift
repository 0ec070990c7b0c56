import ArgumentParser
import NFC

/// The command `nfc erase`.
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Makes the NDEF message empty.",
    usage: "nfc erase [--verify] [<options>]",
    discussion: """
      The tag stays an NDEF tag. The old content may still be in its memory.

      Example:
        nfc erase --virtual ntag213
      """)

  @Flag(help: "Read everything back and compare.")
  var verify = false

  @OptionGroup var keys: TagKeys
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let secrets = try TagSecrets(keys, password)
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: .changing)
      try await tag.changingNDEF {
        try await tag.detected.open(with: secrets)
        try await tag.kind.writeNDEFBytes([], verify: verify)
      }
      try Output.done(
        options, tag.detected.identifier, ["written": .integer(0), "verified": .bool(verify)])
      if !options.json { Output.printNotice("erased \(tag.name)") }
    }
  }
}
