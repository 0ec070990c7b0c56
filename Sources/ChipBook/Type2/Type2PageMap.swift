/// The use of each page of a chip.
package struct Type2PageMap: Hashable, Sendable {
  package typealias Use = UltralightArea.Use
  package typealias Area = UltralightArea

  package static let staticLockPage = 2
  package static let oneTimePage = 3
  /// In bytes.
  package static let pageSize = 4
  /// As many as a command can address.
  package static let pagesPerSector = 256

  /// In order, without overlaps, counted through all sectors; a page in none of them is not there.
  package let areas: [Area]

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
  package var readableEnd: Int {
    (areas.last { $0.use != .key }?.pages.upperBound ?? -1) + 1
  }

  /// One more than the last page.
  package var end: Int { (areas.last?.pages.upperBound ?? -1) + 1 }

  /// The pages for the user's data, up to the first that is used otherwise.
  package var user: ClosedRange<Int>? { areas.first { $0.use == .user }?.pages }

  /// `nil` for a page that is not there.
  package func use(ofPage page: Int) -> Use? {
    areas.first { $0.pages.contains(page) }?.use
  }

  /// Whether the memory has sectors or gaps, so that no range of pages is read without looking.
  package var isContiguous: Bool {
    readableEnd <= Self.pagesPerSector
      && zip(areas, areas.dropFirst()).allSatisfy {
        $0.pages.upperBound + 1 == $1.pages.lowerBound
      }
  }

  /// Runs of readable pages without a gap, each within one sector.
  package var readableRuns: [Range<Int>] {
    var runs: [Range<Int>] = []
    for area in areas where area.use != .key {
      var start = area.pages.lowerBound
      while start <= area.pages.upperBound {
        let sectorEnd =
          (start / Self.pagesPerSector + 1) * Self.pagesPerSector
        let end = min(area.pages.upperBound + 1, sectorEnd)
        if let last = runs.last, last.upperBound == start,
          start % Self.pagesPerSector != 0
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
  package func setsBits(ofPage page: Int) -> Bool {
    switch use(ofPage: page) {
    case .locks, .oneTime, .identifierAndLocks: true
    default: false
    }
  }
}
