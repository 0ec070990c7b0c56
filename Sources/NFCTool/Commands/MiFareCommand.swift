import SwiftNFCJSONText
import ArgumentParser
import NFC

/// The command `nfc mifare`.
struct MiFareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mifare", abstract: "Works with MIFARE and NTAG tags.",
    discussion: "Example:\n  nfc mifare dump card.mfd --virtual classic-1k",
    subcommands: [
      MiFareSendCommand.self, MiFareReadCommand.self, MiFareDumpCommand.self,
      MiFareRestoreCommand.self,
    ])
}

/// The command `nfc mifare send`.
struct MiFareSendCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Sends raw commands.",
    usage: "nfc mifare send <hex> ... [<options>]",
    discussion: """
      Each argument is a command without its CRC. The answer to each is printed on its own line, an \
      acknowledge as 0A. A command that the tag refuses or does not answer ends with exit code 74.

      MIFARE Classic: to authenticate, send 60 or 61, block and key; the card's UID is added.

      Example:
        nfc mifare send 60 "30 04" --virtual ntag216
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @OptionGroup var commands: RawCommands

  mutating func validate() throws { try commands.checkNotEmpty() }

  /// The length of CRC_A, which follows the command over the air.
  private static let checkLength = 2

  func run() async throws {
    try await Session.run(options) { session in
      let maximum = session.reader.capabilities.maximumCommandLength - Self.checkLength
      for command in commands.all { try Hexadecimal.checkLength(command, atMost: maximum) }
      let tag = try await session.selectTag("a MIFARE or NTAG tag", polling: .miFare, for: .reading)
      { tag -> (any MiFareTag)? in
        switch tag {
        case .miFare(let tag): tag
        // This is a smart card with MIFARE Classic sectors.
        case .iso7816(let card): card.miFareClassic
        default: nil
        }
      }
      if case .iso7816 = tag.detected {
        try await tag.addingTagName { try await tag.kind.connect() }
      }
      for command in commands.all {
        let answer = try await tag.addingTagName { try await tag.kind.sendMiFareCommand(command) }
        try Output.answer(answer, to: command, json: options.json)
      }
    }
  }
}

extension Output {
  /// Prints the answer to a raw command.
  static func answer(_ answer: [UInt8], to command: [UInt8], json: Bool) throws {
    try line(
      json
        ? JSONValue.members(["command": .bytes(command), "answer": .bytes(answer)]).text
        : answer.hexadecimal)
  }
}
