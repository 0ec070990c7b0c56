import SwiftNFCCore

/// The configuration memory of NTAG 5 link and boost: READ CONFIG and WRITE CONFIG (data sheet NTP53x2 rev. 3.3,
/// 8.2.3.2).
///
/// Only for chips that the data sheet describes; an ICODE DNA is refused, because its own public short data sheet
/// leaves out the bytes.
extension ICODETag {
  /// Reads what the chip requires, and what is locked: two exchanges. Nothing is required for it.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for another chip than NTAG 5 link and boost;
  ///   ``NFCError/Code/tagResponseError`` for values that the data sheet calls invalid.
  public func configuration() async throws -> NTAG5Configuration {
    try checkConfiguration()
    return try await run { try Self.configuration($0) }
  }

  /// Sets the chip to AES keys instead of passwords, or back: at most six exchanges. It takes effect when the field
  /// has been off.
  ///
  /// With keys, the whole memory is open to everyone until ``protectPermanently(_:provenBy:_:)``, whatever was
  /// protected by passwords before. The passwords are overwritten when keys 0 and 1 are written.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a chip without AES keys (NTP5312), and for one whose passwords are
  ///   hidden, of which no key could be written; ``NFCError/Code/readOnly`` if the kind of secret is locked, or if a
  ///   key is active or disabled.
  public func use(_ security: NTAG5Configuration.Security) async throws {
    try checkConfiguration()
    try await run { commands in
      guard try Self.needsChange(to: security, commands) else { return }
      let mode =
        security == .keys
        ? NTAG5Configuration.SecurityByte.keys : NTAG5Configuration.SecurityByte.passwords
      try commands.link.uninterrupted(recovery: Self.configurationRecovery) { hasChanged in
        try Self.change(NTAG5Configuration.Block.security, commands, &hasChanged) {
          $0[0] = $0[0] & ~NTAG5Configuration.SecurityByte.mode | mode
        }
      }
    }
  }

  /// Returns whether ``use(_:)`` would change the chip. Writes nothing; at most three exchanges.
  ///
  /// - Throws: as ``use(_:)``.
  package func checkUse(_ security: NTAG5Configuration.Security) async throws -> Bool {
    try checkConfiguration()
    return try await run { try Self.needsChange(to: security, $0) }
  }

  private static func needsChange(
    to security: NTAG5Configuration.Security, _ commands: VicinityCommands
  ) throws -> Bool {
    let before = try configuration(commands)
    guard before.security != security else { return false }
    guard !before.isSecurityLocked, before.keys.allSatisfy({ $0.state == .inactive }) else {
      throw NFCError(.readOnly, "this tag can no longer change between passwords and keys")
    }
    guard before.access == .open else {
      throw NFCError(.unsupported, "the keys of this tag are locked, and none could be used")
    }
    if security == .keys { try checkKeys(commands) }
    return true
  }

  /// Hides the passwords, which anyone can read until then: up to eight exchanges. **Cannot be undone:** the passwords
  /// can never be read again, and the chip can never use AES keys. They can still be replaced; see
  /// ``writePassword(_:from:to:)``.
  ///
  /// - Parameter current: the read and write passwords, which have to be right.
  /// - Throws: as ``authenticate(_:_:)``; ``NFCError/Code/unsupported`` for a chip that uses keys.
  public func hidePasswordsPermanently(current: ICODEPasswords) async throws {
    try checkConfiguration()
    for use in ICODEPasswords.uses { try check(use, current[use]) }
    try await run { commands in
      guard try Self.showsPasswords(commands) else { return }
      for use in ICODEPasswords.uses { try Self.present(current[use], for: use, commands) }
      try Self.raise(.locked, commands)
    }
  }

  /// Returns whether ``hidePasswordsPermanently(current:)`` would change the chip. Writes nothing, and does not try
  /// the passwords; two exchanges.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a chip that uses keys, or has no passwords.
  package func checkHiding() async throws -> Bool {
    try checkConfiguration()
    return try await run { try Self.showsPasswords($0) }
  }

  private static func showsPasswords(_ commands: VicinityCommands) throws -> Bool {
    let before = try configuration(commands)
    guard before.security == .passwords else {
      throw NFCError(.unsupported, "this tag uses keys, which are hidden when they are active")
    }
    return before.access != .locked
  }

