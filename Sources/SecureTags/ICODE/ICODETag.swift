import SwiftNFCCore

/// An ICODE chip of NXP: its passwords, article surveillance and protection.
///
/// ```swift
/// let tag = try await ICODETag(found)
/// try await tag.setSurveillance(true)
/// ```
///
/// After a wrong password, a chip ignores all commands until the field has been off; see
/// ``wake()``. It counts no attempts. SLIX2, SLIX, SLIX-S, SLIX-L, SLI-S, SLI-L and NTAG 5 have passwords;
/// ICODE DNA and, if they are set to it, NTAG 5 link and boost have AES keys instead, of which they give proof, and
/// which open protected memory; see ``proveKey(_:_:)`` and ``authenticate(withKey:_:)``.
///
/// The keys of NTAG 5 link and boost are written and activated by the plan of ``keyPlan(_:)``. Without keys,
/// they and NTAG 5 switch have the passwords of a SLIX2, which anyone can read until they are hidden; see
/// ``hidePasswordsPermanently(current:)``. The keys of an ICODE DNA cannot be written, and it cannot hide or be
/// destroyed: the public short data sheet SL2S6002 leaves out the bytes.
///
/// Source: data sheets SL2S2602 rev. 4.2, 9.5.3; SL2S2002 rev. 3.4, 9.4.3; SL2S5302 rev. 3.2, 8.4.3; SL2 ICS53/ICS54
/// rev. 3.0, 8.1.3; NTP53x2 rev. 3.3, 8.1.3 and 8.2.3; NXP's list of ICODE products. Not tried on hardware.
public struct ICODETag: Sendable {
  /// The use of a password, by the number in commands (SL2S2602 data sheet, table 21).
  @nonexhaustive
  public enum Password: UInt8, Hashable, Sendable, CaseIterable {
    /// Reads protected blocks.
    case read = 0x01
    /// Writes protected blocks.
    case write = 0x02
    /// Ends privacy mode.
    case privacy = 0x04
    /// Permanently disables the chip; see ``ICODETag/destroyPermanently(password:)``.
    case destroy = 0x08
    /// Changes article surveillance and AFI.
    case surveillance = 0x10
  }

  /// The size of a password in bytes.
  public static let passwordSize = 4
  private static let signatureSize = 32
  private static let randomSize = 2

  /// The underlying tag.
  public let tag: any ISO15693Tag
  /// The product that the UID indicates.
  public let product: TagProduct
  /// The passwords that the chip has.
  public let passwords: Set<Password>
  /// How passwords protect the memory; `nil` for a chip without passwords for it.
  let memory: ISO15693Chip.ICODE.Memory?
  /// The features that the chip has.
  let features: ISO15693Chip.ICODE

  /// Whether the memory is protected page by page.
  package var hasProtectedPages: Bool { if case .pages? = memory { true } else { false } }

  /// Whether the tag is a chip that hides itself; see
  /// ``leavePrivacyPermanently(withKey:_:)``.
  public var isInPrivacyMode: Bool { tag.identifier == ISO15693Chip.privateUID }

  /// Returns whether a product is one of these chips. As far as is known, those without passwords use the same commands
  /// for the features they have.
  package static func isICODE(_ product: TagProduct?) -> Bool {
    ISO15693Chip(product)?.icode != nil
  }

  private static let wrongTag = NFCError(.wrongTag, "the tag is not an ICODE chip")

  /// Costs the exchanges of ``ISO15693Tag/product()``.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` for a tag of another kind.
  public init(_ tag: DetectedTag) async throws {
    guard case .iso15693(let tag) = tag else { throw Self.wrongTag }
    try await self.init(tag)
  }

  /// Costs the exchanges of ``ISO15693Tag/product()``.
  ///
  /// - Throws: `wrongTag` for a tag of another kind.
  public init(_ tag: any ISO15693Tag) async throws {
    guard let product = try await tag.product(), let features = ISO15693Chip(product)?.icode else {
      throw Self.wrongTag
    }
    let isPrivate = tag.identifier == ISO15693Chip.privateUID
    self.tag = tag
    self.product = product
    self.features = features
    // One that hides itself does not say which chip it is, and has the password that ends that.
    passwords =
      isPrivate ? [.privacy] : Set(features.passwords.compactMap(Password.init(rawValue:)))
    memory = features.memory
  }

