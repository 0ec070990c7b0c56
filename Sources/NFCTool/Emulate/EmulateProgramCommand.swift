import ArgumentParser
import NFC

/// The command `nfc emulate` without a kind: a program answers the commands.
struct EmulateProgramCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "program",
    abstract: "Emulates a card whose commands a program answers.",
    usage: "nfc emulate program --exec <command> [--aid <hex>] [<options>]",
    discussion: """
      The program reads one line per command, in hexadecimal, from its standard input, and answers each with one \
      line: data and status word. Lines that begin with + and - say that a session begins, with the UID, and \
      ends, with the reason; they are not answered. The word program may be left out.

      Example:
        nfc emulate --exec ./card --aid F001020304
      """)

  @Option(
    help: ArgumentHelp("Let this program answer the commands; run by sh -c.", valueName: "command"))
  var exec: String?

  @Option(
    help: ArgumentHelp(
      "Let a program answer them that connects to this Unix socket.", valueName: "path"),
    completion: .file())
  var socket: String?

  @Option(
    name: .customLong("aid"),
    help: ArgumentHelp(
      "Pass on the commands of this application only; others are answered 6A82. May be given more than once.",
      valueName: "hex"), transform: { try Hexadecimal.argument($0, "--aid") })
  var applications: [[UInt8]] = []

  @Option(
    name: .customLong("exec-timeout"),
    help: ArgumentHelp(
      "How long to wait for an answer before it is 6F00; 0.5 unless given.", valueName: "seconds"),
    transform: { text in
      guard let value = NumberArgument.decimal(text), value > 0, value <= 60 else {
        throw ValidationError("--exec-timeout is a number of seconds up to 60, more than 0.")
      }
      return .milliseconds(Int64((value * 1000).rounded()))
    })
  var limit: Duration?

  @Argument(help: .hidden) var what: String?

  @OptionGroup var emulation: EmulationOptions
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    // What cannot be emulated is refused with the reason.
    if what != nil { return }
    guard (exec == nil) != (socket == nil) else {
      throw ValidationError(
        exec == nil
          ? "Name what to emulate: a kind of message such as uri, or --exec or --socket."
          : "Give either --exec or --socket.")
    }
    guard applications.allSatisfy({ ApplicationFilter.lengths.contains($0.count) }) else {
      throw ValidationError("--aid is an application identifier of 5 to 16 bytes.")
    }
    try emulation.check(options)
  }

  /// The reason why something that is not a message cannot be emulated.
  private static func refusal(of what: String) -> Failure {
    Failure(
      .usage, "a reader cannot act as \(ArgumentText.shown(what).shellWord)",
      advice:
        "the chip permits only a Type 4 tag with a UID that begins with 08: no Type 2, no MIFARE Classic, "
        + "no copy of another card and no relay; its message can be emulated with nfc emulate raw")
  }

  /// Whether a word names a tag, or a file that may hold one, and not a kind of message.
  static func isRefused(_ what: String) -> Bool {
    guard !EmulateCommand.configuration.subcommands.contains(where: { $0.matches(what) }) else {
      return false
    }
    let word = Spelling.folded(what)
    return VirtualTags.names.contains { Spelling.folded($0) == word }
      || ["type2", "type3", "type5", "classic", "mifare", "ntag", "relay"].contains(word)
      || File.exists(what)
  }

  func run() async throws {
    if let what { throw Self.refusal(of: what) }
    let identity = try emulation.identity(options)
    let limit = limit ?? .milliseconds(500)
    let program: any CardProgram =
      if let exec { try ExecutedCard(exec) } else { try ConnectedCard(at: socket ?? "") }
    let filter = ApplicationFilter(applications)
    do {
      try await Emulation.run(options, emulation) { reader, log in
        try await serve(reader, log, identity, filter, program, limit)
      }
    } catch {
      await program.stop()
      throw error
    }
    await program.stop()
  }

  private func serve(
    _ reader: Reader, _ log: EmulationLog, _ identity: CardIdentity, _ filter: ApplicationFilter,
    _ program: any CardProgram, _ limit: Duration
  ) async throws {
    let (ready, isReady) = AsyncStream<Void>.makeStream()
    var configuration = EmulationConfiguration(identity: identity, applications: filter) {
      isReady.finish()
    }
    // The program's answer is waited for here.
    configuration.answerLimit = limit + .seconds(1)
    try await withThrowingTaskGroup(of: Void.self) { [configuration] group in
      group.addTask {
        for await _ in ready {}
        if !Task.isCancelled { try await log.ready(identity.uid) }
      }
      group.addTask {
        for try await session in reader.emulate(configuration) {
          let start = ContinuousClock.now
          try await program.begin(identity.uid)
          try await log.activated()
          for await command in session.commands {
            let answer = await program.answer(to: command.bytes, within: limit)
            do {
              try await command.respond(with: answer)
              try await log.served(command.bytes, answer)
            } catch is NFCError {
              // The other side has left; the session's end says so.
            }
          }
          let release = session.release ?? .reader
          program.end(release)
          try await log.released(release, after: .now - start)
        }
      }
      defer { isReady.finish() }
      try await group.waitForAll()
    }
  }
}
