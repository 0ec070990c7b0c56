import NFCCore

/// How a MIFARE Ultralight AES is to be protected. No description shows a key.
public struct UltralightAESProtection: Sendable {
  /// The first key, DataProtKey; `nil` leaves the tag's own.
  public var key: SecretKey?
  /// The second key, UIDRetrKey; `nil` leaves the tag's own.
  public var identifierKey: SecretKey?
  /// AUTH0: the first page that asks for the first key; all after it do too.
  public var firstPage: Int
  /// PROT: the key is needed for reading as well as for writing.
  public var protectsReading: Bool
  /// AUTH_LIM: how many wrong keys the tag accepts; `nil` for any number. After that it accepts none any more, **for
  /// good**, not even the right one.
  public var attemptLimit: Int?
  /// SEC_MSG_ACT: a MAC for every command and answer after a proof; `nil` leaves it as it is.
  public var securesMessages: Bool?
  /// RID_ACT: a random UID in place of the tag's own; `nil` leaves it as it is.
  public var hidesIdentifier: Bool?
  /// CFGLCK: none of this, except the keys, can be changed again. **Cannot be undone.**
  public var locksConfiguration: Bool

  /// Page 41 holds AUTH0 itself: from a later page on, anybody could take the protection away.
  public static let firstPages = 3...Int(UltralightAESConfiguration.firstPage)
  /// Values of AUTH_LIM except 0, which is no limit.
  public static let attemptLimits = 1...1022

  /// - Throws: ``NFCError/Code/invalidParameter`` for a key that has not 16 bytes, and for numbers out of
  ///   ``firstPages`` and ``attemptLimits``.
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
        "protection from page \(firstPage) on leaves out page \(Self.firstPages.upperBound), by "
          + "which anybody could take it away")
    }
    guard attemptLimit.map({ Self.attemptLimits.contains($0) }) ?? true else {
      throw NFCError(
        .invalidParameter, "a limit of wrong keys is 1 to \(Self.attemptLimits.upperBound)")
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

/// What protecting a MIFARE Ultralight AES will do, page by page, and what of it cannot be undone.
///
/// A tag that is torn away is never left closed by a key that nobody knows: pages are opened before a key changes,
/// the tag then proves that it has the new one, and only after that is anything closed.
public struct UltralightAESProtectionPlan: Sendable {
  /// One page, or one proof.
  public enum Step: Hashable, Sendable {
    /// WRITE. Contents are `nil` where they are a key, which is never shown.
    case write(page: Int, before: [UInt8]?, after: [UInt8]?)
    /// The tag is selected again and proves a key.
    case authenticate(UltralightAESTag.KeyNumber)
  }

  /// What cannot be undone.
  public enum IrreversibleEffect: Hashable, Sendable, CaseIterable {
    /// CFGLCK.
    case locksConfiguration
    /// AUTH_LIM: after too many wrong keys the protected pages are closed for good.
    case mayCloseForGood
    /// A key that the tag had, which it does not show.
    case forgetsKey
  }

  /// In the order in which they are done.
  public let steps: [Step]
  /// In the order of their declaration.
  public let irreversibleEffects: [IrreversibleEffect]

  let before: UltralightAESConfiguration
  let protection: UltralightAESProtection?

  /// - Parameter protection: `nil` takes the protection away and leaves the keys as they are.
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
    // PROT and the limit, then AUTH0, which closes the pages. A lock comes last, when the tag has proved that the
    // pages can still be opened.
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
    if after.attemptLimit != nil, before.attemptLimit == nil { effects.append(.mayCloseForGood) }
    if !keys.isEmpty { effects.append(.forgetsKey) }
    irreversibleEffects = effects
  }
}

extension UltralightAESProtection {
  /// The new keys: that of the pages last, so that it is the one that stays proved.
  var keys: [(number: UltralightAESTag.KeyNumber, key: SecretKey)] {
    [(.identifierRetrieval, identifierKey), (.dataProtection, key)].compactMap { number, key in
      key.map { (number, $0) }
    }
  }
}

extension UltralightAESProtectionPlan: CustomStringConvertible {
  /// One line per step, then one for each thing that cannot be undone.
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
    case .write(let page, _, _): "page \(page): is given a part of a key"
    }
  }
}

extension UltralightAESProtectionPlan.IrreversibleEffect: CustomStringConvertible {
  public var description: String {
    switch self {
    case .locksConfiguration: "the protection can never be changed or taken away"
    case .mayCloseForGood: "after too many wrong keys the tag accepts none any more"
    case .forgetsKey: "the key that the tag has now is overwritten"
    }
  }
}
