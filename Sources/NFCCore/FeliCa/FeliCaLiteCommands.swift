/// The commands that only FeliCa Lite and Lite-S support: FeliCa Lite User's Manual; FeliCa Lite-S
/// User's Manual.
public struct FeliCaLiteCommands: ChangeableTag {
  let handle: TagHandle

  public var identifier: [UInt8] { handle.target.identifier }
  public var reader: Reader { handle.reader }
  let idm: [UInt8]
  let generation: FeliCaLiteGeneration

  /// Authenticates the card: it proves that it knows the card key. Two exchanges.
  ///
  /// - Returns: a session that reads with a MAC, while the card is connected and no other
  ///   authentication begins.
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the card has another key.
  public func authenticate(_ key: FeliCaLiteCardKey) async throws -> FeliCaLiteSession {
    let procedure = try await handle.performCommand { link in
      let procedure = try FeliCaLiteProcedure(
        idm: idm, generation: generation, key: key, challenge: link.random(FeliCaBlock.size))
      try procedure.authenticate(.init(idm: idm, link))
      return procedure
    }
    return FeliCaLiteSession(handle: handle, procedure: procedure)
  }

  /// Authenticates the card as ``authenticate(_:)`` does, and then the reader to the card: Lite-S.
  /// Five exchanges.
  ///
  /// Restricted blocks can then be read and written until the card is selected again.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for FeliCa Lite.
  public func authenticateMutually(_ key: FeliCaLiteCardKey) async throws -> FeliCaLiteSession {
    guard generation == .liteS else { throw FeliCaLiteProcedure.liteSOnly }
    let session = try await authenticate(key)
    try await handle.performCommand {
      try session.procedure.authenticateExternally(.init(idm: idm, $0))
    }
    return session
  }

  /// Reads block MC. One exchange.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func memoryConfiguration() async throws -> FeliCaLiteMemoryConfiguration {
    let blocks = try await handle.perform {
      try FeliCaLiteExchange(idm: idm, withoutMAC: $0).read([FeliCaLiteLayout.memoryConfiguration])
    }
    guard let first = blocks.first, let configuration = FeliCaLiteMemoryConfiguration(first) else {
      throw FeliCaAnswer.tooShort
    }
    return configuration
  }

  /// Plans the content of block MC. Writes nothing; one exchange.
  ///
  /// Performing the plan costs two exchanges, one of which checks that the block has not changed since, and takes effect
  /// at the next power-up. For what cannot be undone, see ``FeliCaLiteMemoryConfiguration/irreversibleEffects(on:)``.
  ///
  /// - Throws: as ``memoryConfiguration()``.
  public func memoryConfigurationPlan(
    _ configuration: FeliCaLiteMemoryConfiguration
  ) async throws -> ChangePlan {
    let old = try await memoryConfiguration()
    let (handle, idm) = (handle, idm)
    let block = FeliCaLiteLayout.memoryConfiguration
    return ChangePlan(
      for: self,
      configuration == old
        ? [] : [.write(.block(Int(block)), old.bytes, configuration.bytes)],
      effects: configuration.irreversibleEffects(on: old),
      recovery: "the block may be written already: read it to see",
      performing: {
        try await handle.performCommand { link in
          let exchange = FeliCaLiteExchange(idm: idm, withoutMAC: link)
          guard try exchange.read([block]).first == old.bytes else { throw NFCError.planIsStale }
          try link.uninterrupted { try exchange.write(configuration.bytes, to: block) }
        }
      })
  }

  /// Replaces the card key. Two exchanges, or one without a version. Once begun, it is completed
  /// even if the task is cancelled.
  ///
  /// Once the card is issued, the key can be changed only by someone who knows it, and no command
  /// reads it.
  ///
  /// - Parameter version: the content of block CKV, which anyone can read.
  /// - Throws: ``NFCError/Code/tagRefused`` once the system blocks are closed; a Lite-S may then
  ///   accept it from ``FeliCaLiteSession/writeCardKey(_:version:)``.
  public func writeCardKey(_ key: FeliCaLiteCardKey, version: UInt16? = nil) async throws {
    try await handle.performCommand { link in
      let exchange = FeliCaLiteExchange(idm: idm, link)
      // A task that is cancelled between the two would leave a key that its version does not name.
      try link.uninterrupted(recovery: FeliCaLiteProcedure.keyRecovery) { hasChanged in
        try exchange.write(key.block, to: FeliCaLiteLayout.cardKey)
        hasChanged = true
        if let version {
          try exchange.write(
            FeliCaLiteProcedure.versionBlock(version), to: FeliCaLiteLayout.cardKeyVersion)
        }
      }
    }
  }
}

/// A session with a card that has proved its key. It holds the session's key, which descriptions
/// never show.
public struct FeliCaLiteSession: Sendable {
  let handle: TagHandle
  let procedure: FeliCaLiteProcedure

  /// Reads blocks and verifies that they were not changed on the way. One exchange for each three
  /// blocks.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the MAC is wrong;
  ///   ``NFCError/Code/notAuthenticated`` for a block that requires
  ///   ``FeliCaLiteCommands/authenticateMutually(_:)``.
  public func read(_ blocks: [UInt8]) async throws -> [[UInt8]] {
    try await handle.performCommand { link in
      try procedure.read(blocks, .init(idm: procedure.idm, link))
    }
  }

  /// Writes a block with MAC_A: Lite-S. Two exchanges.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the card rejects the MAC;
  ///   ``NFCError/Code/unsupported`` for FeliCa Lite.
  public func write(_ data: [UInt8], to block: UInt8) async throws {
    try await handle.performCommand { link in
      try procedure.write(data, to: block, .init(idm: procedure.idm, link))
    }
  }

  /// Replaces the key of an issued Lite-S, if its configuration allows keys to be written with
  /// MAC_A. Four exchanges, or two without a version. The session ends with the next
  /// authentication.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the card rejects the MAC;
  ///   ``NFCError/Code/tagRefused`` if its configuration does not allow it;
  ///   ``NFCError/Code/unsupported`` for FeliCa Lite.
  public func writeCardKey(_ key: FeliCaLiteCardKey, version: UInt16? = nil) async throws {
    try await handle.performCommand { link in
      let exchange = FeliCaLiteExchange(idm: procedure.idm, link)
      try link.uninterrupted(recovery: FeliCaLiteProcedure.keyRecovery) { hasChanged in
        try procedure.write(key.block, to: FeliCaLiteLayout.cardKey, exchange)
        hasChanged = true
        if let version {
          try procedure.write(
            FeliCaLiteProcedure.versionBlock(version), to: FeliCaLiteLayout.cardKeyVersion,
            exchange)
        }
      }
    }
  }
}

extension FeliCaLiteSession: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String { "a session with a FeliCa Lite" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
