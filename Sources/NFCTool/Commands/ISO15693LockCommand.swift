import ArgumentParser
import NFC

/// The command `nfc iso15693 lock`.
struct ISO15693LockCommand: PermanentChange {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Makes a block permanently read-only.",
    usage: "nfc iso15693 lock <block> --permanently [--plan] [<options>]",
    discussion: """
      This cannot be undone, and is refused without --permanently.

      Example:
        nfc iso15693 lock 4 --permanently --virtual icode-slix2
      """)

  static let refusalUnlessConfirmed =
    "Locking cannot be undone. To lock the block, add --permanently."

  @OptionGroup var password: TagPassword

  @Flag(help: "Confirm that the block can never be written again.")
  var permanently = false

  @Flag(help: "Print what would be locked, and lock nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @Argument(help: ArgumentHelp("The block.", valueName: "block"), transform: BlockNumbers.single)
  var block: Int

  func run() async throws {
    let password = try password.bytes
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: plan ? .reading : .changing)
      if password != nil, !plan {
        try await tag.namingPassword { try await tag.detected.authenticate(password) }
      }
      try await tag.namingBlocks {
        let change = tag.kind.lockPlan(block..<block + 1)
        guard !plan else {
          try await tag.checkExistence(of: [block..<block + 1])
          return try PlanOutput.show(change, options)
        }
        try await tag.detected.perform(change, accepting: [.locksMemory])
        try Output.done(
          options, tag.detected.identifier, ["block": .integer(block), "locked": .bool(true)])
      }
    }
  }
}
