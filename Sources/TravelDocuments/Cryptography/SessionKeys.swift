/// The two keys of a session. They are overwritten when the last reference is released, and never shown.
final class SessionKeys: Sendable {
  let cipher: BlockCipher
  private let encryption: Secret
  private let authentication: Secret

  /// Derives the keys from a shared secret (Doc 9303-11, 9.7.1).
  init(_ cipher: BlockCipher, secret: [UInt8]) {
    self.cipher = cipher
    encryption = Secret(cipher.key(.encryption, from: secret))
    authentication = Secret(cipher.key(.authentication, from: secret))
  }

  func encrypt(_ data: [UInt8], initialValue: [UInt8]? = nil) -> [UInt8]? {
    cipher.encrypt(data, key: encryption.bytes, initialValue: initialValue)
  }

  func decrypt(_ data: [UInt8], initialValue: [UInt8]? = nil) -> [UInt8]? {
    cipher.decrypt(data, key: encryption.bytes, initialValue: initialValue)
  }

  /// Returns a MAC; triple DES pads the data first.
  func code(_ data: [UInt8]) -> [UInt8]? { cipher.code(data, key: authentication.bytes) }

  /// Returns the MAC of a message, which is padded for every cipher (Doc 9303-11, 9.8.6.2 and 9.8.7.2).
  func code(ofMessage data: [UInt8]) -> [UInt8]? {
    code(cipher == .tripleDES ? data : cipher.padded(data))
  }

  /// For the published examples.
  var bytes: (encryption: [UInt8], authentication: [UInt8]) {
    (encryption.bytes, authentication.bytes)
  }
}

extension SessionKeys: CustomStringConvertible, CustomReflectable {
  var description: String { "\(cipher) keys" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// Secret bytes, which are overwritten when the last reference is released, and never shown.
///
/// Unchecked because the bytes are written once, before the object is shared, and overwritten after its last use.
final class Secret: @unchecked Sendable {
  private var storage: [UInt8]

  init(_ bytes: [UInt8]) { storage = bytes }

  deinit { OpenSSL.wipe(&storage) }

  var bytes: [UInt8] { storage }
}

extension Secret: CustomStringConvertible, CustomReflectable {
  var description: String { "secret bytes" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
