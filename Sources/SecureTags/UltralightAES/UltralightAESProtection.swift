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
struct UltralightAESProtectionPlan: Sendable {
  /// The steps, in the order in which they are performed.
  let planned: [PlannedStep<UltralightAESChange>]
  let effects: Set<IrreversibleEffect>

  let before: UltralightAESConfiguration
  let protection: UltralightAESProtection?
  /// Whether the tag, as it is now, closes permanently after some wrong keys.
  var limitsAttempts: Bool { before.attemptLimit != nil }

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
    var steps: [PlannedStep<UltralightAESChange>] = []
    var present = before
    func write(_ page: UInt8, _ wanted: UltralightAESConfiguration) {
      let (old, new) = (present.page(page), wanted.page(page))
      guard old != new else { return }
      steps.append(
        PlannedStep(.write(.page(Int(page)), old, new)) {
          try $0.link.writeUltralight(new, page: page)
        })
    }
    func authenticate(_ number: UltralightAESTag.KeyNumber, _ words: String) {
      let new = keys.first { $0.number == number }?.key
      steps.append(
        PlannedStep(
          .action(words),
          marking: { change, _ in
            try change.authenticate(number, with: new)
          }))
    }
    if !keys.isEmpty {
      var opened = before
      opened.firstProtectedPage = nil
      write(UltralightAESConfiguration.firstPage, opened)
      present = opened
      for key in keys {
        for (index, page) in key.number.pages.enumerated() {
          steps.append(
            PlannedStep(.secret(.page(page), "a part of the new key")) {
              var data = key.key.page(index)
              defer { data.wipe() }
              try $0.link.writeUltralight(
                data, page: UInt8(truncatingIfNeeded: page), isSecret: true)
            })
        }
        authenticate(key.number, "the tag proves the new key \(key.number.rawValue)")
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
      authenticate(.dataProtection, "the tag proves key 0")
      write(UltralightAESConfiguration.accessPage, after)
    }
    planned = steps
    var effects: Set<IrreversibleEffect> = []
    if after.isLocked, !before.isLocked { effects.insert(.locksConfiguration) }
    if after.attemptLimit != nil, before.attemptLimit == nil {
      effects.insert(.mayClosePermanently)
    }
    if !keys.isEmpty { effects.insert(.forgetsKey) }
    self.effects = effects
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
