/// What was read from a sector, and the keys that were found.
public struct MiFareClassicSectorDump: Hashable, Sendable {
  /// The reason why a part of a sector was not read.
  @nonexhaustive
  public enum Failure: Hashable, Sendable {
    /// None of the keys opens the sector.
    case noKey
    /// The access bits are broken: the sector is closed permanently.
    case brokenAccessBits
    /// No key that was found may read these blocks.
    case notReadable(blocks: [Int])
  }

  /// The number of the sector.
  public let sector: Int
  /// The key that opened it first; `nil` if none did.
  public internal(set) var openedWith: MiFareClassicKeyType?
  /// The blocks in order; the trailer is last and has zeros for keys. `nil` for blocks that were
  /// not read.
  public internal(set) var blocks: [[UInt8]?]
  /// Key A, if it was found; no card reveals it.
  public internal(set) var keyA: MiFareClassicKey?
  /// Key B, if it was found or could be read.
  public internal(set) var keyB: MiFareClassicKey?
  /// The access conditions; `nil` if the trailer was not read.
  public internal(set) var accessConditions: MiFareClassicAccessConditions?
  /// Byte 9 of the trailer; `nil` if the trailer was not read.
  public internal(set) var generalPurposeByte: UInt8?
  /// The failure; `nil` if everything was read.
  public internal(set) var failure: Failure?

  init(sector: Int, blockCount: Int) {
    self.sector = sector
    blocks = [[UInt8]?](repeating: nil, count: blockCount)
  }

  /// The trailer; a key that is not known is replaced by the key that opened the sector.
  public var trailer: MiFareClassicSectorTrailer? {
    guard let used = openedWith == .b ? keyB : keyA, let accessConditions, let generalPurposeByte
    else { return nil }
    return MiFareClassicSectorTrailer(
      keyA: keyA ?? used, accessConditions: accessConditions,
      generalPurposeByte: generalPurposeByte, keyB: keyB ?? used)
  }

  /// The sector's bytes: zeros for blocks that were not read.
  var bytes: [UInt8] {
    let empty = [UInt8](repeating: 0, count: MiFareClassicGeometry.blockSize)
    return blocks.dropLast().flatMap { $0 ?? empty } + (trailer?.bytes ?? empty)
  }

  /// Returns a key that is known, by its name.
  func key(_ type: MiFareClassicKeyType) -> MiFareClassicKey? { type == .a ? keyA : keyB }
}

/// The memory of a MIFARE Classic, as far as keys have opened it.
public struct MiFareClassicDump: Hashable, Sendable {
  /// The size of the card and its sectors.
  public let geometry: MiFareClassicGeometry
  /// The sectors, in order.
  public let sectors: [MiFareClassicSectorDump]

  /// Whether every block was read.
  public var isComplete: Bool { sectors.allSatisfy { $0.failure == nil } }

  /// All blocks in order, in the form of `.mfd` and `.bin` files: a key that cannot be read is
  /// replaced by the key that opened its sector; blocks that were not read are zeros.
  public var bytes: [UInt8] { sectors.flatMap(\.bytes) }
}

extension MiFareClassicSectorDump.Failure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noKey: "no key opens it"
    case .brokenAccessBits: "its access bits are invalid, it is permanently closed"
    case .notReadable(let blocks):
      "no key that was found reads block \(blocks.map(String.init).joined(separator: ", "))"
    }
  }
}

// MARK: Reading

/// Reads sectors with a list of keys, in the fewest exchanges: one to open a sector, one a block.
struct MiFareClassicSectorReader {
  private var session: MiFareClassicSession
  private let keys: [MiFareClassicKey]
  private let findsBothKeys: Bool
  /// The data blocks to read; `nil` for all.
  private let dataBlocks: Set<Int>?
  /// What opened the last sector most likely opens the next.
  private var last: (type: MiFareClassicKeyType, key: MiFareClassicKey)?
  /// The key of each type that was found last.
  private var recent: [MiFareClassicKeyType: MiFareClassicKey] = [:]
  /// The keys that do not open the sector that is being read.
  private var wrong: [MiFareClassicKeyType: Set<MiFareClassicKey>] = [:]
  /// The data blocks of the sector that a key that was found may read.
  private var readable: Set<Int> = []
  /// Whether sector 0 has opened with the key of the application directory.
  private var hasDirectory: Bool

