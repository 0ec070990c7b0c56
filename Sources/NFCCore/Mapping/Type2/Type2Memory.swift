/// The pages of a Type 2 tag that are known, and the commands that make more of them known.
///
/// Source: NFC Forum Type 2 Tag, 5; NTAG213/215/216 data sheet, 10; NT3H1101/1201 data sheet, 10.
struct Type2Memory: Sendable {
  static let pageSize = 4
  /// What READ answers.
  static let pagesPerRead = 4
  /// Pages that one sector has: an address is one byte.
  static let pagesPerSector = 256
  static let lockPage = 2
  static let capabilityPage = 3
  static let firstDataPage = 4
  static let firstDataByte = firstDataPage * pageSize

  enum Command {
    static let read: UInt8 = 0x30
    static let fastRead: UInt8 = 0x3A
    static let write: UInt8 = 0xA2
    static let sectorSelect: UInt8 = 0xC2
    static let sectorSelectArgument: UInt8 = 0xFF
  }

  /// Whether the tag has FAST_READ.
  enum FastRead: Hashable, Sendable {
    case unknown
    case works
    /// It does not, or probably not: READ alone is used.
    case avoided
  }

  var fastRead: FastRead
  private var pages: [Int: [UInt8]] = [:]
  /// The sector that addresses count in; every tag begins with 0 when it is selected.
  private var sector = 0

  init(fastRead: FastRead = .unknown) {
    self.fastRead = fastRead
  }

  /// A byte by its address, `nil` if it has not been read.
  func byte(_ address: Int) -> UInt8? {
    pages[address / Self.pageSize]?[address % Self.pageSize]
  }

  func page(_ number: Int) -> [UInt8]? { pages[number] }

  /// The pages that hold these bytes.
  static func pages(holding bytes: Range<Int>) -> Range<Int> {
    (bytes.lowerBound / pageSize)..<((bytes.upperBound + pageSize - 1) / pageSize)
  }

  mutating func forget() { pages = [:] }

  // MARK: Reading

  /// Makes pages known: one READ for each four, or one FAST_READ for as many as the reader carries.
  ///
  /// Throws `tagRefused` with the page for one that the tag does not give.
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

  /// Asks the tag for pages whatever is known of them, and says whether they are as they were known.
  mutating func refresh(_ start: Int, _ link: TagLink) throws -> Bool {
    let known = pages
    try read(start, limit: start + Self.pagesPerRead, link)
    return (start..<(start + Self.pagesPerRead)).allSatisfy {
      known[$0] == nil || known[$0] == pages[$0]
    }
  }

  private mutating func fetch(_ range: Range<Int>, _ link: TagLink) throws {
    let start = range.lowerBound
    try select(sector: start / Self.pagesPerSector, link)
    let sectorEnd = (start / Self.pagesPerSector + 1) * Self.pagesPerSector
    // The check comes with the answer, as it is verified here.
    let largest = (link.capabilities.maximumResponseLength - 2) / Self.pageSize
    let count = min(range.count, largest, sectorEnd - start)
    let reads = (range.count + Self.pagesPerRead - 1) / Self.pagesPerRead
    guard fastRead != .avoided, reads > 1, count > Self.pagesPerRead else {
      try read(start, limit: min(range.upperBound, sectorEnd), link)
      return
    }
    do {
      let answer = try UltralightExchange.send(
        [Command.fastRead, address(start), address(start + count - 1)], link)
      guard answer.count == count * Self.pageSize else {
        throw NFCError(
          .tagResponseError,
          "FAST_READ of \(count) pages gave \(answer.count) bytes", place: .page(start))
      }
      fastRead = .works
      store(answer, from: start, limit: start + count)
    } catch let error as NFCError where fastRead == .unknown && error.isRefusalOrSilence {
      fastRead = .avoided
      try selectAgain(link)
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(.tagRefused, error.reason, cause: error.cause, place: .page(start))
    }
  }

