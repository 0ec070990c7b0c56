/// Makes the NFC sectors of a MIFARE Classic permanently read-only.
///
/// Source: NXP AN1304, 6.4 and 8.4.
extension ClassicMapping {
  /// A sector that is still open, and the keys with which it is closed.
  private struct OpenSector {
    let sector: Int
    let trailer: MiFareClassicSectorTrailer
    let final: MiFareClassicSectorTrailer
  }

  /// Every sector is checked before anything is written: one that is already closed is skipped;
  /// every other must open with key B, which must be allowed to write the whole trailer. The first
  /// sector, which indicates the tag's state, comes last, so that an interrupted run can be
  /// distinguished from a complete one. A sector keeps its keys.
  mutating func lockSectors(_ session: inout MiFareClassicSession) throws {
    let open = try openSectors(&session)
    guard !open.isEmpty else { return }
    let link = session.link
    try link.uninterrupted {
      for sector in open.reversed() {
        try session.writeTrailer(
          sector.final, ofSector: sector.sector, with: .b, sector.final.keyB,
          "the sector was closed in the meantime")
      }
    }
  }

  /// Returns the changes that ``lockSectors(_:)`` would make.
  mutating func lockSteps(_ session: inout MiFareClassicSession) throws -> [LockStep] {
    try openSectors(&session).reversed().map { open in
      LockStep(
        .sector(open.sector),
        .accessRights(before: open.trailer.accessBytes, after: open.final.accessBytes))
    }
  }

  /// Returns the sectors that are still open, with their trailers, after checking that all of them can be closed.
  private mutating func openSectors(
    _ session: inout MiFareClassicSession
  ) throws -> [OpenSector] {
    var found: [OpenSector] = []
    for sector in sectors {
      try open(sector, &session)
      let trailer = try session.readTrailer(ofSector: sector)
      let conditions = trailer.accessConditions
      if conditions.isPermanentlyReadOnly { continue }
      let keyA = try keyA(of: sector, &session)
      let keysB = keys.given + (keys.includesPublic ? [.factory] : [])
      guard let keyB = try session.firstKey(of: sector, .b, keysB) else {
        throw NFCError(
          .notAuthenticated,
          keys.given.isEmpty
            ? "the card can be locked only with key B, which is not the one of a formatted card"
            : "the card can be locked only with key B, which is not among the keys",
          place: .sector(sector))
      }
      guard conditions.writableTrailerFields(with: .b) == .all else {
        throw NFCError(
          .notAuthenticated, "the access bits \(conditions) do not let key B lock the sector",
          place: .sector(sector))
      }
      found.append(
        OpenSector(
          sector: sector, trailer: trailer,
          final: MiFareClassicSectorTrailer(
            keyA: keyA, accessConditions: .ndefReadOnly,
            generalPurposeByte: ClassicMapping.readOnlyByte, keyB: keyB)))
    }
    return found
  }

  /// Returns key A of a sector that is open. A trailer is written as a whole, so that an unknown key would be lost.
  private func keyA(
    of sector: Int, _ session: inout MiFareClassicSession
  ) throws -> MiFareClassicKey {
    if let opener = openers[sector], opener.type == .a { return opener.key }
    guard let key = try session.firstKey(of: sector, .a, keys.keys(.a, .ndef)) else {
      throw NFCError(
        .notAuthenticated, "key A, which a lock writes again, is not among the keys",
        place: .sector(sector))
    }
    return key
  }
}

extension MiFareClassicSectorTrailer {
  /// The bytes 6 to 9.
  fileprivate var accessBytes: [UInt8] { accessConditions.bytes + [generalPurposeByte] }
}