  /// - Parameters:
  ///   - dataBlocks: the data blocks to read; `nil` for all. Of the others, the access conditions say
  ///     whether they can be read.
  ///   - hasDirectory: whether the card is known to have an application directory with its public key.
  init(
    _ session: MiFareClassicSession, keys: [MiFareClassicKey], findsBothKeys: Bool,
    dataBlocks: Set<Int>? = nil, hasDirectory: Bool = false
  ) {
    self.session = session
    self.dataBlocks = dataBlocks
    self.hasDirectory = hasDirectory
    var seen: Set<MiFareClassicKey> = []
    self.keys = keys.filter { seen.insert($0).inserted }
    self.findsBothKeys = findsBothKeys
  }

  mutating func read(_ sector: Int) throws -> MiFareClassicSectorDump {
    let blocks = session.geometry.blocks(ofSector: sector)
    var dump = MiFareClassicSectorDump(sector: sector, blockCount: blocks.count)
    wrong = [:]
    readable = []
    // A key B that is data opens a sector whose card then refuses everything (MF1S50YYX data sheet, 8.7.2, note 1), and
    // so do copies whose access bits are broken. The other key may read it.
    var refused: Set<MiFareClassicKeyType> = []
    while let (type, key) = try open(sector, except: refused) {
      dump.openedWith = dump.openedWith ?? type
      dump.set(key, type)
      if try readTrailer(&dump, blocks, type) {
        dump.openedWith = type
        dump.failure = nil
        try readBlocks(&dump, blocks, type, key)
        return dump
      }
      if dump.failure == .brokenAccessBits { return dump }
      refused.insert(type)
    }
    if refused.isEmpty { dump.failure = .noKey }
    return dump
  }

  /// Reads the data blocks of a sector whose trailer is known, with both keys if that is necessary.
  private mutating func readBlocks(
    _ dump: inout MiFareClassicSectorDump, _ blocks: Range<Int>, _ type: MiFareClassicKeyType,
    _ key: MiFareClassicKey
  ) throws {
    guard let conditions = dump.accessConditions else { return }
    let other: MiFareClassicKeyType = type == .a ? .b : .a
    try readBlocks(&dump, blocks, conditions, type, key)
    let rest = blocks.dropLast().filter { block in
      !readable.contains(block)
        && conditions.allows(
          .read, group: session.geometry.accessGroup(ofBlock: block), with: other)
    }
    // A key B that can be read is known already, and opens nothing.
    let isOtherKeyUnknown = dump.key(other) == nil
    if isOtherKeyUnknown, findsBothKeys || !rest.isEmpty,
      let found = try open(dump.sector, other)
    {
      dump.set(found, other)
      try readBlocks(&dump, blocks, conditions, other, found)
    }
    let unread = blocks.dropLast().filter { !readable.contains($0) }
    if !unread.isEmpty { dump.failure = .notReadable(blocks: unread) }
  }

  /// Reads the trailer, which determines what else can be read. Returns whether continuing makes
  /// sense.
  private mutating func readTrailer(
    _ dump: inout MiFareClassicSectorDump, _ blocks: Range<Int>, _ type: MiFareClassicKeyType
  ) throws -> Bool {
    guard let block = try readIfAllowed(blocks.upperBound - 1) else {
      dump.failure = .notReadable(blocks: Array(blocks))
      return false
    }
    guard let trailer = try? MiFareClassicSectorTrailer(block) else {
      dump.failure = .brokenAccessBits
      return false
    }
    let hidden = [UInt8](repeating: 0, count: MiFareClassicKey.size)
    dump.blocks[blocks.count - 1] =
      hidden + block[hidden.count..<block.count - hidden.count] + hidden
    dump.accessConditions = trailer.accessConditions
    dump.generalPurposeByte = trailer.generalPurposeByte
    if trailer.accessConditions.readableTrailerFields(with: type).contains(.keyB) {
      dump.keyB = trailer.keyB
    }
    return true
  }

