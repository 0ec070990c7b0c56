import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags
import TagTools

/// The command `nfc plus read`.
struct PlusReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads blocks.",
    usage: "nfc plus read <blocks> [--key <place:hex>] [<options>]",
    discussion: """
      Each sector is opened by its key A, or by its key B if only that is given. A sector's last block shows its \
      access conditions, and no key.

      Example:
        nfc plus read 0-3 --key 0A:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF --virtual mifare-plus
      """)

  @Argument(
    help: ArgumentHelp("The blocks: 0, 0-7 or 3,5,9-12.", valueName: "blocks"),
    transform: { try NumberList.ranges($0, "The blocks", upTo: PlusBlocks.highest) })
  var blocks: [ClosedRange<Int>]

  @OptionGroup var communication: PlusCommunicationOptions
  @OptionGroup var keys: KeyOptions<PlusKeyPlace>
  @OptionGroup var keyFiles: KeyFiles
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    let numbers = blocks.flatMap { $0 }
    try await Session.run(options) { session in
      let card = try await session.selectPlus(for: .reading, keyring)
      let data = try await card.run { try await read(numbers, card) }
      for (number, data) in data {
        guard options.json else {
          try Output.line(data.hexadecimal)
          continue
        }
        try Output.line(
          JSONValue.members(["block": .integer(number), "data": .bytes(data)]).text)
      }
    }
  }

  /// Reads blocks. Consecutive blocks of a sector are read together.
  private func read(
    _ numbers: [Int], _ card: SelectedPlus
  ) async throws -> [(Int, [UInt8])] {
    var result: [(Int, [UInt8])] = []
    var opened: Int?
    var index = 0
    while index < numbers.count {
      let first = numbers[index]
      let sector = PlusBlocks.sector(first)
      var end = first + 1
      while index + end - first < numbers.count, numbers[index + end - first] == end,
        PlusBlocks.sector(end) == sector
      {
        end += 1
      }
      if opened != sector { try await card.open(sector: sector) }
      opened = sector
      let data = try await card.card.readBlocks(first..<end, communication.communication)
      let size = MIFAREPlusCard.blockSize
      for number in first..<end {
        result.append((number, Array(data[(number - first) * size..<(number - first + 1) * size])))
      }
      index += end - first
    }
    return result
  }
}
