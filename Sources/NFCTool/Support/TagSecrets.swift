import NFC

/// The keys and the password with which a command opens a tag before it reads or changes the message.
struct TagSecrets: Sendable {
  fileprivate let keys: TagKeys.Found
  let password: [UInt8]?

  /// Reads the files and the environment that the options name.
  ///
  /// - Throws: ``Failure`` for a file that cannot be read.
  init(_ keys: TagKeys, _ password: some TagPasswordOptions) throws {
    self.keys = try keys.found
    self.password = try password.bytes
  }

  private init(keys: TagKeys.Found) {
    self.keys = keys
    password = nil
  }

  /// No keys, and no password.
  static let none = TagSecrets(keys: .none)

  /// Whether a key or password was given, so that what the tag shows may not be for everybody.
  var areGiven: Bool { password != nil || keys.areGiven }
}

extension DetectedTag {
  /// Opens the tag with the keys and the password. Call this before any other command is sent to the tag. No exchange
  /// for a MIFARE Classic, whose sectors are opened when they are needed.
  ///
  /// - Throws: ``Failure`` `usage` for a secret that the tag does not have; `NFCError` `authenticationFailed`.
  func open(with secrets: TagSecrets) async throws {
    try await open(with: secrets.keys, password: secrets.password)
  }

  /// See ``open(with:)``.
  func open(with keys: TagKeys.Found, password: [UInt8]?) async throws {
    if classic != nil {
      try await authenticate(password)
      return try useForMessage(keys)
    }
    if case .miFare(let tag) = self, let commands = tag.ultralight {
      // Only what a secret is for depends on the chip, and asking for it takes one to four exchanges.
      guard keys.areGiven || password != nil else { return }
      guard let key = try keys.ultralight(try await tag.product(), password: password) else {
        return
      }
      return try await commands.open(with: key)
    }
    try keys.checkAbsence(for: kindName)
    try await authenticate(password)
  }

  /// Uses the keys for the message of a MIFARE Classic; does nothing with another tag. No exchange.
  func useForMessage(_ keys: TagKeys.Found) throws {
    if let classic { try keys.use(for: classic) }
  }

  /// The commands of a MIFARE Classic, or `nil` for another tag.
  private var classic: MiFareClassicCommands? {
    if case .miFare(let tag) = self { tag.classic } else { nil }
  }
}
