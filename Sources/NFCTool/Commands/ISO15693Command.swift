import ArgumentParser
import NFC

/// `nfc iso15693`.
struct ISO15693Command: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iso15693", abstract: "Works with ISO 15693 tags.",
    discussion: "Example:\n  nfc iso15693 read 0-7 --virtual icode-slix2",
    subcommands: [
      ISO15693InfoCommand.self, ISO15693ReadCommand.self, ISO15693WriteCommand.self,
      ISO15693LockCommand.self, ISO15693SendCommand.self,
    ])
}

extension Session {
  /// Waits for a vicinity tag; says so at once if no reader can find one.
  fileprivate func selectVicinityTag() async throws -> SelectedTag<any ISO15693Tag> {
    guard readers.contains(where: \.hasVicinity) else {
      throw Failure(
        .noReader,
        "\(reader.name) has no ISO 15693: the PN53x chips cannot do it",
        advice: "use a PC/SC reader that has it, with --reader pcsc:NAME")
    }
    return try await selectTag("an ISO 15693 tag") { tag in
      if case .iso15693(let tag) = tag { tag } else { nil }
    }
  }
}

extension SelectedTag where Kind == any ISO15693Tag {
  /// Runs `body`, and says of an error to which tag it happened.
  fileprivate func withBlocks<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as NFCError where error.code == .unsupported {
      // It is the reader that has no such command, not the tag.
      throw Failure(error)
    } catch let error as NFCError {
      var failure = Failure(error, tag: name)
      if error.vicinityRefusal == .blockNotAvailable {
        failure.status = .content
        failure.advice = "nfc iso15693 info tells how many blocks the tag has"
      }
      throw failure
    }
  }
}

extension SelectedTag where Kind == any ISO15693Tag {
  /// Refuses blocks that the tag does not have, before the first of several runs is read.
  fileprivate func checkExistence(of blocks: [Range<Int>]) async throws {
    guard let count = try await detected.vicinityInformation()?.blockCount,
      let range = blocks.first(where: { $0.upperBound > count })
    else { return }
    throw NFCError(
      .invalidParameter, "the tag has blocks 0 to \(count - 1)",
      place: .block(max(range.lowerBound, count)))
  }
}

/// Block numbers on the command line.
private enum BlockNumbers {
  /// They have 16 bits.
  static let largest = 0xFFFF

  static func argument(_ text: String) throws -> [Range<Int>] {
    try NumberList.ranges(text, "The blocks", upTo: largest).map { Range($0) }
  }

  static func single(_ text: String) throws -> Int {
    try NumberList.single(text, "The block", upTo: largest)
  }
}

/// `nfc iso15693 info`.
struct ISO15693InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Tells what a tag says of itself.",
    discussion: "Example:\n  nfc iso15693 info --json")

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag()
      let (product, information) = try await tag.work {
        (try await tag.kind.product(), try await tag.detected.vicinityInformation())
      }
      let more: [(String, JSON?)] = [
        ("maker", product.map { .string($0.maker) }),
        ("memorySize", product?.memorySize.map { .integer($0) }),
        ("icReference", information?.icReference.map { .bytes([$0]) }),
      ]
      let facts =
        tag.detected.facts(product, information)
        + more.compactMap { key, value in value.map { JSON.Member(key: key, value: $0) } }
      guard !options.json else { return try Output.line(JSON.object(facts).text) }
      for member in facts {
        guard let text = member.value.plainText else { continue }
        try Output.fact(member.key, text)
      }
    }
  }
}

/// `nfc iso15693 read`.
struct ISO15693ReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Reads blocks.",
    discussion: """
      Blocks are a number, a range or a list: 0, 0-7, 3,5,9-12. A line a block.

      Example:
        nfc iso15693 read 0-7 --security
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Say of each block whether it is locked.")
  var security = false

  @Argument(
    help: ArgumentHelp("Block numbers.", valueName: "blocks"), transform: BlockNumbers.argument)
  var blocks: [Range<Int>]

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag()
      let found = try await tag.withBlocks {
        if blocks.count > 1 { try await tag.checkExistence(of: blocks) }
        var found: [(Int, ISO15693Block)] = []
        for range in blocks {
          found += zip(range, try await tag.kind.readBlocks(range, securityStatus: security))
        }
        return found
      }
      for (number, block) in found { try print(number, block) }
    }
  }

  private func print(_ number: Int, _ block: ISO15693Block) throws {
    guard !options.json else {
      return try Output.line(
        JSON.members([
          "block": .integer(number), "data": .bytes(block.data),
          "locked": block.isLocked.map { .bool($0) },
        ]).text)
    }
    let lock = block.isLocked.map { $0 ? "  locked" : "" } ?? ""
    try Output.line("\(number)  \(block.data.hexadecimal)\(lock)")
  }
}

/// `nfc iso15693 write`.
struct ISO15693WriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Writes one block, or several one after the other.",
    discussion: "Example:\n  nfc iso15693 write 4 \"11 22 33 44\"")

  @OptionGroup var options: GlobalOptions

  @Argument(
    help: ArgumentHelp("The first block.", valueName: "block"), transform: BlockNumbers.single)
  var block: Int

  @Argument(
    help: ArgumentHelp("Whole blocks in hexadecimal.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "The data") })
  var data: [UInt8]

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag()
      try await tag.withBlocks { try await tag.kind.writeBlocks(at: block, data) }
    }
  }
}

/// `nfc iso15693 lock`.
struct ISO15693LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Makes a block read-only for good.",
    discussion: """
      It cannot be undone, and is refused without --permanently.

      Example:
        nfc iso15693 lock 4 --permanently
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The block.", valueName: "block"), transform: BlockNumbers.single)
  var block: Int

  @Flag(help: "Yes: it can never be written again.")
  var permanently = false

  mutating func validate() throws {
    guard permanently else {
      throw ValidationError("Locking cannot be undone; say --permanently if it is meant.")
    }
  }

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag()
      try await tag.withBlocks { try await tag.kind.lockBlock(block) }
    }
  }
}

/// `nfc iso15693 send`.
struct ISO15693SendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Sends raw requests.",
    discussion: """
      Each argument is a whole request without CRC: flags, command, parameters. The answer to each \
      stands on a line of its own, flags first, error answers included.

      Example:
        nfc iso15693 send "02 20 00"
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(
    help: ArgumentHelp("The requests in hexadecimal.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "The request") })
  var requests: [[UInt8]]

  private static let timeout = Duration.milliseconds(200)

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag()
      for request in requests {
        let answer = try await tag.withBlocks {
          try await tag.kind.transceive(request, timeout: Self.timeout)
        }
        try Output.answer(answer, to: request, json: options.json)
      }
    }
  }
}
