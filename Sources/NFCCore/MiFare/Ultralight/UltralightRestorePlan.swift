/// Pages that restoring a dump to an Ultralight or NTAG tag writes only if they are requested by name.
public struct UltralightRestoreExtras: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Page 3, the capability container: its bits can only be set. **Cannot be undone.**
  public static let oneTimePage = Self(rawValue: 1)
  /// Mirror, AUTH0, access rights.
  public static let configuration = Self(rawValue: 2)
  /// Password and acknowledge. A dump has zeros there unless somebody has filled them in.
  public static let password = Self(rawValue: 4)
  /// Lock bits, static and dynamic, and the lock of the configuration. **Cannot be undone.**
  public static let locks = Self(rawValue: 8)
}

/// The writes that restore a dump to an Ultralight or NTAG tag, and what is left out.
struct UltralightRestorePlan: Sendable {
  /// A page that is written.
  struct Write: Hashable, Sendable {
    /// The number of the page, counted through all sectors.
    let page: Int
    /// The four bytes that are written.
    let data: [UInt8]
  }

  /// The order in which pages are written: each kind closes more than the previous ones.
  ///
  /// AUTH0, in the first page of the configuration, may close the other pages of it and the password at once: the data
  /// sheets do not say when it takes effect, but that it is to be set after the password (NTAG213/215/216 data sheet,
  /// 8.8.1). So the password comes before the configuration, whose pages are written from the last to the first.
  private enum Turn: CaseIterable {
    case user, oneTimePage, password, configuration, locks, finalConfiguration

    func ordered(_ writes: [Write]) -> [Write] {
      switch self {
      case .user, .oneTimePage, .password, .locks: writes
      case .configuration, .finalConfiguration: writes.reversed()
      }
    }
  }

  /// The writes in their order: user memory first, then page 3, password, configuration, and locks last. A page with
  /// the length of a message is written twice, if others have a part of the message.
  let writes: [Write]
  /// What people see of each of the writes.
  let steps: [ChangePlan.Step]
  /// The pages that differ and are left out.
  let omissions: [ChangePlan.Omission]
  let effects: Set<IrreversibleEffect>
  let chip: Type2Chip
  /// The pages of the old message and the new one.
  let messagePages: Set<Int>
  /// What the tag had in its pages, as far as it is known.
  let before: [Int: [UInt8]]
  /// Whether it changes what opens the tag.
  var writesSecret: Bool {
    writes.contains { chip.pages?.use(ofPage: $0.page) == .secret }
  }

