/// The memory of an Ultralight or NTAG chip as far as it could be read.
public struct UltralightDump: Hashable, Sendable {
  public let product: TagProduct
  /// All pages in order, four bytes each; password, acknowledge and pages that were not read are zeros.
  public let bytes: [UInt8]
  /// Pages from here on were not read: they are protected by a password or key. `nil` if all were.
  public let firstProtectedPage: Int?

  public var isComplete: Bool { firstProtectedPage == nil }
}

/// What restoring a dump will write to an Ultralight or NTAG tag, and what it leaves out.
public struct UltralightRestorePlan: Hashable, Sendable {
  /// Pages that are written only when asked for by name.
  public struct Extras: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Page 3, the capability container: its bits can only be set. **Cannot be undone.**
    public static let oneTimePage = Extras(rawValue: 1)
    /// Mirror, AUTH0, access rights.
    public static let configuration = Extras(rawValue: 2)
    /// Password and acknowledge. A dump has zeros there unless somebody has put them in.
    public static let password = Extras(rawValue: 4)
    /// Lock bits, static and dynamic, and the lock of the configuration. **Cannot be undone.**
    public static let locks = Extras(rawValue: 8)
  }

  public enum Reason: Hashable, Sendable {
    /// The page belongs to what is written only when asked for by name.
    case notAskedFor
    /// UID, counters, keys: never written.
    case neverWritten
    /// The tag has refused the page: locked or protected.
    case refused
  }

  public struct Write: Hashable, Sendable {
    public let page: Int
    public let data: [UInt8]
  }

  public struct Omission: Hashable, Sendable {
    public let page: Int
    public let reason: Reason
  }

  /// User memory first, then page 3, configuration, password, and locks last.
  public let writes: [Write]
  public let omissions: [Omission]
  let layout: UltralightLayout
  /// Whether all that restoring ever writes unasked will be on the tag.
  public var isComplete: Bool { !omissions.contains { $0.reason == .refused } }

  /// Compares a tag with a dump.
  ///
  /// - Throws: `malformedContent` if the dump is not of a chip of this size; `unsupported` for a product
  ///   whose pages are not known.
  public init(image: [UInt8], tag: UltralightDump, extras: Extras = []) throws {
    guard let layout = UltralightLayout(tag.product) else {
      throw UltralightDump.unknown(tag.product)
    }
    // Some programs add the keys, which cannot be read.
    guard
      image.count == tag.bytes.count
        || image.count > tag.bytes.count && image.count == tag.product.memorySize
    else {
      throw NFCError(
        .malformedContent, "the dump has \(image.count) bytes, the tag \(tag.bytes.count)")
    }
    var ranked: [(rank: Int, write: Write)] = []
    var omissions: [Omission] = []
    for page in 0..<layout.pageCount {
      let range = page * UltralightLayout.pageSize..<(page + 1) * UltralightLayout.pageSize
      let use = layout.use(ofPage: page)
      let wanted = Array(image[range])
      let isKnown = page < tag.firstProtectedPage ?? layout.pageCount && use != .secret
      // Password and acknowledge read as zeros: zeros in a dump say nothing of them.
      if use == .secret, wanted == [0, 0, 0, 0] { continue }
      if isKnown, Array(tag.bytes[range]) == wanted { continue }
      let needed: Extras
      switch use {
      case .user: needed = []
      case .oneTime: needed = .oneTimePage
      case .configuration:
        let locks = layout.locksConfiguration(wanted, page: page)
        needed = locks ? [.configuration, .locks] : .configuration
      case .secret: needed = .password
      case .locks: needed = .locks
      case .identifierAndLocks where page == UltralightLayout.staticLockPage: needed = .locks
      case .identifierAndLocks, .counter:
        omissions.append(Omission(page: page, reason: .neverWritten))
        continue
      }
      guard extras.isSuperset(of: needed) else {
        omissions.append(Omission(page: page, reason: .notAskedFor))
        continue
      }
      ranked.append((needed.rawValue, Write(page: page, data: wanted)))
    }
    // A stable order: the names' values rise with what they close.
    writes = ranked.enumerated().sorted {
      ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
    }.map(\.element.write)
    self.omissions = omissions
    self.layout = layout
  }
}

/// What restoring a dump has done.
public struct UltralightRestoreReport: Hashable, Sendable {
  public internal(set) var written: [Int]
  public internal(set) var omissions: [UltralightRestorePlan.Omission]

  /// Whether the tag has taken every page of the plan.
  public var isComplete: Bool { !omissions.contains { $0.reason == .refused } }
}

// The bytes of a page may be a password.
extension UltralightRestorePlan.Write: CustomStringConvertible, CustomReflectable {
  public var description: String { "page \(page)" }
  public var customMirror: Mirror { Mirror(self, children: ["page": page]) }
}

extension UltralightRestorePlan.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAskedFor: "it is written only when asked for by name"
    case .neverWritten: "it cannot be written"
    case .refused: "the tag has refused it"
    }
  }
}

extension UltralightDump {
  fileprivate static func unknown(_ product: TagProduct?) -> NFCError {
    NFCError(
      .unsupported,
      "how the pages of \(product.map(\.name) ?? "this chip") are used is not known")
  }

