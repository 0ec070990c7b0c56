import NFCCore

/// An ICODE chip of NXP: its passwords, article surveillance and protection.
///
/// ```swift
/// let tag = try await ICODETag(found)
/// try await tag.setSurveillance(true)
/// ```
///
/// A chip that hears a wrong password hears nothing any more until the field was off, see ``wake()``. It counts no
/// attempts. SLIX2, SLIX, SLIX-S, SLIX-L, SLI-S and SLI-L have passwords; ICODE DNA and
/// NTAG 5 have AES keys in their place, which are not supported.
///
/// Source: data sheets SL2S2602 rev. 4.2, 9.5.3; SL2S2002 rev. 3.4, 9.4.3; SL2 ICS53/ICS54 rev. 3.0, 8.1.3; NXP's list
/// of ICODE products. Not tried on hardware.
public struct ICODETag: Sendable {
  /// What a password is for, by the number that names it (SL2S2602 data sheet, table 21).
  public enum Password: UInt8, Hashable, Sendable, CaseIterable {
    /// For reading protected blocks.
    case read = 0x01
    /// For writing protected blocks.
    case write = 0x02
    /// Ends privacy mode.
    case privacy = 0x04
    /// For DESTROY, which ends the chip for good and which nothing here sends.
    case destroy = 0x08
    /// Article surveillance and AFI.
    case surveillance = 0x10
  }

  /// In bytes.
  public static let passwordSize = 4
  private static let signatureSize = 32
  private static let randomSize = 2

  /// The tag that it is.
  public let tag: any ISO15693Tag
  /// The product that the UID names.
  public let product: TagProduct
  /// Which passwords the chip has.
  public let passwords: Set<Password>
  /// The last block that a password can protect; `nil` for a chip whose memory has no two parts.
  let lastBlock: Int?

  private struct Chip {
    var passwords: Set<Password>
    var lastBlock: Int?
  }

  /// Block 79 of SLIX2 is the counter, which the parts do not include (SL2S2602 data sheet, 9.5.3.8). SLIX-S protects
  /// single pages, with another command, and not parts.
  private static let chips: [String: Chip] = [
    "ICODE SLIX2": Chip(passwords: Set(Password.allCases), lastBlock: 78),
    "ICODE SLIX-S": Chip(passwords: Set(Password.allCases)),
    "ICODE SLI-S": Chip(passwords: Set(Password.allCases)),
    "ICODE SLIX-L": Chip(passwords: [.privacy, .destroy, .surveillance]),
    "ICODE SLI-L": Chip(passwords: [.privacy, .destroy, .surveillance]),
    "ICODE SLIX": Chip(passwords: [.surveillance]),
  ]
  /// Others have the same commands for what they have, as far as is known.
  private static let families = ["ICODE", "NTAG 5"]

  /// Whether a product is one of these chips.
  public static func isOne(_ product: TagProduct?) -> Bool {
    guard let name = product?.name else { return false }
    return families.contains { name.hasPrefix($0) }
  }

  /// Costs what ``ISO15693Tag/product()`` costs.
  ///
  /// - Throws: `wrongTag` for a tag of another kind.
  public init(_ tag: any ISO15693Tag) async throws {
    guard let product = try await tag.product(), Self.isOne(product) else {
      throw NFCError(.wrongTag, "the tag is not an ICODE chip")
    }
    let chip = Self.chips[product.name] ?? Chip(passwords: [])
    self.tag = tag
    self.product = product
    passwords = chip.passwords
    lastBlock = chip.lastBlock
  }

  /// As the chip leaves the factory (SL2S2602 data sheet, 9.5.3.2).
  public static func factoryPassword(_ password: Password) -> SecretKey {
    switch password {
    case .read, .write, .surveillance: SecretKey([0x00, 0x00, 0x00, 0x00])
    case .privacy, .destroy: SecretKey([0x0F, 0x0F, 0x0F, 0x0F])
    }
  }

  // MARK: Asking

  /// What the parts of the memory ask for, and what is locked: one exchange.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` or ``NFCError/Code/tagResponseError`` if the chip has no such command: all but SLIX2.
  public func information() async throws -> ICODEInformation {
    try await run { try Self.information($0) }
  }

  /// The maker's signature of the UID, 32 bytes: one exchange.
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

  /// Gives the chip a password, which holds until the field is off: two exchanges.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed``, and the chip hears nothing more until the field was off; ``NFCError/Code/unsupported`` for a
  ///   password that the chip does not have; ``NFCError/Code/invalidParameter`` for another number of bytes.
  public func authenticate(_ use: Password, _ password: SecretKey) async throws {
    try check(use, password)
    try await run { try Self.give(password, for: use, $0) }
  }

  /// Replaces a password, and gives the new one as a proof: five exchanges. Once begun, it is completed even if the task
  /// is cancelled.
  ///
  /// - Throws: as ``authenticate(_:_:)``: nothing has changed then; ``NFCError/Code/readOnly`` for a password that is locked.
  public func writePassword(
    _ use: Password, from current: SecretKey, to new: SecretKey
  ) async throws {
    try check(use, current)
    try check(use, new)
    try await run { commands in
      try Self.give(current, for: use, commands)
      try commands.link.uninterrupted {
        try Self.write(new, for: use, commands)
        try Self.give(new, for: use, commands)
      }
    }
  }

  /// LOCK PASSWORD: the password can never be changed again. **Cannot be undone.** Three exchanges.
  ///
  /// - Throws: as ``authenticate(_:_:)``.
  public func lockPassword(_ use: Password, current: SecretKey) async throws {
    try check(use, current)
    try await run { commands in
      try Self.give(current, for: use, commands)
      _ = try commands.send(ICODECommandCode.lockPassword, [use.rawValue])
    }
  }

  /// Has a tag hear again that a wrong password has deafened, on a reader that can turn its field off: a PC/SC reader
  /// with transparent sessions. Any other reader leaves it as it is. What it was given is over.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if the tag has left.
  public func wake() async throws {
    do {
      _ = try await run { try $0.send(ICODECommandCode.getRandomNumber) }
    } catch let error as NFCError where error.cause == .noAnswer {
      // Only after it was silent, a tag that is connected is selected again.
      try await tag.connect()
    }
  }

  // MARK: Procedures

  /// Runs a procedure from its first to its last exchange on the reader.
  func run<Result: Sendable>(
    _ body: @Sendable (VicinityCommands) throws -> Result
  ) async throws -> Result {
    let tag = tag
    return try await tag.exclusively { link in
      try body(VicinityCommands(link, tag, manufacturer: ICODECommandCode.manufacturer))
    }
  }

  func check(_ use: Password, _ password: SecretKey) throws {
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

  static func give(
    _ password: SecretKey, for use: Password, _ commands: VicinityCommands
  ) throws {
    let random = try commands.send(ICODECommandCode.getRandomNumber)
    guard random.count == randomSize else {
      throw NFCError(.tagResponseError, "the random number has \(random.count) bytes")
    }
    var covered = password.covered(by: random)
    defer { covered.wipe() }
    do {
      _ = try commands.send(ICODECommandCode.setPassword, [use.rawValue], password: covered)
    } catch let error as NFCError where error.group == .refusal || error.cause == .noAnswer {
      throw NFCError(.authenticationFailed, "the \(use) password is wrong", cause: error.cause)
    }
  }

  static func write(
    _ password: SecretKey, for use: Password, _ commands: VicinityCommands
  ) throws {
    _ = try password.withBytes {
      try commands.send(ICODECommandCode.writePassword, [use.rawValue], password: $0)
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