  private mutating func readBlocks(
    _ dump: inout MiFareClassicSectorDump, _ blocks: Range<Int>,
    _ conditions: MiFareClassicAccessConditions, _ type: MiFareClassicKeyType,
    _ key: MiFareClassicKey
  ) throws {
    for block in blocks.dropLast()
    where !readable.contains(block)
      && conditions.allows(
        .read, group: session.geometry.accessGroup(ofBlock: block), with: type)
    {
      if dataBlocks?.contains(block) ?? true {
        guard try session.open(dump.sector, type, key) else { return }
        guard let content = try readIfAllowed(block) else { continue }
        dump.blocks[block - blocks.lowerBound] = content
      }
      readable.insert(block)
    }
  }

  private mutating func readIfAllowed(_ block: Int) throws -> [UInt8]? {
    do {
      return try session.read(block)
    } catch let error as NFCError where error.code == .tagRefused {
      return nil
    }
  }

  /// Tries each key once: the likeliest, then all as key A, then all as key B.
  ///
  /// - Parameter refused: the keys with which the card has already refused the sector.
  private mutating func open(
    _ sector: Int, except refused: Set<MiFareClassicKeyType>
  ) throws -> (type: MiFareClassicKeyType, key: MiFareClassicKey)? {
    let likely = likelyKey(of: sector).flatMap { refused.contains($0.type) ? nil : $0 }
    if let likely, try open(sector, likely.type, [likely.key]) != nil {
      note(likely, sector)
      return likely
    }
    for type in [MiFareClassicKeyType.a, .b] where !refused.contains(type) {
      guard let key = try open(sector, type) else { continue }
      note((type, key), sector)
      return (type, key)
    }
    return nil
  }

  /// Returns the key that opened the sector before; but an application directory has its own key,
  /// and NFC sectors mostly follow it.
  private func likelyKey(
    of sector: Int
  ) -> (type: MiFareClassicKeyType, key: MiFareClassicKey)? {
    guard hasDirectory else { return last }
    let parts = MiFareApplicationDirectory.Part.allCases.map(\.sector)
    let key: MiFareClassicKey =
      parts.contains(sector) ? .applicationDirectory : last?.key ?? .ndef
    let follows = parts.contains(sector - 1) && last?.key == .applicationDirectory
    let wanted: MiFareClassicKey = follows ? .ndef : key
    return keys.contains(wanted) ? (wanted == last?.key ? last?.type ?? .a : .a, wanted) : last
  }

  private mutating func note(
    _ opened: (type: MiFareClassicKeyType, key: MiFareClassicKey), _ sector: Int
  ) {
    last = opened
    if sector == MiFareApplicationDirectory.Part.first.sector {
      hasDirectory = opened.type == .a && opened.key == .applicationDirectory
    }
  }

  /// Tries each key once, beginning with the one of this type that was found last.
  private mutating func open(
    _ sector: Int, _ type: MiFareClassicKeyType
  ) throws -> MiFareClassicKey? {
    try open(sector, type, (recent[type].map { [$0] } ?? []) + keys)
  }

  /// Tries keys in this order, without those that were tried before.
  private mutating func open(
    _ sector: Int, _ type: MiFareClassicKeyType, _ keys: [MiFareClassicKey]
  ) throws -> MiFareClassicKey? {
    for key in keys where wrong[type]?.contains(key) != true {
      if try session.open(sector, type, key) {
        recent[type] = key
        return key
      }
      wrong[type, default: []].insert(key)
    }
    return nil
  }
}

