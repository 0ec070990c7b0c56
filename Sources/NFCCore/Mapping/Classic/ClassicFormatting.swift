/// Makes an NFC tag of a MIFARE Classic as it leaves the factory.
///
/// Source: NXP AN1304, 8 (life cycle), AN10787, 3.
enum ClassicFormatting {
  /// How a sector was found.
  private enum Condition {
    /// Transport key and access bits.
    case blank
    /// Made an NFC or directory sector already, by a run that was broken off.
    case done
  }

  /// The message of no bytes and the terminator.
  private static let emptyMessage = TagLengthValue.block(
    message: [], room: MiFareClassicGeometry.blockSize)

  /// The whole card is looked at before anything is written. Data comes first, then the trailers, and
  /// last that of sector 0, which makes it an NFC tag: a card torn away before that is still blank to
  /// everybody, and formatting it again goes on where it was.
  static func format(_ session: inout MiFareClassicSession) throws {
    let geometry = session.geometry
    let parts = MiFareApplicationDirectory.Part.allCases.filter {
      geometry.sectors.contains($0.sector)
    }
    var conditions: [Int: Condition] = [:]
    for sector in geometry.sectors {
      conditions[sector] = try condition(
        of: sector, trailer(of: sector, parts), &session)
    }
    let first = geometry.sectors.first { sector in !parts.contains { $0.sector == sector } }
    if let first {
      let padding = MiFareClassicGeometry.blockSize - emptyMessage.count
      try write(
        emptyMessage + [UInt8](repeating: 0, count: padding),
        to: geometry.dataBlocks(ofSector: first).lowerBound, conditions, &session)
    }
    for part in parts where conditions[part.sector] == .blank {
      let bytes = MiFareApplicationDirectory(ndefOn: geometry, part: part).bytes
      for (index, block) in part.blocks.enumerated() {
        let start = index * MiFareClassicGeometry.blockSize
        try write(
          Array(bytes[start..<start + MiFareClassicGeometry.blockSize]), to: block, conditions,
          &session)
      }
    }
    for sector in geometry.sectors.reversed() where conditions[sector] == .blank {
      try write(
        trailer(of: sector, parts).bytes, to: geometry.trailer(ofSector: sector), conditions,
        &session)
    }
  }

  private static func trailer(
    of sector: Int, _ parts: [MiFareApplicationDirectory.Part]
  ) -> MiFareClassicSectorTrailer {
    guard let part = parts.first(where: { $0.sector == sector }) else {
      return MiFareClassicSectorTrailer(
        keyA: .ndef, accessConditions: .ndef, generalPurposeByte: ClassicMapping.readWriteByte,
        keyB: .factory)
    }
    // The second part's general purpose byte is not used (AN10787, 3.3).
    let byte =
      part == .first
      ? MiFareApplicationDirectory.GeneralPurposeByte.byte(version: parts.count) : 0
    return MiFareClassicSectorTrailer(
      keyA: .applicationDirectory, accessConditions: .applicationDirectory,
      generalPurposeByte: byte, keyB: .factory)
  }

  private static func condition(
    of sector: Int, _ wanted: MiFareClassicSectorTrailer, _ session: inout MiFareClassicSession
  ) throws -> Condition {
    let block = session.geometry.trailer(ofSector: sector)
    if try session.open(sector, .a, .factory) {
      let found = try MiFareClassicSectorTrailer(session.read(block))
      guard found.accessConditions == .transport else {
        throw NFCError(
          .unsupported, "the sector is not blank: its access bits are \(found.accessConditions)",
          place: .sector(sector))
      }
      return .blank
    }
    if try session.open(sector, .a, wanted.keyA) {
      let found = try MiFareClassicSectorTrailer(session.read(block))
      if found.accessConditions == wanted.accessConditions { return .done }
    }
    throw NFCError(
      .notAuthenticated,
      "the sector is in use with a key of its own: only a blank card is formatted",
      place: .sector(sector))
  }

  private static func write(
    _ data: [UInt8], to block: Int, _ conditions: [Int: Condition],
    _ session: inout MiFareClassicSession
  ) throws {
    let sector = session.geometry.sector(ofBlock: block)
    let key: MiFareClassicKey = conditions[sector] == .blank ? .factory : .ndef
    try session.require(sector, .a, key, "the sector has closed meanwhile")
    try session.write(data, to: block)
  }
}

/// Makes the NFC sectors of a MIFARE Classic read-only for good.
///
/// Source: NXP AN1304, 6.4 and 8.4.
enum ClassicLocking {
  /// Every sector is looked at before anything is written. The first sector, by which the tag's state is
  /// told, comes last: a run that was broken off can be repeated.
  static func lock(_ sectors: [Int], _ session: inout MiFareClassicSession) throws {
    var open: [Int] = []
    for sector in sectors {
      try session.require(
        sector, .b, .factory,
        "only with key B can the card be locked, and it is not the one of a formatted card")
      let trailer = try MiFareClassicSectorTrailer(
        session.read(session.geometry.trailer(ofSector: sector)))
      if trailer.accessConditions == .ndefReadOnly { continue }
      guard trailer.accessConditions.writableTrailerFields(with: .b) == .all else {
        throw NFCError(
          .notAuthenticated,
          "the access bits \(trailer.accessConditions) do not let key B lock the sector",
          place: .sector(sector))
      }
      open.append(sector)
    }
    let trailer = MiFareClassicSectorTrailer(
      keyA: .ndef, accessConditions: .ndefReadOnly,
      generalPurposeByte: ClassicMapping.readOnlyByte, keyB: .factory)
    for sector in open.reversed() {
      try session.require(sector, .b, .factory, "the sector has closed meanwhile")
      try session.write(trailer.bytes, to: session.geometry.trailer(ofSector: sector))
    }
  }
}
