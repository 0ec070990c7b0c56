/// Finds the NFC sectors by the application directory, and the message in them.
extension ClassicMapping {
  /// Reads the first part of the directory, once. Returns whether there are NFC sectors.
  mutating func findArea(_ session: inout MiFareClassicSession) throws -> Bool {
    if let area, !area.isEmpty { return true }
    if area == nil {
      area = try sectors(in: .first, &session).map(dataBlocks)
      if area == nil {
        if openers[MiFareApplicationDirectory.Part.first.sector] == nil,
          let refusal = try refusal(of: .first, &session)
        {
          throw refusal
        }
        area = []
        hasMore = false
      }
    }
    // NFC sectors may begin in the second half of a card.
    while area == [], hasMore { try extendArea(&session) }
    return area != []
  }

  /// Reads the rest of the directory, and checks that the message ends within the area.
  mutating func completeArea(
    for place: Place, _ session: inout MiFareClassicSession
  ) throws {
    if hasMore { try extendArea(&session) }
    guard place.end <= size else {
      if let closedPart { throw closedPart }
      throw NFCError(
        .malformedContent,
        "the message has \(place.value.count) bytes where \(size - place.value.lowerBound) are left",
        place: .offset(place.offset))
    }
  }

  /// Reads the second part of the directory.
  mutating func extendArea(_ session: inout MiFareClassicSession) throws {
    hasMore = false
    guard let more = try sectors(in: .second, &session) else {
      // The message may end before it.
      closedPart = try refusal(of: .second, &session)
      if area == [], let closedPart { throw closedPart }
      return
    }
    area = (area ?? []) + dataBlocks(more)
  }

  private func dataBlocks(_ sectors: [Int]) -> [Int] {
    sectors.filter(geometry.sectors.contains).flatMap { geometry.dataBlocks(ofSector: $0) }
  }

  /// Returns the NFC sectors in a part of the directory; `nil` if there is no directory: no key opens its sector, or
  /// the checksum is wrong.
  private mutating func sectors(
    in part: MiFareApplicationDirectory.Part, _ session: inout MiFareClassicSession
  ) throws -> [Int]? {
    guard try openForReading(part.sector, .applicationDirectory, &session) else { return nil }
    var bytes: [UInt8] = []
    for block in part.blocks { bytes += try read(block, .applicationDirectory, &session) }
    return try? MiFareApplicationDirectory(bytes, part: part).sectors(of: .ndef)
  }

  // MARK: Area

  func sector(ofUnit unit: Int) -> Int? {
    guard let area, area.indices.contains(unit) else { return nil }
    return geometry.sector(ofBlock: area[unit])
  }

  func byte(_ offset: Int) -> UInt8? {
    content[offset / Self.blockSize].map { $0[offset % Self.blockSize] }
  }

  mutating func open(_ sector: Int, _ session: inout MiFareClassicSession) throws {
    guard try openForReading(sector, .ndef, &session) else {
      throw NFCError(
        .notAuthenticated,
        keys.given.isEmpty
          ? "the public NFC key does not open the sector that holds the message"
          : "none of the keys opens the sector that holds the message", place: .sector(sector))
    }
  }

  /// Reads the unknown ones of these bytes.
  mutating func load(_ range: Range<Int>, _ session: inout MiFareClassicSession) throws {
    guard !range.isEmpty else { return }
    for unit in range.lowerBound / Self.blockSize...(range.upperBound - 1) / Self.blockSize
    where content[unit] == nil {
      guard let area, area.indices.contains(unit) else { continue }
      try open(geometry.sector(ofBlock: area[unit]), &session)
      content[unit] = try read(area[unit], .ndef, &session)
    }
  }

  mutating func loadRights(
    ofSector sector: Int, _ session: inout MiFareClassicSession
  ) throws -> Rights {
    if let known = rights[sector] { return known }
    try open(sector, &session)
    let trailer = try session.readTrailer(ofSector: sector)
    let found = Rights(
      conditions: trailer.accessConditions, generalPurposeByte: trailer.generalPurposeByte)
    rights[sector] = found
    return found
  }

  /// Finds the message's TLV, reading only what is necessary.
  ///
  /// - Parameter repairing: whether broken content counts as the place for a new message.
  mutating func locate(
    _ session: inout MiFareClassicSession, repairing: Bool
  ) throws -> Place {
    if let place { return place }
    if repairing, hasMore { try extendArea(&session) }
    // As long as the second part of the directory is not known, the area may be longer.
    var search = MessageSearch(TagDataArea(0..<bound), repairing: repairing)
    while true {
      switch try search.advance({ byte($0) }, place: { .offset($0) }) {
      case .needs(let range):
        if range.upperBound > size, hasMore {
          try extendArea(&session)
          search = MessageSearch(TagDataArea(0..<bound), repairing: repairing)
        } else {
          try load(range, &session)
        }
      case .message(let block):
        // It may continue beyond the known part of the area: see ``completeArea(for:_:)``.
        let found = Place(offset: block.offset, message: block)
        place = found
        return found
      case .place(let offset):
        let found = Place(offset: offset, message: nil)
        place = found
        return found
      }
    }
  }

  private var bound: Int { hasMore ? Int(UInt16.max) * 2 : size }

  /// The maximum number of searches for what follows a message without a terminator.
  private static let searchLimit = 8

  /// Finds the TLVs after the message that a new one must not destroy.
  ///
  /// - Parameter isComplete: whether to search however far away they are, as before a write;
  ///   otherwise the search is limited.
  mutating func following(
    _ place: Place, isComplete: Bool, _ session: inout MiFareClassicSession
  ) throws -> Range<Int> {
    if let known = place.following { return known }
    let none = place.end..<place.end
    for _ in 0...(isComplete ? size / Self.blockSize : Self.searchLimit) {
      switch place.message?.following(size: size, byte) {
      case .needs(let missing): try load(missing, &session)
      case .bytes(let offsets):
        self.place?.following = offsets
        return offsets
      case nil: return none
      }
    }
    return none
  }
}