  /// Compares a tag with a dump.
  ///
  /// - Parameter known: whether each byte of the dump is known; `nil` if all are. Unknown pages do
  ///   not change.
  /// - Throws: ``NFCError/Code/malformedContent`` if the dump does not belong to a chip of this
  ///   size; ``NFCError/Code/unsupported`` for a product whose pages are not known.
  init(
    image: [UInt8], known: [Bool]? = nil, tag: UltralightDump, extras: UltralightRestoreExtras = []
  ) throws {
    let chip = tag.chip
    guard let pages = chip.pages else { throw UltralightDump.unknown(chip) }
    // Some programs add the keys, which cannot be read.
    guard
      image.count == tag.bytes.count
        || image.count > tag.bytes.count && image.count == tag.product.memorySize
    else {
      throw NFCError(
        .malformedContent, "the dump has \(image.count) bytes, the tag \(tag.bytes.count)")
    }
    var ranked: [(turn: Turn, write: Write)] = []
    var omissions: [ChangePlan.Omission] = []
    var effects: Set<IrreversibleEffect> = []
    let isRead = { (page: Int) in
      page < tag.firstProtectedPage ?? pages.readableEnd && pages.use(ofPage: page) != .secret
    }
    let locked = Self.lockedPages(tag, isRead)
    for page in 0..<pages.readableEnd {
      guard let use = pages.use(ofPage: page) else { continue }
      let range = page * Type2Memory.pageSize..<(page + 1) * Type2Memory.pageSize
      var wanted = Array(image[range])
      if let known, known.count == image.count, known[range].contains(false) {
        // In a page with the acknowledge, only the first two bytes have a meaning.
        guard use == .secret, known[range].prefix(2).allSatisfy({ $0 }) else { continue }
      }
      let present = isRead(page) ? Array(tag.bytes[range]) : nil
      // Password and acknowledge read as zeros: zeros in a dump say nothing of them.
      if use == .secret, wanted == [0, 0, 0, 0] { continue }
      if present == wanted { continue }
      let (needed, turn): (UltralightRestoreExtras, Turn)
      switch use {
      case .user: (needed, turn) = ([], .user)
      case .oneTime: (needed, turn) = (.oneTimePage, .oneTimePage)
      case .configuration:
        let isFinal = chip.isFinal(wanted, page: page, over: present ?? [])
        needed = isFinal ? [.configuration, .locks] : .configuration
        turn = isFinal ? .finalConfiguration : .configuration
      case .secret: (needed, turn) = (.password, .password)
      case .locks: (needed, turn) = (.locks, .locks)
      case .identifierAndLocks where page == Type2PageMap.staticLockPage:
        (needed, turn) = (.locks, .locks)
      case .identifierAndLocks, .counter, .key, .reserved:
        omissions.append(.init(.page(page), .neverWritten))
        continue
      }
      if pages.setsBits(ofPage: page), let present {
        let bits = OneTimeBits(
          wanted, over: present, of: use,
          frozen: locked.contains(page) ? nil : Self.frozenBits(ofPage: page, tag, isRead))
        if let omission = bits.omission(isRequested: extras.isSuperset(of: needed)) {
          omissions.append(.init(.page(page), omission))
        }
        guard bits.setsAny else { continue }
        wanted = bits.result
      }
      guard extras.isSuperset(of: needed) else {
        omissions.append(.init(.page(page), .notRequested(Self.request(use))))
        continue
      }
      guard needed.isEmpty || chip.isConfirmed else {
        omissions.append(.init(.page(page), .notConfirmed))
        continue
      }
      ranked.append((turn, Write(page: page, data: wanted)))
      effects.formUnion(Self.effects(turn, wanted, page, chip, over: present))
    }
    // A message of which a page is locked stays as it is.
    let user = ranked.filter { $0.turn == .user }.map(\.write)
    let kept = Self.keptPages(user.map(\.page), locked, image, known, tag, pages)
    omissions += kept.map { .init(.page($0.page), $0.reason) }
    ranked.removeAll { item in
      item.turn == .user && kept.contains { $0.page == item.write.page }
    }
    let (ordered, messagePages) = Self.inMessageOrder(
      ranked.filter { $0.turn == .user }.map(\.write), image, known, tag, pages)
    self.messagePages = messagePages
    let end = tag.firstProtectedPage ?? pages.readableEnd
    before = Dictionary(
      uniqueKeysWithValues: (0..<end).filter { pages.use(ofPage: $0) != .secret }.map { page in
        let first = page * Type2Memory.pageSize
        return (page, Array(tag.bytes[first..<first + Type2Memory.pageSize]))
      })
    let writes =
      ordered
      + Turn.allCases.dropFirst().flatMap { turn in
        turn.ordered(ranked.filter { $0.turn == turn }.map(\.write))
      }
    self.writes = writes
    steps = Self.steps(writes, tag, pages)
    self.omissions = omissions
    self.effects = effects
    self.chip = chip
  }
}

extension UltralightRestorePlan {
  /// Returns the pages that the tag's lock bits close, which no key opens. Chips whose lock bits no data sheet describes
  /// decide when they are written.
  private static func lockedPages(
    _ tag: UltralightDump, _ isRead: (Int) -> Bool
  ) -> Set<Int> {
    guard tag.chip.isConfirmed, let bits = tag.chip.lockBits else { return [] }
    return Set(bits.closedPages { tag.byte($0, isRead) })
  }

  /// Returns the lock bits of a page that other bits of the tag have frozen.
  private static func frozenBits(
    ofPage page: Int, _ tag: UltralightDump, _ isRead: (Int) -> Bool
  ) -> [UInt8] {
    var frozen = [UInt8](repeating: 0, count: Type2Memory.pageSize)
    guard tag.chip.isConfirmed, let bits = tag.chip.lockBits else { return frozen }
    for lock in bits.locks where lock.bit.page == page && frozen.indices.contains(lock.bit.byte) {
      guard let frozenBy = lock.frozenBy, bits.isSet(frozenBy, { tag.byte($0, isRead) }) else {
        continue
      }
      frozen[lock.bit.byte] |= lock.bit.mask
    }
    return frozen
  }

  /// Returns the pages that stay as they are because of lock bits: those that are locked, and with one of the message all
  /// others of it.
  private static func keptPages(
    _ changed: [Int], _ locked: Set<Int>, _ image: [UInt8], _ known: [Bool]?,
    _ tag: UltralightDump, _ pages: Type2PageMap
  ) -> [(page: Int, reason: ChangePlan.Omission.Reason)] {
    let closed = changed.filter { locked.contains($0) }
    guard !closed.isEmpty else { return [] }
    let zeros = [UInt8](repeating: 0, count: Type2Memory.pageSize)
    let message = inMessageOrder(
      changed.map { Write(page: $0, data: zeros) }, image, known, tag, pages
    ).messagePages
    let keepsMessage = closed.contains { message.contains($0) }
    return changed.compactMap { page in
      if locked.contains(page) { return (page, .impossible("it is locked")) }
      return keepsMessage && message.contains(page) ? (page, .keepsMessage) : nil
    }
  }

