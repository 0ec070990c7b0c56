import SwiftNFCCore

/// Sets up a link: plans the steps, and performs them.
extension NTAG424Procedure {
  private static let emptyLength: [UInt8] = [0x00, 0x00]
  private static let masterKey = 0

  // MARK: Planning

  /// Plans a setup: three exchanges to authenticate, one for the settings, one or two to read the link,
  /// one for each key to be changed, and two for each key that is checked, and for key 0 after it.
  mutating func plan(_ setup: NTAG424Setup) throws -> NTAG424Plan {
    var found = setup.keys
    found[Self.masterKey] = try openMaster(setup)
    let link = try setup.link.adapted(to: mode)
    var steps: [NTAG424Plan.Change] = []
    for (number, new) in setup.newKeys.sorted(by: { $0.key < $1.key })
    where number != Self.masterKey {
      if try isThere(new, number, setup, master: found[Self.masterKey]) {
        found[number] = new
      } else {
        steps.append(.changeKey(number: number, version: new.version))
      }
    }
    try checkKeys(of: link, setup, master: found[Self.masterKey])
    let settings = try fileSettings(linkFile)
    let content = try content(settings, count: link.file.count)
    steps += try linkSteps(link, setup, settings, content)
    if let new = setup.newKeys[Self.masterKey], found[Self.masterKey]?.isSame(new) == false {
      steps.append(.changeKey(number: Self.masterKey, version: new.version))
    }
    if isDESFire { try checkApplication(link, steps) }
    return NTAG424Plan(
      changes: steps, link: link, found: found, settings: settings,
      oldLength: content.map { Array($0.prefix(Self.emptyLength.count)) })
  }

  /// Throws an error if a DESFire application does not have the keys of the link, or if its keys are not changed with
  /// key 0: one exchange.
  private mutating func checkApplication(
    _ link: NTAG424Link, _ steps: [NTAG424Plan.Change]
  ) throws {
    let summary = try commands.keySummary()
    guard summary.kind == .aes else {
      throw NFCError(.unsupported, "the application has keys of another kind than AES")
    }
    let changed = steps.compactMap { step in
      if case .changeKey(let number, _) = step { number } else { nil }
    }
    let used = link.dynamicMessaging.keyNumbers.union(changed)
    if let missing = used.filter({ $0 >= summary.keyCount }).min() {
      throw NFCError(
        .invalidParameter,
        "the application has \(summary.keyCount) keys, and no key \(missing)")
    }
    let settings = summary.settings
    guard
      changed.allSatisfy({
        $0 == Self.masterKey ? settings.isMasterKeyChangeable : settings.keyChange == .key(0)
      })
    else {
      throw NFCError(.unsupported, "key 0 cannot change the keys of this application")
    }
  }

  /// Authenticates with the old key 0, or with the new one if an earlier setup was interrupted
  /// after changing it.
  private mutating func openMaster(_ setup: NTAG424Setup) throws -> DESFireKey {
    let old = setup.oldKey(Self.masterKey)
    do {
      try authenticate(Self.masterKey, old)
      return old
    } catch let error as NFCError where error.code == .authenticationFailed {
      guard let new = setup.newKeys[Self.masterKey], !new.isSame(old) else { throw error }
      try authenticate(Self.masterKey, new)
      return new
    }
  }

  /// Returns whether a key was already changed. Its version indicates that; if the version is that
  /// of the new key, the key itself decides.
  private mutating func isThere(
    _ new: DESFireKey, _ number: Int, _ setup: NTAG424Setup, master: DESFireKey?
  ) throws -> Bool {
    if new.isSame(setup.oldKey(number)), new.version == (try keyVersion(number)) { return true }
    guard try keyVersion(number) == new.version else { return false }
    var isThere = true
    do {
      try authenticate(number, new)
    } catch let error as NFCError where error.code == .authenticationFailed {
      isThere = false
    }
    if let master { try authenticate(Self.masterKey, master) }
    return isThere
  }

  /// Authenticates with the keys that the link uses and that were given and stay. With a wrong one, the
  /// chip would sign links that nobody could verify.
  private mutating func checkKeys(
    of link: NTAG424Link, _ setup: NTAG424Setup, master: DESFireKey?
  ) throws {
    let checked = link.dynamicMessaging.keyNumbers.subtracting([Self.masterKey]).sorted().compactMap
    { number in
      setup.newKeys[number] == nil ? setup.keys[number].map { (number, $0) } : nil
    }
    for (number, key) in checked { try authenticate(number, key) }
    if !checked.isEmpty, let master { try authenticate(Self.masterKey, master) }
  }

