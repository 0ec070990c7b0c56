import ArgumentParser
import NFC

/// The command `nfc iso15693 lock`.
struct ISO15693LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Makes a block permanently read-only.",
    usage: "nfc iso15693 lock <block> --permanently [<options>]",
    discussion: """
      This cannot be undone, and is refused without --permanently.

      Example:
        nfc iso15693 lock 4 --permanently
      """)

  @OptionGroup var password: TagPassword

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @Argument(help: ArgumentHelp("The block.", valueName: "block"), transform: BlockNumbers.single)
  var block: Int

  @Flag(help: "Confirm that the block can never be written again.")
  var permanently = false

  mutating func validate() throws {
    guard permanently else {
      throw ValidationError("Locking cannot be undone. To lock the block, add --permanently.")
    }
  }

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: .changing)
      if password != nil {
        try await tag.namingPassword { try await tag.detected.authenticate(password) }
      }
      try await tag.namingBlocks { try await tag.kind.lockBlock(block) }
      try Output.done(
        options, tag.detected.identifier, ["block": .integer(block), "locked": .bool(true)])
    }
  }
}
