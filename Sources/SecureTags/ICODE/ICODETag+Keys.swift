import SwiftNFCCore

/// The AES keys of NTAG 5 link and boost (data sheet NTP53x2 rev. 3.3, 8.1.3.7 to 8.1.3.9).
extension ICODETag {
  /// Plans the keys of the chip, which has to use keys; see ``use(_:)``. Writes nothing; two exchanges.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for another chip than NTAG 5 link and boost, or for one that uses
  ///   passwords; ``NFCError/Code/readOnly`` for keys that cannot be changed any more;
  ///   ``NFCError/Code/invalidParameter``.
  public func keyPlan(_ setup: NTAG5KeySetup) async throws -> NTAG5KeyPlan {
    try NTAG5KeyPlan(setup, before: try await configuration())
  }

  /// Carries out a plan: the keys are written, read back, and activated. **Cannot be undone.** Once begun, it is
  /// completed even if the task is cancelled.
  ///
  /// The keys can be used when the field has been off. An interrupted run may have activated one key and not yet the
  /// next: make the plan again, and carry it out. A key that is active already has to prove itself then.
  ///
  /// The order of a key's bytes is the data sheet's, the most significant byte last (table 26). It cannot be tried
  /// before the key is active, because an inactive one proves nothing: try it on one chip first.
  ///
  /// - Parameter effects: the irreversible effects that you accept. They must be those of the plan.
  /// - Throws: ``NFCError/Code/invalidParameter``, and nothing is written, if the plan has other effects, or if the
  ///   tag has changed since the plan was made; ``NFCError/Code/authenticationFailed``, and nothing is written, if an
  ///   active key is another one.
  public func setKeysPermanently(
    _ plan: NTAG5KeyPlan, accepting effects: Set<NTAG5KeyPlan.IrreversibleEffect>
  ) async throws {
    try checkConfiguration()
    try NFCError.checkAccepted(plan.irreversibleEffects, by: effects)
    guard !plan.steps.isEmpty else { return }
    try await run { commands in
      guard try Self.configuration(commands) == plan.before else {
        throw NFCError(.invalidParameter, "the plan was made for another tag, or before a change")
      }
      try Self.proveActiveKeys(plan, commands)
      try commands.link.uninterrupted(
        recovery: "the tag may already have some of the new keys: make the plan again"
      ) { hasChanged in
        for step in plan.steps { try Self.prepare(step, plan, commands, &hasChanged) }
        for step in plan.steps { try Self.activate(step, commands, &hasChanged) }
      }
    }
  }

  private static func proveActiveKeys(_ plan: NTAG5KeyPlan, _ commands: VicinityCommands) throws {
    for case .prove(let number) in plan.steps {
      guard let key = plan.setup.keys[number]?.value else { continue }
      do {
        try prove(UInt8(clamping: number), key, commands)
      } catch var error as NFCError where error.group == .refusal {
        error.recovery = error.recovery ?? "remove the tag and present it again"
        throw error
      }
    }
  }

  /// Carries out the steps that change only what can be changed again.
  private static func prepare(
    _ step: NTAG5KeyPlan.Step, _ plan: NTAG5KeyPlan, _ commands: VicinityCommands,
    _ hasChanged: inout Bool
  ) throws {
    switch step {
    case .writeKey(let number):
      guard let key = plan.setup.keys[number]?.value else { return }
      try write(key, as: number, commands, &hasChanged)
    case .writePrivileges(let number, _, let after):
      try change(NTAG5Configuration.Block.privileges(number), commands, &hasChanged) {
        $0[0] = after.rawValue
      }
    case .prove, .activate, .disable: return
    }
  }

  private static func write(
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

  /// Carries out the steps that cannot be undone.
  private static func activate(
    _ step: NTAG5KeyPlan.Step, _ commands: VicinityCommands, _ hasChanged: inout Bool
  ) throws {
    let (number, state): (Int, NTAG5Configuration.KeyState)
    switch step {
    case .activate(let index): (number, state) = (index, .active)
    case .disable(let index): (number, state) = (index, .disabled)
    case .writeKey, .writePrivileges, .prove: return
    }
    try change(NTAG5Configuration.Block.header(number), commands, &hasChanged) {
      $0[1] = state.rawValue
    }
  }
}