extension MiFareClassicSectorDump {
  fileprivate mutating func set(_ key: MiFareClassicKey, _ type: MiFareClassicKeyType) {
    switch type {
    case .a: keyA = key
    case .b: keyB = key
    }
  }
}

extension MiFareClassicCommands {
  /// Reads a sector: one exchange to open it and one per block, if the first key is the right one.
  ///
  /// Each key is tried once as key A, then as key B; a wrong key costs an exchange and a selection.
  ///
  /// - Parameter findsBothKeys: searches for the other key too, even if reading does not require
  ///   it.
  /// - Returns: what was read; ``MiFareClassicSectorDump/failure`` gives the reason if anything is
  ///   missing.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a sector that the card does not have, or if
  ///   there are no keys; ``NFCError/Code/tagConnectionLost``.
  public func readSector(
    _ sector: Int, keys: [MiFareClassicKey] = MiFareClassicKey.wellKnown,
    findsBothKeys: Bool = false
  ) async throws -> MiFareClassicSectorDump {
    guard geometry.sectors.contains(sector) else {
      throw NFCError(
        .invalidParameter, "the card has sectors 0 to \(geometry.sectorCount - 1)",
        place: .sector(sector))
    }
    try checkKeys(keys)
    return try await handle.perform { link in
      var reader = MiFareClassicSectorReader(
        MiFareClassicSession(link, geometry), keys: keys, findsBothKeys: findsBothKeys)
      return try reader.read(sector)
    }
  }

  /// Reads the whole card: 80 exchanges for a 1K if each sector opens with the first key.
  ///
  /// Keys are tried in the order of ``readSector(_:keys:findsBothKeys:)``, starting with the one
  /// that opened the previous sector.
  ///
  /// - Returns: what was read; a sector that no key opens has a
  ///   ``MiFareClassicSectorDump/failure``.
  /// - Throws: ``NFCError/Code/invalidParameter`` if there are no keys;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func dump(
    keys: [MiFareClassicKey] = MiFareClassicKey.wellKnown, findsBothKeys: Bool = false
  ) async throws -> MiFareClassicDump {
    try await dump(keys: keys, findsBothKeys: findsBothKeys, dataBlocks: nil)
  }

  /// Finds the keys and access conditions of all sectors, and reads only these of the data blocks: two or three
  /// exchanges for each sector, and one for each block.
  ///
  /// - Returns: what was read. The ``MiFareClassicSectorDump/failure`` of a sector names the blocks that the access
  ///   conditions do not let the keys read.
  /// - Throws: ``NFCError/Code/invalidParameter`` if there are no keys; ``NFCError/Code/tagConnectionLost``.
  package func survey(
    keys: [MiFareClassicKey], reading dataBlocks: Set<Int>
  ) async throws -> MiFareClassicDump {
    try await dump(keys: keys, findsBothKeys: true, dataBlocks: dataBlocks)
  }

  private func dump(
    keys: [MiFareClassicKey], findsBothKeys: Bool, dataBlocks: Set<Int>?
  ) async throws -> MiFareClassicDump {
    try checkKeys(keys)
    return try await handle.perform { link in
      let mapping = handle.knowledge.withLock { $0.mapping } as? ClassicMapping
      var reader = MiFareClassicSectorReader(
        MiFareClassicSession(link, geometry), keys: keys, findsBothKeys: findsBothKeys,
        dataBlocks: dataBlocks, hasDirectory: mapping?.sectors.isEmpty == false)
      return MiFareClassicDump(
        geometry: geometry, sectors: try geometry.sectors.map { try reader.read($0) })
    }
  }

  func checkKeys(_ keys: [MiFareClassicKey]) throws {
    guard !keys.isEmpty else { throw NFCError(.invalidParameter, "at least one key is needed") }
  }
}
