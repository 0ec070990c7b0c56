/// The use of each page of a chip.
struct Type2PageMap: Hashable, Sendable {
  typealias Use = UltralightArea.Use
  typealias Area = UltralightArea

  static let staticLockPage = 2
  static let oneTimePage = 3

  /// In order, without overlaps, counted through all sectors; a page in none of them is not there.
  let areas: [Area]

  /// Creates the areas after pages 0 to 3, which all chips use alike.
  init(_ areas: (ClosedRange<Int>, Use)...) { self.init(areas) }

  init(_ areas: [(ClosedRange<Int>, Use)]) {
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

  /// Whether bits of a page can only be set: lock bits, and the one-time bits of page 3.
  func setsBits(ofPage page: Int) -> Bool {
    switch use(ofPage: page) {
    case .locks, .oneTime, .identifierAndLocks: true
    default: false
    }
  }
}
