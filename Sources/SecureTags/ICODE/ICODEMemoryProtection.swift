/// The passwords that the memory of an ICODE chip requires now.
public enum ICODEMemoryProtection: Hashable, Sendable {
  /// The two parts of a SLIX2.
  case parts(ICODEInformation)
  /// The pages of a SLIX-S or SLI-S, in the order of their numbers.
  case pages([ICODEPage])

  /// Whether no block requires a password.
  public var isOpen: Bool {
    switch self {
    case .parts(let information): information.division.isOpen
    case .pages(let pages): pages.allSatisfy { $0.passwords == .open }
    }
  }
}

extension ICODEMemoryProtection: CustomStringConvertible {
  /// A text for people: `none`, or what is required from which block on.
  public var description: String {
    switch self {
    case .parts(let information): "\(information.division)"
    case .pages(let pages): isOpen ? "none" : Self.words(pages)
    }
  }

  /// Returns one phrase for pages in a row with the same protection.
  private static func words(_ pages: [ICODEPage]) -> String {
    var runs: [(blocks: Range<Int>, passwords: ICODEInformation.Part)] = []
    for page in pages {
      if let last = runs.last, last.passwords == page.passwords {
        runs[runs.count - 1].blocks = last.blocks.lowerBound..<page.blocks.upperBound
      } else {
        runs.append((page.blocks, page.passwords))
      }
    }
    let end = pages.last?.blocks.upperBound
    return runs.filter { $0.passwords != .open }.map { run in
      run.blocks.upperBound == end
        ? "\(run.passwords) from block \(run.blocks.lowerBound) on"
        : "\(run.passwords) blocks \(run.blocks.lowerBound) to \(run.blocks.upperBound - 1)"
    }.joined(separator: ", ")
  }
}