  private static func request(_ use: UltralightArea.Use) -> ChangePlan.Omission.Request {
    switch use {
    case .identifierAndLocks, .locks: .locks
    case .oneTime: .capabilityContainer
    case .secret: .password
    default: .configuration
    }
  }

  /// Returns what cannot be undone once a page is written.
  private static func effects(
    _ turn: Turn, _ wanted: [UInt8], _ page: Int, _ chip: Type2Chip, over present: [UInt8]?
  ) -> Set<IrreversibleEffect> {
    var effects: Set<IrreversibleEffect> = []
    switch turn {
    case .user: break
    case .oneTimePage, .locks: effects = [.locksMemory]
    case .password: effects = [.forgetsPassword]
    case .finalConfiguration: effects = [.locksConfiguration]
    case .configuration: break
    }
    if [.configuration, .finalConfiguration].contains(turn),
      page == chip.passwordSettings.map({ $0.firstPage + 1 })
    {
      let zeros = [UInt8](repeating: 0, count: Type2Memory.pageSize)
      let limit = UltralightConfiguration(zeros + wanted)?.attemptLimit ?? 0
      let old = UltralightConfiguration(zeros + (present ?? zeros))?.attemptLimit ?? 0
      if limit != 0, old == 0 { effects.insert(.mayClosePermanently) }
    }
    return effects
  }

  /// Describes the writes. Passwords are not shown.
  private static func steps(
    _ writes: [Write], _ tag: UltralightDump, _ pages: Type2PageMap
  ) -> [ChangePlan.Step] {
    var now: [Int: [UInt8]] = [:]
    return writes.map { write in
      guard pages.use(ofPage: write.page) != .secret else {
        return .secret(.page(write.page), "the password or its acknowledge")
      }
      let range = write.page * Type2Memory.pageSize..<(write.page + 1) * Type2Memory.pageSize
      let isKnown = write.page < tag.firstProtectedPage ?? pages.readableEnd
      let before = now[write.page] ?? (isKnown ? Array(tag.bytes[range]) : nil)
      now[write.page] = write.data
      return .write(.page(write.page), before, write.data)
    }
  }
}

extension UltralightRestorePlan {
  /// Returns the writes to the user memory in an order in which a tag that is removed early holds no message of old
  /// and new bytes.
  private static func inMessageOrder(
    _ writes: [Write], _ image: [UInt8], _ known: [Bool]?, _ tag: UltralightDump,
    _ pages: Type2PageMap
  ) -> (writes: [Write], messagePages: Set<Int>) {
    let end = (tag.firstProtectedPage ?? pages.readableEnd) * Type2Memory.pageSize
    let now = tag.bytes.enumerated().map { $0.offset < end ? $0.element : nil }
    let wanted = image.enumerated().map { index, byte in
      known.map { $0.indices.contains(index) && $0[index] } ?? true ? byte : nil
    }
    guard let user = pages.user else { return (writes, []) }
    let bytes =
      user.lowerBound * Type2Memory.pageSize..<(user.upperBound + 1) * Type2Memory.pageSize
    let order = RestoreOrder(
      now: now, image: wanted, unitSize: Type2Memory.pageSize, area: [bytes])
    let ordered = order.writes(of: writes.map(\.page)) { pages.use(ofPage: $0) == .user }
      .map { Write(page: $0.unit, data: $0.data) }
    return (ordered, order.messageUnits)
  }
}

/// What of a page can be restored whose bits can only be set.
private struct OneTimeBits {
  /// The content of the page once it was written.
  let result: [UInt8]
  /// Whether a bit is set that was not.
  let setsAny: Bool
  /// Whether a bit stays as it is that the image has otherwise.
  private let reason: ChangePlan.Omission.Reason?

  /// - Parameter frozen: the bits that can no longer be set; `nil` if lock bits close the page.
  init(
    _ wanted: [UInt8], over present: [UInt8], of use: UltralightArea.Use, frozen: [UInt8]?
  ) {
    // Of page 2, the other bytes belong to the UID; after dynamic lock bits, there is a byte that nothing changes.
    let settable =
      switch use {
      case .identifierAndLocks: 2..<4
      case .locks: 0..<3
      default: 0..<4
      }
    var result = present
    if let frozen {
      for index in settable { result[index] |= wanted[index] & ~frozen[index] }
    }
    self.result = result
    setsAny = result != present
    if settable.contains(where: { result[$0] & ~wanted[$0] != 0 }) {
      reason = .impossible("bits that are set cannot be cleared")
    } else if settable.contains(where: { result[$0] != wanted[$0] }) {
      reason = .impossible("it is locked")
    } else {
      reason = setsAny ? nil : .neverWritten
    }
  }

