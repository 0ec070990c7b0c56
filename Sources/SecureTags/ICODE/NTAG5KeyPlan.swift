import SwiftNFCCore

/// The AES keys that an NTAG 5 link or boost is to get. No description shows a key.
public struct NTAG5KeySetup: Sendable {
  /// A key with its privileges.
  public struct Key: Sendable {
    /// 16 bytes.
    public var value: SecretKey
    /// What a reader that proves the key may do.
    public var privileges: NTAG5Privileges

    /// Creates a key.
    public init(_ value: SecretKey, privileges: NTAG5Privileges) {
      self.value = value
      self.privileges = privileges
    }
  }

  /// The keys by their numbers, 0 to 3. They are written and activated. **Cannot be undone.**
  public var keys: [Int: Key]
  /// Whether the other keys are disabled. **Cannot be undone.** The data sheet recommends it for keys that are not
  /// needed.
  public var disablesOtherKeys: Bool

  /// Creates a setup.
  public init(keys: [Int: Key], disablesOtherKeys: Bool = false) {
    self.keys = keys
    self.disablesOtherKeys = disablesOtherKeys
  }
}

/// The steps that give an NTAG 5 link or boost its AES keys, and which of their effects cannot be undone.
///
/// An active key cannot be read, so every key is written and read back while it is inactive. Only when all of them
/// and their privileges are right is the first one activated. Until then, a tag that is removed early has lost
/// nothing; afterwards, a plan that is made again has the missing steps.
struct NTAG5KeyPlan: Sendable {
  /// The keys that are active already and have to prove themselves, before anything is written.
  let proofs: [Int]
  /// The steps, in the order in which they are performed.
  let planned: [PlannedStep<VicinityCommands>]
  let effects: Set<IrreversibleEffect>
  /// The configuration when the plan was made.
  let before: NTAG5Configuration
  let setup: NTAG5KeySetup

  init(_ setup: NTAG5KeySetup, before: NTAG5Configuration) throws {
    self.setup = setup
    self.before = before
    for (number, key) in setup.keys {
      guard ICODETag.keyNumbers.contains(number), key.value.count == ICODETag.keySize else {
        throw NFCError(
          .invalidParameter,
          "keys are 0 to \(ICODETag.keyNumbers.upperBound - 1) and have \(ICODETag.keySize) bytes")
      }
    }
    guard !before.keys.isEmpty else { throw NTAG5KeyPlan.notInForce(before) }
    let numbers = setup.keys.keys.sorted()
    let others =
      setup.disablesOtherKeys ? ICODETag.keyNumbers.filter { setup.keys[$0] == nil } : []
    try Self.check(setup, before, numbers, others)
    let new = numbers.filter { before.keys[$0].state == .inactive }
    let disabled = others.filter { before.keys[$0].state == .inactive }
    proofs = numbers.filter { before.keys[$0].state == .active }
    var steps: [PlannedStep<VicinityCommands>] = []
    for number in new {
      guard let key = setup.keys[number] else { continue }
      steps.append(Self.write(key.value, as: number))
      let privileges = before.keys[number].privileges
      if key.privileges != privileges {
        steps.append(Self.change(privileges, to: key.privileges, of: number))
      }
    }
    // Only what follows cannot be undone.
    steps += new.map { Self.set(.active, "activated", $0) }
    steps += disabled.map { Self.set(.disabled, "disabled", $0) }
    planned = steps
    var effects: Set<IrreversibleEffect> = []
    if !new.isEmpty { effects.insert(.locksKeys) }
    if !disabled.isEmpty { effects.insert(.disablesKeys) }
    self.effects = effects
  }

  /// The steps as people see them, with the proofs that come first.
  var steps: [ChangePlan.Step] {
    proofs.map { .action("active already, and has to prove itself", at: Self.place($0)) }
      + planned.map(\.step)
  }

  private static func place(_ number: Int) -> ChangePlan.Place { ChangePlan.Place(.key, number) }

  private static func write(
    _ key: SecretKey, as number: Int
  ) -> PlannedStep<VicinityCommands> {
    PlannedStep(
      .secret(place(number), "written and read back"),
      marking: { try ICODETag.write(key, as: number, $0, &$1) })
  }

  private static func change(
    _ before: NTAG5Privileges, to after: NTAG5Privileges, of number: Int
  ) -> PlannedStep<VicinityCommands> {
    PlannedStep(
      ChangePlan.Step(
        place(number), "privileges", before: .words("\(before)"), after: .words("\(after)")),
      marking: { commands, hasChanged in
        try ICODETag.change(NTAG5Configuration.Block.privileges(number), commands, &hasChanged) {
          $0[0] = after.rawValue
        }
      })
  }

  private static func set(
    _ state: NTAG5Configuration.KeyState, _ words: String, _ number: Int
  ) -> PlannedStep<VicinityCommands> {
    PlannedStep(
      .action(words, at: place(number)),
      marking: { commands, hasChanged in
        try ICODETag.change(NTAG5Configuration.Block.header(number), commands, &hasChanged) {
          $0[1] = state.rawValue
        }
      })
  }

  /// Throws ``NFCError/Code/readOnly`` if the tag can no longer get to the setup.
  private static func check(
    _ setup: NTAG5KeySetup, _ before: NTAG5Configuration, _ numbers: [Int], _ others: [Int]
  ) throws {
    let privilegesAreLocked =
      before.access == .openWithPrivilegesLocked || before.access == .protectedWithPrivilegesLocked
    for number in numbers {
      let key = before.keys[number]
      let isOther = key.privileges != setup.keys[number]?.privileges
      let isLocked =
        key.state == .disabled || isOther && (key.state == .active || privilegesAreLocked)
        || key.state == .inactive && before.access == .locked
      guard !isLocked else {
        throw NFCError(.readOnly, "key \(number) of this tag cannot be changed any more")
      }
    }
    for number in others where before.keys[number].state == .active {
      throw NFCError(.readOnly, "key \(number) of this tag is active and cannot be disabled")
    }
    guard before.access != .locked || others.allSatisfy({ before.keys[$0].state == .disabled })
    else { throw NFCError(.readOnly, "the keys of this tag cannot be changed any more") }
  }

  static func notInForce(_ configuration: NTAG5Configuration) -> NFCError {
    guard configuration.security == .keys else {
      return NFCError(.unsupported, "this tag uses passwords; it has to be set to keys first")
    }
    var error = NFCError(.unsupported, "this tag uses its keys only once the field has been off")
    error.recovery = "remove the tag and present it again"
    return error
  }
}
