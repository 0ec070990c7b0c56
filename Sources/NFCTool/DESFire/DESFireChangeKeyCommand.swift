import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire change-key`.
struct DESFireChangeKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change-key",
    abstract: "Changes a key of the card or of an application.",
    usage: "nfc desfire change-key <number> --new-key <hex> [<options>]",
    discussion: """
      --key gives the current key, and a second --key the one that the settings require for changes, if \
      that is another. The new key is verified afterwards. A lost key cannot be recovered.

      Without --app the key is the card's own master key, key 0, whose kind --crypto can change.

      Examples:
        nfc desfire change-key 1 --app F00001 --new-key 00112233445566778899AABBCCDDEEFF \\
          --key 0:00000000000000000000000000000000 --key 1:00000000000000000000000000000000
        nfc desfire change-key 0 --crypto aes --new-key-file key.txt --key 0:0000000000000000 --plan
      """)

  @Argument(
    help: ArgumentHelp("The key's number.", valueName: "number"),
    transform: { try DESFireText.key($0, "The key") })
  var number: Int

  @Option(
    name: .customLong("app"),
    help: ArgumentHelp("The application; the card unless given.", valueName: "aid"),
    transform: { try DESFireText.application($0, "--app") })
  var application: DESFireApplicationIdentifier = .card

  @Option(
    name: .customLong("new-key"), help: ArgumentHelp("The new key.", valueName: "hex"),
    transform: { text in
      var bytes = try Hexadecimal.secret(text, "--new-key")
      return SecretKey(taking: &bytes)
    })
  var newKey: SecretKey?

  @Option(
    name: .customLong("new-key-file"),
    help: ArgumentHelp(
      "A file with the new key in hexadecimal; - for standard input.", valueName: "file"),
    completion: .file())
  var newKeyFile: String?

  @Option(
    name: .customLong("key-version"),
    help: ArgumentHelp(
      "Its version, one byte; unless given, 00, or for a DES key what its bytes say.",
      valueName: "hex"),
    transform: { text in
      let bytes = try Hexadecimal.argument(text, "--key-version")
      guard bytes.count == 1 else { throw ValidationError("--key-version takes one byte.") }
      return bytes[0]
    })
  var version: UInt8?

  @Option(help: ArgumentHelp("The new kind of the card's master key.", valueName: "kind"))
  var crypto: DESFireKey.Kind?

  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>
  @OptionGroup var keyFiles: KeyFiles

  @Flag(help: "Print what would be changed, and change nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard (newKey == nil) != (newKeyFile == nil) else {
      throw ValidationError("Give either --new-key or --new-key-file.")
    }
    guard application != .card || number == 0 else {
      throw ValidationError("The card has one key, 0.")
    }
    guard application == .card || crypto == nil else {
      throw ValidationError("All keys of an application are of one kind: --crypto is for the card.")
    }
  }

  private func secret() throws -> SecretKey {
    if let newKey { return newKey }
    switch Hexadecimal.parse(try File.readSecrets(newKeyFile ?? File.standard)) {
    case .success(var bytes): return SecretKey(taking: &bytes)
    case .failure(let problem):
      throw Failure(
        .content,
        "\(File.name(newKeyFile ?? File.standard)) is not a key in hexadecimal: \(problem.reason)")
    }
  }

  func run() async throws {
    let keyring = try Keyring(keys, keyFiles)
    let secret = try secret()
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: plan ? .reading : .changing, keyring)
      let application = card.card.application(application)
      let change = DESFireKeyChange(
        number, to: secret, version: version, kind: crypto,
        current: card.keyring.secrets(of: application.identifier))
      try await card.run {
        guard !plan else {
          return try PlanOutput.show(try await application.keyChangePlan(change), options)
        }
        let done = try await application.changeKey(change)
        try Output.done(
          options, card.tag.detected.identifier,
          [
            "app": .string("\(application.identifier)"), "key": .integer(number),
            "crypto": .string(done.kind.rawValue),
            "before": done.versionBefore.map { .bytes([$0]) }, "after": .bytes([done.version]),
          ])
      }
    }
  }
}
