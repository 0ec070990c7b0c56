import SwiftNFCJSONText
import ArgumentParser
import NFC
import TagTools

/// The command `nfc info`.
struct InfoCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows all there is to know about a tag.",
    usage: "nfc info [--memory] [--personal] [<options>]",
    discussion: """
      Prints the chip and its maker, what activation reports, the NDEF message, whether the maker's \
      signature is genuine, locks, password protection and counters; depending on the kind of tag also \
      sectors and their keys, applications and files, or systems and services. Nothing personal is read without \
      --personal, which adds the balance and journeys of a Japanese transit card or a T-money card, with the numbers \
      of stations. --memory adds the memory in hexadecimal and as text, with * where it is locked.

      With --json, a message that cannot be read is missing, and ndefError gives the exit code of nfc read \
      and the reason.

      Examples:
        nfc info --virtual ntag216
        nfc info --memory --virtual icode-slix2
      """)

  @Flag(help: "Show the memory, too.")
  var memory = false

  @Flag(help: "Show balance and journeys of a transit card, too.")
  var personal = false

  @OptionGroup var keys: TagKeyOptions
  @OptionGroup var password: TagPassword
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectTag("a tag", polling: .any, for: .reading) { $0 }
      let report = try await tag.changingNDEF {
        let found = try keys.found
        var extras: TagReport.Extras = []
        if memory { extras.insert(.memory) }
        if personal { extras.insert(.personal) }
        return try await TagReport(
          tag.kind, try found.keys(for: tag.kind), forMessage: try found.messageKeys(for: tag.kind),
          passwordBytes: password, including: extras)
      }
      guard !options.json else {
        return try Output.line(report.json { Failure($0).json }.text)
      }
      try report.table.print()
      guard !report.memory.isEmpty else { return }
      try Output.line("")
      try report.memory.forEach(Output.line)
    }
  }
}
