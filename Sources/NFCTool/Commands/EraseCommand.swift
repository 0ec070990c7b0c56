import ArgumentParser
import NFC
import TagTools

/// The command `nfc erase`.
struct EraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Makes the NDEF message empty.",
    usage: "nfc erase [--verify] [--backup <file>] [--plan] [<options>]",
    discussion: """
      The tag stays an NDEF tag. The old content may still be in its memory. --backup saves the message first, which \
      nfc write raw writes back; --plan shows it and writes nothing.

      Example:
        nfc erase --virtual ntag213
      """)

  @Flag(help: "Read everything back and compare.")
  var verify = false

  @Option(
    help: ArgumentHelp(
      "Save the message in this file, before it is erased.", valueName: "file"),
    completion: .file())
  var backup: String?

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let secrets = try TagSecrets(keys, password)
    if !plan { try File.checkNew(backup, isForced: options.force) }
    try await Session.run(options) { session in
      let tag = try await session.selectNDEFTag(for: plan ? .reading : .changing)
      let planned: ChangePlan? = try await tag.changingNDEF {
        try await tag.detected.open(with: secrets)
        guard !plan else { return try await tag.detected.erasurePlan() }
        if let backup {
          try MessageCommand(secrets: secrets)
            .save(try await tag.kind.readNDEFBytes() ?? [], to: backup)
        }
        try await tag.kind.writeNDEFBytes([], verify: verify)
        return nil
      }
      if let planned { return try PlanOutput.show(planned, options) }
      try Output.done(
        options, tag.detected.identifier, ["written": .integer(0), "verified": .bool(verify)])
      if !options.json { Output.printNotice("erased \(tag.name)") }
    }
  }
}
