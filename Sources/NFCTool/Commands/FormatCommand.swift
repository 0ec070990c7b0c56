import ArgumentParser
import NFC

/// `nfc format`.
struct FormatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Makes an NDEF tag of a blank one.",
    usage: "nfc format [--force] [<options>]",
    discussion: """
      A tag that is one already is emptied. One that holds something else is refused without --force. On \
      some tags what is written for it cannot be undone.

      Example:
        nfc format --virtual blank-ultralight
      """)

  @Flag(help: "Overwrite what a tag holds that is no NDEF tag.")
  var force = false

  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: .changing)
      try await tag.changingNDEF {
        try await tag.detected.authenticate(password)
        try await tag.kind.formatNDEF(wipe: force)
      }
      try Output.done(options, tag.detected.identifier, ["formatted": .bool(true)])
      if !options.json { Output.remark("formatted \(tag.name)") }
    }
  }
}
