/// The memory of an Ultralight or NTAG chip as far as it could be read.
public struct UltralightDump: Hashable, Sendable {
  /// The chip.
  public var product: TagProduct { chip.product }
  let chip: Type2Chip
  /// All pages in order, four bytes each; password, acknowledge and pages that were not read are
  /// zeros.
  public let bytes: [UInt8]
  /// The first page that was not read, because a password or key protects it and the later ones;
  /// `nil` if all were read.
  public let firstProtectedPage: Int?

  /// Whether every readable page was read.
  public var isComplete: Bool { firstProtectedPage == nil }
}

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
    for page in 0..<pages.readableEnd {
      guard let use = pages.use(ofPage: page) else { continue }
      let range = page * Type2Memory.pageSize..<(page + 1) * Type2Memory.pageSize
      let wanted = Array(image[range])
      if let known, known.count == image.count, known[range].contains(false) {
        // In a page with the acknowledge, only the first two bytes have a meaning.
        guard use == .secret, known[range].prefix(2).allSatisfy({ $0 }) else { continue }
      }
      let isKnown = page < tag.firstProtectedPage ?? pages.readableEnd && use != .secret
      // Password and acknowledge read as zeros: zeros in a dump say nothing of them.
      if use == .secret, wanted == [0, 0, 0, 0] { continue }
      if isKnown, Array(tag.bytes[range]) == wanted { continue }
      let (needed, turn): (UltralightRestoreExtras, Turn)
      switch use {
      case .user: (needed, turn) = ([], .user)
      case .oneTime: (needed, turn) = (.oneTimePage, .oneTimePage)
      case .configuration:
        let present = isKnown ? Array(tag.bytes[range]) : []
        let isFinal = chip.isFinal(wanted, page: page, over: present)
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
      guard extras.isSuperset(of: needed) else {
        omissions.append(.init(.page(page), .notRequested(Self.request(use))))
        continue
      }
      guard needed.isEmpty || chip.isConfirmed else {
        omissions.append(.init(.page(page), .notConfirmed))
        continue
      }
      ranked.append((turn, Write(page: page, data: wanted)))
      effects.formUnion(
        Self.effects(
          turn, wanted, page, chip, over: isKnown ? Array(tag.bytes[range]) : nil))
    }
    let (user, messagePages) = Self.inMessageOrder(
      ranked.filter { $0.turn == .user }.map(\.write), image, known, tag, pages)
    self.messagePages = messagePages
    let end = tag.firstProtectedPage ?? pages.readableEnd
    before = Dictionary(
      uniqueKeysWithValues: (0..<end).filter { pages.use(ofPage: $0) != .secret }.map { page in
        let first = page * Type2Memory.pageSize
        return (page, Array(tag.bytes[first..<first + Type2Memory.pageSize]))
      })
    let writes =
      user
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

extension UltralightDump {
  fileprivate static func unknown(_ chip: Type2Chip?) -> NFCError {
    NFCError(
      .unsupported, "how the pages of \(chip?.name ?? "this chip") are used is not known")
  }

  /// Finds the pages that can be read. A tag protects its pages from one on, so halves are tried until
  /// that one is found.
  static func read(_ chip: Type2Chip, _ link: TagLink) throws -> UltralightDump {
    guard let pages = chip.pages else { throw unknown(chip) }
    guard pages.isContiguous else { return try readRuns(chip, pages, link) }
    var reader = PageReader(hasFastRead: chip.hasFastRead)
    var bytes: [UInt8] = []
    var end = pages.readableEnd
    var isProtected = false
    while bytes.count / Type2Memory.pageSize < end {
      let page = bytes.count / Type2Memory.pageSize
      let count = min(isProtected ? (end - page + 1) / 2 : end - page, reader.largest(link))
      do {
        let answer = try reader.read(page, count: count, link)
        guard !chip.hasFastRead, let wrap = wrap(of: answer, to: bytes) else {
          bytes += answer
          continue
        }
        // Page 0 again: protection begins here, or a user has copied it.
        bytes += answer.prefix(wrap * Type2Memory.pageSize)
        end = try isReadable(page + wrap, link) ? end : page + wrap
      } catch let error as NFCError where error.code == .tagRefused {
        try link.selectAgain()
        isProtected = true
        end = chip.hasFastRead ? page + count - 1 : page
      }
    }
    let size = pages.readableEnd * Type2Memory.pageSize
    let readCount = bytes.count / Type2Memory.pageSize
    return UltralightDump(
      chip: chip,
      bytes: bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count)),
      firstProtectedPage: readCount == pages.readableEnd ? nil : readCount)
  }

  /// Reads sector by sector; the dump has zeros where there are no pages.
  private static func readRuns(
    _ chip: Type2Chip, _ pages: Type2PageMap, _ link: TagLink
  ) throws -> UltralightDump {
    let size = Type2Memory.pageSize
    var reader = PageReader(hasFastRead: chip.hasFastRead)
    var bytes = [UInt8](repeating: 0, count: pages.readableEnd * size)
    var sector = UltralightSector(pages)
    for run in pages.readableRuns {
      let first = try sector.address(ofPage: run.lowerBound, link)
      let content = try reader.read(first..<first + run.count, link) { link in
        try link.selectAgain()
        sector.tagWasSelected()
        _ = try sector.address(ofPage: run.lowerBound, link)
      }
      bytes.replaceSubrange(run.lowerBound * size..<run.upperBound * size, with: content)
    }
    try sector.leave(link)
    return UltralightDump(chip: chip, bytes: bytes, firstProtectedPage: nil)
  }

  /// Returns the first page of an answer to READ that looks like page 0.
  private static func wrap(of answer: [UInt8], to first: [UInt8]) -> Int? {
    guard first.count >= Type2Memory.pageSize else { return nil }
    return stride(from: 0, to: answer.count, by: Type2Memory.pageSize).first {
      $0 > 0
        && answer[$0...].prefix(Type2Memory.pageSize).elementsEqual(
          first.prefix(Type2Memory.pageSize))
    }.map { $0 / Type2Memory.pageSize }
  }

  private static func isReadable(_ page: Int, _ link: TagLink) throws -> Bool {
    guard let page = UInt8(exactly: page) else { return false }
    do {
      _ = try UltralightExchange.send(.read(page: page), link)
      return true
    } catch let error as NFCError where error.code == .tagRefused {
      try link.selectAgain()
      return false
    }
  }
}

