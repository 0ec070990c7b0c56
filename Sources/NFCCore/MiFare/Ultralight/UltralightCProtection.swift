/// The protection of the pages of a MIFARE Ultralight C with its key: MF0ICU2 data sheet, 7.5.8 and
/// 7.5.9. Descriptions never show the key.
public struct UltralightCProtection: Hashable, Sendable {
  /// The key: 16 bytes, the two DES keys in the order in which DES takes them; `nil` leaves the
  /// current key.
  public let key: [UInt8]?
  /// AUTH0: the first page that requires the key; all later pages do too.
  public let firstPage: Int
  /// AUTH1: reading requires the key as well as writing.
  public let protectsReading: Bool

  /// The size of a key in bytes.
  public static let keySize = 16
  /// The possible first pages. Page 42 contains AUTH0 itself: if the protection began later, anyone
  /// could remove it.
  public static let firstPages = 3...42

  /// - Throws: ``NFCError/Code/invalidParameter`` for a key that is not 16 bytes long, and for a
  ///   page outside ``firstPages``.
  public init(key: [UInt8]?, firstPage: Int, protectsReading: Bool = false) throws(NFCError) {
    guard key.map({ $0.count == Self.keySize }) ?? true else {
      throw NFCError(.invalidParameter, "a key has 16 bytes, not \(key?.count ?? 0)")
    }
    guard Self.firstPages.contains(firstPage) else {
      throw NFCError(
        .invalidParameter,
        "protection from page \(firstPage) on does not cover page \(Self.firstPages.upperBound), with "
          + "which anyone could remove it")
    }
    self.key = key
    self.firstPage = firstPage
    self.protectsReading = protectsReading
  }
}

extension UltralightCProtection: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String {
    "a key for \(protectsReading ? "reading and writing" : "writing") from page \(firstPage) on"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The steps that protect a MIFARE Ultralight C with its key, page by page.
///
/// Only the pages of the plan are written. A tag that is removed early is never left closed by an
/// unknown key: first the pages are opened, then the key changes and the tag has to authenticate
/// with the new one; AUTH0, which closes the pages, comes last.
struct UltralightCProtectionPlan: Sendable {
  /// The steps, in the order in which they are performed.
  let planned: [PlannedStep<TagLink>]
  let effects: Set<IrreversibleEffect>

  let settings: Type2Chip.TripleDESSettings
  /// AUTH0 and AUTH1 as they were, a page each.
  let before: [UInt8]
  let protection: UltralightCProtection?

  /// An AUTH0 from which on no page is protected (MF0ICU2 data sheet, 7.5.8).
  static let noPage: UInt8 = 0x30
  /// AUTH1: reading is free.
  private static let freeReading: UInt8 = 0x01

