/// What only FeliCa Lite and Lite-S can: FeliCa Lite User's Manual; FeliCa Lite-S User's Manual.
public struct FeliCaLiteCommands: Sendable {
  let handle: TagHandle
  let idm: [UInt8]
  let generation: FeliCaLiteGeneration

  /// Has the card prove that it knows the card key. Two exchanges.
  ///
  /// - Returns: what reads with a MAC while the card is connected and no other authentication begins.
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

  /// As ``authenticate(_:)``, and proves the key to the card too: Lite-S. Five exchanges.
  ///
  /// Blocks that are closed to others can then be read and written until the card is selected again.
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

  /// Block MC. One exchange.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError`` for no or a broken answer; ``NFCError/Code/tagConnectionLost``.
  public func memoryConfiguration() async throws -> FeliCaLiteMemoryConfiguration {
    let blocks = try await handle.perform {
      try FeliCaLiteExchange(idm: idm, $0).read([FeliCaLiteLayout.memoryConfiguration])
    }
    guard let first = blocks.first, let configuration = FeliCaLiteMemoryConfiguration(first) else {
      throw FeliCaAnswer.tooShort
    }
    return configuration
  }

  /// Writes block MC. Two exchanges; counts from the next power-up.
  ///
  /// - Parameter effects: all that cannot be undone about it and is wanted so; see
  ///   ``FeliCaLiteMemoryConfiguration/irreversibleEffects(on:)``.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if it would have other effects.
  public func writeMemoryConfiguration(
    _ configuration: FeliCaLiteMemoryConfiguration,
    accepting effects: Set<FeliCaLiteMemoryConfiguration.IrreversibleEffect>
  ) async throws {
    try await handle.performCommand { link in
      let exchange = FeliCaLiteExchange(idm: idm, link)
      guard
        let old = try exchange.read([FeliCaLiteLayout.memoryConfiguration]).first
          .flatMap({ FeliCaLiteMemoryConfiguration($0) })
      else { throw FeliCaAnswer.tooShort }
      try NFCError.checkAccepted(
        configuration.irreversibleEffects(on: old).sorted { $0.description < $1.description },
        by: effects)
      try link.uninterrupted {
        try exchange.write(configuration.bytes, to: FeliCaLiteLayout.memoryConfiguration)
      }
    }
  }

  /// Gives the card another key. Two exchanges, or one without a version. Once begun, it is completed even if
  /// the task is cancelled.
  ///
  /// Whoever does not know the key can never change it again once the card is issued; nothing reads it back.
  ///
  /// - Parameter version: for block CKV, which anybody can read.
  /// - Throws: ``NFCError/Code/tagRefused`` once the system blocks are closed; a Lite-S may then take it from
  ///   ``FeliCaLiteSession/writeCardKey(_:version:)``.
  public func writeCardKey(_ key: FeliCaLiteCardKey, version: UInt16? = nil) async throws {
    try await handle.performCommand { link in
      let exchange = FeliCaLiteExchange(idm: idm, link)
      // A task that is cancelled between the two would leave a key that its version does not name.
      try link.uninterrupted {
        try exchange.write(key.block, to: FeliCaLiteLayout.cardKey)
        if let version {
          try exchange.write(
            FeliCaLiteProcedure.versionBlock(version), to: FeliCaLiteLayout.cardKeyVersion)
        }
      }
    }
  }
}

/// A card that has proved its key. Holds the session's key, which no description shows.
public struct FeliCaLiteSession: Sendable {
  let handle: TagHandle
  let procedure: FeliCaLiteProcedure

  /// Reads blocks of which nobody on the way has changed a bit. One exchange for every three.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the MAC is wrong; ``NFCError/Code/notAuthenticated`` for a
  ///   block that asks for ``FeliCaLiteCommands/authenticateMutually(_:)``.
  public func read(_ blocks: [UInt8]) async throws -> [[UInt8]] {
    try await handle.performCommand { link in
      try procedure.read(blocks, .init(idm: procedure.idm, link))
    }
  }

  /// Writes a block with MAC_A: Lite-S. Two exchanges.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the card finds the MAC wrong;
  ///   ``NFCError/Code/unsupported`` for FeliCa Lite.
  public func write(_ data: [UInt8], to block: UInt8) async throws {
    try await handle.performCommand { link in
      try procedure.write(data, to: block, .init(idm: procedure.idm, link))
    }
  }

  /// Gives an issued Lite-S another key, if its configuration lets keys be written with MAC_A. Four
  /// exchanges, or two without a version. The session ends with the next authentication.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the card finds the MAC wrong; ``NFCError/Code/tagRefused``
  ///   if its configuration does not allow it; ``NFCError/Code/unsupported`` for FeliCa Lite.
  public func writeCardKey(_ key: FeliCaLiteCardKey, version: UInt16? = nil) async throws {
    try await handle.performCommand { link in
      let exchange = FeliCaLiteExchange(idm: procedure.idm, link)
      try link.uninterrupted {
        try procedure.write(key.block, to: FeliCaLiteLayout.cardKey, exchange)
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
