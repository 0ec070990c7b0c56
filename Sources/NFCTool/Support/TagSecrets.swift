import NFC
import TagTools

/// The keys and the password with which a command opens a tag before it reads or changes the message.
struct TagSecrets: Sendable {
  fileprivate let keys: TagKeyOptions.Found
  let password: [UInt8]?

  /// Reads the files and the environment that the options name.
  ///
  /// - Throws: ``Failure`` for a file that cannot be read.
  init(_ keys: TagKeyOptions, _ password: some TagPasswordOptions) throws {
    self.keys = try keys.found
    self.password = try password.bytes
  }

  private init(keys: TagKeyOptions.Found) {
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
    do {
      try await open(with: try secrets.keys.messageKeys(for: self), password: secrets.password)
    } catch let error as TagSecretError {
      throw Failure(error)
    }
  }

  /// Uses the keys for the message of a MIFARE Classic; does nothing with another tag. No exchange.
  func useForMessage(_ keys: TagKeyOptions.Found) throws {
    if let classic { try keys.messageKeys(for: self).use(for: classic) }
  }
}

extension Failure {
  /// Creates a failure for a key or password that the tag cannot have.
  init(_ error: TagSecretError) {
    let advice: String?
    switch error.problem {
    case .noKeys: advice = "leave --key out"
    case .noPassword:
      advice = "leave --password or --tag-password, --password-file and NFC_PASSWORD out"
    case .keySize(MiFareClassicKey.size): advice = "its keys have \(MiFareClassicKey.size) bytes"
    case .keySize(let size) where size < MiFareClassicKey.size:
      advice = "its password has \(size) bytes"
    case .keySize(let size): advice = "its key has \(size) bytes"
    case .passwordSize(let sizes):
      let digits = sizes.map { String(2 * $0) }.joined(separator: " or ")
      advice = "give \(digits) hexadecimal digits"
    case .severalKeys: advice = "give the right one"
    }
    self.init(
      .usage, error.reason + (error.problem == .noKeys ? " for this command" : ""),
      tag: error.identifier?.tagName, advice: advice)
  }
}