extension UltralightCommands {
  /// Reads all pages: five exchanges for an NTAG216, and those of ``MiFareTag/product()``.
  ///
  /// On an NTAG I²C, reads all sectors with memory one after the other, but not the session
  /// registers; the tag is left in sector 0.
  ///
  /// - Parameter password: presented first, if given; see ``authenticate(password:)``.
  /// - Throws: ``NFCError/Code/unsupported`` for a chip whose pages are not known;
  ///   ``NFCError/Code/authenticationFailed``.
  public func dump(password: [UInt8]? = nil) async throws -> UltralightDump {
    let handle = handle
    return try await handle.perform { link in
      let identification = try handle.identification(link)
      guard let chip = identification.chip else {
        throw identification.readerError ?? UltralightDump.unknown(nil)
      }
      if let password { _ = try UltralightProcedure.authenticate(password: password, link) }
      return try UltralightDump.read(chip, link)
    }
  }

  /// Plans what restoring a dump would write: reads the tag. Writes nothing.
  ///
  /// Performing the plan costs one exchange per page. A page that the tag refuses is among the omissions of the outcome.
  ///
  /// The order of the pages closes as late as possible: user memory first, then page 3, password, configuration, and
  /// locks last. A page with the length of a message is written twice, if others have a part of the message.
  ///
  /// - Parameters:
  ///   - image: the bytes of all pages.
  ///   - known: whether each byte of the dump is known; `nil` if all are. Unknown pages do not change.
  ///   - extras: what is written only if it is requested by name. What of it cannot be undone is among the effects.
  ///   - password: presented first, if given; see ``authenticate(password:)``.
  /// - Throws: ``NFCError/Code/malformedContent`` if the dump does not belong to a chip of this
  ///   size; ``NFCError/Code/unsupported`` for a chip whose pages are not known;
  ///   ``NFCError/Code/authenticationFailed``.
  public func restorePlan(
    _ image: [UInt8], known: [Bool]? = nil, extras: UltralightRestoreExtras = [],
    password: [UInt8]? = nil
  ) async throws -> ChangePlan {
    let plan = try UltralightRestorePlan(
      image: image, known: known, tag: try await dump(password: password), extras: extras)
    let handle = handle
    return ChangePlan(
      for: self, plan.steps, omissions: plan.omissions, effects: plan.effects,
      recovery: "make the plan again: it has the pages that are missing"
    ) {
      try await handle.performCommand { link in
        defer { if plan.writesSecret { handle.knowledge.withLock { $0.authentication = nil } } }
        return try plan.run(password: password, link)
      }
    }
  }
}

extension UltralightRestorePlan {
  /// Writes the pages, and returns which the tag has accepted.
  ///
  /// A message of which the tag refuses a page stays as it was: what was written of it is taken back.
  fileprivate func run(password: [UInt8]?, _ link: TagLink) throws -> ChangePlan.Outcome {
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
