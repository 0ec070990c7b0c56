/// The known pages of a Type 2 tag, and the commands that read more of them.
///
/// Source: NFC Forum Type 2 Tag, 5; NTAG213/215/216 data sheet, 10; NT3H1101/1201 data sheet, 10.
struct Type2Memory: Sendable {
  static let pageSize = 4
  /// Pages that one sector has: an address is one byte.
  static let pagesPerSector = 256
  static let lockPage = Type2PageMap.staticLockPage
  static let capabilityPage = Type2PageMap.oneTimePage
  static let firstDataPage = 4
  static let firstDataByte = firstDataPage * pageSize
  static let pagesPerRead = UltralightCommand.pagesPerRead

  /// Whether the tag has FAST_READ.
  enum FastRead: Hashable, Sendable {
    case unknown
    case works
    /// It does not, or probably not: only READ is used.
    case avoided
  }

  var fastRead: FastRead
  private var pages: [Int: [UInt8]] = [:]
  /// The sector that addresses count in; `nil` if the program may have selected another.
  private var sector: Int?
  /// The number of pages in one answer that the reader supports, if it has refused more.
  private var fastReadLimit = Int.max

  /// - Parameter sector: 0 after the tag was selected; `nil` if it is not known.
  init(fastRead: FastRead = .unknown, sector: Int? = 0) {
    self.fastRead = fastRead
    self.sector = sector
  }

  /// Whether anything has been read.
  var isEmpty: Bool { pages.isEmpty }

  /// Returns a byte by its address, `nil` if it has not been read.
  func byte(_ address: Int) -> UInt8? {
    pages[address / Self.pageSize]?[address % Self.pageSize]
  }

  func page(_ number: Int) -> [UInt8]? { pages[number] }

  mutating func keep(_ content: [UInt8]?, _ page: Int) { pages[page] = content }

  /// Returns the pages that hold these bytes.
  static func pages(holding bytes: Range<Int>) -> Range<Int> {
    (bytes.lowerBound / pageSize)..<((bytes.upperBound + pageSize - 1) / pageSize)
  }

  mutating func forget() { pages = [:] }

  mutating func forget(_ range: Range<Int>) {
    for page in range { pages[page] = nil }
  }

  // MARK: Reading

  /// Reads pages that are not known: one READ for each four, or one FAST_READ for as many as the
  /// reader supports.
  ///
  /// Throws `tagRefused` with the first page that the tag does not return.
  mutating func load(_ range: Range<Int>, _ link: TagLink) throws {
    var start = range.lowerBound
    var end = range.upperBound
    while true {
      while start < end, pages[start] != nil { start += 1 }
      while start < end, pages[end - 1] != nil { end -= 1 }
      guard start < end else { return }
      try fetch(start..<end, link)
    }
  }

  private mutating func fetch(_ range: Range<Int>, _ link: TagLink) throws {
    let start = range.lowerBound
    try select(sector: start / Self.pagesPerSector, link)
    let sectorEnd = (start / Self.pagesPerSector + 1) * Self.pagesPerSector
    let end = min(range.upperBound, sectorEnd)
    let count = min(end - start, UltralightProcedure.pagesPerFastRead(link), fastReadLimit)
    let reads = (range.count + Self.pagesPerRead - 1) / Self.pagesPerRead
    guard fastRead != .avoided, reads > 1, count > Self.pagesPerRead else {
      try read(start, limit: end, link)
      return
    }
    do {
      try fastRead(start..<start + count, link)
    } catch let error as NFCError where fastRead == .unknown && error.isRefusalOrSilence {
      fastRead = .avoided
      try selectAgain(link)
    } catch let error as NFCError where error.code == .tagResponseError {
      // A reader whose buffer is too small for the answer shows it as a broken one.
      try selectAgain(link)
      fastReadLimit = count / 2
    }
  }

  private mutating func fastRead(_ range: Range<Int>, _ link: TagLink) throws {
    let bytes = try send(
      .fastRead(first: address(range.lowerBound), last: address(range.upperBound - 1)),
      page: range.lowerBound, link)
    fastRead = .works
    store(bytes, from: range.lowerBound, limit: range.upperBound)
  }

