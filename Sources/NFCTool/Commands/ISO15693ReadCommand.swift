import ArgumentParser
import NFC
import TagTools

/// The command `nfc iso15693 read`.
struct ISO15693ReadCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Reads blocks.",
    usage: "nfc iso15693 read [<blocks> ...] [--security] [<options>]",
    discussion: """
      Blocks are a number, a range or a list: 0, 0-7, 3,5,9-12; without any, all are read. Prints one line \
      per block.

      Example:
        nfc iso15693 read 0-7 --security --virtual icode-slix2
      """)

  @OptionGroup var password: TagPassword

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @Flag(help: "Report for each block whether it is locked.")
  var security = false

  @Argument(
    help: ArgumentHelp("Block numbers.", valueName: "blocks"), transform: BlockNumbers.argument)
  var blocks: [[Range<Int>]] = []

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: .reading)
      if password != nil {
        try await tag.namingPassword { try await tag.detected.authenticate(password) }
      }
      let units = try await tag.namingBlocks {
        let ranges = try await wanted(of: tag)
        if ranges.count > 1 { try await tag.checkExistence(of: ranges) }
        var units: [Output.Unit] = []
        for range in ranges {
          let found = try await tag.kind.readBlocks(range, securityStatus: security)
          units += zip(range, found).map {
            Output.Unit(number: $0, data: $1.data, isLocked: $1.isLocked)
          }
        }
        return units
      }
      try Output.units(units, "block", json: options.json)
    }
  }

  private func wanted(of tag: SelectedTag<any ISO15693Tag>) async throws -> [Range<Int>] {
    guard blocks.isEmpty else { return Array(blocks.joined()) }
    // A reader that only reads and writes blocks cannot ask the tag; its kind may say it.
    let reported = try await tag.detected.vicinityInformation()?.blockCount
    guard
      let count = reported
        ?? ISO15693Chip(uid: tag.detected.identifier)?.geometry?.blockCount
    else {
      let found = try await VicinityReading(tag.kind).blocksUntilRefusal().count
      guard found > 0 else {
        throw Failure(
          .usage, "the tag does not report how many blocks it has", tag: tag.name,
          advice: "name the blocks, for instance 0-7")
      }
      Output.printNotice("the tag does not report its size; it has given \(found) blocks")
      return [0..<found]
    }
    return [0..<count]
  }
}
