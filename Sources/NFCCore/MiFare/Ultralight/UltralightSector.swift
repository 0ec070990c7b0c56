/// The selected sector of a tag, for a procedure over the pages of all sectors.
struct UltralightSector {
  /// `nil` while it is not known: the program may have selected one.
  private var current: Int?

  init(_ pages: Type2PageMap) {
    current = pages.end <= Type2Memory.pagesPerSector && pages.isContiguous ? 0 : nil
  }

  /// Selects a page's sector, if it is not; two exchanges.
  ///
  /// - Parameter page: counted through all sectors.
  /// - Returns: its address there.
  mutating func address(ofPage page: Int, _ link: TagLink) throws -> Int {
    try select(page / Type2Memory.pagesPerSector, link)
    return page % Type2Memory.pagesPerSector
  }

  /// Leaves the tag in sector 0, where other commands expect it.
  mutating func leave(_ link: TagLink) throws { try select(0, link) }

  /// The tag has been selected: every tag begins in sector 0.
  mutating func tagWasSelected() { current = 0 }

  private mutating func select(_ sector: Int, _ link: TagLink) throws {
    guard current != sector else { return }
    current = nil
    try UltralightProcedure.selectSector(UInt8(truncatingIfNeeded: sector), link)
    current = sector
  }
}
