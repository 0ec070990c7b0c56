import SwiftNFCCore

/// The protection that a MIFARE Ultralight AES is to get. No description shows a key.
public struct UltralightAESProtection: Sendable {
  /// The first key, DataProtKey; `nil` leaves the current one.
  public var key: SecretKey?
  /// The second key, UIDRetrKey; `nil` leaves the current one.
  public var identifierKey: SecretKey?
  /// AUTH0: the first page that requires the first key; all later pages do too.
  public var firstPage: Int
  /// PROT: reading requires the key as well as writing.
  public var protectsReading: Bool
  /// AUTH_LIM: the number of wrong keys that the tag accepts; `nil` for any number. After that, with the next wrong
  /// key, it **permanently** accepts no key, not even the right one. A right key takes 16 wrong ones away from the
  /// count.
  public var attemptLimit: Int?
  /// SEC_MSG_ACT: a MAC for every command and answer after an authentication; `nil` leaves the
  /// setting unchanged.
  public var securesMessages: Bool?
  /// RID_ACT: a random UID instead of the tag's own; `nil` leaves the setting unchanged.
  public var hidesIdentifier: Bool?
  /// CFGLCK: nothing of this, except the keys, can be changed again. **Cannot be undone.**
  public var locksConfiguration: Bool

  /// The possible first pages. Page 41 holds AUTH0 itself: if the protection began later, anyone
  /// could remove it.
  public static let firstPages = 3...Int(UltralightAESConfiguration.firstPage)
  /// The values of AUTH_LIM except 0, which is no limit.
  public static let attemptLimits = 1...1022

  /// - Throws: ``NFCError/Code/invalidParameter`` for a key that is not 16 bytes long, and for
  ///   numbers outside ``firstPages`` and ``attemptLimits``.
  public init(
    key: SecretKey?, identifierKey: SecretKey? = nil, firstPage: Int,
    protectsReading: Bool = false, attemptLimit: Int? = nil, securesMessages: Bool? = nil,
    hidesIdentifier: Bool? = nil, locksConfiguration: Bool = false
  ) throws(NFCError) {
    for key in [key, identifierKey] where key.map({ $0.count != UltralightAESTag.keySize }) ?? false
    {
      throw NFCError(
        .invalidParameter, "a key has \(UltralightAESTag.keySize) bytes, not \(key?.count ?? 0)")
    }
    guard Self.firstPages.contains(firstPage) else {
      throw NFCError(
        .invalidParameter,
        "protection from page \(firstPage) on does not cover page \(Self.firstPages.upperBound), with "
          + "which anyone could remove it")
    }
    guard attemptLimit.map({ Self.attemptLimits.contains($0) }) ?? true else {
      throw NFCError(
        .invalidParameter, "the limit of wrong keys is 1 to \(Self.attemptLimits.upperBound)")
    }
    self.key = key
    self.identifierKey = identifierKey
    self.firstPage = firstPage
    self.protectsReading = protectsReading
    self.attemptLimit = attemptLimit
    self.securesMessages = securesMessages
    self.hidesIdentifier = hidesIdentifier
    self.locksConfiguration = locksConfiguration
  }
}