  /// - Parameters:
  ///   - protection: `nil` removes the protection and leaves the key unchanged.
  ///   - before: the pages with AUTH0 and AUTH1 as they are.
  init(
    _ protection: UltralightCProtection?, _ settings: Type2Chip.TripleDESSettings,
    configuration before: [UInt8]
  ) throws {
    guard before.count == 2 * Type2Memory.pageSize else {
      throw NFCError(.tagResponseError, "the tag's configuration is broken")
    }
    self.protection = protection
    self.settings = settings
    self.before = before
    var page0 = Array(before.prefix(Type2Memory.pageSize))
    let page1 = Array(before.suffix(Type2Memory.pageSize))
    var steps: [PlannedStep<TagLink>] = []
    func write(_ page: Int, _ before: [UInt8], _ after: [UInt8]) {
      guard before != after else { return }
      steps.append(
        PlannedStep(.write(.page(page), before, after)) {
          try UltralightProcedure.write(
            after, to: UInt8(truncatingIfNeeded: page), over: before, $0)
        })
    }
    func first(_ value: UInt8, of page: [UInt8]) -> [UInt8] { [value] + page.dropFirst() }
    if let key = protection?.key {
      if page0[0] < Self.noPage {
        write(settings.firstProtectedPage, page0, first(Self.noPage, of: page0))
        page0[0] = Self.noPage
      }
      let stored = UltralightCAuthentication.stored(key)
      for (index, page) in settings.keyPages.enumerated() {
        let part = Array(
          stored.dropFirst(index * Type2Memory.pageSize).prefix(Type2Memory.pageSize))
        steps.append(
          PlannedStep(.secret(.page(page), "a part of the new key")) {
            try UltralightProcedure.write(
              secret: part, to: UInt8(truncatingIfNeeded: page), $0)
          })
      }
      steps.append(
        PlannedStep(
          .action("the tag proves the new key"),
          marking: { link, _ in
            // A key counts from the next selection on (MF0ICU2 data sheet, 7.5.7).
            try UltralightProcedure.halt(link)
            try link.selectPlainly()
            try UltralightCAuthentication.run(key: key, link)
          }))
    }
    if let protection {
      let access = page1[0] & ~Self.freeReading
      write(
        settings.readProtectionPage, page1,
        first(protection.protectsReading ? access : access | Self.freeReading, of: page1))
    }
    let firstPage = protection.map { UInt8(clamping: $0.firstPage) } ?? Self.noPage
    if protection != nil || page0[0] < Self.noPage {
      write(settings.firstProtectedPage, page0, first(firstPage, of: page0))
    }
    planned = steps
    effects = protection?.key == nil ? [] : [.forgetsKey]
  }
}

// MARK: - Commands

extension UltralightCommands {
  /// Plans the protection of a MIFARE Ultralight C with its key. Writes nothing; three exchanges,
  /// and those of ``MiFareTag/product()``.
  ///
  /// Performing the plan costs one exchange per step, and some to check that the tag has not changed since. It takes
  /// effect when the tag is selected again. Once begun, it is completed even if the task is cancelled. Repeat an
  /// interrupted run with a new plan. The effect that may have to be accepted is ``IrreversibleEffect/forgetsKey``.
  ///
  /// - Parameters:
  ///   - protection: `nil` to remove the protection.
  ///   - key: the tag's current key, if it requires one. A plan that keeps it and closes pages requires it, so that no
  ///     tag is closed by an unknown key.
  /// - Throws: ``NFCError/Code/unsupported`` for another chip; ``NFCError/Code/readOnly`` if the pages are locked;
  ///   ``NFCError/Code/authenticationFailed``; ``NFCError/Code/notAuthenticated`` if they cannot be read without
  ///   the key; ``NFCError/Code/invalidParameter`` without the key that a plan requires.
  public func protectionPlan(
    _ protection: UltralightCProtection?, key: [UInt8]?
  ) async throws -> ChangePlan {
    guard protection == nil || protection?.key != nil || key != nil else {
      throw NFCError(
        .invalidParameter, "pages can be protected only by a key that the tag has proved to have")
    }
    let handle = handle
    let plan = try await handle.performCommand { link in
      let (chip, settings) = try UltralightCProtectionPlan.settings(
        handle.identification(link))
      if let key { try UltralightCAuthentication.run(key: key, link) }
      let plan = try UltralightCProtectionPlan(
        protection, settings,
        configuration: UltralightCProtectionPlan.configuration(settings, link))
      try plan.checkLocks(chip, link)
      return plan
    }
    return ChangePlan(
      for: self, plan.planned.map(\.step), effects: plan.effects,
      recovery: UltralightCAuthentication.recovery,
      performing: {
        try await handle.performCommand { link in
          let identification = try handle.identification(link)
          handle.knowledge.withLock { $0.authentication = nil }
          try plan.run(identification, key: key, link)
          handle.knowledge.withLock {
            $0.authentication = (plan.protection?.key ?? key).map { .tripleDES($0) }
            $0.wasSelected()
          }
        }
      })
  }
}

extension UltralightCProtectionPlan {
  fileprivate static func settings(
    _ identification: UltralightIdentification
  ) throws -> (Type2Chip, Type2Chip.TripleDESSettings) {
    guard let chip = identification.chip, case .tripleDES(let settings) = chip.access else {
      throw identification.readerError
        ?? NFCError(
          .unsupported,
          "\(identification.chip?.name ?? "this chip") is not protected by a triple DES key")
    }
    return (chip, settings)
  }

  fileprivate static func configuration(
    _ settings: Type2Chip.TripleDESSettings, _ link: TagLink
  ) throws -> [UInt8] {
    let pages = settings.firstProtectedPage..<settings.readProtectionPage + 1
    return try readable(pages, link)
  }

  private static func readable(_ pages: Range<Int>, _ link: TagLink) throws -> [UInt8] {
    do {
      var reader = PageReader(hasFastRead: false)
      return try reader.read(pages, link)
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(
        .notAuthenticated, "the tag requires the key that it has now", cause: error.cause,
        place: .page(pages.lowerBound))
    }
  }

  /// Refuses pages that a lock bit keeps as they are.
  fileprivate func checkLocks(_ chip: Type2Chip, _ link: TagLink) throws {
    guard let bits = chip.lockBits else { return }
    var known: [Int: [UInt8]] = [:]
    for page in [Type2PageMap.staticLockPage, bits.dynamicPage].compactMap({ $0 }) {
      known[page] = try Self.readable(page..<page + 1, link)
    }
    let closed = bits.closedPages { address in
      known[address / Type2Memory.pageSize]?[address % Type2Memory.pageSize]
    }
    for page in planned.compactMap({ $0.step.place?.number }) where closed.contains(page) {
      throw NFCError(
        .readOnly, "the page is locked, and the protection cannot be changed", place: .page(page))
    }
  }

  fileprivate func run(
    _ identification: UltralightIdentification, key: [UInt8]?, _ link: TagLink
  ) throws {
    if let key { try UltralightCAuthentication.run(key: key, link) }
    let (chip, settings) = try Self.settings(identification)
    guard settings == self.settings, try Self.configuration(settings, link) == before else {
      throw NFCError.planIsStale
    }
    try checkLocks(chip, link)
    try link.perform(planned, link, recovery: UltralightCAuthentication.recovery)
  }
}
