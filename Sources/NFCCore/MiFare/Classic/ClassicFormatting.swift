/// Formats a MIFARE Classic as on delivery as an NFC tag.
///
/// Source: NXP AN1304, 8 (life cycle), AN10787, 3.
enum ClassicFormatting {
  /// How a sector was found.
  private enum Condition {
    /// Access bits as on delivery, with this key A.
    case blank(MiFareClassicKey)
    /// Already an NFC or directory sector, from an interrupted run, with this key A.
    case done(MiFareClassicKey)

    var isBlank: Bool { if case .blank = self { true } else { false } }

    var keyA: MiFareClassicKey {
      switch self {
      case .blank(let key), .done(let key): key
      }
    }
  }

  /// The message of no bytes and the terminator.
  private static let emptyMessage = TagLengthValue.block(
    message: [], room: MiFareClassicGeometry.blockSize)

  /// The whole card is checked before anything is written: a sector with another key or other
  /// access bits is in use, and so is one whose data blocks have content, unless `wipe` is set.
  /// Data comes first, then the trailers, and last that of sector 0, which makes the card an NFC
  /// tag: a card that is removed before that is still blank for everyone, and formatting it again
  /// continues.
  ///
  /// - Parameter keys: the keys to try.
  static func format(
    wipe: Bool, _ keys: ClassicNDEFKeys, _ session: inout MiFareClassicSession
  ) throws {
    let geometry = session.geometry
    let parts = MiFareApplicationDirectory.Part.allCases.filter {
      geometry.sectors.contains($0.sector)
    }
    var conditions: [Int: Condition] = [:]
    let content = content(geometry, parts)
    for sector in geometry.sectors {
      let condition = try condition(of: sector, trailer(of: sector, parts), keys, &session)
      conditions[sector] = condition
      if !wipe { try checkData(of: sector, condition.keyA, content, &session) }
    }
    for (block, data) in content.sorted(by: { $0.key < $1.key }) {
      let sector = geometry.sector(ofBlock: block)
      let isDirectory = parts.contains { $0.sector == sector }
      guard let condition = conditions[sector] else { continue }
      if isDirectory, !condition.isBlank {
        try repair(data, in: block, of: sector, condition.keyA, keys, &session)
      } else {
        try session.require(sector, .a, condition.keyA, "the sector was closed in the meantime")
        try session.write(data, to: block)
      }
    }
    for sector in geometry.sectors.reversed() {
      guard case .blank(let key) = conditions[sector] else { continue }
      try session.writeTrailer(
        trailer(of: sector, parts), ofSector: sector, with: .a, key,
        "the sector was closed in the meantime")
    }
  }

  /// Returns the content of the data blocks: the directory, and an empty message.
  private static func content(
    _ geometry: MiFareClassicGeometry, _ parts: [MiFareApplicationDirectory.Part]
  ) -> [Int: [UInt8]] {
    let size = MiFareClassicGeometry.blockSize
    var content: [Int: [UInt8]] = [:]
    if let first = geometry.sectors.first(where: { sector in
      !parts.contains { $0.sector == sector }
    }) {
      let padding = [UInt8](repeating: 0, count: size - emptyMessage.count)
      content[geometry.dataBlocks(ofSector: first).lowerBound] = emptyMessage + padding
    }
    for part in parts {
      let bytes = MiFareApplicationDirectory(ndefOn: geometry, part: part).bytes
      for (index, block) in part.blocks.enumerated() {
        content[block] = Array(bytes[index * size..<(index + 1) * size])
      }
    }
    return content
  }

  /// Refuses a sector whose data blocks have content: bytes other than 00 and FF, and other than
  /// what an interrupted format has left.
  private static func checkData(
    of sector: Int, _ key: MiFareClassicKey, _ content: [Int: [UInt8]],
    _ session: inout MiFareClassicSession
  ) throws {
    for block in session.geometry.dataBlocks(ofSector: sector) {
      try session.require(sector, .a, key, "the sector was closed in the meantime")
      let data = try session.read(block)
      guard data != content[block], data.contains(where: { $0 != 0x00 && $0 != 0xFF }) else {
        continue
      }
      throw NFCError(
        .unsupported,
        "the card holds something that is not NDEF, which formatting would overwrite",
        cause: .foreignContent, place: .block(block))
    }
  }

  /// Writes a block of a directory that already has its access conditions, if its content differs:
  /// a card with a broken directory is not an NFC tag. Only key B writes it (AN10787, 3.10).
  private static func repair(
    _ data: [UInt8], in block: Int, of sector: Int, _ keyA: MiFareClassicKey,
    _ keys: ClassicNDEFKeys, _ session: inout MiFareClassicSession
  ) throws {
    try session.require(sector, .a, keyA, "the sector was closed in the meantime")
    guard try session.read(block) != data else { return }
    guard
      try session.firstKey(
        of: sector, .b, keys.given + (keys.includesPublic ? [.factory] : [])) != nil
    else {
      throw NFCError(
        .notAuthenticated,
        "the application directory is broken, and its key B is not the one of a formatted card",
        place: .sector(sector))
    }
    try session.write(data, to: block)
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
    of sector: Int, _ wanted: MiFareClassicSectorTrailer, _ keys: ClassicNDEFKeys,
    _ session: inout MiFareClassicSession
  ) throws -> Condition {
    let block = session.geometry.trailer(ofSector: sector)
    for key in keys.given + (keys.includesPublic ? [.factory] : [])
    where try session.open(sector, .a, key) {
      let found = try MiFareClassicSectorTrailer(session.read(block)).accessConditions
      if found == .transport { return .blank(key) }
      if found == wanted.accessConditions, key != .factory { return .done(key) }
      throw NFCError(
        .unsupported, "the sector is not blank: its access bits are \(found)",
        place: .sector(sector))
    }
    if keys.includesPublic, try session.open(sector, .a, wanted.keyA) {
      let found = try MiFareClassicSectorTrailer(session.read(block))
      if found.accessConditions == wanted.accessConditions { return .done(wanted.keyA) }
    }
    throw NFCError(
      .notAuthenticated,
      "the sector is in use with its own key: only a blank card can be formatted",
      place: .sector(sector))
  }
}
