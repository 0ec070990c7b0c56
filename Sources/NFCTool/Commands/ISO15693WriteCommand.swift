import ArgumentParser
import NFC

/// The command `nfc iso15693 write`.
struct ISO15693WriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Writes one block, or several one after the other.",
    usage: "nfc iso15693 write <block> <hex> [<options>]",
    discussion: "Example:\n  nfc iso15693 write 4 \"11 22 33 44\" --virtual icode-slix2")

  @OptionGroup var password: TagPassword

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @Argument(
    help: ArgumentHelp("The first block.", valueName: "block"), transform: BlockNumbers.single)
  var block: Int

  @Argument(
    help: ArgumentHelp("Whole blocks in hexadecimal.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "The data") })
  var data: [UInt8]

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: .changing)
      if password != nil {
        try await tag.namingPassword { try await tag.detected.authenticate(password) }
      }
      try await tag.namingBlocks { try await tag.kind.writeBlocks(at: block, data) }
      try Output.done(
        options, tag.detected.identifier,
        ["block": .integer(block), "written": .integer(data.count)])
    }
  }
}
