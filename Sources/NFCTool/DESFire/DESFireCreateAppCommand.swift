import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// The command `nfc desfire create-app`.
struct DESFireCreateAppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create-app",
    abstract: "Creates an application.",
    usage: "nfc desfire create-app <aid> --keys <number> --crypto <kind> [<options>]",
    discussion: """
      At first all keys of the application are the card's default key, which is zeros as delivered. Where \
      the card's settings require its master key, give it with --key 0:HEX.

      Example:
        nfc desfire create-app F00001 --keys 3 --crypto aes --virtual desfire
      """)

  @Argument(
    help: ArgumentHelp("Six hexadecimal digits.", valueName: "aid"),
    transform: { try DESFireText.application($0, "The application") })
  var application: DESFireApplicationIdentifier

  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp("The number of keys, 1 to 14.", valueName: "number"),
    transform: { try NumberArgument.integer($0, "--keys", in: 1...DESFireApplication.mostKeys) })
  var keyCount: Int

  @Option(help: ArgumentHelp("The kind of the keys: des, 3k3des or aes.", valueName: "kind"))
  var crypto: DESFireKey.Kind

  @Option(
    help: ArgumentHelp(
      "The settings as the card's own byte; 0F unless given: nothing restricted, everything changeable.",
      valueName: "hex"),
    transform: { text in
      let bytes = try Hexadecimal.argument(text, "--settings")
      guard bytes.count == 1 else { throw ValidationError("--settings takes one byte.") }
      return DESFireKeySettings(byte: bytes[0])
    })
  var settings: DESFireKeySettings?

  @Option(
    name: .customLong("iso"),
    help: ArgumentHelp("An ISO file identifier, four digits.", valueName: "hex"),
    transform: { try DESFireText.isoIdentifier($0, "--iso") })
  var isoIdentifier: UInt16?

  @Option(
    help: ArgumentHelp("An ISO name, up to 16 bytes.", valueName: "hex"),
    transform: { try Hexadecimal.argument($0, "--name") })
  var name: [UInt8]?

  @OptionGroup var keys: KeyOptions<DESFireKeyPlace>

  @Flag(help: "Print what would be created, and create nothing.")
  var plan = false

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions

  mutating func validate() throws {
    guard application != .card else { throw ValidationError("000000 is the card itself.") }
    guard name == nil || isoIdentifier != nil else { throw ValidationError("--name needs --iso.") }
    guard (name ?? []).count <= 16 else { throw ValidationError("--name takes up to 16 bytes.") }
  }

  func run() async throws {
    let keyring = try Keyring(keys)
    let wanted = DESFireApplicationDescription(
      application, keyCount: keyCount, kind: crypto, settings: settings ?? .factory,
      isoIdentifier: isoIdentifier, name: name ?? [], namesFiles: isoIdentifier != nil)
    try await Session.run(options) { session in
      let card = try await session.selectDESFire(for: plan ? .reading : .changing, keyring)
      try await card.run {
        if try await card.card.hasApplication(application) {
          throw Failure(
            .content, "the card has application \(application) already", tag: card.tag.name,
            advice: "nfc desfire delete-app \(application) deletes it")
        }
        let change = card.card.creationPlan(wanted)
        guard !plan else { return try PlanOutput.show(change, options) }
        try await card.openRoot("an application is created") { $0.createsFreely }
        try await card.card.perform(change)
        try Output.done(
          options, card.tag.detected.identifier, ["app": .string("\(application)")])
      }
    }
  }
}

extension DESFireCard {
  /// Returns whether an application exists, by selecting it.
  func hasApplication(_ identifier: DESFireApplicationIdentifier) async throws -> Bool {
    do {
      _ = try await application(identifier).keyVersion(0)
      return true
    } catch let error as NFCError where error.code == .wrongTag {
      return false
    } catch let error as NFCError where error.group == .refusal || error.code == .unsupported {
      return true
    }
  }
}

extension SelectedDESFire {
  /// Authenticates with the card's master key, unless the settings permit the operation without it.
  func openRoot(
    _ purpose: String, unless isFree: (DESFireKeySettings) -> Bool
  ) async throws {
    let root = card.root
    let settings = try await summary(root)?.settings
    if let settings, isFree(settings) { return }
    try await authenticate(root, [0], for: purpose)
  }

  /// Authenticates with an application's master key, unless the settings permit the operation without it.
  func open(
    _ application: DESFireApplication, _ purpose: String,
    unless isFree: (DESFireKeySettings) -> Bool
  ) async throws {
    let settings = try await summary(application)?.settings
    if let settings, isFree(settings) { return }
    try await authenticate(application, [0], for: purpose)
  }
}