  /// READ of four pages, of which those below `limit` are kept.
  ///
  /// Some chips refuse a READ because of a protected page that was not requested: FAST_READ ends
  /// before it.
  private mutating func read(_ start: Int, limit: Int, _ link: TagLink) throws {
    try select(sector: start / Self.pagesPerSector, link)
    let answer: [UInt8]
    do {
      answer = try send(.read(page: address(start)), page: start, link)
    } catch let error as NFCError where error.code == .tagRefused && fastRead == .works {
      try selectAgain(link)
      try select(sector: start / Self.pagesPerSector, link)
      do {
        return try fastRead(start..<min(limit, start + Self.pagesPerRead), link)
      } catch let other as NFCError where other.code == .tagResponseError {
        // A reader that loses the code of a refusal shows this one as a broken answer, and then as silence.
        throw error
      }
    }
    var limit = limit
    // After the last readable page, the answer continues with page 0. A page that looks like it is
    // read separately, to find out.
    for page in (start + 1)..<(start + Self.pagesPerRead) {
      let offset = (page - start) * Self.pageSize
      if isHeader(Array(answer[offset..<(offset + Self.pageSize)]), link) {
        limit = min(limit, page)
        break
      }
    }
    store(answer, from: start, limit: limit)
  }

  /// Returns whether a page is page 0 of a chip with a UID of seven bytes: three of them, and their
  /// check byte with the cascade tag 88 (ISO/IEC 14443-3, 6.5.4).
  private func isHeader(_ page: [UInt8], _ link: TagLink) -> Bool {
    let uid = link.target.identifier
    guard uid.count == 7 else { return false }
    return page == Array(uid[0..<3]) + [Self.cascadeTag ^ uid[0] ^ uid[1] ^ uid[2]]
  }

  private static let cascadeTag: UInt8 = 0x88

  private mutating func store(_ bytes: [UInt8], from start: Int, limit: Int) {
    for page in start..<max(start, limit) {
      let offset = (page - start) * Self.pageSize
      guard offset + Self.pageSize <= bytes.count else { return }
      pages[page] = Array(bytes[offset..<(offset + Self.pageSize)])
    }
  }

  /// Sends a command for a page; errors name the page as counted through all sectors.
  private func send(
    _ command: UltralightCommand, page: Int, _ link: TagLink
  ) throws -> [UInt8] {
    do {
      return try UltralightExchange.send(command, link)
    } catch let error as NFCError where error.place != nil {
      throw NFCError(error.code, error.reason, cause: error.cause, place: .page(page))
    }
  }