  /// READ of four pages, of which those below `limit` are kept.
  private mutating func read(_ start: Int, limit: Int, _ link: TagLink) throws {
    try select(sector: start / Self.pagesPerSector, link)
    let answer: [UInt8]
    do {
      answer = try UltralightExchange.send([Command.read, address(start)], link)
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(.tagRefused, error.reason, cause: error.cause, place: .page(start))
    }
    guard answer.count == Self.pagesPerRead * Self.pageSize else {
      throw NFCError(
        .tagResponseError, "READ gave \(answer.count) bytes, not 16", place: .page(start))
    }
    var limit = limit
    // After the last page that can be read, the answer goes on with page 0. A page that looks like
    // it is asked for by itself, which tells.
    for page in (start + 1)..<(start + Self.pagesPerRead) {
      let offset = (page - start) * Self.pageSize
      if isHeader(Array(answer[offset..<(offset + Self.pageSize)]), link) {
        limit = min(limit, page)
        break
      }
    }
    store(answer, from: start, limit: limit)
  }

  /// Page 0 of a chip with a UID of seven bytes: three of them, and their check byte with the cascade
  /// tag 88 (ISO/IEC 14443-3, 6.5.4).
  private func isHeader(_ page: [UInt8], _ link: TagLink) -> Bool {
    let uid = link.target.identifier
    guard uid.count == 7 else { return false }
    return page == Array(uid[0..<3]) + [0x88 ^ uid[0] ^ uid[1] ^ uid[2]]
  }

  private mutating func store(_ bytes: [UInt8], from start: Int, limit: Int) {
    for page in start..<limit {
      let offset = (page - start) * Self.pageSize
      guard offset + Self.pageSize <= bytes.count else { return }
      pages[page] = Array(bytes[offset..<(offset + Self.pageSize)])
    }
  }

  private func address(_ page: Int) -> UInt8 { UInt8(page % Self.pagesPerSector) }

  // MARK: Writing

  /// WRITE of one page. Throws `readOnly` with the page if the tag refuses it.
  mutating func write(
    _ bytes: [UInt8], page: Int, _ link: TagLink
  ) throws {
    try select(sector: page / Self.pagesPerSector, link)
    do {
      // What the page holds is not known if the acknowledge is lost.
      pages[page] = nil
      _ = try UltralightExchange.send([Command.write, address(page)] + bytes, link)
      pages[page] = bytes
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(
        .readOnly,
        "the tag does not let this page be written: it is locked, or wants a password first",
        cause: error.cause, place: .page(page))
    }
  }

  // MARK: Sectors

  /// SECTOR_SELECT, in two frames; silence is the second one's consent. Only a tag of more than 1 KiB
  /// is ever asked for it.
  mutating func select(sector wanted: Int, _ link: TagLink) throws {
    guard sector != wanted else { return }
    let refusal: NFCError?
    do {
      _ = try UltralightExchange.send([Command.sectorSelect, Command.sectorSelectArgument], link)
      do {
        _ = try UltralightExchange.send([UInt8(truncatingIfNeeded: wanted), 0, 0, 0], link)
        refusal = NFCError(.tagResponseError, "the tag has answered SECTOR_SELECT with data")
      } catch let error as NFCError where error.cause == .noAnswer {
        refusal = nil
      }
    } catch let error as NFCError where error.code == .tagRefused {
      refusal = NFCError(
        .tagRefused, "the tag has no sector \(wanted)", cause: error.cause,
        place: .page(wanted * Self.pagesPerSector))
    }
    if let refusal { throw refusal }
    sector = wanted
  }

  /// Wakes the tag anew, which begins with sector 0.
  mutating func selectAgain(_ link: TagLink) throws {
    try link.selectAgain()
    sector = 0
  }
}

extension NFCError {
  /// What a tag does with a command that it does not know, by its kind.
  var isRefusalOrSilence: Bool {
    code == .tagRefused || (code == .tagResponseError && cause == .noAnswer)
  }
}
