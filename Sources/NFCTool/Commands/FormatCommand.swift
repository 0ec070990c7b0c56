import ArgumentParser
import NFC

/// `nfc format`.
struct FormatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "format",
    abstract: "Makes an NDEF tag of a blank one.",
    discussion: """
      A tag that is one already is emptied. On some tags what is written for it cannot be taken back.

      Example:
        nfc format --virtual blank-ntag215
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag()
      try await tag.work { try await tag.kind.formatNDEF() }
      Output.remark("formatted \(tag.name)")
    }
  }
}
