import ArgumentParser
import NFC
import SecureTags

/// The command `nfc plus write`.
struct PlusWriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write",
    abstract: "Writes a block.",
    usage: "nfc plus write <block> <hex> [--key <place:hex>] [<options>]",
    discussion: """
      The block holds its old content or the new one, never a mixture. A sector's last block, which holds \
      its access conditions, is written only with --access-conditions: a right that no key can change is \
      lost permanently.

      Example:
        nfc plus write 4 00112233445566778899AABBCCDDEEFF \\
          --key 1A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF --virtual mifare-plus
      """)

  @Argument(
    help: ArgumentHelp("The block.", valueName: "block"), transform: { try PlusBlocks.argument($0) }
  )
  var block: Int

  @Argument(
    help: ArgumentHelp("16 bytes.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "The data") })
  var data: [UInt8]

  @Flag(help: "Allow the last block of a sector. Rights that it removes are lost permanently.")
  var accessConditions = false

  @OptionGroup var communication: PlusCommunicationOptions
  @OptionGroup var keys: KeyOptions<PlusKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  private var isTrailer: Bool {
    PlusBlocks.sector(block) != PlusBlocks.sector(block + 1) || block == PlusBlocks.highest
  }

  mutating func validate() throws {
    guard data.count == MIFAREPlusCard.blockSize else {
      throw ValidationError(
        "The data has \(MIFAREPlusCard.blockSize) bytes, not \(data.count).")
    }
    guard block > 0 else {
      throw ValidationError("Block 0 belongs to the maker and cannot be written.")
    }
    guard !isTrailer || accessConditions else {
      throw ValidationError(
        "Block \(block) has the access conditions of its sector: give --access-conditions to write it."
      )
    }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    try await Session.run(options) { session in
      let card = try await session.selectPlus(for: .changing, keyring)
      try await card.run {
        try await card.open(sector: PlusBlocks.sector(block))
        try await card.card.writeBlock(block, data, communication.communication)
      }
      try Output.done(
        options, card.tag.detected.identifier,
        ["block": .integer(block), "data": .bytes(data)])
    }
  }
}
