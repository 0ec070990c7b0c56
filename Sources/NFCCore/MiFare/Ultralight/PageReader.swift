/// Reads pages of one sector in as few exchanges as chip and reader allow.
struct PageReader {
  let hasFastRead: Bool
  /// The number of pages in one answer that the reader supports, if it has refused more.
  private var limit = Int.max

  init(hasFastRead: Bool) {
    self.hasFastRead = hasFastRead
  }

  /// Every tag that is woken is in sector 0.
  static func wakeInFirstSector(_ link: TagLink) throws { try link.selectAgain() }

  /// Returns how many pages one exchange brings.
  func largest(_ link: TagLink) -> Int {
    guard hasFastRead else { return UltralightCommand.pagesPerRead }
    return min(limit, UltralightProcedure.pagesPerFastRead(link))
  }

  /// - Parameter wake: wakes the tag, in the sector that is read.
  mutating func read(
    _ pages: Range<Int>, _ link: TagLink,
    wake: (TagLink) throws -> Void = PageReader.wakeInFirstSector
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < pages.count * Type2Memory.pageSize {
      let page = pages.lowerBound + bytes.count / Type2Memory.pageSize
      bytes += try read(page, count: min(pages.upperBound - page, largest(link)), link, wake: wake)
    }
    return bytes
  }

  /// One exchange, which returns at most `count` pages: fewer if the reader turns out to support
  /// fewer.
  mutating func read(
    _ page: Int, count: Int, _ link: TagLink,
    wake: (TagLink) throws -> Void = PageReader.wakeInFirstSector
  ) throws -> [UInt8] {
    guard let first = UInt8(exactly: page), let last = UInt8(exactly: page + count - 1) else {
      throw NFCError(.invalidParameter, "pages are 0 to 255", place: .page(page))
    }
    // At the end of the readable pages, FAST_READ goes nowhere else; READ continues with page 0.
    guard hasFastRead else {
      return Array(
        try UltralightExchange.send(.read(page: first), link)
          .prefix(count * Type2Memory.pageSize))
    }
    do {
      return try UltralightExchange.send(.fastRead(first: first, last: last), link)
    } catch let error as NFCError
      where error.code == .tagResponseError && count > UltralightCommand.pagesPerRead
    {
      // A reader whose buffer is too small for the answer shows it as a broken one.
      try wake(link)
      limit = count / 2
      return try read(page, count: limit, link, wake: wake)
    }
  }
}
