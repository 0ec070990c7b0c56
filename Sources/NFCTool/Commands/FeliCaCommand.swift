import ArgumentParser
import NFC

/// `nfc felica`.
struct FeliCaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "felica", abstract: "Works with FeliCa cards.",
    discussion: "Example:\n  nfc felica read --service 090F 0-7",
    subcommands: [
      FeliCaInfoCommand.self, FeliCaReadCommand.self, FeliCaWriteCommand.self,
      FeliCaSendCommand.self,
    ])
}

extension Session {
  func selectFeliCaCard() async throws -> SelectedTag<any FeliCaTag> {
    try await selectTag("a FeliCa card") { tag in
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
      Each argument is a command without LEN and CRC, IDm included. The answer to each stands on a \
      line of its own, without LEN.

      Example:
        nfc felica send "0C 01010612B41C7D2A"
      """)

  @OptionGroup var options: GlobalOptions

  @OptionGroup var commands: RawCommands

  mutating func validate() throws { try commands.checkNotEmpty() }

  /// LEN is one byte and counts itself (JIS X 6319-4).
  private static let maximumLength = 254

  func run() async throws {
    try await Session.run(options) { session in
      for command in commands.all {
        try Hexadecimal.checkLength(command, atMost: Self.maximumLength)
      }
      let tag = try await session.selectFeliCaCard()
      for command in commands.all {
        let answer = try await tag.work { try await tag.kind.sendFeliCaCommand(command) }
        try Output.answer(answer, to: command, json: options.json)
      }
    }
  }
}
