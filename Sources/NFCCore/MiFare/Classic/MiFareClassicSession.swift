/// A procedure's access to a MIFARE Classic: the open sector, and the meaning of a refusal.
///
/// A session lives within one procedure. Between two, other commands may have opened other sectors.
struct MiFareClassicSession {
  let link: TagLink
  let geometry: MiFareClassicGeometry
  private var opened: Opened?

  private struct Opened: Equatable {
    var sector: Int
    var keyType: MiFareClassicKeyType
    var key: MiFareClassicKey
  }

  init(_ link: TagLink, _ geometry: MiFareClassicGeometry) {
    self.link = link
    self.geometry = geometry
  }

  /// Opens a sector: one exchange, none if it is open with this key. A wrong key costs a selection on
  /// top; the card then listens again.
  ///
  /// - Returns: whether it is this key.
  mutating func open(
    _ sector: Int, _ keyType: MiFareClassicKeyType, _ key: MiFareClassicKey
  ) throws -> Bool {
    let wanted = Opened(sector: sector, keyType: keyType, key: key)
    if opened == wanted { return true }
    opened = nil
    guard let block = UInt8(exactly: geometry.trailer(ofSector: sector)) else { return false }
    func authenticate() throws {
      try MiFareClassicExchange.authenticate(block, keyType, key.bytes, link)
    }
    do {
      do {
        try authenticate()
      } catch let error as NFCError where FrameLoss.visible.includes(error) {
        // The card may be in the middle of the authentication.
        try link.selectAgain()
        try authenticate()
      }
    } catch let error as NFCError where error.code == .authenticationFailed {
      return false
    }
    opened = wanted
    return true
  }

  /// Opens a sector, or throws `notAuthenticated`.
  mutating func require(
    _ sector: Int, _ keyType: MiFareClassicKeyType, _ key: MiFareClassicKey, _ reason: String
  ) throws {
    guard try open(sector, keyType, key) else {
      throw NFCError(.notAuthenticated, reason, place: .sector(sector))
    }
  }

  /// Reads a block of the open sector: one exchange.
  ///
  /// After a lost frame, it is read once more. Card and reader may then disagree on the state of the cipher, so the
  /// card is woken and its sector opened again first. Silence is not repeated, because it is a refusal, too.
  mutating func read(_ block: Int) throws -> [UInt8] {
    let sector = opened
    do {
      return try readOnce(block)
    } catch let error as NFCError where FrameLoss.visible.includes(error) {
      guard let sector else { throw error }
      try link.selectAgain()
      guard try open(sector) else { throw error }
      return try readOnce(block)
    }
  }

  private mutating func readOnce(_ block: Int) throws -> [UInt8] {
    try closingOnFailure { link in
      try MiFareClassicExchange.read(UInt8(truncatingIfNeeded: block), link)
    }
  }

  /// Writes a block of the open sector. Refuses a broken sector trailer.
  ///
  /// A card that has written and whose acknowledge is lost looks like one that refuses. So a data block is read then,
  /// and written once more if it does not have the content, unless the card has refused; see ``UnitMemory``, and
  /// ``writeTrailer(_:ofSector:with:_:_:)`` for a trailer.
  mutating func write(_ data: [UInt8], to block: Int) throws {
    guard data.count == MiFareClassicGeometry.blockSize else {
      throw NFCError(
        .invalidParameter, "a block has 16 bytes, not \(data.count)", place: .block(block))
    }
    guard !geometry.isTrailer(block) else {
      _ = try MiFareClassicSectorTrailer(data)
      return try link.changing { try writeOnce(data, to: block) }
    }
    guard let sector = opened else { return try link.changing { try writeOnce(data, to: block) } }
    var blocks = MiFareClassicBlocks(session: self) { session, _, _ in try session.open(sector) }
    defer { self = blocks.session }
    switch try blocks.attempt(WholeUnit(unit: block, data: data), over: nil) {
    case .written: return
    case .refused(let error): throw error
    case .unknown(var error):
      error.recovery = error.recovery ?? "the card may have the block already: read it"
      throw error
    }
  }

  fileprivate mutating func writeOnce(_ data: [UInt8], to block: Int) throws {
    try closingOnFailure { link in
      _ = try MiFareClassicExchange.send(.write(UInt8(truncatingIfNeeded: block), data), link)
    }
  }

  private mutating func open(_ sector: Opened) throws -> Bool {
    try open(sector.sector, sector.keyType, sector.key)
  }

  /// Returns a block of the open sector; `nil` if the key does not allow reading it.
  fileprivate mutating func readIfGranted(_ block: Int) throws -> [UInt8]? {
    do {
      return try read(block)
    } catch let error as NFCError where error.code == .tagRefused {
      return nil
    }
  }

  /// Reads the trailer of the open sector. Keys that may not be read are zeros.
  mutating func readTrailer(ofSector sector: Int) throws -> MiFareClassicSectorTrailer {
    try MiFareClassicSectorTrailer(read(geometry.trailer(ofSector: sector)))
  }

