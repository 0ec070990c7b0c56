import SwiftNFCCore

/// The AES keys of NTAG 5 link and boost (data sheet NTP53x2 rev. 3.3, 8.1.3.7 to 8.1.3.9).
extension ICODETag {
  /// Plans the keys of the chip, which has to use keys; see ``use(_:)``. Writes nothing; two exchanges.
  ///
  /// Performing the plan writes the keys, reads them back, and activates them, which **cannot be undone**: the effects
  /// are ``IrreversibleEffect/locksKeys`` and ``IrreversibleEffect/disablesKeys``. Once begun, it is completed even if the
  /// task is cancelled.
  ///
  /// The keys can be used when the field has been off. An interrupted run may have activated one key and not yet the
  /// next: make the plan again, and perform it. A key that is active already has to prove itself then.
  ///
  /// The order of a key's bytes is the data sheet's, the most significant byte last (table 26). It cannot be tried
  /// before the key is active, because an inactive one proves nothing: try it on one chip first.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for another chip than NTAG 5 link and boost, or for one that uses
  ///   passwords; ``NFCError/Code/readOnly`` for keys that cannot be changed any more;
  ///   ``NFCError/Code/invalidParameter``. Performing throws ``NFCError/Code/authenticationFailed``, and nothing is
  ///   written, if an active key is another one.
  public func keyPlan(_ setup: NTAG5KeySetup) async throws -> ChangePlan {
    let plan = try NTAG5KeyPlan(setup, before: try await configuration())
    return ChangePlan(
      for: self, plan.steps, effects: plan.effects, recovery: Self.keyRecovery,
      performing: { try await self.setKeys(plan) })
  }

  private static let keyRecovery =
    "the tag may already have some of the new keys: make the plan again"

  private func setKeys(_ plan: NTAG5KeyPlan) async throws {
    try checkConfiguration()
    try await run { commands in
      guard try Self.configuration(commands) == plan.before else { throw NFCError.planIsStale }
      try Self.proveActiveKeys(plan, commands)
      try commands.link.perform(plan.planned, commands, recovery: Self.keyRecovery)
    }
  }

  private static func proveActiveKeys(_ plan: NTAG5KeyPlan, _ commands: VicinityCommands) throws {
    for number in plan.proofs {
      guard let key = plan.setup.keys[number]?.value else { continue }
      do {
        try prove(UInt8(clamping: number), key, commands)
      } catch var error as NFCError where error.group == .refusal {
        error.recovery = error.recovery ?? "remove the tag and present it again"
        throw error
      }
    }
  }

  static func write(
    _ key: SecretKey, as number: Int, _ commands: VicinityCommands, _ hasChanged: inout Bool
  ) throws {
    let first = NTAG5Configuration.Block.key(number)
    let size = NTAG5Configuration.blockSize
    var new = key.withBytes { Array($0.reversed()) }
    var old = try read(first, NTAG5Configuration.blocksOfKey, commands)
    defer {
      new.wipe()
      old.wipe()
    }
    guard !old.equalsInConstantTime(new) else { return }
    for index in 0..<NTAG5Configuration.blocksOfKey {
      let block = Array(new[(index * size)..<((index + 1) * size)])
      _ = try commands.send(
        ICODECommandCode.writeConfiguration, [first + UInt8(index)], password: block)
      hasChanged = true
    }
    var stored = try read(first, NTAG5Configuration.blocksOfKey, commands)
    defer { stored.wipe() }
    guard stored.equalsInConstantTime(new) else {
      throw NFCError(.tagResponseError, "the tag has not stored key \(number) as written")
    }
  }
}
