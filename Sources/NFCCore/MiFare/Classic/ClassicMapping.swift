/// NDEF on a MIFARE Classic: the sectors that the application directory assigns to NFC, their data
/// blocks in sequence, and TLVs in them.
///
/// Sources: NXP AN1304 and AN1305 (NFC Type MIFARE Classic Tag), AN10787 (MAD).
struct ClassicMapping: NDEFMapping {
  /// Who may write, and how the tag says so.
  struct Rights: Hashable, Sendable {
    let conditions: MiFareClassicAccessConditions
    let generalPurposeByte: UInt8

    /// Bits 1 and 0 of the general purpose byte: 00 allows writing, 11 denies it (AN1304, 6.1).
    static let noWriteAccess: UInt8 = 0x03

    /// Whether key A writes every data block.
    var isWritable: Bool {
      generalPurposeByte & Self.noWriteAccess != Self.noWriteAccess
        && (0..<MiFareClassicAccessConditions.trailerGroup).allSatisfy {
          conditions.allows(.write, group: $0, with: .a)
        }
    }
  }

  /// The position of the message's TLV, or where one can begin.
  struct Place: Hashable, Sendable {
    let offset: Int
    /// The message; `nil` if none has been begun, or it is broken.
    let message: TagLengthValue?
    /// The TLVs after the message that a new one must not destroy; `nil` as long as they are not looked for.
    var following: Range<Int>?

    var value: Range<Int> { message?.value ?? offset..<offset }
    var end: Int { message?.end ?? offset }
  }

  /// Mapping version 1.0, reading and writing granted (AN1304, 6.1).
  static let readWriteByte: UInt8 = 0x40
  /// Mapping version 1.0, reading granted, writing denied.
  static let readOnlyByte: UInt8 = 0x43
  static let blockSize = MiFareClassicGeometry.blockSize

  let geometry: MiFareClassicGeometry
  /// The blocks of the data area as far as the directory has been read; `nil` before, empty for a
  /// card without NFC sectors.
  private(set) var area: [Int]?
  /// Whether the second part of the directory is still to be read.
  private(set) var hasMore: Bool
  private var place: Place?
  /// The known content of the area, by the index of the block.
  private var content: [Int: [UInt8]] = [:]
  private(set) var rights: [Int: Rights] = [:]
  /// Whether an exchange of this call confirms the known content.
  private var isProven = false

  init(_ geometry: MiFareClassicGeometry) {
    self.geometry = geometry
    hasMore = Self.hasSecondPart(geometry)
  }

  /// `nil` for a tag that is no MIFARE Classic.
  init?(_ target: ISO14443ATarget) {
    guard case .miFare(.classic) = TypeAIdentification.kind(target, version: nil),
      let geometry = MiFareClassicGeometry(sak: target.sak)
    else { return nil }
    self.init(geometry)
  }

  private static func hasSecondPart(_ geometry: MiFareClassicGeometry) -> Bool {
    geometry.sectorCount > MiFareApplicationDirectory.Part.second.sector
  }

  mutating func beginCall() {
    isProven = false
    // If a card has no NFC sectors, this is checked again: it may have left, or have been
    // formatted.
    if area == [] { forgetAll() }
  }

  mutating func discardCachedContent() {
    content = [:]
    place = nil
  }

  /// Begins a call: one exchange shows that the card of which something is known is still there.
  private mutating func prove(_ session: inout MiFareClassicSession) throws {
    defer { isProven = true }
    guard !isProven, let first = sectors.first else { return }
    try open(first, &session)
  }

  private mutating func forgetAll() { self = ClassicMapping(geometry) }

  /// The sectors of the area, in order.
  var sectors: [Int] {
    var sectors: [Int] = []
    for block in area ?? [] {
      let sector = geometry.sector(ofBlock: block)
      if sectors.last != sector { sectors.append(sector) }
    }
    return sectors
  }

  private var size: Int { (area ?? []).count * Self.blockSize }

