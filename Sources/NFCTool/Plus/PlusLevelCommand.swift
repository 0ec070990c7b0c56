import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// The command `nfc plus level`.
struct PlusLevelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "level",
    abstract: "Shows a card's security level, or switches it to level 3.",
    usage: "nfc plus level [3] [--permanently] [--plan] [<options>]",
    discussion: """
      In level 1 a card is a MIFARE Classic for every other command. If key level1 is given, the card is also \
      asked to prove that it is genuine. Level 3 is reached from level 1 with key level3. The switch cannot be \
      undone, and requires --permanently: afterwards the AES keys that were written in level 0 open the \
      sectors, and the keys of MIFARE Classic no longer do.

      Examples:
        nfc plus level --virtual mifare-plus
        nfc plus level --key level1:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF --virtual mifare-plus-sl1
        nfc plus level 3 --plan --virtual mifare-plus-sl1
        nfc plus level 3 --permanently --key level3:00112233445566778899AABBCCDDEEFF
      """)

  @Argument(
    help: ArgumentHelp("The level that the card is to have: 3.", valueName: "level"),
    transform: { text in
      guard text == "3" else {
        throw ValidationError("A card is switched to level 3, not \(ArgumentText.shown(text)).")
      }
      return 3
    })
  var level: Int?

  @OptionGroup var keys: KeyOptions<PlusKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Confirm that the card is to leave its level permanently.")
  var permanently = false

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard level == nil || permanently || plan else {
      throw ValidationError(
        "The switch to level 3 cannot be undone; add --permanently to confirm.")
    }
    guard level != nil || !(permanently || plan) else {
      throw ValidationError("--permanently and --plan are for a switch to level 3.")
    }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let tag = try await session.selectTag(
        "a MIFARE Plus", polling: .miFare, for: level == nil || plan ? .reading : .changing
      ) { PlusAtLevel($0) }
      if level == nil {
        try await show(tag, keyring)
      } else {
        try await change(tag, keyring)
      }
    }
  }

  private func show(_ tag: SelectedTag<PlusAtLevel>, _ keyring: Keyring<PlusKeyPlace>) async throws
  {
    var isGenuine: Bool?
    let level: Int
    switch tag.kind {
    case .other(let card):
      level = try await tag.addingTagName { try await card.securityLevel() }
    case .one(let card):
      guard try await tag.addingTagName({ try await card.isLevelOne() }) else {
        throw Failure(
          .notThere, "the tag is not a MIFARE Plus", tag: tag.name, advice: "use another tag")
      }
      level = 1
      if let key = keyring[PlusKeyPlace(.levelOneCard)] {
        try await tag.addingTagName { try await card.authenticate(key) }
        isGenuine = true
      }
    }
    guard options.json else {
      return try Output.line("level \(level)\(isGenuine == true ? ", genuine" : "")")
    }
    try Output.line(
      JSONValue.members([
        "uid": .bytes(tag.detected.identifier), "level": .integer(level),
        "genuine": isGenuine.map { .bool($0) },
      ]).text)
  }

  private func change(
    _ tag: SelectedTag<PlusAtLevel>, _ keyring: Keyring<PlusKeyPlace>
  ) async throws {
    guard case .one(let card) = tag.kind else {
      throw Failure(
        .notThere, "the card is not in security level 1", tag: tag.name,
        advice: "nfc plus level shows its level")
    }
    let address = MIFAREPlusKeyAddress.levelThreeSwitch
    let key = keyring[PlusKeyPlace(address)]
    let change = try await tag.addingTagName { try await card.levelThreePlan(key: key) }
    guard !plan else { return try PlanOutput.show(change, options) }
    guard key != nil else {
      throw Failure(
        .notAllowed, "the card requires \(address)", tag: tag.name,
        advice: "give it with --key level3:HEX")
    }
    try await tag.addingTagName {
      _ = try await card.perform(change, accepting: [.leavesSecurityLevel, .closesClassicKeys])
    }
    try Output.done(options, tag.detected.identifier, ["level": .integer(3)])
    if !options.json {
      Output.printNotice("level 3 counts once the card has left the reader and comes back")
    }
  }
}

/// A MIFARE Plus, by the security level that its activation indicates.
enum PlusAtLevel: Sendable {
  case one(MIFAREPlusLevelOneCard)
  /// A card in security level 0 or 3.
  case other(MIFAREPlusCard)

  init?(_ tag: DetectedTag) {
    guard case .miFare(let card) = tag else { return nil }
    if let card = try? MIFAREPlusLevelOneCard(card) {
      self = .one(card)
    } else if let card = try? MIFAREPlusCard(card) {
      self = .other(card)
    } else {
      return nil
    }
  }
}
