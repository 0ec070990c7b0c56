import SwiftNFCCore

/// An ST25TA or M24SR of ST: the two passwords of its NDEF file.
///
/// ```swift
/// let tag = try await ST25TATag(found)
/// try await tag.authenticate(read: nil, write: password)
/// try await tag.tag.writeNDEF(message)
/// ```
///
/// The card accepts three wrong passwords in each session, and reports each time how many attempts
/// are left; selecting the application begins a new session. Passwords are sent over the air in
/// plain.
///
/// Source: data sheets of ST25TA02K (DocID027801) and its predecessors SRTAG2K-D (DocID025446) and SRTAG2KL
/// (DocID026583), 3.2 to 3.4, 5.7 and 5.8. Not tried on hardware.
public struct ST25TATag: Sendable {
  /// The use of a password.
  public enum Password: UInt8, Hashable, Sendable, CaseIterable {
    /// Reads the file.
    case read = 0x01
    /// Writes the file, and changes passwords and rights.
    case write = 0x02

    var verification: Type4Verification.Password { self == .read ? .read : .write }
  }

  /// The size of a password in bytes.
  public static let passwordSize = 16
  /// The password on delivery.
  public static var factoryPassword: SecretKey {
    SecretKey([UInt8](repeating: 0, count: passwordSize))
  }

  /// The underlying tag.
  public let tag: any ISO7816Tag
  /// The product that the UID indicates.
  public let product: TagProduct

  /// Returns whether a product is one of these chips.
  package static func isST25TA(_ product: TagProduct?) -> Bool {
    CardChip(product)?.features.contains(.filePasswords) ?? false
  }

  private static let wrongTag = NFCError(.wrongTag, "the card is neither an ST25TA nor an M24SR")

  /// Creates the interface of a card. No exchange.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: DetectedTag) async throws {
    guard case .iso7816(let tag) = tag else { throw Self.wrongTag }
    try await self.init(tag)
  }

  /// No exchange.
  ///
  /// - Throws: `wrongTag` for a card of another kind.
  public init(_ tag: any ISO7816Tag) async throws {
    guard let product = try await tag.product(), Self.isST25TA(product) else {
      throw Self.wrongTag
    }
    self.tag = tag
    self.product = product
  }

  /// Reads who may read and write the NDEF file: four exchanges.
  ///
  /// - Throws: ``NFCError/Code/notNDEF`` if the card has no NDEF application,
  ///   ``NFCError/Code/malformedContent`` if the application lacks a file or has unknown access conditions,
  ///   ``NFCError/Code/tagRefused`` if its capability container cannot be read.
  public func access() async throws -> ST25TAAccess {
    try await tag.exclusively { link in
      var procedure = ST25TAProcedure(link)
      return try procedure.open()
    }
  }

  /// Presents the passwords that the file requires. They open the file for NDEF until the card
  /// leaves; each NDEF call presents them again. Four exchanges, and one for each password.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed``, with how many attempts are left;
  ///   ``NFCError/Code/invalidParameter`` for another number of bytes.
  public func authenticate(read: SecretKey?, write: SecretKey?) async throws {
    for password in [read, write] { try Self.check(password) }
    let access = try await tag.exclusively { link in
      var procedure = ST25TAProcedure(link)
      let access = try procedure.open()
      if access.read == .password, let read { try procedure.verify(.read, read) }
      if access.write == .password, let write { try procedure.verify(.write, write) }
      return access
    }
    tag.useFilePasswords(
      read: access.read == .password ? read?.withBytes { $0 } : nil,
      write: access.write == .password ? write?.withBytes { $0 } : nil)
  }

  /// ENABLE PERMANENT STATE: the file can no longer be read, or no longer be written. **Cannot be
  /// undone.** Seven exchanges.
  ///
  /// - Throws: as ``authenticate(read:write:)``.
  public func closePermanently(_ use: Password, writePassword: SecretKey = factoryPassword)
    async throws
  {
    try Self.check(writePassword)
    try await tag.exclusively { link in
      var procedure = ST25TAProcedure(link)
      let access = try procedure.open()
      guard (use == .read ? access.read : access.write) != .closed else { return }
      try procedure.verify(.write, writePassword)
      let opened = procedure
      try link.uninterrupted(
        recovery: "the file may already be closed: ask for its access"
      ) { try opened.closePermanently(use) }
    }
  }

  static func check(_ password: SecretKey?) throws {
    guard let password, password.count != passwordSize else { return }
    throw NFCError(
      .invalidParameter, "a password has \(passwordSize) bytes, not \(password.count)")
  }
}

extension ST25TATag.Password: CustomStringConvertible {
  public var description: String { self == .read ? "read" : "write" }
}
