/// The number of blocks in one command; refusals of the card lower it.
struct FeliCaBlockLimits: Hashable, Sendable {
  var read: Int
  var write: Int

  /// The limits of most cards, for chips without published limits.
  private static let usual = (read: 12, write: 8)

  /// Where to begin with a card.
  init(pmm: [UInt8]) {
    let type = FeliCaChip(pmm: pmm)
    read = type?.blocksPerRead ?? Self.usual.read
    write = type?.blocksPerWrite ?? Self.usual.write
  }

  /// Creates limits from the card's own report, restricted to what is known about its chip.
  init(read: Int, write: Int, pmm: [UInt8]) {
    let type = FeliCaChip(pmm: pmm)
    self.read = max(1, min(read, type?.blocksPerRead ?? read))
    self.write = max(1, min(write, type?.blocksPerWrite ?? write))
  }
}
