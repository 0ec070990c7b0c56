import NFC
import SecureTags

/// The card that a command works with, and the specified keys.
struct SelectedDESFire: Sendable {
  let tag: SelectedTag<DetectedTag>
  let card: DESFireCard
  let keyring: Keyring<DESFireKeyPlace>

  /// Runs `body` and ends the session. The card and advice are added to errors. Nobody who uses the card
  /// afterwards has the access that the keys gave.
  func run<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await tag.run(endingBy: card.endSession, body) { error, failure in
      switch (error.code, error.cause) {
      case (.tagRefused, .desfireStatus): failure.status = .content
      case (.wrongTag, _): failure.advice = "nfc desfire info shows what is there"
      case (.authenticationFailed, _):
        failure.advice =
          if case .key(let number) = error.place {
            "check --key \(number):HEX"
          } else {
            "check the key and its number"
          }
      case (.notAuthenticated, _) where error.attempts == .delayed:
        failure.advice = "run the command again"
      case (.notAuthenticated, _):
        failure.advice =
          if case .key(let number) = error.place {
            "give it with --key \(number):HEX"
          } else {
            "give a key that may, with --key NUMBER:HEX"
          }
      case (.capacityExceeded, _): failure.advice = "use a card with more free memory"
      case (.invalidParameter, _): failure.advice = nil
      default: break
      }
      if failure.status == .content, error.code == .tagRefused {
        failure.advice = "nfc desfire info shows what is there"
      }
    }
  }

  /// Whether the card is of a generation that can sign transactions, as far as it reports one.
  var maySignTransactions: Bool { card.generation.map { $0 >= .ev2 } ?? true }

  // MARK: Keys

  /// Returns a summary of an application's keys, or `nil` if the card requires its master key first. A chip
  /// with fixed files does not support the command, which would end its session.
  func summary(_ application: DESFireApplication) async throws -> DESFireKeySummary? {
    guard card.generation != .fixed else { return nil }
    do {
      return try await application.keySummary()
    } catch let error as NFCError
      where [.notAuthenticated, .unsupported, .tagRefused].contains(error.code)
    {
      return nil
    }
  }

  /// Authenticates with the first of some keys that was specified.
  ///
  /// - Parameters:
  ///   - numbers: the suitable keys, best first.
  ///   - purpose: the operation that requires them: `file 1 is read`.
  func authenticate(
    _ application: DESFireApplication, _ numbers: [Int], for purpose: String
  ) async throws {
    guard
      let number = numbers.first(where: { keyring.secret($0, of: application.identifier) != nil }),
      let secret = keyring.secret(number, of: application.identifier)
    else {
      let names = numbers.map(String.init).joined(separator: " or ")
      throw Failure(
        .notAllowed,
        numbers.isEmpty
          ? "no key of \(application.identifier.name) has this right: \(purpose)"
          : "\(purpose) with key \(names) of \(application.identifier.name)",
        tag: tag.name,
        advice: numbers.first.map { "give it with --key \($0):HEX" })
    }
    try await authenticate(application, number, secret)
  }

  /// Authenticates with the first key of the application that was specified, if there is one: a card that does not
  /// know it may report that everyone has a right, and would get what is meant for the key's owner.
  func authenticateIfKeyGiven(
    _ application: DESFireApplication, for purpose: String
  ) async throws {
    let given = (0..<DESFireApplication.mostKeys).filter {
      keyring.secret($0, of: application.identifier) != nil
    }
    guard !given.isEmpty else { return }
    try await authenticate(application, given, for: purpose)
  }

  /// Authenticates with a key. If the application does not report the type of its keys, AES is tried before
  /// DES.
  func authenticate(
    _ application: DESFireApplication, _ number: Int, _ secret: SecretKey
  ) async throws {
    let kinds = try await kinds(of: application, secret)
    for (index, kind) in kinds.enumerated() {
      do {
        return try await application.authenticate(number, try key(kind, secret, number))
      } catch let error as NFCError
        where error.code == .authenticationFailed && index + 1 < kinds.count
      {
        continue
      } catch let error as NFCError where error.code == .authenticationFailed {
        throw NFCError(
          error.code,
          "key \(number) of \(application.identifier.name) is not the one that is given",
          cause: error.cause)
      }
    }
  }

  /// Returns the types that a key can have.
  func kinds(
    of application: DESFireApplication, _ secret: SecretKey
  ) async throws -> [DESFireKey.Kind] {
    if card.generation == .fixed { return [.aes] }
    if let kind = try await summary(application)?.kind { return [kind] }
    switch secret.count {
    case 24: return [.threeKeyTripleDES]
    case 8: return [.des]
    default: return [.aes, .des]
    }
  }

  func key(
    _ kind: DESFireKey.Kind, _ secret: SecretKey, _ number: Int, version: UInt8? = nil
  ) throws -> DESFireKey {
    do {
      return try DESFireKey(kind, secret, version: version)
    } catch let error as NFCError {
      throw Failure(.usage, "key \(number): \(error.reason)", tag: tag.name)
    }
  }

  /// Returns the keys that grant one of these rights, in the order of the rights, or `nil` if everyone has
  /// one of the rights.
  func keys(for rights: [DESFireAccess]) -> [Int]? {
    guard !rights.contains(.everyone) else { return nil }
    var numbers: [Int] = []
    for case .key(let number) in rights where !numbers.contains(number) { numbers.append(number) }
    return numbers
  }

  /// Returns a file's settings. The master key is used if the application does not report them without it.
  func fileSettings(
    _ application: DESFireApplication, _ file: Int
  ) async throws -> DESFireFileSettings {
    do {
      return try await application.fileSettings(file)
    } catch let error as NFCError where error.code == .notAuthenticated {
      try await authenticate(application, [0], for: "files are listed")
      return try await application.fileSettings(file)
    }
  }
}

extension Session {
  /// Waits for a card of the family.
  func selectDESFire(for use: TagUse, _ keyring: Keyring<DESFireKeyPlace>) async throws
    -> SelectedDESFire
  {
    let tag = try await selectTag("a MIFARE DESFire", polling: .miFare, for: use) {
      tag -> DetectedTag? in
      switch tag {
      case .miFare(let card) where card.family == .desfire: tag
      // For Core NFC, the NTAG 4xx are smart cards. The card is queried to find out whether it is one.
      case .iso7816(let card) where card.sak != nil: tag
      default: nil
      }
    }
    do {
      return SelectedDESFire(
        tag: tag, card: try await DESFireCard(tag.kind), keyring: keyring)
    } catch let error as NFCError where error.code == .wrongTag {
      throw Failure(
        .notThere, "the tag is not a MIFARE DESFire", tag: tag.name, advice: "use another tag")
    }
  }
}

extension Keyring<DESFireKeyPlace> {
  /// Returns the keys that are given for an application, by their numbers.
  func secrets(of application: DESFireApplicationIdentifier) -> [Int: SecretKey] {
    var secrets: [Int: SecretKey] = [:]
    for number in 0..<DESFireApplication.mostKeys {
      secrets[number] = secret(number, of: application)
    }
    return secrets
  }
}
