import ArgumentParser
import NFC
import SecureTags

/// The command `nfc iso15693 enforce`.
struct ISO15693EnforceCommand: PermanentChange {
  static let configuration = CommandConfiguration(
    commandName: "enforce", abstract: "Puts the protection of an NTAG 5 with AES keys in force.",
    usage: "nfc iso15693 enforce --key <number:hex> --permanently [<options>]",
    discussion: """
      For NTAG 5 link and boost with an active key. Until then the memory is open, whatever its division requires. The \
      key must have the privileges read and write, because nobody could reach protected parts of the memory without \
      one that has. --lock privileges or --lock keys also locks the privileges, or all keys. None of this can be \
      undone, which is refused without --permanently.

      Example:
        nfc iso15693 enforce --key 0:00112233445566778899AABBCCDDEEFF --permanently
      """)

  static let refusalUnlessConfirmed =
    "A protection in force can never be lifted. To put it in force, add --permanently."

  enum Lock: String, ExpressibleByArgument, CaseIterable {
    case privileges
    case keys
  }

  @OptionGroup var keys: KeyOptions<ICODEKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Option(
    help: ArgumentHelp(
      "Also lock privileges, or keys: their values, privileges and states.", valueName: "what"))
  var lock: Lock?

  @Flag(help: "Confirm that the protection can never be lifted.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  private var access: NTAG5Configuration.Access {
    switch lock {
    case nil: .protected
    case .privileges: .protectedWithPrivilegesLocked
    case .keys: .locked
    }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles).byPlace
    guard let (place, key) = keyring.first, keyring.count == 1 else {
      throw Failure(
        .usage, "one key is needed, and \(keyring.count) are given",
        advice: "give it with --key 0:HEX, --keys or NFC_KEYS")
    }
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      try await tag.namingKeys {
        let chip = try await ICODETag(tag.kind)
        guard !plan else {
          return try PlanOutput.show(
            try await chip.enforcementPlan(access, provenBy: place.number, key), options)
        }
        // The chip is asked what it needs, and does it, in one go.
        try await chip.protectPermanently(access, provenBy: place.number, key)
        try Output.done(
          options, tag.detected.identifier,
          ["enforced": .bool(true), "locked": lock.map { .string($0.rawValue) }])
      }
    }
  }
}