  /// Finds the pages that can be read. A tag protects its pages from one on, so halves are tried until
  /// that one is found.
  static func read(_ product: TagProduct?, _ link: TagLink) throws -> UltralightDump {
    guard let product, let layout = UltralightLayout(product) else { throw unknown(product) }
    if let ranges = layout.sectorRanges {
      return try read(product, ranges, layout, link)
    }
    var bytes: [UInt8] = []
    var end = layout.pageCount
    var isProtected = false
    while bytes.count / UltralightLayout.pageSize < end {
      let page = bytes.count / UltralightLayout.pageSize
      let count = min(
        isProtected ? (end - page + 1) / 2 : end - page,
        layout.hasFastRead
          ? UltralightProcedure.pagesPerFastRead(link) : UltralightCommand.pagesPerRead)
      do {
        let answer = try UltralightProcedure.read(
          page, count: count, hasFastRead: layout.hasFastRead, link)
        guard !layout.hasFastRead, let wrap = wrap(of: answer, to: bytes) else {
          bytes += answer
          continue
        }
        // Page 0 again: protection begins here, or a user has copied it.
        bytes += answer.prefix(wrap * UltralightLayout.pageSize)
        end = try isReadable(page + wrap, link) ? end : page + wrap
      } catch let error as NFCError where error.code == .tagRefused {
        try link.selectAgain()
        isProtected = true
        end = layout.hasFastRead ? page + count - 1 : page
      }
    }
    let size = layout.pageCount * UltralightLayout.pageSize
    let readCount = bytes.count / UltralightLayout.pageSize
    return UltralightDump(
      product: product,
      bytes: bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count)),
      firstProtectedPage: readCount == layout.pageCount ? nil : readCount)
  }

  /// Reads sector by sector; where there are no pages the dump has zeros.
  private static func read(
    _ product: TagProduct, _ ranges: [Range<Int>], _ layout: UltralightLayout, _ link: TagLink
  ) throws -> UltralightDump {
    let size = UltralightLayout.pageSize
    var bytes = [UInt8](repeating: 0, count: layout.pageCount * size)
    var sector = UltralightSector(layout)
    for range in ranges {
      let first = try sector.address(ofPage: range.lowerBound, link)
      let content = try UltralightProcedure.read(
        first..<first + range.count, hasFastRead: layout.hasFastRead, link)
      bytes.replaceSubrange(range.lowerBound * size..<range.upperBound * size, with: content)
    }
    try sector.leave(link)
    return UltralightDump(product: product, bytes: bytes, firstProtectedPage: nil)
  }

  /// The first page of an answer of READ that looks like page 0.
  private static func wrap(of answer: [UInt8], to first: [UInt8]) -> Int? {
    guard first.count >= UltralightLayout.pageSize else { return nil }
    return stride(from: 0, to: answer.count, by: UltralightLayout.pageSize).first {
      $0 > 0
        && answer[$0...].prefix(UltralightLayout.pageSize).elementsEqual(
          first.prefix(UltralightLayout.pageSize))
    }.map { $0 / UltralightLayout.pageSize }
  }

  private static func isReadable(_ page: Int, _ link: TagLink) throws -> Bool {
    guard let page = UInt8(exactly: page) else { return false }
    do {
      _ = try UltralightProcedure.read(page, link)
      return true
    } catch let error as NFCError where error.code == .tagRefused {
      try link.selectAgain()
      return false
    }
  }
}

extension UltralightCommands {
  /// Reads all pages: five exchanges for an NTAG216, and what ``MiFareTag/product()`` costs.
  ///
  /// NTAG I²C: all sectors with memory one after the other, but not the session registers; the tag is left in
  /// sector 0.
  ///
  /// - Parameter password: is given first, if there is one; see ``authenticate(password:)``.
  /// - Throws: `unsupported` for a chip whose pages are not known; `authenticationFailed`.
  public func dump(password: [UInt8]? = nil) async throws -> UltralightDump {
    let handle = handle
    return try await handle.perform { link in
      let product = try handle.ultralightProduct(link)
      if let password { _ = try UltralightProcedure.authenticate(password: password, link) }
      return try UltralightDump.read(product, link)
    }
  }

  /// Finds out what restoring a dump would write: reads the tag. Writes nothing.
  ///
  /// - Parameters: as ``UltralightRestorePlan/init(image:tag:extras:)`` and ``dump(password:)``.
  public func restorePlan(
    _ image: [UInt8], extras: UltralightRestorePlan.Extras = [], password: [UInt8]? = nil
  ) async throws -> UltralightRestorePlan {
    try UltralightRestorePlan(
      image: image, tag: try await dump(password: password), extras: extras)
  }

  /// Writes what a plan says: one exchange a page.
  ///
  /// - Throws: `tagConnectionLost`. A page that the tag refuses is in the report.
  public func restore(
    _ plan: UltralightRestorePlan, password: [UInt8]? = nil
  ) async throws -> UltralightRestoreReport {
    return try await handle.performCommand { link in
      var report = UltralightRestoreReport(written: [], omissions: plan.omissions)
      if let password { _ = try UltralightProcedure.authenticate(password: password, link) }
      var sector = UltralightSector(plan.layout)
      for write in plan.writes {
        do {
          let address = try sector.address(ofPage: write.page, link)
          try UltralightProcedure.write(
            write.data, to: UInt8(truncatingIfNeeded: address), link)
          report.written.append(write.page)
        } catch let error as NFCError
          where error.code == .tagRefused
          || error.code == .tagResponseError && error.cause == .noAnswer
        {
          // Some chips refuse by silence. One that has left is found out by waking it.
          try link.selectAgain()
          sector.isSelectedAnew()
          report.omissions.append(.init(page: write.page, reason: .refused))
          if let password { _ = try UltralightProcedure.authenticate(password: password, link) }
        }
      }
      try sector.leave(link)
      return report
    }
  }
}
