/// The use of each page of a chip.
struct Type2PageMap: Hashable, Sendable {
  /// The use of a page.
  enum Use: Hashable, Sendable {
    /// UID and static lock bits, pages 0 to 2.
    case identifierAndLocks
    /// Page 3: bits that can only be set.
    case oneTime
    case user
    /// The dynamic lock bits: they can only be set.
    case locks
    /// A one-way counter.
    case counter
    /// Mirror, password settings, registers.
    case configuration
    /// Password and acknowledge: read as zeros.
    case secret
    /// A key: not read at all.
    case key
    /// Reserved, or not described: never written.
    case reserved
  }

  struct Area: Hashable, Sendable {
    let pages: ClosedRange<Int>
    let use: Use
  }

  static let staticLockPage = 2
  static let oneTimePage = 3

  /// In order, without overlaps, counted through all sectors; a page in none of them is not there.
  let areas: [Area]

  /// Creates the areas after pages 0 to 3, which all chips use alike.
  init(_ areas: (ClosedRange<Int>, Use)...) {
    self.areas =
      [
        Area(pages: 0...Self.staticLockPage, use: .identifierAndLocks),
        Area(pages: Self.oneTimePage...Self.oneTimePage, use: .oneTime),
      ] + areas.map { Area(pages: $0.0, use: $0.1) }
  }

  /// One more than the last page that can be read.
  var readableEnd: Int {
    (areas.last { $0.use != .key }?.pages.upperBound ?? -1) + 1
  }

  /// One more than the last page.
  var end: Int { (areas.last?.pages.upperBound ?? -1) + 1 }

  /// The pages for the user's data, up to the first that is used otherwise.
  var user: ClosedRange<Int>? { areas.first { $0.use == .user }?.pages }

  /// `nil` for a page that is not there.
  func use(ofPage page: Int) -> Use? {
    areas.first { $0.pages.contains(page) }?.use
  }

  /// Whether the memory has sectors or gaps, so that no range of pages is read without looking.
  var isContiguous: Bool {
    readableEnd <= Type2Memory.pagesPerSector
      && zip(areas, areas.dropFirst()).allSatisfy {
        $0.pages.upperBound + 1 == $1.pages.lowerBound
      }
  }

  /// Runs of readable pages without a gap, each within one sector.
  var readableRuns: [Range<Int>] {
    var runs: [Range<Int>] = []
    for area in areas where area.use != .key {
      var start = area.pages.lowerBound
      while start <= area.pages.upperBound {
        let sectorEnd =
          (start / Type2Memory.pagesPerSector + 1) * Type2Memory.pagesPerSector
        let end = min(area.pages.upperBound + 1, sectorEnd)
        if let last = runs.last, last.upperBound == start,
          start % Type2Memory.pagesPerSector != 0
        {
          runs[runs.count - 1] = last.lowerBound..<end
        } else {
          runs.append(start..<end)
        }
        start = end
      }
    }
    return runs
  }
}
