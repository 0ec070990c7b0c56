/// Makes the NFC sectors of a MIFARE Classic permanently read-only.
///
/// Source: NXP AN1304, 6.4 and 8.4.
enum ClassicLocking {
  /// Every sector is checked before anything is written: one that is already closed is skipped;
  /// every other must open with key B, which must be allowed to write the whole trailer. The first
  /// sector, which indicates the tag's state, comes last, so that an interrupted run can be
  /// distinguished from a complete one.
  static func lock(_ sectors: [Int], _ session: inout MiFareClassicSession) throws {
    let open = try openSectors(among: sectors, &session).map(\.sector)
    guard !open.isEmpty else { return }
    let trailer = finalTrailer
    let link = session.link
    try link.uninterrupted {
      for sector in open.reversed() {
        try session.writeTrailer(
          trailer, ofSector: sector, with: .b, .factory, "the sector was closed in the meantime")
      }
    }
  }

  /// Returns the changes that ``lock(_:_:)`` would make.
  static func plan(
    _ sectors: [Int], _ session: inout MiFareClassicSession
  ) throws -> [LockStep] {
    try openSectors(among: sectors, &session).reversed().map { sector, trailer in
      LockStep(
        .sector(sector),
        .accessRights(before: trailer.accessBytes, after: finalTrailer.accessBytes))
    }
  }

  private static let finalTrailer = MiFareClassicSectorTrailer(
    keyA: .ndef, accessConditions: .ndefReadOnly,
    generalPurposeByte: ClassicMapping.readOnlyByte, keyB: .factory)

  /// Returns the sectors that are still open, with their trailers, after checking that all of them can be closed.
  private static func openSectors(
    among sectors: [Int], _ session: inout MiFareClassicSession
  ) throws -> [(sector: Int, trailer: MiFareClassicSectorTrailer)] {
    var open: [(sector: Int, trailer: MiFareClassicSectorTrailer)] = []
    for sector in sectors {
      try session.require(
        sector, .a, .ndef, "the public NFC key does not open a sector of the message")
      let trailer = try session.readTrailer(ofSector: sector)
      let conditions = trailer.accessConditions
      if conditions.isPermanentlyReadOnly { continue }
      try session.require(
        sector, .b, .factory,
        "the card can be locked only with key B, which is not the one of a formatted card")
      guard conditions.writableTrailerFields(with: .b) == .all else {
        throw NFCError(
          .notAuthenticated, "the access bits \(conditions) do not let key B lock the sector",
          place: .sector(sector))
      }
      open.append((sector, trailer))
    }
    return open
  }
}

extension MiFareClassicSectorTrailer {
  /// The bytes 6 to 9.
  fileprivate var accessBytes: [UInt8] { accessConditions.bytes + [generalPurposeByte] }
}
