import ArgumentParser
import NFC
import SecureTags

/// The command `nfc plus personalize`.
struct PlusPersonalizeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "personalize",
    abstract: "Writes the keys of a new card, in security level 0.",
    usage: "nfc plus personalize [--permanently] [--plan] [<options>]",
    discussion: """
      Writes every key that is given. With --permanently the card then leaves level 0, which cannot be undone: \
      the next time it enters the field it is in level 1, or in level 3 if it has no level 1. This requires \
      the keys master, configuration and level3. A sector whose keys are not given keeps the factory keys, \
      which everybody knows.

      Examples:
        nfc plus personalize --plan --virtual blank-mifare-plus \\
          --key master:00112233445566778899AABBCCDDEEFF
        nfc plus personalize --permanently --keys keys.txt
      """)

  @OptionGroup var keys: KeyOptions<PlusKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Confirm that the card is to leave level 0 permanently once the keys are written.")
  var permanently = false

  @Flag(help: "Print what would be written, and write nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    let places = keyring.byPlace.keys.sorted { $0.address.number < $1.address.number }
    guard !places.isEmpty || permanently else {
      throw Failure(.usage, "there is no key to write", advice: "give it with --key master:HEX")
    }
    try await Session.run(options) { session in
      let card = try await session.selectPlus(for: plan ? .reading : .changing, keyring)
      let level = try await card.run { try await card.card.securityLevel() }
      guard level == 0 else {
        throw Failure(
          .notAllowed, "the card is in security level \(level)", tag: card.tag.name,
          advice: "nfc plus change-key changes its keys")
      }
      let change = card.card.personalizationPlan(
        places.compactMap { place in keyring[place].map { (place.address, $0) } },
        leavesLevelZero: permanently)
      guard !plan else { return try PlanOutput.show(change, options) }
      try await card.run {
        try await naming(card) {
          try await card.card.perform(change, accepting: permanently ? [.leavesSecurityLevel] : [])
        }
      }
      try Output.done(
        options, card.tag.detected.identifier,
        ["keys": .integer(places.count), "committed": .bool(permanently)])
    }
  }

  /// Runs `body`. What a card that does not leave level 0 lacks is added to its error; it does not report it.
  private func naming(_ card: SelectedPlus, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as NFCError where error.code == .tagRefused && permanently {
      throw Failure(
        .content, "the card does not leave level 0: \(error.reason)", tag: card.tag.name,
        advice: "give the keys master, configuration and level3, if they were not written before")
    }
  }
}
