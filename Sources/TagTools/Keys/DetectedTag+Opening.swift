import NFC
import SecureTags

extension DetectedTag {
  /// Opens the tag with its keys or its password, for its message and its memory. Call this before any other command is
  /// sent to the tag.
  ///
  /// An Ultralight, an NTAG, an ISO 15693 label and an ST25TA check the secret at once, with one to four exchanges. The
  /// keys of a MIFARE Classic are only remembered for its message, and open the sectors when these are needed.
  ///
  /// - Parameters:
  ///   - keys: the keys.
  ///   - password: the tag's password.
  /// - Throws: ``TagSecretError`` for a secret that the tag cannot have; `NFCError` `authenticationFailed` for a wrong one.
  public func open(with keys: TagKeys, password: SecretKey? = nil) async throws {
    try await open(with: keys, password: password.map { $0.withUnsafeBytes { Array($0) } })
  }

  /// The same with the bytes of a password.
  @_disfavoredOverload
  package func open(with keys: TagKeys, password: [UInt8]?) async throws {
    if let classic {
      try await authenticate(password)
      return try keys.use(for: classic)
    }
    if case .miFare(let tag) = self, let commands = tag.ultralight {
      // Only what a secret is for depends on the chip, and asking for it takes one to four exchanges.
      guard keys.mayOpenUltralight || password != nil else { return }
      guard let key = try keys.ultralight(try await tag.product(), password: password) else {
        return
      }
      return try await commands.open(with: key)
    }
    try keys.checkAbsence(for: kindName)
    try await authenticate(password)
  }

  /// The commands of a MIFARE Classic, or `nil` for another tag.
  package var classic: MiFareClassicCommands? {
    if case .miFare(let tag) = self { tag.classic } else { nil }
  }

  /// Authenticates with a password. Call this before any other command is sent to the tag.
  ///
  /// - Throws: ``TagSecretError`` for a tag without a password, or with a password of another length; `NFCError`
  ///   `authenticationFailed`.
  package func authenticate(_ password: [UInt8]?) async throws {
    guard let password else { return }
    if case .iso15693(let tag) = self, let kind = VicinityPassword(try await tag.product()) {
      return try await kind.present(password, to: tag)
    }
    if case .iso7816(let card) = self, ST25TATag.isST25TA(try await card.product()) {
      guard password.count == ST25TATag.passwordSize else {
        throw TagSecretError(
          .passwordSize([ST25TATag.passwordSize]),
          "the password has \(password.count) bytes, and this tag's password has \(ST25TATag.passwordSize)",
          identifier: identifier)
      }
      let secret = SecretKey(password)
      return try await ST25TATag(card).authenticate(read: secret, write: secret)
    }
    guard case .miFare(let tag) = self, let commands = tag.ultralight else {
      throw TagSecretError(
        .noPassword, "a password is given, and \(kindName) has none", identifier: identifier)
    }
    try await commands.open(with: try UltralightKey(password, try await tag.product()))
  }
}
