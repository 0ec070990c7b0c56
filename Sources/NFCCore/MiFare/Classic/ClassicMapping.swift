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

    /// Whether the tag says that nobody may write.
    var deniesWriting: Bool { generalPurposeByte & Self.noWriteAccess == Self.noWriteAccess }

    /// Whether a key writes every data block.
    func allowsWriting(with key: MiFareClassicKeyType) -> Bool {
      (0..<MiFareClassicAccessConditions.trailerGroup).allSatisfy {
        conditions.allows(.write, group: $0, with: key)
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
  /// The keys to try, in addition to the public ones.
  let keys: ClassicNDEFKeys
  /// The keys that open sectors for reading.
  var openers: [Int: ClassicSectorKey] = [:]
  /// The keys that may write the data blocks of sectors.
  var writers: [Int: ClassicSectorKey] = [:]
  /// The blocks of the data area as far as the directory has been read; `nil` before, empty for a
  /// card without NFC sectors.
  var area: [Int]?
  /// Whether the second part of the directory is still to be read.
  var hasMore: Bool
  /// The error of the second part, if none of the keys opens it.
  var closedPart: NFCError?
  var place: Place?
  /// The known content of the area, by the index of the block.
  var content: [Int: [UInt8]] = [:]
  var rights: [Int: Rights] = [:]
  /// Whether an exchange of this call confirms the known content.
  var isValidated = false

  init(_ geometry: MiFareClassicGeometry, keys: ClassicNDEFKeys = ClassicNDEFKeys()) {
    self.geometry = geometry
    self.keys = keys
    hasMore = Self.hasSecondPart(geometry)
  }

  /// `nil` for a tag that is no MIFARE Classic.
  init?(_ target: ISO14443ATarget, keys: ClassicNDEFKeys = ClassicNDEFKeys()) {
    guard case .miFare(.classic) = TypeAIdentification.kind(target, version: nil),
      let geometry = MiFareClassicGeometry(sak: target.sak)
    else { return nil }
    self.init(geometry, keys: keys)
  }

  private static func hasSecondPart(_ geometry: MiFareClassicGeometry) -> Bool {
    geometry.sectorCount > MiFareApplicationDirectory.Part.second.sector
  }

  mutating func beginCall() {
    isValidated = false
    // If a card has no NFC sectors, this is checked again: it may have left, or have been
    // formatted.
    if area == [] { forgetAll() }
  }

  mutating func discardCachedContent() {
    content = [:]
    place = nil
  }

  /// Begins a call: one exchange shows that the card of which something is known is still there.
  private mutating func revalidate(_ session: inout MiFareClassicSession) throws {
    defer { isValidated = true }
    guard !isValidated, let first = sectors.first else { return }
    try open(first, &session)
  }

  mutating func forgetAll() { self = ClassicMapping(geometry, keys: keys) }

  /// The sectors of the area, in order.
  var sectors: [Int] {
    var sectors: [Int] = []
    for block in area ?? [] {
      let sector = geometry.sector(ofBlock: block)
      if sectors.last != sector { sectors.append(sector) }
    }
    return sectors
  }

  var size: Int { (area ?? []).count * Self.blockSize }

  // MARK: NDEFMapping

  mutating func status(_ link: TagLink) throws -> NDEFStatus {
    var session = MiFareClassicSession(link, geometry)
    try revalidate(&session)
    return try status(&session, repairing: false)
  }

  /// Reads the content that a write is compared with, in this call.
  mutating func statusForWriting(_ link: TagLink) throws -> NDEFStatus {
    var session = MiFareClassicSession(link, geometry)
    discardCachedContent()
    isValidated = true
    return try status(&session, repairing: true)
  }

  private mutating func status(
    _ session: inout MiFareClassicSession, repairing: Bool
  ) throws -> NDEFStatus {
    guard try findArea(&session), let first = sectors.first else { return .notSupported }
    let place = try locate(&session, repairing: repairing)
    let access = try writeAccess(toSector: first, &session)
    if repairing, case .closedWithoutKey(let type) = access {
      throw NFCError(
        .notAuthenticated,
        "only key \(type.letter) may write the sector, and it is not among the keys",
        place: .sector(first))
    }
    let isWritable = if case .open = access { true } else { false }
    try completeArea(for: place, &session)
    let following = try following(place, isComplete: repairing, &session)
    return NDEFStatus(
      access: isWritable ? .readWrite : .readOnly,
      capacity: TagLengthValue.capacity(room: size - place.offset - following.count))
  }

  mutating func read(_ link: TagLink) throws -> [UInt8]? {
    var session = MiFareClassicSession(link, geometry)
    try revalidate(&session)
    guard try findArea(&session) else {
      throw NFCError(.notNDEF, "the card has no application directory with NFC sectors")
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
}