  /// Returns why the page will not be as in the image; `nil` if it will be.
  func omission(isRequested: Bool) -> ChangePlan.Omission.Reason? {
    guard case .impossible(let words) = reason, !isRequested else { return reason }
    // That it was not requested is reported where there is something to be written.
    return setsAny ? nil : .kept(words)
  }
}

extension UltralightRestorePlan {
  /// Writes the pages, and returns which the tag has accepted.
  ///
  /// A message of which the tag refuses a page stays as it was: what was written of it is taken back.
  func run(password: [UInt8]?, _ link: TagLink) throws -> ChangePlan.Outcome {
    var outcome = PartialOutcome(omissions: omissions, changed: changedPages)
    var password = password
    // A tag that has refused is woken, and has forgotten the password.
    let hasPassword = password != nil
    let link =
      !hasPassword
      ? link
      : link.reauthenticating { link in
        if let password { _ = try UltralightProcedure.authenticate(password: password, link) }
      }
    if let password { _ = try UltralightProcedure.authenticate(password: password, link) }
    guard let pages = chip.pages else { throw UltralightDump.unknown(chip) }
    let isInFirstSector = pages.end <= Type2Memory.pagesPerSector && pages.isContiguous
    var memory = Type2Memory(sector: isInFirstSector ? 0 : nil)
    var undo: [WholeUnit] = []
    var keepsMessage = false
    for (write, step) in zip(writes, steps) {
      let isOfMessage = messagePages.contains(write.page)
      if isOfMessage, keepsMessage {
        outcome.leaveOut(.page(write.page), .keepsMessage)
        continue
      }
      let old = memory.page(write.page) ?? before[write.page]
      let isRefused: Bool
      if pages.use(ofPage: write.page) == .secret {
        isRefused = try !Self.restoreSecret(write, link)
      } else {
        let setsBits = pages.setsBits(ofPage: write.page)
        var data = write.data
        // The UID's bytes before the static lock bits do not change.
        if write.page == Type2Memory.lockPage { data.replaceSubrange(0..<2, with: [0, 0]) }
        let unit = WholeUnit(unit: write.page, data: data, setsBits: setsBits)
        switch try memory.attempt(unit, over: old, link) {
        case .written: isRefused = false
        case .refused: isRefused = true
        case .unknown(var error):
          guard !setsBits else {
            error.recovery = "bits of the page may have been set permanently: read it"
            throw error
          }
          isRefused = true
          if isOfMessage, let old { undo.append(WholeUnit(unit: write.page, data: old)) }
        }
      }
      guard !isRefused else {
        // Some chips refuse with silence. Waking the tag shows whether it has left.
        try memory.selectAgain(link)
        outcome.leaveOut(.page(write.page), .refused)
        guard isOfMessage else { continue }
        keepsMessage = true
        for old in undo.reversed() {
          guard case .written = try memory.attempt(old, link) else {
            throw NFCError(
              .tagRefused,
              "a page of the tag cannot be written; the tag no longer holds a message",
              place: .page(old.unit))
          }
          outcome.leaveOut(.page(old.unit), .keepsMessage)
        }
        continue
      }
      outcome.steps.append(step)
      if isOfMessage, let old { undo.append(WholeUnit(unit: write.page, data: old)) }
      if password != nil, write.page == chip.passwordSettings?.secrets.lowerBound {
        password = write.data
      }
    }
    try memory.select(sector: 0, link)
    return ChangePlan.Outcome(steps: outcome.steps, omissions: outcome.omissions)
  }

  /// The places that have another content afterwards, if all goes well.
  private var changedPages: Set<ChangePlan.Place> {
    Set(ChangePlan.Outcome(steps: steps).changedPlaces)
  }

  /// Returns whether the tag has accepted a page that nobody can read.
  private static func restoreSecret(_ write: Write, _ link: TagLink) throws -> Bool {
    do {
      try UltralightProcedure.write(
        secret: write.data, to: UInt8(truncatingIfNeeded: write.page), link)
      return true
    } catch let error as NFCError
      where error.code == .tagRefused || error.code == .readOnly
      || error.code == .tagResponseError && error.cause == .noAnswer
    {
      return false
    }
  }
}
