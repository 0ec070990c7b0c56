import ArgumentParser
import NFC

/// The command `nfc iso15693 send`.
struct ISO15693SendCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Sends raw requests.",
    usage: "nfc iso15693 send <hex> ... [<options>]",
    discussion: """
      Each argument is a whole request without CRC: flags, command, parameters. The answer to each is \
      printed on its own line, flags first, error answers included.

      Example:
        nfc iso15693 send "02 20 00" --virtual icode-slix2
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  @Argument(
    help: ArgumentHelp("The requests in hexadecimal.", valueName: "hex"),
    transform: { try Hexadecimal.secret($0, "A request") })
  var requests: [[UInt8]]

  /// The time that a tag has for its answer.
  static let timeout = Duration.milliseconds(200)

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectVicinityTag(for: .reading)
      for request in requests {
        let answer = try await tag.namingBlocks {
          do {
            return try await tag.kind.transceive(request, timeout: Self.timeout)
          } catch let error as NFCError where error.cause == .noAnswer {
            throw Failure(
              .lost, error.description, tag: tag.name,
              advice:
                "the tag does not know the request, its flags address another UID, or it has left")
          }
        }
        try Output.answer(answer, to: request, json: options.json)
      }
    }
  }
}
