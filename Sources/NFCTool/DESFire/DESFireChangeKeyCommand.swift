import SwiftNFCJSONText
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
      let (old, new) = try await card.work { try await change(card, secret) }
      let place: KeyValuePairs<String, JSONValue?> = [
        "app": .string("\(application)"), "key": .integer(number),
        "crypto": .string(new.kind.rawValue), "before": old.map { .bytes([$0]) },
        "after": .bytes([new.version]),
      ]
      guard plan else {
        return try Output.done(options, card.tag.detected.identifier, place)
      }
      let before = old.map { "version \([$0].hexadecimal)" } ?? "unknown version"
      try PlannedChange.show(
        "key \(number) of \(application.name): \(before) → \(new.kind.name), version "
          + "\([new.version].hexadecimal); the key itself is not shown", place, options)
    }
  }

  /// INTEGRITY_ERROR: the old key is wrong, so the card decrypts a wrong new key, which does not match its
  /// checksum (NT4H2421Gx data sheet, table 63).
  private static let wrongOldKey = NFCError.Cause.desfireStatus(0x1E)

  /// - Returns: the previous version of the key, and the new key.
  private func change(
    _ card: SelectedDESFire, _ secret: SecretKey
  ) async throws -> (UInt8?, DESFireKey) {
    let target = card.card.application(application)
    let summary = try await card.summary(target)
    let prover = try prover(summary?.settings, card)
    do {
      try await card.authenticate(target, [prover], for: "key \(number) is changed")
    } catch let error where prover == number && !plan {
      if let new = try await present(secret, target, summary, card) { return (nil, new) }
      throw error
    }
    let settled = try await card.summary(target)
    guard let kind = crypto ?? settled?.kind ?? (card.card.generation == .fixed ? .aes : nil) else {
      throw Failure(
        .notAllowed, "the card does not report what the key is for", tag: card.tag.name)
    }
    let new = try card.key(kind, secret, number, version: version)
    let version = try? await target.keyVersion(number)
    guard !plan else { return (version, new) }
    var old: DESFireKey?
    if prover != number {
      guard let given = card.keyring.secret(number, of: application) else {
        throw Failure(
          .notAllowed, "the card requires the current key, too", tag: card.tag.name,
          advice: "give it with --key \(number):HEX")
      }
      old = try card.key(kind, given, number)
    }
    // The card may have refused to report the version, which ends a session.
    if version == nil {
      try await card.authenticate(target, [prover], for: "key \(number) is changed")
    }
    do {
      try await target.changeKey(number, from: old, to: new)
    } catch let error as NFCError where old != nil && error.cause == Self.wrongOldKey {
      if let new = try await present(secret, target, settled, card) { return (version, new) }
      throw Failure(
        .notAllowed, "key \(number) of \(application.name) is not the one that is given",
        tag: card.tag.name, advice: "check --key \(number):HEX")
    }
    do {
      try await target.authenticate(number, new)
    } catch let error as NFCError where error.code == .authenticationFailed {
      throw Failure(
        .lost, "the card accepted the change of key \(number) but does not accept the new key",
        tag: card.tag.name, advice: "try the old one")
    }
    return (version, new)
  }

  /// Returns the new key if the card has it already: a command before this one has changed it, but its answer
  /// was lost.
  private func present(
    _ secret: SecretKey, _ target: DESFireApplication, _ summary: DESFireKeySummary?,
    _ card: SelectedDESFire
  ) async throws -> DESFireKey? {
    guard let kind = summary?.kind ?? (card.card.generation == .fixed ? .aes : nil),
      kind == crypto ?? kind, let new = try? DESFireKey(kind, secret, version: version)
    else { return nil }
    do {
      try await target.authenticate(number, new)
      return new
    } catch let error as NFCError where error.code == .authenticationFailed {
      return nil
    }
  }

  /// Returns the number of the key that authorizes the change.
  private func prover(_ settings: DESFireKeySettings?, _ card: SelectedDESFire) throws -> Int {
    if number == 0 { return 0 }
    switch settings?.keyChange {
    case .key(let prover): return prover
    case .sameKey: return number
    case .nobody:
      throw Failure(
        .notAllowed, "key \(number) of \(application.name) can never be changed",
        tag: card.tag.name)
    case nil: return 0
    }
  }
}
