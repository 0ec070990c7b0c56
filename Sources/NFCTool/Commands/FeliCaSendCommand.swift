import ArgumentParser
import NFC

/// The command `nfc felica send`.
struct FeliCaSendCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Sends raw commands.",
    usage: "nfc felica send <hex> ... [<options>]",
    discussion: """
      Each argument is a command without LEN and CRC. {idm} stands for the card's IDm, which follows the \
      code of every command except Polling. The answer to each command is printed on its own line, without \
      LEN.

      Example, which asks for the card's systems:
        nfc felica send "0C {idm}" --virtual suica
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @OptionGroup var commands: FeliCaCommands

  /// The maximum length of a command. LEN is one byte and includes itself (JIS X 6319-4).
  private static let maximumLength = 254

  func run() async throws {
    try await Session.run(options) { session in
      for command in try commands.all(for: FeliCaCommands.anyIDm) {
        try Hexadecimal.checkLength(command, atMost: Self.maximumLength)
      }
      let tag = try await session.selectFeliCaCard(for: .reading)
      for command in try commands.all(for: tag.kind.idm) {
        let answer = try await tag.addingTagName { try await Self.send(command, tag) }
        try Output.answer(answer, to: command, json: options.json)
      }
    }
  }

  /// Sends a command. A FeliCa card does not answer unknown commands or commands for another card.
  private static func send(
    _ command: [UInt8], _ tag: SelectedTag<any FeliCaTag>
  ) async throws -> [UInt8] {
    do {
      return try await tag.kind.sendFeliCaCommand(command)
    } catch let error as NFCError where error.cause == .noAnswer {
      throw Failure(
        .lost, error.description, tag: tag.name, advice: advice(command, idm: tag.kind.idm))
    }
  }

  private static func advice(_ command: [UInt8], idm: [UInt8]) -> String {
    // Proxmark3 and others write the length before a command.
    guard command.count < 2 || command.first.map(Int.init) != command.count else {
      return
        "if \(command.prefix(1).hexadecimal) is its length, leave out this first byte: the length is added"
    }
    let named = Array(command.dropFirst().prefix(FeliCaCommands.anyIDm.count))
    guard named.count == idm.count else {
      return "the card does not know the command, or it lacks the card's IDm, \(idm.hexadecimal): "
        + "write {idm} after its code"
    }
    guard !isOfSameCard(named, idm) else {
      return "the card does not know the command, or it has left"
    }
    return "the command is not for this card's IDm, \(idm.hexadecimal): write {idm} instead of "
      + named.hexadecimal
  }

  /// Returns whether two IDms belong to the same card. The upper half of the first byte is the number of a
  /// system, and a card may have several systems (FeliCa Card User's Manual, excerpted edition, 2.3.1).
  private static func isOfSameCard(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let number: UInt8 = 0xF0
    guard let first = one.first, let second = other.first else { return false }
    return first & ~number == second & ~number && one.dropFirst().elementsEqual(other.dropFirst())
  }
}

/// Raw commands for a FeliCa card, with a placeholder for its IDm.
struct FeliCaCommands: ParsableArguments {
  /// The placeholder for the IDm.
  private static let placeholder = "{idm}"
  /// An IDm of the right length, for checks.
  static let anyIDm = [UInt8](repeating: 0, count: 8)

  @Argument(
    help: ArgumentHelp(
      "The commands in hexadecimal, with {idm} for the card's IDm.", valueName: "hex"))
  private var texts: [String] = []

  mutating func validate() throws {
    guard !texts.isEmpty else { throw ValidationError("Missing expected argument '<hex> ...'") }
    _ = try all(for: Self.anyIDm)
  }

  /// Returns the commands with the IDm inserted. An error does not show a command, because it may contain a
  /// key.
  func all(for idm: [UInt8]) throws -> [[UInt8]] {
    try texts.enumerated().map { index, text in
      try Hexadecimal.secret(
        text.replacing(Self.placeholder, with: idm.hexadecimal), "Command \(index + 1)")
    }
  }
}