  /// Puts the protection of the memory in force, or locks the keys: six exchanges, two of them the mutual
  /// authentication with a key. **Cannot be undone.**
  ///
  /// What is protected is what the division of the memory requires; see ``memoryProtection()``. With no active key
  /// for a part that requires one, nobody could reach that part again; so the key has to have both privileges.
  ///
  /// - Parameters:
  ///   - access: a value that the present one can rise to.
  ///   - number: the number of an active key with the privileges ``NTAG5Privileges/read`` and
  ///     ``NTAG5Privileges/write``.
  ///   - key: 16 bytes.
  /// - Throws: as ``authenticate(withKey:_:)``: nothing has changed then; ``NFCError/Code/readOnly`` for a value that
  ///   the present one cannot rise to; ``NFCError/Code/unsupported`` for a chip that uses passwords;
  ///   ``NFCError/Code/notAuthenticated`` for a key without these privileges.
  public func protectPermanently(
    _ access: NTAG5Configuration.Access, provenBy number: Int, _ key: SecretKey
  ) async throws {
    try checkConfiguration()
    let index = try checkedNumber(number, of: key)
    try await run { commands in
      guard try Self.needs(access, number, commands) else { return }
      try Self.authenticate(index, key, commands)
      try Self.raise(access, commands)
    }
  }

  /// Returns whether ``protectPermanently(_:provenBy:_:)`` would change the chip. Writes nothing, and does not try the
  /// key; two exchanges.
  ///
  /// - Throws: as ``protectPermanently(_:provenBy:_:)``, except for a wrong key.
  package func checkProtection(
    _ access: NTAG5Configuration.Access, provenBy number: Int, _ key: SecretKey
  ) async throws -> Bool {
    try checkConfiguration()
    _ = try checkedNumber(number, of: key)
    return try await run { try Self.needs(access, number, $0) }
  }

  private static func needs(
    _ access: NTAG5Configuration.Access, _ number: Int, _ commands: VicinityCommands
  ) throws -> Bool {
    let before = try configuration(commands)
    guard !before.keys.isEmpty else { throw NTAG5KeyPlan.notInForce(before) }
    guard before.access != access else { return false }
    guard before.access.rises(to: access) else {
      throw NFCError(.readOnly, "the protection of this tag cannot become less strict")
    }
    guard before.keys[number].privileges.isSuperset(of: [.read, .write]) else {
      throw NFCError(
        .notAuthenticated, "key \(number) does not have the privileges to read and to write")
    }
    return true
  }

  /// Sets the number of authentications that the chip accepts before it requires a mutual one: four exchanges, and
  /// two more with a key.
  ///
  /// - Warning: Every authentication counts, successful ones included, and only this method sets the count back. After
  ///   255 more, the chip **never accepts a key again** (data sheet, 8.1.3.6).
  ///
  /// - Parameters:
  ///   - count: 1 to 32512; `nil` removes the limit.
  ///   - key: the number and value of an active key with ``NTAG5Privileges/cryptoConfiguration``, which the chip
  ///     requires if the limit or all keys are locked.
  /// - Throws: ``NFCError/Code/notAuthenticated`` if a key is required and there is none, or one without the
  ///   privilege; as ``authenticate(withKey:_:)``; ``NFCError/Code/unsupported`` for a chip that uses passwords.
  public func setAuthenticationLimit(
    _ count: Int?, withKey key: (number: Int, value: SecretKey)? = nil
  ) async throws {
    try checkConfiguration()
    guard count.map({ NTAG5Configuration.Limit.counts.contains($0) }) ?? true else {
      throw NFCError(
        .invalidParameter,
        "the limit is 1 to \(NTAG5Configuration.Limit.counts.upperBound) authentications")
    }
    let index = try key.map { try checkedNumber($0.number, of: $0.value) }
    let value = count.map { NTAG5Configuration.Limit.last - $0 } ?? 0
    let bytes = [UInt8(value & 0xFF), UInt8(value >> 8), 0, 0]
    try await run { commands in
      let before = try Self.configuration(commands)
      guard !before.keys.isEmpty else { throw NTAG5KeyPlan.notInForce(before) }
      if before.isLimitLocked || before.access == .locked {
        guard let key, before.keys[key.number].privileges.contains(.cryptoConfiguration) else {
          throw NFCError(
            .notAuthenticated,
            "the tag requires a key with the privilege to change the authentication limit")
        }
      }
      if let key, let index { try Self.authenticate(index, key.value, commands) }
      try commands.link.uninterrupted(recovery: Self.configurationRecovery) { hasChanged in
        try Self.write(
          bytes, NTAG5Configuration.Block.limit, commands, isSelected: key != nil)
        hasChanged = true
        try Self.verify(bytes, NTAG5Configuration.Block.limit, commands)
      }
    }
  }