  /// Returns the password on delivery (SL2S2602 data sheet, 9.5.3.2).
  public static func factoryPassword(_ password: Password) -> SecretKey {
    switch password {
    case .read, .write, .surveillance: SecretKey([0x00, 0x00, 0x00, 0x00])
    case .privacy, .destroy: SecretKey([0x0F, 0x0F, 0x0F, 0x0F])
    }
  }

  // MARK: Asking

  /// Reads what the parts of the memory require, and what is locked: one exchange.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` or ``NFCError/Code/tagResponseError`` if the chip does
  ///   not support the command; only SLIX2 does.
  public func information() async throws -> ICODEInformation {
    try await run { try Self.information($0) }
  }

  /// Reads the passwords that the memory requires: one exchange.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a chip without passwords for its memory.
  public func memoryProtection() async throws -> ICODEMemoryProtection {
    let memory = try passwordMemory()
    return try await run { try Self.memoryProtection(memory, $0) }
  }

  /// Reads the maker's signature of the UID, 32 bytes: one exchange.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` or ``NFCError/Code/tagResponseError`` if the chip has none.
  public func signature() async throws -> [UInt8] {
    try await run { commands in
      let bytes = try commands.send(ICODECommandCode.readSignature)
      guard bytes.count == Self.signatureSize else {
        throw NFCError(.tagResponseError, "the signature has \(bytes.count) bytes")
      }
      return bytes
    }
  }

  // MARK: Passwords

  /// Presents a password to the chip, which is valid until the field is turned off: two exchanges.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed``, after which the chip ignores commands until
  ///   the field has been off; ``NFCError/Code/unsupported`` for a password that the chip does not
  ///   have; ``NFCError/Code/invalidParameter`` for another number of bytes.
  public func authenticate(_ use: Password, _ password: SecretKey) async throws {
    try check(use, password)
    try await run { try Self.present(password, for: use, $0) }
  }

  /// Replaces a password, and presents the new one to verify it: five exchanges. Once begun, it is
  /// completed even if the task is cancelled.
  ///
  /// - Throws: see ``authenticate(_:_:)``: nothing has changed then; ``NFCError/Code/readOnly`` for
  ///   a locked password.
  public func writePassword(
    _ use: Password, from current: SecretKey, to new: SecretKey
  ) async throws {
    try check(use, current)
    try check(use, new)
    try await run { commands in
      try Self.present(current, for: use, commands)
      try commands.link.uninterrupted(
        recovery:
          "the tag may already have the new password: present the new one, and then the old "
          + "one, to see which it has"
      ) { hasChanged in
        try Self.write(new, for: use, commands)
        hasChanged = true
        try Self.present(new, for: use, commands)
      }
    }
  }

  /// LOCK PASSWORD: the password can never be changed again. **Cannot be undone.** Three exchanges.
  ///
  /// - Throws: as ``authenticate(_:_:)``.
  public func lockPassword(_ use: Password, current: SecretKey) async throws {
    try check(use, current)
    try await run { commands in
      try Self.present(current, for: use, commands)
      _ = try commands.link.uninterrupted(
        recovery: "the password may already be locked: request the lock again"
      ) {
        try commands.send(ICODECommandCode.lockPassword, [use.rawValue])
      }
    }
  }

  /// Makes a tag respond again after a wrong password, on a reader that can turn its field off: a
  /// PC/SC reader with transparent sessions. On any other reader this has no effect. Passwords have
  /// to be presented again.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if the tag has left.
  public func wake() async throws {
    do {
      _ = try await run { try $0.send(ICODECommandCode.getRandomNumber) }
    } catch let error as NFCError where error.cause == .noAnswer {
      // A connected tag is selected again only after it was silent.
      try await tag.connect()
    }
  }

  // MARK: Procedures

  /// Runs a procedure on the reader without interruption.
  func run<Result: Sendable>(
    _ body: @Sendable (VicinityCommands) throws -> Result
  ) async throws -> Result {
    let tag = tag
    return try await tag.exclusively { link in
      try body(VicinityCommands(link, tag, manufacturer: ICODECommandCode.manufacturer))
    }
  }