  /// ``NFCError/recovery`` of a trailer whose write has failed.
  static let trailerInDoubt =
    "the sector may already have the new trailer: try its keys, and then the old ones"

  /// Writes a trailer, without interruption by a cancelled task, and verifies it: key A of the new
  /// trailer opens the sector, and the access bits are the expected ones. Three exchanges, and one
  /// to open the sector.
  ///
  /// - Throws: `notAuthenticated` with `reason` if the key does not open the sector; `tagRefused`
  ///   with the sector if the card does not accept the trailer, or not all of it.
  mutating func writeTrailer(
    _ trailer: MiFareClassicSectorTrailer, ofSector sector: Int, with keyType: MiFareClassicKeyType,
    _ key: MiFareClassicKey, _ reason: String
  ) throws {
    try require(sector, keyType, key, reason)
    try link.uninterrupted(recovery: Self.trailerInDoubt) { hasChanged in
      do {
        try write(trailer.bytes, to: geometry.trailer(ofSector: sector))
      } catch let error as NFCError where error.code == .tagRefused {
        // Whatever the card or the reader says of a write, the sector shows what became of it.
        if try contains(trailer, sector), try hasKeyB(of: trailer, sector) { return }
        guard try open(sector, keyType, key) else {
          hasChanged = true
          throw error
        }
        guard error.mayBeLostAcknowledge else { throw error }
        hasChanged = true
        try write(trailer.bytes, to: geometry.trailer(ofSector: sector))
      }
      hasChanged = true
      // What was opened with the old trailer proves nothing.
      opened = nil
      guard try contains(trailer, sector) else {
        throw NFCError(
          .tagRefused, "the card acknowledged the sector trailer but does not contain it",
          place: .sector(sector))
      }
    }
  }

  /// Returns whether key A of a trailer opens the sector, and whether the access bits are those of the trailer.
  private mutating func contains(
    _ trailer: MiFareClassicSectorTrailer, _ sector: Int
  ) throws -> Bool {
    guard try open(sector, .a, trailer.keyA) else { return false }
    let found = try readTrailer(ofSector: sector)
    return found.accessConditions == trailer.accessConditions
      && found.generalPurposeByte == trailer.generalPurposeByte
  }

  /// Returns whether a sector that ``contains(_:_:)`` a trailer also has its key B.
  private mutating func hasKeyB(
    of trailer: MiFareClassicSectorTrailer, _ sector: Int
  ) throws -> Bool {
    guard trailer.accessConditions.isKeyBReadable else {
      return try open(sector, .b, trailer.keyB)
    }
    return try readTrailer(ofSector: sector).keyB == trailer.keyB
  }

  private mutating func closingOnFailure<Result>(
    _ body: (TagLink) throws -> Result
  ) throws -> Result {
    do {
      return try body(link)
    } catch {
      opened = nil
      throw error
    }
  }
}

extension NFCError {
  /// The status word of a PC/SC reader for a failure without a reason (PC/SC part 3, 3.2.2.1).
  private static let noReason: UInt16 = 0x6300

  /// Whether a card's refusal of a write can also be an acknowledge that was lost: it was silence, or the reader gives
  /// no reason.
  fileprivate var mayBeLostAcknowledge: Bool {
    code == .tagRefused && (cause == nil || cause == .statusWord(Self.noReason))
  }
}

/// The data blocks of a MIFARE Classic, as a memory that is changed completely or not at all.
struct MiFareClassicBlocks: UnitMemory {
  var session: MiFareClassicSession
  var link: TagLink { session.link }
  /// Opens the sector of a block, for reading or for writing; `false` if no key does.
  private let open:
    (_ session: inout MiFareClassicSession, _ block: Int, _ isRead: Bool) throws -> Bool

  init(
    session: MiFareClassicSession,
    open:
      @escaping (_ session: inout MiFareClassicSession, _ block: Int, _ isRead: Bool) throws ->
      Bool
  ) {
    self.session = session
    self.open = open
  }

  /// A card that is cancelled between the two parts of a write would have to be woken.
  mutating func write(_ data: [UInt8], to unit: Int) throws {
    guard try open(&session, unit, false) else {
      throw NFCError(.notAuthenticated, "no key opens the sector", place: .block(unit))
    }
    let link = link
    try link.uninterrupted { try link.changing { try session.writeOnce(data, to: unit) } }
  }

  mutating func readBack(_ unit: Int) throws -> [UInt8]? {
    do {
      guard try open(&session, unit, true) else { return nil }
      return try session.readIfGranted(unit)
    } catch let error as NFCError where error.code == .notAuthenticated {
      return nil
    }
  }

  func isRefusal(_ error: NFCError) -> Bool {
    error.group == .refusal && !error.mayBeLostAcknowledge
  }
}