  // MARK: Directory

  /// Reads the first part of the directory, once. Returns whether there are NFC sectors.
  mutating func findArea(_ session: inout MiFareClassicSession) throws -> Bool {
    if let area, !area.isEmpty { return true }
    if area == nil {
      area = try sectors(in: .first, &session).map(dataBlocks)
      if area == nil {
        area = []
        hasMore = false
      }
    }
    // NFC sectors may begin in the second half of a card.
    while area == [], hasMore { try extendArea(&session) }
    return area != []
  }

  /// Reads the rest of the directory, and checks that the message ends within the area.
  private mutating func completeArea(
    for place: Place, _ session: inout MiFareClassicSession
  ) throws {
    if hasMore { try extendArea(&session) }
    guard place.end <= size else {
      throw NFCError(
        .malformedContent,
        "the message has \(place.value.count) bytes where \(size - place.value.lowerBound) are left",
        place: .offset(place.offset))
    }
  }

  /// Reads the second part of the directory.
  private mutating func extendArea(_ session: inout MiFareClassicSession) throws {
    hasMore = false
    guard let more = try sectors(in: .second, &session) else { return }
    area = (area ?? []) + dataBlocks(more)
  }

  private func dataBlocks(_ sectors: [Int]) -> [Int] {
    sectors.filter(geometry.sectors.contains).flatMap { geometry.dataBlocks(ofSector: $0) }
  }

  /// Returns the NFC sectors in a part of the directory; `nil` if there is no directory: the public
  /// key does not open its sector, or the checksum is wrong.
  private func sectors(
    in part: MiFareApplicationDirectory.Part, _ session: inout MiFareClassicSession
  ) throws -> [Int]? {
    guard try session.open(part.sector, .a, .applicationDirectory) else { return nil }
    var bytes: [UInt8] = []
    for block in part.blocks { bytes += try session.read(block) }
    return try? MiFareApplicationDirectory(bytes, part: part).sectors(of: .ndef)
  }

  // MARK: Area

  private func sector(ofUnit unit: Int) -> Int? {
    guard let area, area.indices.contains(unit) else { return nil }
    return geometry.sector(ofBlock: area[unit])
  }

  private func byte(_ offset: Int) -> UInt8? {
    content[offset / Self.blockSize].map { $0[offset % Self.blockSize] }
  }

  private func open(_ sector: Int, _ session: inout MiFareClassicSession) throws {
    try session.require(
      sector, .a, .ndef, "the public NFC key does not open the sector that holds the message")
  }

  /// Reads the unknown ones of these bytes.
  private mutating func load(_ range: Range<Int>, _ session: inout MiFareClassicSession) throws {
    guard !range.isEmpty else { return }
    for unit in range.lowerBound / Self.blockSize...(range.upperBound - 1) / Self.blockSize
    where content[unit] == nil {
      guard let area, area.indices.contains(unit) else { continue }
      try open(geometry.sector(ofBlock: area[unit]), &session)
      content[unit] = try session.read(area[unit])
    }
  }

  private mutating func loadRights(
    ofSector sector: Int, _ session: inout MiFareClassicSession
  ) throws -> Rights {
    if let known = rights[sector] { return known }
    try open(sector, &session)
    let trailer = try MiFareClassicSectorTrailer(session.read(geometry.trailer(ofSector: sector)))
    let found = Rights(
      conditions: trailer.accessConditions, generalPurposeByte: trailer.generalPurposeByte)
    rights[sector] = found
    return found
  }