  private func address(_ page: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: page % Self.pagesPerSector)
  }

  // MARK: Proof

  /// Reads pages 0 to 3 even if they are known: one READ, which a tag that has left does not
  /// answer.
  ///
  /// - Returns: whether lock bits and capability container are as they were known, and only this reader can
  ///   have written the rest: the first pages are those of NXP's chips without a wired side. NTAG I²C has the UID
  ///   there without check bytes (NT3H1101/1201 data sheet, 8.3.1; NT3H2111/2211 data sheet, figure 7).
  mutating func revalidate(_ link: TagLink) throws -> Bool {
    try select(sector: 0, link)
    let answer = try UltralightExchange.send(.read(page: 0), link)
    let known = [Self.lockPage, Self.capabilityPage].map { pages[$0] }
    store(answer, from: 0, limit: Self.pagesPerRead)
    let isUnchanged = zip(known, [Self.lockPage, Self.capabilityPage]).allSatisfy {
      $0 == nil || $0 == pages[$1]
    }
    return isUnchanged && isOfPlainMemory(answer, link)
  }

  private func isOfPlainMemory(_ answer: [UInt8], _ link: TagLink) -> Bool {
    let uid = link.target.identifier
    guard uid.count == 7, uid[0] == ChipMaker.nxp else { return false }
    let first = Array(uid[0..<3])
    let second = Array(uid[3..<7])
    return answer.starts(
      with: first + [first.reduce(Self.cascadeTag, ^)] + second + [second.reduce(0, ^)])
  }

  // MARK: Writing

  /// WRITE of one page. Throws `readOnly` with the page if the tag refuses it.
  mutating func write(_ bytes: [UInt8], page: Int, _ link: TagLink) throws {
    try select(sector: page / Self.pagesPerSector, link)
    // If the acknowledge is lost, the content of the page is unknown.
    pages[page] = nil
    _ = try send(.write(page: address(page), data: bytes), page: page, link)
    pages[page] = bytes
  }

  /// Reads a page after a write that has failed: one READ if the tag still listens, otherwise it is woken before.
  ///
  /// - Returns: `nil` if the tag refuses to return it.
  mutating func readBack(_ page: Int, _ link: TagLink) throws -> [UInt8]? {
    pages[page] = nil
    func read() throws -> [UInt8] {
      try Array(send(.read(page: address(page)), page: page, link).prefix(Self.pageSize))
    }
    do {
      do {
        try select(sector: page / Self.pagesPerSector, link)
        pages[page] = try read()
      } catch let error as NFCError where error.code == .tagResponseError {
        // A tag that has refused listens no more.
        try selectAgain(link)
        try select(sector: page / Self.pagesPerSector, link)
        pages[page] = try read()
      }
      return pages[page]
    } catch let error as NFCError where error.code == .tagRefused {
      try selectAgain(link)
      return nil
    }
  }

  // MARK: Sectors

  /// Selects a sector, unless it is already selected. Only a tag of more than 1 KiB needs another
  /// sector than 0, or one for which the program itself has used SECTOR_SELECT.
  mutating func select(sector wanted: Int, _ link: TagLink) throws {
    guard sector != wanted else { return }
    let wasKnown = sector != nil
    sector = nil
    do {
      try UltralightProcedure.selectSector(UInt8(truncatingIfNeeded: wanted), link)
      sector = wanted
    } catch let error as NFCError where !wasKnown && wanted == 0 && error.isRefusalOrSilence {
      // It has no sectors.
      try selectAgain(link)
    }
  }

  /// Wakes the tag again, which begins with sector 0.
  mutating func selectAgain(_ link: TagLink) throws {
    try link.selectAgain()
    sector = 0
  }
}

extension NFCError {
  /// Whether this is how a tag, depending on its kind, reacts to a command that it does not
  /// support.
  var isRefusalOrSilence: Bool {
    code == .tagRefused || (code == .tagResponseError && cause == .noAnswer)
  }
}

/// The pages of a Type 2 tag, as a memory that is changed completely or not at all.
struct Type2Pages: UnitMemory {
  var memory: Type2Memory
  let link: TagLink

  mutating func write(_ data: [UInt8], to unit: Int) throws {
    try memory.write(data, page: unit, link)
  }

  mutating func readBack(_ unit: Int) throws -> [UInt8]? { try memory.readBack(unit, link) }
}

extension Type2Memory {
  /// Writes pages completely or not at all; see ``UnitMemory/perform(_:over:)``.
  mutating func perform(_ writes: [WholeUnit], _ link: TagLink) throws {
    let held = pages
    try withPages(link) { try $0.perform(writes, over: { held[$0] }) }
  }

  /// Sends a write of a page, and finds out what became of it.
  ///
  /// - Parameter old: the content before, if this memory does not know it.
  mutating func attempt(
    _ write: WholeUnit, over old: [UInt8]? = nil, _ link: TagLink
  ) throws -> WriteOutcome {
    let held = pages[write.unit] ?? old
    return try withPages(link) { try $0.attempt(write, over: held) }
  }

  private mutating func withPages<Result>(
    _ link: TagLink, _ body: (inout Type2Pages) throws -> Result
  ) throws -> Result {
    var pages = Type2Pages(memory: self, link: link)
    defer { self = pages.memory }
    return try body(&pages)
  }
}
