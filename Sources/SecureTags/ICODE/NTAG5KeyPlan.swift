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
public struct NTAG5KeyPlan: Sendable {
  /// One change.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// A key is written and read back. It is never shown.
    case writeKey(Int)
    /// The privileges of a key are written and read back.
    case writePrivileges(Int, before: NTAG5Privileges, after: NTAG5Privileges)
    /// A key that is active already has to prove itself.
    case prove(Int)
    /// A key becomes active and locked.
    case activate(Int)
    /// A key can never be used.
    case disable(Int)
  }

  /// What cannot be undone.
  @nonexhaustive
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable {
    /// The new keys and their privileges can never be changed.
    case locksKeys
    /// The other keys can never be used.
    case disablesKeys
  }

  /// The steps, in the order in which they are performed.
  public let steps: [Step]
  /// The irreversible effects, in the order of their declaration.
  public let irreversibleEffects: [IrreversibleEffect]
  /// The configuration when the plan was made.
  public let before: NTAG5Configuration
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
    var steps = numbers.filter { before.keys[$0].state == .active }.map { Step.prove($0) }
    for number in new {
      steps.append(.writeKey(number))
      let privileges = before.keys[number].privileges
      if let after = setup.keys[number]?.privileges, after != privileges {
        steps.append(.writePrivileges(number, before: privileges, after: after))
      }
    }
    steps += new.map { .activate($0) } + disabled.map { .disable($0) }
    self.steps = steps
    irreversibleEffects =
      (new.isEmpty ? [] : [.locksKeys]) + (disabled.isEmpty ? [] : [.disablesKeys])
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

extension NTAG5KeyPlan: CustomStringConvertible {
  /// One line per step, then one line per effect that cannot be undone.
  public var description: String {
    (steps.map(\.description) + irreversibleEffects.map { "cannot be undone: \($0)" })
      .joined(separator: "\n")
  }
}

extension NTAG5KeyPlan.Step: CustomStringConvertible {
  public var description: String {
    switch self {
    case .writeKey(let number): "key \(number): written, not shown"
    case .writePrivileges(let number, let before, let after):
      "privileges of key \(number): \(before) becomes \(after)"
    case .prove(let number): "key \(number) is active already, and has to prove itself"
    case .activate(let number): "key \(number) becomes active"
    case .disable(let number): "key \(number) is disabled"
    }
  }
}

extension NTAG5KeyPlan.IrreversibleEffect: CustomStringConvertible {
  public var description: String {
    switch self {
    case .locksKeys: "the new keys and their privileges can never be read or changed"
    case .disablesKeys: "the other keys can never be used"
    }
  }
}
