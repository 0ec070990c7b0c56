/// Writes, empties and locks.
extension ClassicMapping {
  mutating func write(_ message: [UInt8], _ link: TagLink) throws {
    var session = MiFareClassicSession(link, geometry)
    try write(message, &session)
  }

  mutating func write(
    _ message: [UInt8], _ session: inout MiFareClassicSession
  ) throws {
    let place = try locate(&session, repairing: true)
    try completeArea(for: place, &session)
    let replacement = try replacement(message, at: place, &session)
    let end = replacement.end
    // Parts that the old message and the new one have in common need not be written; the rest of a
    // block does not change.
    try load(place.offset..<min(end, place.end), &session)
    try load(place.offset..<place.offset + 1, &session)
    try load(end - 1..<end, &session)
    // With the terminator of the old message, which a refusal leaves as it was.
    if place.end < size { try load(place.end..<place.end + 1, &session) }
    let writes = replacement.writes(
      old: byte, unit: { $0 / Self.blockSize }, farthestFirst: true)
    try checkWritable(writes, &session)
    self.place = nil
    var units: [WholeUnit] = []
    var contents: [Int: [UInt8]] = [:]
    var old: [Int: [UInt8]] = [:]
    for write in writes {
      guard let area, area.indices.contains(write.unit) else { continue }
      let block = area[write.unit]
      old[block] = old[block] ?? content[write.unit]
      let data = content(of: write, contents[write.unit] ?? content[write.unit])
      contents[write.unit] = data
      units.append(WholeUnit(unit: block, data: data))
    }
    var mapping = self
    var blocks = MiFareClassicBlocks(session: session) { session, block, isRead in
      let sector = mapping.geometry.sector(ofBlock: block)
      if isRead {
        try mapping.open(sector, &session)
      } else {
        try mapping.openForWriting(sector, &session)
      }
      return true
    }
    defer { session = blocks.session }
    try blocks.perform(units, over: { old[$0] })
    content.merge(contents) { $1 }
  }

  /// Returns the message's TLV together with those that follow it.
  private mutating func replacement(
    _ message: [UInt8], at place: Place, _ session: inout MiFareClassicSession
  ) throws -> MessageReplacement {
    guard size - place.offset >= TagLengthValue.shortestHeader else {
      throw NFCError(.capacityExceeded, "other TLVs of the card leave no room for a message")
    }
    let kept = try following(place, isComplete: true, &session)
    try load(kept, &session)
    return try MessageReplacement(
      of: place.message ?? .emptyMessage(at: place.offset), by: message, size: size,
      followedBy: kept.compactMap { byte($0) }, at: kept.lowerBound)
  }

  /// Finds sectors that are closed to writing before the old message is discarded.
  private mutating func checkWritable(
    _ writes: [MessageReplacement.UnitWrite], _ session: inout MiFareClassicSession
  ) throws {
    for sector in Set(writes.compactMap { sector(ofUnit: $0.unit) }).sorted() {
      switch try writeAccess(toSector: sector, &session) {
      case .open: break
      case .closed:
        throw NFCError(.readOnly, "a sector of the message is read-only", place: .sector(sector))
      case .closedWithoutKey(let type):
        throw NFCError(
          .notAuthenticated,
          "only key \(type.letter) may write a sector of the message, and it is not among the keys",
          place: .sector(sector))
      }
    }
  }

  private mutating func openForWriting(
    _ sector: Int, _ session: inout MiFareClassicSession
  ) throws {
    guard let writer = writers[sector], try session.open(sector, writer) else {
      throw NFCError(
        .notAuthenticated, "the sector was closed in the meantime", place: .sector(sector))
    }
  }

  /// Returns the bytes of a block to write. Bytes outside the message do not change.
  private func content(
    of write: MessageReplacement.UnitWrite, _ present: [UInt8]?
  ) -> [UInt8] {
    var data = present ?? [UInt8](repeating: 0, count: Self.blockSize)
    for (offset, byte) in write.content { data[offset % Self.blockSize] = byte }
    return data
  }

  /// Empties a formatted card, even if it is broken. For a blank card see ``ClassicFormatting``.
  mutating func format(wipe: Bool, _ link: TagLink) throws {
    let status = try statusForFormatting(link)
    var session = MiFareClassicSession(link, geometry)
    switch status.access {
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    case .readWrite: try write([], &session)
    case .notSupported:
      try ClassicFormatting.format(wipe: wipe, keys, &session)
      forgetAll()
    }
  }

  /// A card whose first sector has another key than the public ones and the one on delivery is not formatted, and its
  /// own keys may be known.
  private mutating func statusForFormatting(_ link: TagLink) throws -> NDEFStatus {
    do {
      return try statusForWriting(link)
    } catch let error as NFCError
      where error.code == .notAuthenticated && openers[0] == nil && !keys.given.isEmpty
    {
      return .notSupported
    }
  }

  mutating func lock(_ link: TagLink) throws {
    var session = try sessionForLocking(link)
    try lockSectors(&session)
  }

  mutating func lockPlan(_ link: TagLink) throws -> [LockStep] {
    var session = try sessionForLocking(link)
    return try lockSteps(&session)
  }

  /// Finds all sectors of the area, and returns the session.
  private mutating func sessionForLocking(_ link: TagLink) throws -> MiFareClassicSession {
    var session = MiFareClassicSession(link, geometry)
    discardCachedContent()
    rights = [:]
    writers = [:]
    guard try findArea(&session) else {
      throw NFCError.notFormatted
    }
    if hasMore { try extendArea(&session) }
    let place = try locate(&session, repairing: false)
    try completeArea(for: place, &session)
    return session
  }
}