/// The steps that protect a MIFARE Ultralight AES, page by page, and which of their effects cannot
/// be undone.
///
/// A tag that is removed early is never left closed by an unknown key: first the pages are opened,
/// then a key changes and the tag has to authenticate with the new one, and only then is anything
/// closed.
public struct UltralightAESProtectionPlan: Sendable {
  /// One page, or one authentication.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// WRITE. Contents are `nil` if they are a key, which is never shown.
    case write(page: Int, before: [UInt8]?, after: [UInt8]?)
    /// The tag is selected again and authenticates with a key.
    case authenticate(UltralightAESTag.KeyNumber)
  }

  /// An effect that cannot be undone. More may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable {
    /// CFGLCK: the settings can never be changed again.
    case locksConfiguration
    /// AUTH_LIM: after too many wrong keys, the protected pages are closed permanently.
    case mayClosePermanently
    /// A previous key is lost, because the tag does not show it.
    case forgetsKey
  }

  /// The steps, in the order in which they are performed.
  public let steps: [Step]
  /// The irreversible effects, in the order of their declaration.
  public let irreversibleEffects: [IrreversibleEffect]

  let before: UltralightAESConfiguration
  let protection: UltralightAESProtection?
  /// Whether the tag, as it is now, closes permanently after some wrong keys.
  package var limitsAttempts: Bool { before.attemptLimit != nil }

  /// - Parameter protection: `nil` removes the protection and leaves the keys unchanged.
  init(
    _ protection: UltralightAESProtection?, before: UltralightAESConfiguration
  ) throws {
    self.before = before
    self.protection = protection
    var after = before
    after.firstProtectedPage = protection?.firstPage
    after.attemptLimit = protection?.attemptLimit
    if let protection {
      after.protectsReading = protection.protectsReading
      after.securesMessages = protection.securesMessages ?? before.securesMessages
      after.hidesIdentifier = protection.hidesIdentifier ?? before.hidesIdentifier
      after.isLocked = before.isLocked || protection.locksConfiguration
    }
    let keys = protection?.keys ?? []
    if before.isLocked, after != before || !keys.isEmpty {
      throw NFCError(
        .readOnly, "the tag's configuration is locked, and its protection cannot be changed",
        place: .page(Int(UltralightAESConfiguration.firstPage)))
    }
    for key in keys where before.lockedKeys.contains(key.number) {
      throw NFCError(
        .readOnly, "key \(key.number.rawValue) of the tag is locked and cannot be changed",
        place: .page(key.number.pages.lowerBound))
    }
    var steps: [Step] = []
    var present = before
    func write(_ page: UInt8, _ wanted: UltralightAESConfiguration) {
      let (old, new) = (present.page(page), wanted.page(page))
      if old != new { steps.append(.write(page: Int(page), before: old, after: new)) }
    }
    if !keys.isEmpty {
      var opened = before
      opened.firstProtectedPage = nil
      write(UltralightAESConfiguration.firstPage, opened)
      present = opened
      for key in keys {
        steps += key.number.pages.map { .write(page: $0, before: nil, after: nil) }
        steps.append(.authenticate(key.number))
      }
    }
    // PROT and the limit come first, then AUTH0, which closes the pages. A lock comes last, when an
    // authentication has shown that the pages can still be opened.
    var unlocked = after
    unlocked.isLocked = before.isLocked
    write(UltralightAESConfiguration.accessPage, unlocked)
    write(UltralightAESConfiguration.firstPage, after)
    if after.isLocked, !before.isLocked {
      present = unlocked
      steps.append(.authenticate(.dataProtection))
      write(UltralightAESConfiguration.accessPage, after)
    }
    self.steps = steps
    var effects: [IrreversibleEffect] = []
    if after.isLocked, !before.isLocked { effects.append(.locksConfiguration) }
    if after.attemptLimit != nil, before.attemptLimit == nil {
      effects.append(.mayClosePermanently)
    }
    if !keys.isEmpty { effects.append(.forgetsKey) }
    irreversibleEffects = effects
  }
}

extension UltralightAESProtection {
  /// The new keys: the key of the pages comes last, so that its authentication is the one that
  /// remains.
  var keys: [(number: UltralightAESTag.KeyNumber, key: SecretKey)] {
    [(.identifierRetrieval, identifierKey), (.dataProtection, key)].compactMap { number, key in
      key.map { (number, $0) }
    }
  }
}

extension UltralightAESProtectionPlan: CustomStringConvertible {
  /// One line per step, then one line per effect that cannot be undone.
  public var description: String {
    (steps.map(\.description) + irreversibleEffects.map { "cannot be undone: \($0)" })
      .joined(separator: "\n")
  }
}

extension UltralightAESProtectionPlan.Step: CustomStringConvertible {
  public var description: String {
    switch self {
    case .authenticate(let number): "the tag proves the new key \(number.rawValue)"
    case .write(let page, let before?, let after?):
      "page \(page): \(before.hexadecimal) becomes \(after.hexadecimal)"
    case .write(let page, _, _): "page \(page): receives a part of a key"
    }
  }
}

extension UltralightAESProtectionPlan.IrreversibleEffect: CustomStringConvertible {
  public var description: String {
    switch self {
    case .locksConfiguration: "the protection can never be changed or removed"
    case .mayClosePermanently: "after too many wrong keys the tag no longer accepts any"
    case .forgetsKey: "the key that the tag has now is overwritten"
    }
  }
}