  private func linkSteps(
    _ link: NTAG424Link, _ setup: NTAG424Setup, _ before: NTAG424FileSettings, _ content: [UInt8]?
  ) throws -> [NTAG424Plan.Change] {
    var after = before
    after.communication = .plain
    after.rights = setup.rights
    after.dynamicMessaging = link.dynamicMessaging
    let file = link.file
    let changesSettings = after != before
    guard file.count <= before.size else {
      throw NFCError(
        .capacityExceeded, "the link takes \(file.count) bytes, and the file has \(before.size)")
    }
    guard content != file || changesSettings else { return [] }
    try checkChange(before.rights.change, setup, needed: changesSettings)
    guard content != file else { return [.changeSettings(before: before, after: after)] }
    var steps: [NTAG424Plan.Change] = []
    var writable = before
    if !masterWrites(before.rights) {
      // Only the rights: the chip inserts its data as long as the old link exists.
      writable.rights.write = .key(Self.masterKey)
      try checkChange(before.rights.change, setup, needed: true)
      steps.append(.changeSettings(before: before, after: writable))
    }
    // With a length of zero the tag is empty, whatever is written (NFC Forum, Type 4 Tag, 7.5.5).
    if content?.prefix(Self.emptyLength.count).elementsEqual(Self.emptyLength) != true {
      steps.append(.write(offset: 0, data: Self.emptyLength))
    }
    let data = NTAG424Plan.Change.write(
      offset: Self.emptyLength.count, data: Array(file.dropFirst(Self.emptyLength.count)))
    let change: [NTAG424Plan.Change] =
      after == writable ? [] : [.changeSettings(before: writable, after: after)]
    // A DESFire refuses the settings for a file that was not created for them. The old message is there then.
    steps += isDESFire ? change + [data] : [data] + change
    steps.append(.write(offset: 0, data: Array(file.prefix(Self.emptyLength.count))))
    return steps
  }

  private func masterWrites(_ rights: DESFireAccessRights) -> Bool {
    [rights.write, rights.readWrite].contains { $0 == .key(Self.masterKey) || $0 == .everyone }
  }

  /// Returns the beginning of the file; `nil` if key 0 may not read it.
  private mutating func content(_ settings: NTAG424FileSettings, count: Int) throws -> [UInt8]? {
    let rights = [settings.rights.read, settings.rights.readWrite]
    guard rights.contains(where: { $0 == .key(Self.masterKey) || $0 == .everyone }) else {
      return nil
    }
    return try readData(linkFile, settings, offset: 0, count: min(count, settings.size))
  }

  private func checkChange(
    _ right: DESFireAccess, _ setup: NTAG424Setup, needed: Bool
  ) throws {
    guard needed else { return }
    switch right {
    case .everyone, .key(Self.masterKey): return
    case .key(let number) where setup.keys[number] != nil || setup.newKeys[number] != nil: return
    case .key(let number):
      throw NFCError(
        .notAuthenticated, "key \(number) is needed to change what the tag does with its link")
    case .nobody:
      throw NFCError(
        .readOnly, "what the tag does with its link can no longer be changed")
    }
  }

  // MARK: Performing the steps

  mutating func carryOut(_ plan: NTAG424Plan, _ setup: NTAG424Setup) throws {
    var hasChanged = false
    do {
      try carryOut(plan, setup, &hasChanged)
    } catch var error as NFCError
      where error.code != .unsupported && (hasChanged || error.recovery != nil)
    {
      error.recovery = NTAG424Plan.recovery
      throw error
    }
  }

  private mutating func carryOut(
    _ plan: NTAG424Plan, _ setup: NTAG424Setup, _ hasChanged: inout Bool
  ) throws {
    var keys = plan.found
    var settings = plan.settings
    for step in plan.changes {
      switch step {
      case .changeKey(let number, _):
        guard let new = setup.newKeys[number] else { continue }
        try open(Self.masterKey, keys, setup)
        try changeKey(number, from: number == Self.masterKey ? nil : setup.oldKey(number), to: new)
        hasChanged = true
        keys[number] = new
        // Its answer has no MAC: only now can the new key be verified.
        if number == Self.masterKey { try authenticate(number, new) }
      case .write(let offset, let data):
        try open(Self.masterKey, keys, setup)
        try writeData(linkFile, settings, offset: offset, data)
        hasChanged = true
      case .changeSettings(let before, let after):
        if case .key(let number) = before.rights.change { try open(number, keys, setup) }
        do {
          try changeFileSettings(linkFile, from: before, to: after)
        } catch let error as NFCError where isDESFire && error.isStatus {
          guard try restoreMessage(plan, before, keys, setup) else { throw error }
          throw NFCError(
            .unsupported,
            "the card refuses the settings: the file may not have been created for dynamic messages",
            cause: error.cause)
        }
        hasChanged = true
        settings = after
      }
    }
  }

  /// Writes the length of the old message again, whose other bytes are still there. Returns `false` if the card has
  /// the new settings in spite of what it has answered.
  private mutating func restoreMessage(
    _ plan: NTAG424Plan, _ settings: NTAG424FileSettings, _ keys: [Int: DESFireKey],
    _ setup: NTAG424Setup
  ) throws -> Bool {
    try open(Self.masterKey, keys, setup)
    guard try fileSettings(linkFile) == settings else { return false }
    guard let length = plan.oldLength,
      plan.changes.contains(.write(offset: 0, data: Self.emptyLength))
    else { return true }
    try writeData(linkFile, settings, offset: 0, length)
    return true
  }

  /// Authenticates with a key unless it is the session's key.
  private mutating func open(
    _ number: Int, _ keys: [Int: DESFireKey], _ setup: NTAG424Setup
  ) throws {
    guard sessionKey != number else { return }
    try authenticate(number, keys[number] ?? setup.oldKey(number))
  }
}

extension NFCError {
  /// Whether the card has answered with another status than that of success.
  fileprivate var isStatus: Bool { if case .desfireStatus = cause { true } else { false } }
}

extension DESFireKey {
  /// Returns whether both have the same bytes.
  func isSame(_ other: DESFireKey) -> Bool { secret == other.secret }
}

extension NTAG424DynamicMessaging {
  /// The numbers of the keys that encrypt and sign.
  var keyNumbers: Set<Int> {
    var numbers = Set([authentication?.key].compactMap { $0 })
    if case .encrypted(let number, _, _, _) = identity { numbers.insert(number) }
    return numbers
  }
}
