import ArgumentParser
import SwiftNFCJSONText
import NFC
import SecureTags

/// The command `nfc plus change-key`.
struct PlusChangeKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-key",
    abstract: "Changes a key.",
    usage: "nfc plus change-key <place> --new-key <hex> [--plan] [<options>]",
    discussion: """
      A sector's key is changed with the key of that sector that its access conditions name, A before B; \
      the card's own keys are changed with master. The new key is verified afterwards. A lost key cannot \
      be recovered.

      Example:
        nfc plus change-key 1B --new-key 00112233445566778899AABBCCDDEEFF \\
          --key 1A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF --virtual mifare-plus
      """)

  @Argument(
    help: ArgumentHelp(
      "The key: a sector with A or B, master, configuration, level1, level2 or level3.",
      valueName: "place"),
    transform: { try PlusKeyPlace(Substring($0), "The key") })
  var place: PlusKeyPlace

  @Option(
    help: ArgumentHelp("The new key, 16 bytes.", valueName: "hex"),
    transform: { try SecretKey($0, "--new-key", size: MIFAREPlusCard.keySize) })
  var newKey: SecretKey

  @OptionGroup var keys: KeyOptions<PlusKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectPlus(for: plan ? .reading : .changing, keyring)
      let change = card.card.keyChangePlan(place.address, to: newKey)
      try await card.run {
        do {
          if let sector = place.address.sector {
            try await card.open(sector: sector)
          } else {
            try await card.open(.cardMaster)
          }
        } catch let error as NFCError where error.code == .authenticationFailed && !plan {
          guard try await isChanged(card) else { throw error }
          return
        }
        guard !plan else { return }
        try await card.card.perform(change)
      }
      guard !plan else { return try PlanOutput.show(change, options) }
      try Output.done(options, card.tag.detected.identifier, ["key": .string("\(place)")])
    }
  }

  /// Returns whether the card has the new key already: a command before this one has changed it, but its answer was
  /// lost.
  private func isChanged(_ card: SelectedPlus) async throws -> Bool {
    do {
      try await card.card.authenticate(place.address, newKey)
      return true
    } catch let error as NFCError where error.code == .authenticationFailed {
      return false
    }
  }
}
