import ArgumentParser
import NFC
import SecureTags

/// The command `nfc iso15693 secrets`.
struct ISO15693SecretsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secrets", abstract: "Makes an NTAG 5 use AES keys, or passwords.",
    usage: "nfc iso15693 secrets keys|passwords [--plan] [<options>]",
    discussion: """
      For NTAG 5 link and boost, which use passwords on delivery. The tag changes once it has been removed and \
      presented again. With keys, its whole memory is open to everyone, whatever was protected by passwords, until \
      nfc iso15693 enforce puts the protection in force. nfc iso15693 set-keys sets the keys.

      Once a key is active, the tag can no longer change.

      Example:
        nfc iso15693 secrets keys --virtual ntag5-link
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case keys
    case passwords

    var security: NTAG5Configuration.Security { self == .keys ? .keys : .passwords }
  }

  @Argument(help: "keys or passwords.")
  var kind: Kind

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      try await tag.addingTagName {
        let chip = try await ICODETag(tag.kind)
        guard !plan else {
          return try PlanOutput.show(try await chip.securityPlan(kind.security), options)
        }
        try await chip.use(kind.security)
        try Output.done(
          options, tag.detected.identifier, ["secrets": .string(kind.rawValue)])
        if !options.json {
          Output.printNotice("\(tag.name) uses \(kind.rawValue) once it has been removed")
        }
      }
    }
  }
}