  static let configurationRecovery = "the tag may already have the new setting: request it again"

  // MARK: Procedures

  /// Throws ``NFCError/Code/unsupported`` for a chip whose configuration no public document describes. No exchange.
  func checkConfiguration() throws {
    guard features.hasConfiguration else {
      throw NFCError(.unsupported, "\(product.name) has no configuration that is documented")
    }
  }

  /// Asks the chip whether it has four keys with privileges: the feature flags of GET NXP SYSTEM INFORMATION (tables
  /// 222 and 223). "Do NOT use" AES with an NTP5312 (table 66).
  private static func checkKeys(_ commands: VicinityCommands) throws {
    let bytes = try commands.send(ICODECommandCode.getSystemInformation)
    guard bytes.count >= 7, bytes[5] & 0x07 == 0x07, bytes[6] & 0x0F >= ICODEProof.keyCount else {
      throw NFCError(.unsupported, "this tag has no AES keys")
    }
  }

  static func configuration(_ commands: VicinityCommands) throws -> NTAG5Configuration {
    let headers = NTAG5Configuration.Block.headers
    return try NTAG5Configuration(
      headers: try read(headers.lowerBound, headers.count, commands),
      security: try read(NTAG5Configuration.Block.security, 1, commands))
  }

  /// READ CONFIG: one exchange.
  static func read(
    _ first: UInt8, _ count: Int, _ commands: VicinityCommands
  ) throws -> [UInt8] {
    let bytes = try commands.send(
      ICODECommandCode.readConfiguration, [first, UInt8(clamping: count - 1)])
    guard bytes.count == count * NTAG5Configuration.blockSize else {
      throw NFCError(.tagResponseError, "the tag's configuration is incomplete")
    }
    return bytes
  }

  /// WRITE CONFIG: one exchange.
  ///
  /// - Parameter isSelected: whether the command requires the preceding authentication. The chip is selected by that,
  ///   and stays authenticated in commands for the selected chip (8.2.2.4.4); whether also in addressed ones is not
  ///   stated.
  static func write(
    _ bytes: [UInt8], _ block: UInt8, _ commands: VicinityCommands, isSelected: Bool = false
  ) throws {
    let code = ICODECommandCode.writeConfiguration
    _ =
      isSelected
      ? try commands.sendToSelected(code, [block] + bytes)
      : try commands.send(code, [block] + bytes)
  }

  static func verify(_ bytes: [UInt8], _ block: UInt8, _ commands: VicinityCommands) throws {
    guard try read(block, 1, commands) == bytes else {
      throw NFCError(.tagResponseError, "the tag has not stored its configuration as written")
    }
  }

  /// Changes bytes of a block and keeps the others: three exchanges.
  static func change(
    _ block: UInt8, _ commands: VicinityCommands, _ hasChanged: inout Bool,
    _ edit: (inout [UInt8]) -> Void
  ) throws {
    var bytes = try read(block, 1, commands)
    edit(&bytes)
    try write(bytes, block, commands)
    hasChanged = true
    try verify(bytes, block, commands)
  }

  private static func raise(
    _ access: NTAG5Configuration.Access, _ commands: VicinityCommands
  ) throws {
    try commands.link.uninterrupted(recovery: configurationRecovery) { hasChanged in
      try change(NTAG5Configuration.Block.globalHeader, commands, &hasChanged) {
        $0[1] = access.rawValue
      }
    }
  }
}
