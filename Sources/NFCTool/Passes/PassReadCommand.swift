import ArgumentParser
import NFC
import NFCPasses
import PassMessage

/// The command `nfc pass read`.
struct PassReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads passes from phones that are held to the reader.",
    usage: "nfc pass read --pass-type <id> --key <file> [<options>]",
    discussion: """
      --pass-type and --key are given in pairs, and the key of --collector comes last. Several pass types are \
      asked for in this order, and a tap has the first that the phone has. The reader sends the frame that \
      makes a phone answer; with --chosen it does not, and only a pass answers that its owner has chosen by \
      hand. With --timeout 0, it looks for a second.

      A pass of Apple Wallet is refused (exit 77) if it is older than --max-age, from the future, or was read \
      before by this command: the protocol has no other protection against answers that are sent again.

      Example:
        nfc pass read --pass-type pass.com.example.card --key private.pem
      """)

  @Option(
    name: .customLong("pass-type"),
    help: ArgumentHelp(
      "Ask Apple Wallet for the pass with this identifier.",
      discussion: "May be given more than once.", valueName: "id"))
  var passTypes: [String] = []

  @Option(
    help: ArgumentHelp(
      "Ask Google Wallet for the passes of this collector, a number in the console.",
      valueName: "id"),
    transform: Self.collector)
  var collector: UInt32?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "The private key of the pass or collector, a PEM or DER file.",
      discussion: "As often as --pass-type and --collector.", valueName: "file"),
    completion: .file())
  var keys: [String] = []

  @Option(
    help: ArgumentHelp(
      "The version of the collector's key in the console; 1 unless given.", valueName: "number"),
    transform: { try UInt32(NumberArgument.integer($0, "--key-version", in: 0...Int(UInt32.max))) })
  var keyVersion: UInt32?

  @Option(
    help: ArgumentHelp("Stop after this many passes; 1 unless given.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--count", in: 1...Int.max) })
  var count: Int?

  @Option(
    help: ArgumentHelp("Refuse older passes; 10 unless given.", valueName: "seconds"),
    transform: Self.age)
  var maxAge: Double?

  @Flag(help: "Do not send the frame that makes a phone answer: its owner has chosen the pass.")
  var chosen = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  private static func collector(_ text: String) throws -> UInt32 {
    guard let number = UInt32(text) else {
      throw ValidationError(
        "--collector is the decimal number of the console, not \"\(ArgumentText.shown(text))\".")
    }
    return number
  }

  private static func age(_ text: String) throws -> Double {
    guard let value = NumberArgument.decimal(text), (0...1e9).contains(value) else {
      throw ValidationError(
        "--max-age is a number of seconds, 0 or more, not \"\(ArgumentText.shown(text))\".")
    }
    return value
  }

  mutating func validate() throws {
    guard !passTypes.isEmpty || collector != nil else {
      throw ValidationError("--pass-type or --collector says which pass to ask for.")
    }
    guard !passTypes.contains("") else { throw ValidationError("--pass-type is empty.") }
    let needed = passTypes.count + (collector == nil ? 0 : 1)
    guard keys.count == needed else {
      throw ValidationError(
        "--key is needed as often as --pass-type and --collector, \(needed) in all, not \(keys.count)."
      )
    }
    guard collector != nil || keyVersion == nil else {
      throw ValidationError("--key-version belongs to --collector.")
    }
  }

  private func request() throws -> PassRequest {
    let loaded = try keys.map { try PassKeyFile.read($0) }
    var request = PassRequest(
      applePasses: zip(passTypes, loaded).map { PassRequest.ApplePass(passType: $0, key: $1) },
      maximumAge: maxAge ?? Self.defaultAge, broadcasts: !chosen)
    if let collector, let key = loaded.last {
      request.collector = SmartTapCollector(
        identifier: collector, key: key, keyVersion: keyVersion ?? 1)
    }
    return request
  }

  private static let defaultAge = 10.0

  func run() async throws {
    let request = try request()
    for path in keys {
      if let warning = PassKeyFile.warning(path) { Output.printNotice("nfc: " + warning) }
    }
    try await Output.whileRead {
      try await Session.run(options, polling: .iso14443) { session in
        try await PassTerminal(session, request, count: count ?? 1).run()
      }
    }
  }
}
