import SwiftNFCJSONText
import ArgumentParser
import NFC

/// The command `nfc apdu`.
struct APDUCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "apdu",
    abstract: "Sends ISO 7816 commands.",
    usage: "nfc apdu <hex> ... [--aid <hex>] [<options>]",
    discussion: """
      Each argument is a command. Each answer is printed on its own line: data, a space, status word. A \
      status word other than 9000 is an answer like any other.

      A command that is longer than the reader accepts is sent in parts (command chaining), data that the \
      card announces (61xx) is fetched, and a wrong Le (6Cxx) is corrected once. With --raw each command \
      is one exchange, and the card's own status word is printed.

      Example:
        nfc apdu --aid D2760000850101 "00 A4 00 0C 02 E1 03" 00B000000F --virtual type4
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @Option(
    help: ArgumentHelp(
      "Select this application first. Without commands, its answer is printed.", valueName: "hex"),
    transform: applicationIdentifier)
  var aid: ApplicationIdentifier?

  @Flag(help: "Send each command as it is, and print the card's answer as it comes.")
  var raw = false

  @OptionGroup var frames: PollingFrameOption
  @OptionGroup var texts: RawCommands

  private var apduOptions: APDUOptions { raw ? .raw : .automatic }
  private var commands: [APDU] { texts.all.compactMap { APDU($0) } }

  mutating func validate() throws {
    guard aid != nil || !texts.all.isEmpty else {
      throw ValidationError("A command, or an application with --aid, is needed.")
    }
    if let index = texts.all.firstIndex(where: { APDU($0) == nil }) {
      throw ValidationError(
        "Command \(index + 1) is not an APDU: it is CLA INS P1 P2, then Lc and data, then Le.")
    }
  }

  private static func applicationIdentifier(_ text: String) throws -> ApplicationIdentifier {
    guard let aid = ApplicationIdentifier(try Hexadecimal.argument(text, "--aid")) else {
      throw ValidationError("--aid \"\(text)\" is too long: an AID has at most 16 bytes.")
    }
    return aid
  }

  func run() async throws {
    try await Session.run(options) { session in
      try session.broadcast(frames.frames)
      if raw {
        let maximum = session.reader.capabilities.maximumCommandLength
        for command in commands { try Hexadecimal.checkLength(command.encoded, atMost: maximum) }
      }
      let tag = try await session.selectTag(
        "a smart card (ISO 14443-4)", polling: .smartCards, requestsVersion: false, for: .reading,
        SmartCard.init)
      if let aid { try await select(aid, tag) }
      for command in commands {
        let answer = try await tag.addingTagName { try await tag.kind.send(command, apduOptions) }
        try print(answer, to: command)
      }
    }
  }

  private func select(_ aid: ApplicationIdentifier, _ tag: SelectedTag<SmartCard>) async throws {
    let command = APDU.select(aid: aid)
    let answer = try await tag.addingTagName { try await tag.kind.send(command, apduOptions) }
    // 61xx indicates that more data is available. 62xx and 63xx are warnings (ISO/IEC 7816-4, 5.6).
    guard answer.isSuccess || (0x61...0x63).contains(answer.sw1) else {
      throw Failure(
        .notThere,
        "no application answers to AID \(aid): status word \([answer.sw1, answer.sw2].hexadecimal)",
        tag: tag.name, advice: "check the AID")
    }
    if commands.isEmpty { try print(answer, to: command) }
  }

  private func print(_ answer: ResponseAPDU, to command: APDU) throws {
    guard options.json else { return try Output.line(answer.description) }
    try Output.line(
      JSONValue.members([
        "command": .bytes(command.encoded), "data": .bytes(answer.data),
        "statusWord": .bytes([answer.sw1, answer.sw2]),
      ]).text)
  }
}

/// A tag that accepts ISO 7816 commands.
private struct SmartCard: Sendable {
  let send: @Sendable (APDU, APDUOptions) async throws -> ResponseAPDU

  init?(_ tag: DetectedTag) {
    switch tag {
    case .iso7816(let tag): send = { try await tag.sendCommand($0, options: $1) }
    // Tags of type A with an answer to select support ISO/IEC 14443-4.
    case .miFare(let tag) where !tag.ats.isEmpty:
      send = { try await tag.sendCommand($0, options: $1) }
    default: return nil
    }
  }
}
