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
    do {
      try MiFareClassicExchange.authenticate(block, keyType, key.bytes, link)
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
      guard try open(sector.sector, sector.keyType, sector.key) else { throw error }
      return try readOnce(block)
    }
  }

  private mutating func readOnce(_ block: Int) throws -> [UInt8] {
    try closingOnFailure { link in
      try MiFareClassicExchange.read(UInt8(truncatingIfNeeded: block), link)
    }
  }

  /// Writes a block of the open sector. Refuses a broken sector trailer.
  mutating func write(_ data: [UInt8], to block: Int) throws {
    guard data.count == MiFareClassicGeometry.blockSize else {
      throw NFCError(
        .invalidParameter, "a block has 16 bytes, not \(data.count)", place: .block(block))
    }
    if geometry.isTrailer(block) { _ = try MiFareClassicSectorTrailer(data) }
    try closingOnFailure { link in
      link.willChange()
      _ = try MiFareClassicExchange.send(.write(UInt8(truncatingIfNeeded: block), data), link)
    }
  }

  /// Reads the trailer of the open sector. Keys that may not be read are zeros.
  mutating func readTrailer(ofSector sector: Int) throws -> MiFareClassicSectorTrailer {
    try MiFareClassicSectorTrailer(read(geometry.trailer(ofSector: sector)))
  }

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
    try link.uninterrupted(
      recovery: "the sector may already have the new trailer: try its keys, and then the old ones"
    ) { hasChanged in
      try write(trailer.bytes, to: geometry.trailer(ofSector: sector))
      hasChanged = true
      // What was opened with the old trailer proves nothing.
      opened = nil
      let refusal = "the card acknowledged the sector trailer but does not contain it"
      guard try open(sector, .a, trailer.keyA) else {
        throw NFCError(.tagRefused, refusal, place: .sector(sector))
      }
      let found = try readTrailer(ofSector: sector)
      guard found.accessConditions == trailer.accessConditions,
        found.generalPurposeByte == trailer.generalPurposeByte
      else { throw NFCError(.tagRefused, refusal, place: .sector(sector)) }
    }
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