  /// Finds the message's TLV, reading only what is necessary.
  ///
  /// - Parameter repairing: whether broken content counts as the place for a new message.
  private mutating func locate(
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
  private mutating func following(
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

  // MARK: NDEFMapping

  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    var session = MiFareClassicSession(link, geometry)
    try prove(&session)
    return try status(&session, repairing: false)
  }

  /// Reads the content that a write is compared with, in this call.
  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus {
    var session = MiFareClassicSession(link, geometry)
    discardCachedContent()
    isProven = true
    return try status(&session, repairing: true)
  }

  private mutating func status(
    _ session: inout MiFareClassicSession, repairing: Bool
  ) throws -> NDEFStatus {
    guard try findArea(&session), let first = sectors.first else { return .notSupported }
    let place = try locate(&session, repairing: repairing)
    let rights = try loadRights(ofSector: first, &session)
    try completeArea(for: place, &session)
    let following = try following(place, isComplete: repairing, &session)
    return NDEFStatus(
      access: rights.isWritable ? .readWrite : .readOnly,
      capacity: TagLengthValue.capacity(room: size - place.offset - following.count))
  }

  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    var session = MiFareClassicSession(link, geometry)
    try prove(&session)
    guard try findArea(&session) else {
      throw NFCError(
        .notNDEF, "the card has no application directory with NFC sectors, or another key for it")
    }
    let place = try locate(&session, repairing: false)
    try load(place.value.clamped(to: 0..<max(size, place.value.lowerBound)), &session)
    if place.end > size {
      let known = size
      try completeArea(for: place, &session)
      try load(max(known, place.value.lowerBound)..<place.end, &session)
    }
    guard let message = knownMessage(at: place), !MessageReplacement.isNone(message) else {
      return nil
    }
    return message
  }

  private func knownMessage(at place: Place) -> [UInt8]? {
    let known = place.value.compactMap { byte($0) }
    return known.count == place.value.count ? known : nil
  }

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
    let writes = replacement.writes(old: byte, unit: { $0 / Self.blockSize })
    try checkWritable(writes, &session)
    self.place = nil
    let lengthUnit = (place.offset + 1) / Self.blockSize
    for write in writes {
      guard let area, area.indices.contains(write.unit) else { continue }
      let data = content(of: write)
      try open(geometry.sector(ofBlock: area[write.unit]), &session)
      if write.unit == lengthUnit {
        let link = session.link
        try link.uninterrupted { try session.write(data, to: area[write.unit]) }
      } else {
        try session.write(data, to: area[write.unit])
      }
      content[write.unit] = data
    }
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
      guard try loadRights(ofSector: sector, &session).isWritable else {
        throw NFCError(.readOnly, "a sector of the message is read-only", place: .sector(sector))
      }
    }
  }

  /// Returns the bytes of a block to write. Bytes outside the message do not change.
  private func content(of write: MessageReplacement.UnitWrite) -> [UInt8] {
    var data = content[write.unit] ?? [UInt8](repeating: 0, count: Self.blockSize)
    for (offset, byte) in write.content { data[offset % Self.blockSize] = byte }
    return data
  }

  /// Empties a formatted card, even if it is broken. For a blank card see ``ClassicFormatting``.
  mutating func format(wipe: Bool, _ link: TagLink) throws {
    let status = try statusForWriting(link)
    var session = MiFareClassicSession(link, geometry)
    switch status.access {
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    case .readWrite: try write([], &session)
    case .notSupported:
      try ClassicFormatting.format(wipe: wipe, &session)
      forgetAll()
    }
  }

  mutating func lock(_ link: TagLink) throws {
    var session = try sessionForLocking(link)
    try ClassicLocking.lock(sectors, &session)
  }

  mutating func lockPlan(_ link: TagLink) throws -> [LockStep] {
    var session = try sessionForLocking(link)
    return try ClassicLocking.plan(sectors, &session)
  }

  /// Finds all sectors of the area, and returns the session.
  private mutating func sessionForLocking(_ link: TagLink) throws -> MiFareClassicSession {
    var session = MiFareClassicSession(link, geometry)
    discardCachedContent()
    rights = [:]
    guard try findArea(&session) else {
      throw NFCError.notFormatted
    }
    if hasMore { try extendArea(&session) }
    let place = try locate(&session, repairing: false)
    try completeArea(for: place, &session)
    return session
  }
}
