import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// The command `nfc plus value`.
struct PlusValueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "value",
    abstract: "Prints a value, or changes it and prints the new one.",
    usage: "nfc plus value <block> [--key <place:hex>] [<options>]",
    discussion: """
      A change is one command: a card that is removed holds the old value or the new one. --set turns a \
      block into one that holds a value.

      Example:
        nfc plus value 5 --set 100 --key 1A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF --virtual mifare-plus
      """)

  @Argument(
    help: ArgumentHelp("The block.", valueName: "block"), transform: { try PlusBlocks.argument($0) }
  )
  var block: Int

  private static func amount(_ text: String, _ name: String) throws -> Int32 {
    Int32(try NumberArgument.integer(text, name, in: 0...Int(Int32.max)))
  }

  @Option(
    help: ArgumentHelp("Add this much.", valueName: "number"),
    transform: { try amount($0, "--credit") })
  var credit: Int32?

  @Option(
    help: ArgumentHelp("Subtract this much.", valueName: "number"),
    transform: { try amount($0, "--debit") })
  var debit: Int32?

  @Option(
    help: ArgumentHelp("Write this value, whatever the block holds.", valueName: "number"),
    transform: {
      Int32(try NumberArgument.integer($0, "--set", in: Int(Int32.min)...Int(Int32.max)))
    })
  var set: Int32?

  @OptionGroup var communication: PlusCommunicationOptions
  @OptionGroup var keys: KeyOptions<PlusKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard [credit, debit, set].compactMap(\.self).count <= 1 else {
      throw ValidationError("Give one of --credit, --debit and --set.")
    }
    guard block > 0, PlusBlocks.sector(block) == PlusBlocks.sector(block + 1),
      block < PlusBlocks.highest
    else { throw ValidationError("Block \(block) holds no value.") }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    let isChange = credit != nil || debit != nil || set != nil
    try await Session.run(options) { session in
      let card = try await session.selectPlus(for: isChange ? .changing : .reading, keyring)
      let value = try await card.run {
        do {
          return try await run(card)
        } catch let error as NFCError where error.code == .malformedContent {
          throw Failure(
            .content, error.description, tag: card.tag.name,
            advice: "nfc plus value \(block) --set NUMBER makes it one")
        }
      }
      guard options.json else { return try Output.line("\(value)") }
      try Output.line(
        JSONValue.members(["block": .integer(block), "value": .integer(Int(value))]).text)
    }
  }

  private func run(_ card: SelectedPlus) async throws -> Int32 {
    let form = communication.communication
    try await card.open(sector: PlusBlocks.sector(block))
    if let set { try await card.card.setValue(block, set, form) }
    if let change = credit ?? debit.map({ -$0 }) {
      // First checks that the block contains a value, because a refusal would not indicate the reason.
      _ = try await card.card.value(block, form)
      try await card.card.changeValue(block, by: change)
      do {
        return try await card.card.value(block, form)
      } catch let error as NFCError {
        throw Failure(card.tag, changedValueIsUnreadable: error)
      }
    }
    return try await card.card.value(block, form)
  }
}
