import SwiftNFCCore

/// A MIFARE Ultralight AES: its keys, settings and counters.
///
/// ```swift
/// let tag = try await UltralightAESTag(found)
/// try await tag.authenticate(.dataProtection, key)
/// print(try await tag.commands.readPages(4..<40))
/// ```
///
/// An authentication holds for every command of the tag, including NDEF, until the tag leaves. With
/// ``UltralightAESConfiguration/securesMessages`` all commands have MACs; an answer with a wrong
/// MAC is not used.
public struct UltralightAESTag: Sendable {
  /// One of the tag's keys.
  public enum KeyNumber: UInt8, Hashable, Sendable, CaseIterable {
    /// DataProtKey: opens the protected pages.
    case dataProtection = 0x00
    /// UIDRetrKey: reveals the UID that a random one hides.
    case identifierRetrieval = 0x01

    /// The four pages of the key, its last byte first.
    var pages: Range<Int> {
      let first = 0x30 + 4 * Int(rawValue)
      return first..<first + 4
    }
  }

  /// The size of a key in bytes.
  public static let keySize = 16

  /// The underlying tag.
  public let tag: any MiFareTag
  /// The commands for reading, writing and counting, protected by the authentication.
  public let commands: UltralightCommands
  let random: RandomBytes?

  private static let wrongTag = NFCError(.wrongTag, "the tag is not a MIFARE Ultralight AES")

  /// Costs the exchanges of ``MiFareTag/product()``.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: DetectedTag) async throws {
    guard case .miFare(let tag) = tag else { throw Self.wrongTag }
    try await self.init(tag)
  }

  /// Costs the exchanges of ``MiFareTag/product()``.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: any MiFareTag) async throws {
    try await self.init(tag, random: nil)
  }

  init(_ tag: any MiFareTag, random: RandomBytes?) async throws {
    guard let commands = tag.ultralight, Type2Chip(try await tag.product())?.secretKind == .aes
    else {
      throw Self.wrongTag
    }
    self.tag = tag
    self.commands = commands
    self.random = random
  }

  /// Authenticates with a key and has the tag authenticate: two exchanges, and one or two that find
  /// out whether the tag requires MACs. Authenticates again automatically after a refusal has ended
  /// it.
  ///
  /// - Parameters:
  ///   - key: 16 bytes; zeros on delivery.
  ///   - needsCodes: refuses a tag that does not protect its answers with MACs.
  /// - Throws: ``NFCError/Code/authenticationFailed``, which the tag counts if it has a limit;
  ///   ``NFCError/Code/notAuthenticated`` for a tag without MACs if `needsCodes` is true;
  ///   ``NFCError/Code/invalidParameter`` for another number of bytes.
  public func authenticate(
    _ number: KeyNumber, _ key: SecretKey, needsCodes: Bool = false
  ) async throws {
    try await commands.open(
      try UltralightAESChannel(number, key, needsCodes: needsCodes, random: random))
  }

  /// Reads the settings: two exchanges.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if reading them requires the first key.
  public func configuration() async throws -> UltralightAESConfiguration {
    let first = UltralightAESConfiguration.firstPage
    let bytes = try await commands.readPages(
      Int(first)..<Int(UltralightAESConfiguration.keyLockPage) + 1)
    guard let configuration = UltralightAESConfiguration(bytes) else {
      throw NFCError(.tagResponseError, "the tag's configuration is broken")
    }
    return configuration
  }

  /// Reads the UID, even of a tag that shows a random one: an authentication with the second key,
  /// and two exchanges. Ends the authentication with another key.
  ///
  /// - Throws: as ``authenticate(_:_:needsCodes:)``; ``NFCError/Code/tagResponseError`` for an UID whose check
  ///   bytes are wrong.
  public func identifier(_ key: SecretKey) async throws -> [UInt8] {
    try await authenticate(.identifierRetrieval, key)
    let pages = try await commands.readFourPages(from: 0)
    guard let uid = Self.identifier(inPages: pages) else {
      throw NFCError(.tagResponseError, "the tag does not report its UID")
    }
    return uid
  }

  /// Returns the UID from pages that hold it with its two check bytes (ISO/IEC 14443-3, 6.5.3.2);
  /// `nil` if the check bytes are wrong.
  static func identifier(inPages pages: [UInt8]) -> [UInt8]? {
    let cascadeTag: UInt8 = 0x88
    guard pages.count >= 9, pages[0..<4].reduce(cascadeTag, ^) == 0,
      pages[4..<9].reduce(0, ^) == 0, pages[0..<4].contains(where: { $0 != 0 })
    else { return nil }
    return Array(pages[0..<3] + pages[4..<8])
  }
}

extension UltralightCommands {
  /// Authenticates to a MIFARE Ultralight AES; see
  /// ``UltralightAESTag/authenticate(_:_:needsCodes:)``.
  ///
  /// - Throws: as ``UltralightAESTag/authenticate(_:_:needsCodes:)``: ``NFCError/Code/authenticationFailed``,
  ///   ``NFCError/Code/notAuthenticated``.
  public func authenticate(
    _ number: UltralightAESTag.KeyNumber, _ key: SecretKey, needsCodes: Bool = false
  ) async throws {
    try await open(
      try UltralightAESChannel(number, key, needsCodes: needsCodes, random: nil))
  }
}
