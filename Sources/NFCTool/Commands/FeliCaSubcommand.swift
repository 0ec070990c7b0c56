import ArgumentParser
import NFC

/// `nfc felica`.
struct FeliCaSubcommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "felica", abstract: "Works with FeliCa cards.",
    discussion: "Example:\n  nfc felica read --service 090F 0-7",
    subcommands: [
      FeliCaInfoCommand.self, FeliCaReadCommand.self, FeliCaWriteCommand.self,
      FeliCaSendCommand.self,
    ])
}

extension Session {
  func selectFeliCaCard(for use: TagUse) async throws -> SelectedTag<any FeliCaTag> {
    try await selectTag("a FeliCa card", polling: .feliCa, for: use) { tag in
      if case .feliCa(let tag) = tag { tag } else { nil }
    }
  }
}

/// `nfc felica send`.
struct FeliCaSendCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Sends raw commands.",
    discussion: """
      Each argument is a command without LEN and CRC, with the card's own IDm where the command has one. \
      The answer to each stands on its own line, without LEN. nfc poll --json shows the IDm.

      Example, which asks for the card's systems (0C, and the IDm of this virtual card):
        nfc felica send "0C 01010612B41C7D2A" --virtual suica
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @OptionGroup var commands: RawCommands

  mutating func validate() throws { try commands.checkNotEmpty() }

  /// LEN is one byte and counts itself (JIS X 6319-4).
  private static let maximumLength = 254

  func run() async throws {
    try await Session.run(options) { session in
      for command in commands.all {
        try Hexadecimal.checkLength(command, atMost: Self.maximumLength)
      }
      let tag = try await session.selectFeliCaCard(for: .reading)
      for command in commands.all {
        let answer = try await tag.work { try await Self.send(command, tag) }
        try Output.answer(answer, to: command, json: options.json)
      }
    }
  }

  /// A FeliCa card does not answer what it does not know, nor what is meant for another one.
  private static func send(
    _ command: [UInt8], _ tag: SelectedTag<any FeliCaTag>
  ) async throws -> [UInt8] {
    do {
      return try await tag.kind.sendFeliCaCommand(command)
    } catch let error as NFCError where error.cause == .noAnswer {
      let idm = tag.kind.idm.hexadecimal
      let isForIt = command.dropFirst().starts(with: tag.kind.idm)
      throw Failure(
        .lost, error.description, tag: tag.name,
        advice: isForIt
          ? "the card does not know the command, or it has left"
          : "the command is not for this card's IDm, \(idm), or the card does not know it")
    }
  }
}
