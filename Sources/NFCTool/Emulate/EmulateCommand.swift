import ArgumentParser
import NFC

/// The command `nfc emulate`.
struct EmulateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emulate",
    abstract: "Acts as a tag or card, for phones and terminals.",
    discussion: """
      The reader must be one that can be a card: a PN532 (nfc readers says which can). It acts as an NFC Forum \
      Type 4 tag with a message of any kind that nfc write has, or as any ISO 7816 card whose commands a \
      program answers, and runs until interrupted. Not tried with a phone yet.

      The UID begins with 08 and is random unless --uid names its other three bytes: the chip permits no \
      other. For the same reason it cannot be a Type 2 tag, a MIFARE Classic or a copy of another card.

      Examples:
        nfc emulate uri https://swift.org
        nfc emulate raw message.ndef --writable --save message.ndef
        nfc emulate --exec ./card --aid F001020304
      """,
    subcommands: [
      EmulateKindCommand<URIKind>.self, EmulateKindCommand<TextKind>.self,
      EmulateKindCommand<WiFiKind>.self, EmulateKindCommand<ContactKind>.self,
      EmulateKindCommand<TelephoneKind>.self, EmulateKindCommand<SMSKind>.self,
      EmulateKindCommand<MailKind>.self, EmulateKindCommand<GeoKind>.self,
      EmulateKindCommand<AppKind>.self, EmulateKindCommand<BluetoothKind>.self,
      EmulateKindCommand<PosterKind>.self, EmulateKindCommand<HomeAssistantKind>.self,
      EmulateKindCommand<MIMEKind>.self,
      EmulateKindCommand<ExternalKind>.self, EmulateKindCommand<RawKind>.self,
      EmulateKindCommand<JSONKind>.self, EmulateProgramCommand.self,
    ],
    defaultSubcommand: EmulateProgramCommand.self)
}

extension EmulateCommand {
  /// Returns the arguments with the name of the subcommand that is meant without one: a program that answers. What
  /// cannot be emulated is refused there, with the reason.
  static func completed(_ arguments: [String]) -> [String] {
    guard arguments.first == configuration.commandName else { return arguments }
    let isProgram =
      arguments.count < 2
      || arguments[1].hasPrefix("-") && !["-h", "--help"].contains(arguments[1])
      || EmulateProgramCommand.isRefused(arguments[1])
    guard isProgram else { return arguments }
    return [arguments[0], "program"] + arguments.dropFirst()
  }
}

extension EmulateCommand: SharedOptions {
  static let sharedFlags = ["--writable", "--once", "--commands", "--as-is"]
  static let sharedValueOptions = ["--save", "--count", "--historical", "--size", "--mle", "--mlc"]
}

/// The command `nfc emulate KIND`.
struct EmulateKindCommand<Kind: RecordKind>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    let write = Kind.configuration(of: "emulate")
    return CommandConfiguration(
      commandName: write.commandName,
      abstract: "Emulates" + write.abstract.dropFirst("Writes".count), usage: write.usage,
      discussion: EncodeKindCommand<Kind>.withoutReaders(write.discussion, of: "emulate"))
  }

  @OptionGroup var kind: Kind

  @Flag(help: "Let the other side write; otherwise it is refused (6982).")
  var writable = false

  @Option(
    help: ArgumentHelp(
      "Keep each complete message that is written in a file; requires --writable.",
      valueName: "file"), completion: .file())
  var save: String?

  @Option(
    help: ArgumentHelp(
      "The size of the file in bytes, to 32768; 2048 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--size", in: EmulatedType4Tag.Layout.sizes) })
  var size: Int?

  @Option(
    name: .customLong("mle"),
    help: ArgumentHelp(
      "The longest part that is read at once; 251 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--mle", in: EmulatedType4Tag.Layout.readLengths) })
  var readLength: Int?

  @Option(
    name: .customLong("mlc"),
    help: ArgumentHelp(
      "The longest part that is written at once; 246 unless given.", valueName: "number"),
    transform: {
      try NumberArgument.integer($0, "--mlc", in: EmulatedType4Tag.Layout.updateLengths)
    })
  var updateLength: Int?

  @Flag(help: "Emulate a link or type even if most programs cannot use it.")
  var asIs = false

  @OptionGroup var emulation: EmulationOptions
  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard save == nil || writable else { throw ValidationError("--save requires --writable.") }
    try emulation.check(options)
  }

  func run() async throws {
    let message = try kind.message(.none, isForced: asIs)
    if !message.records.isEmpty {
      try MessageCheck.check(message, of: Kind.self, isForced: asIs)
    }
    var layout = EmulatedType4Tag.Layout()
    layout.size = size ?? layout.size
    layout.maximumReadLength = readLength ?? layout.maximumReadLength
    layout.maximumUpdateLength = updateLength ?? layout.maximumUpdateLength
    let content: EmulatedCard.Content
    do {
      content = try .ndef(message, isWritable: writable, layout: layout)
    } catch {
      throw Failure(
        ExitStatus(error.code), error.reason,
        advice: "make the file larger with --size, or use a shorter message")
    }
    let identity = try emulation.identity(options)
    let (save, capacity, reportsCommands) = (save, layout.size - 2, emulation.commands)
    try await Emulation.run(options, emulation) { reader, log in
      var card = EmulatedCard(content, on: reader, as: identity)
      card.reportsCommands = reportsCommands
      for try await event in card.events {
        switch event {
        case .ready: try await log.ready(identity.uid)
        case .activated: try await log.activated()
        case .command(let command, let answer): try await log.command(command, answer)
        case .read(let count): try await log.read(count)
        case .written(let bytes):
          try await log.written(bytes, uid: identity.uid, capacity: capacity, save: save)
        case .released(let release, let time): try await log.released(release, after: time)
        @unknown default: break
        }
      }
    }
  }
}

/// The options of `nfc emulate` that do not depend on what is emulated.
struct EmulationOptions: ParsableArguments {
  @Flag(help: "Stop after the first tap.")
  var once = false

  @Option(
    help: ArgumentHelp("Stop after this many taps.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--count", in: 1...Int.max) })
  var count: Int?

  @Option(
    help: ArgumentHelp(
      "The historical bytes of the ATS, up to 48; 80 unless given.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "--historical") })
  var historical: [UInt8]?

  @Flag(help: "With --json: report every command and its answer.")
  var commands = false

  func check(_ options: GlobalOptions) throws {
    guard !once || count == nil else {
      throw ValidationError("--once means --count 1; give only one of them.")
    }
    guard !commands || options.json else { throw ValidationError("--commands requires --json.") }
  }

  /// The number of taps after which the command ends; `nil` for none.
  var taps: Int? { once ? 1 : count }

  /// - Throws: `usage` for a UID or historical bytes that the chip does not permit.
  func identity(_ options: GlobalOptions) throws -> CardIdentity {
    if let uid = options.uid, uid.count != 3 {
      throw Failure(
        .usage,
        "the UID of a card that a reader acts as is 08 and three more bytes, not \(uid.count)",
        advice:
          "a PN532 can have no other UID; give three bytes with --uid, or none for random ones")
    }
    do {
      return try CardIdentity(
        number: options.uid,
        historicalBytes: historical ?? CardIdentity.defaultHistoricalBytes)
    } catch {
      throw Failure(.usage, error.reason)
    }
  }
}
