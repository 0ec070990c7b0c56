import ArgumentParser
import NFC
import SecureTags

/// The card that a command works with, and the specified keys.
struct SelectedPlus: Sendable {
  let tag: SelectedTag<any MiFareTag>
  let card: MIFAREPlusCard
  let keyring: Keyring<PlusKeyPlace>

  /// Runs `body` and ends the session. The card and advice are added to errors. Nobody who uses the card
  /// afterwards has the access that the keys gave.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await tag.run(endingBy: card.endSession, body) { error, failure in
      if let advice = Self.advice(for: error) { failure.advice = advice }
      if error.code == .tagRefused { failure.status = .content }
    }
  }

  /// Says what to do after an error of the card; `nil` if there is no more to say.
  static func advice(for error: NFCError) -> String? {
    switch error.code {
    case .authenticationFailed: return "check the key and its place"
    case .notAuthenticated: return "give a key that may, with --key, or try --plain"
    case .unsupported:
      // Without a status, the card was not asked, as one that requires the messaging of EV1.
      guard case .desfireStatus = error.cause else { return nil }
      return
        "nfc plus level shows whether it is in level 3; a MIFARE Plus S needs --plain, and has no change of values"
    default: return nil
    }
  }

  /// Authenticates with the specified key of a sector. Key A takes precedence over key B.
  func open(sector: Int) async throws {
    let places = [false, true].compactMap { MIFAREPlusKeyAddress(sector: sector, isB: $0) }
    for address in places {
      guard let key = keyring[PlusKeyPlace(address)] else { continue }
      return try await card.authenticate(address, key)
    }
    throw Failure(
      .notAllowed, "sector \(sector) requires a key", tag: tag.name,
      advice: "give it with --key \(sector)A:HEX")
  }

  /// Authenticates with a specified key.
  func open(_ address: MIFAREPlusKeyAddress) async throws {
    guard let key = keyring[PlusKeyPlace(address)] else {
      throw Failure(
        .notAllowed, "the card requires \(address)", tag: tag.name,
        advice: "give it with --key \(PlusKeyPlace.name(of: address)):HEX")
    }
    try await card.authenticate(address, key)
  }
}

/// The option `--plain`.
struct PlusCommunicationOptions: ParsableArguments {
  @Flag(help: "Send the data in plain text with MACs, as a MIFARE Plus S requires.")
  var plain = false

  var communication: MIFAREPlusCommunication { plain ? .plain : .encrypted }
}

/// The blocks of a card.
enum PlusBlocks {
  static let highest = 255

  /// Returns the sector that contains a block. Sectors have four blocks up to block 127, and sixteen from
  /// there on.
  static func sector(_ block: Int) -> Int { block < 128 ? block / 4 : 32 + (block - 128) / 16 }

  static func argument(_ text: String) throws -> Int {
    try NumberArgument.integer(text, "The block", in: 0...highest)
  }
}

extension Session {
  /// Waits for a MIFARE Plus.
  func selectPlus(for use: TagUse, _ keyring: Keyring<PlusKeyPlace>) async throws -> SelectedPlus {
    let tag = try await selectTag(
      "a MIFARE Plus in security level 3", polling: .miFare, for: use
    ) { tag -> (any MiFareTag)? in
      guard case .miFare(let card) = tag, card.family == .plus else { return nil }
      return card
    }
    return SelectedPlus(tag: tag, card: try MIFAREPlusCard(tag.kind), keyring: keyring)
  }
}