  /// Throws ``NFCError/Code/unsupported`` for a password that the chip does not have, and
  /// ``NFCError/Code/invalidParameter`` for another number of bytes. No exchange.
  package func check(_ use: Password, _ password: SecretKey) throws {
    guard passwords.contains(use) else {
      throw NFCError(.unsupported, "\(product.name) has no \(use) password")
    }
    guard password.count == Self.passwordSize else {
      throw NFCError(
        .invalidParameter, "a password has \(Self.passwordSize) bytes, not \(password.count)")
    }
  }

  static func information(_ commands: VicinityCommands) throws -> ICODEInformation {
    let bytes = try commands.send(ICODECommandCode.getSystemInformation)
    guard let information = ICODEInformation(bytes) else {
      throw NFCError(.tagResponseError, "the tag's answer about its protection is too short")
    }
    return information
  }

  /// Throws ``NFCError/Code/unsupported`` for a chip without passwords for its memory. No exchange.
  func passwordMemory() throws -> ISO15693Chip.ICODE.Memory {
    guard let memory else {
      throw NFCError(.unsupported, "\(product.name) has no password for parts of its memory")
    }
    return memory
  }

  static func memoryProtection(
    _ memory: ISO15693Chip.ICODE.Memory, _ commands: VicinityCommands
  ) throws -> ICODEMemoryProtection {
    switch memory {
    case .parts: return .parts(try information(commands))
    case .pages(let count): return .pages(try pages(count, commands))
    }
  }

  /// Asks for all blocks. The data sheet does not say whether the command takes their number or, as the standard's
  /// commands do, one less: asked for one block too many, a chip answers for those that it has.
  private static func pages(_ count: Int, _ commands: VicinityCommands) throws -> [ICODEPage] {
    let status = try commands.send(
      ICODECommandCode.getBlockProtectionStatus,
      [0, UInt8(clamping: count * ICODEPage.blockCount)])
    guard let pages = ICODEPage.pages(status, count: count) else {
      throw NFCError(.tagResponseError, "the tag's answer about its protection is too short")
    }
    return pages
  }

  static func present(
    _ password: SecretKey, for use: Password, _ commands: VicinityCommands
  ) throws {
    let random = try randomNumber(commands)
    do {
      try present(password, for: use, under: random, commands)
    } catch let error as NFCError where error.group == .refusal || error.cause == .noAnswer {
      throw wrong(use, error)
    }
  }

  static func randomNumber(_ commands: VicinityCommands) throws -> [UInt8] {
    let random = try commands.send(ICODECommandCode.getRandomNumber)
    guard random.count == randomSize else {
      throw NFCError(.tagResponseError, "the random number has \(random.count) bytes")
    }
    return random
  }

  /// SET PASSWORD with a random number of the tag.
  static func present(
    _ password: SecretKey, for use: Password, under random: [UInt8], _ commands: VicinityCommands
  ) throws {
    var covered = password.covered(by: random)
    defer { covered.wipe() }
    _ = try commands.send(ICODECommandCode.setPassword, [use.rawValue], password: covered)
  }

  static func wrong(_ use: Password, _ error: NFCError) -> NFCError {
    NFCError(.authenticationFailed, "the \(use) password is wrong", cause: error.cause)
  }

  /// WRITE PASSWORD, after the current one was accepted. A chip gives no other sign that a password is locked than that
  /// it refuses.
  static func write(
    _ password: SecretKey, for use: Password, _ commands: VicinityCommands
  ) throws {
    do {
      _ = try password.withBytes {
        try commands.send(ICODECommandCode.writePassword, [use.rawValue], password: $0)
      }
    } catch let error as NFCError where error.iso15693ErrorCode == .unknown {
      throw NFCError(.readOnly, "the \(use) password is locked", cause: error.cause)
    }
  }
}

extension ICODETag.Password: CustomStringConvertible {
  public var description: String {
    switch self {
    case .read: "read"
    case .write: "write"
    case .privacy: "privacy"
    case .destroy: "destroy"
    case .surveillance: "EAS"
    }
  }
}
