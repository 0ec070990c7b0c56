import NFC

/// Which tags have been read and have not left since.
struct TagPresence {
  private struct Entry {
    let key: Key
    var misses = 0
  }

  private struct Key: Hashable {
    let technology: TagTechnology
    let identifier: [UInt8]

    init(_ tag: TagObject) {
      technology = tag.native.technology
      identifier = tag.native.identifier
    }
  }

  private var known: [Entry] = []

  /// Takes in what one round has found, and gives those that are new.
  mutating func arrivals(among tags: [TagObject]) -> [TagObject] {
    let keys = Set(tags.map(Key.init))
    for index in known.indices {
      known[index].misses = keys.contains(known[index].key) ? 0 : known[index].misses + 1
    }
    // A tag at the edge of the field is easily missed once.
    known.removeAll { $0.misses >= PollCycle.missesUntilLeft }
    let arrivals = tags.filter { tag in !known.contains { $0.key == Key(tag) } }
    known += arrivals.map { Entry(key: Key($0)) }
    return arrivals
  }

  /// The tag is to be an arrival again in the next round.
  mutating func forget(_ tag: TagObject) {
    known.removeAll { $0.key == Key(tag) }
  }
}
