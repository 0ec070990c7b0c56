import ArgumentParser
import NFC

/// The command `nfc format`.
struct FormatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Formats a blank tag for NDEF.",
    usage: "nfc format [--force] [<options>]",
    discussion: """
      A tag that is already formatted is emptied. A tag that holds something else is refused without \
      --force, which formats it all the same. On some tags formatting cannot be undone.

      Example:
        nfc format --virtual blank-ultralight
      """)

  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let secrets = try TagSecrets(keys, password)
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: .changing)
      try await tag.changingNDEF(.format) {
        try await tag.detected.open(with: secrets)
        try await tag.kind.formatNDEF(wipe: options.force)
      }
      try Output.done(options, tag.detected.identifier, ["formatted": .bool(true)])
      if !options.json { Output.printNotice("formatted \(tag.name)") }
    }
  }
}
