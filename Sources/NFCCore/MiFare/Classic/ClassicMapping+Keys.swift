/// The keys with which a mapping tries to open sectors, in addition to the public ones.
struct ClassicNDEFKeys: Hashable, Sendable {
  /// The keys of the program, each tried as key A and as key B.
  var given: [MiFareClassicKey] = []
  /// Whether the public keys of the application directory and of NFC sectors are tried, too.
  var includesPublic = true

  /// Returns the keys to try for a sector, in order.
  ///
  /// - Parameter own: the public key of such a sector.
  fileprivate func candidates(_ own: MiFareClassicKey) -> [ClassicSectorKey] {
    let all = given + (includesPublic && !given.contains(own) ? [own] : [])
    return all.map { ClassicSectorKey(type: .a, key: $0) }
      + given.map { ClassicSectorKey(type: .b, key: $0) }
  }

  /// Returns the keys of one type to try for a sector.
  func keys(
    _ type: MiFareClassicKeyType, _ own: MiFareClassicKey
  ) -> [MiFareClassicKey] {
    candidates(own).filter { $0.type == type }.map(\.key)
  }
}

/// A key that opens a sector.
struct ClassicSectorKey: Hashable, Sendable {
  let type: MiFareClassicKeyType
  let key: MiFareClassicKey
}

extension MiFareClassicSession {
  mutating func open(_ sector: Int, _ opener: ClassicSectorKey) throws -> Bool {
    try open(sector, opener.type, opener.key)
  }

  /// Returns the first of these keys that opens the sector.
  mutating func firstKey(
    of sector: Int, _ type: MiFareClassicKeyType, _ keys: [MiFareClassicKey]
  ) throws -> MiFareClassicKey? {
    for key in keys where try open(sector, type, key) { return key }
    return nil
  }
}

/// Opens sectors with the keys of the program.
extension ClassicMapping {
  /// Opens a sector for reading, with the key that has opened it before.
  ///
  /// - Parameter own: the public key of such a sector.
  mutating func openForReading(
    _ sector: Int, _ own: MiFareClassicKey, _ session: inout MiFareClassicSession
  ) throws -> Bool {
    if let known = openers[sector], try session.open(sector, known) { return true }
    // Neighbours mostly have the same key.
    let neighbour = openers[sector - 1].map { [$0] } ?? []
    let others = keys.candidates(own).filter { !neighbour.contains($0) }
    let likely = neighbour.filter { keys.candidates(own).contains($0) }
    for candidate in likely + others where try session.open(sector, candidate) {
      if candidate.type == .b {
        // A key B that can be read is data: the card accepts it and then refuses everything (MF1S50YYX data sheet,
        // table 8, note 1).
        guard try canRead(trailerOf: sector, &session) else { continue }
        guard try session.open(sector, candidate) else { continue }
      }
      openers[sector] = candidate
      return true
    }
    return false
  }

  private func canRead(
    trailerOf sector: Int, _ session: inout MiFareClassicSession
  ) throws -> Bool {
    do {
      _ = try session.readTrailer(ofSector: sector)
      return true
    } catch let error as NFCError where error.code == .tagRefused {
      return false
    }
  }

  /// Reads a block of a sector that is open. If the card refuses that, the sector's other key is tried.
  mutating func read(
    _ block: Int, _ own: MiFareClassicKey, _ session: inout MiFareClassicSession
  ) throws -> [UInt8] {
    let sector = geometry.sector(ofBlock: block)
    do {
      return try session.read(block)
    } catch let error as NFCError where error.code == .tagRefused && !keys.given.isEmpty {
      guard let used = openers[sector] else { throw error }
      let other: MiFareClassicKeyType = used.type == .a ? .b : .a
      guard let key = try session.firstKey(of: sector, other, keys.keys(other, own)) else {
        throw error
      }
      openers[sector] = ClassicSectorKey(type: other, key: key)
      return try session.read(block)
    }
  }

  /// The access to the message's blocks in a sector.
  enum Access: Hashable, Sendable {
    case open(ClassicSectorKey)
    /// Nobody may write, or the tag says so.
    case closed
    /// A key that is not among the known ones may write.
    case closedWithoutKey(MiFareClassicKeyType)
  }

  /// Finds the key that may write a sector: no exchange if it is the one that opened the sector.
  mutating func writeAccess(
    toSector sector: Int, _ session: inout MiFareClassicSession
  ) throws -> Access {
    if let known = writers[sector] { return .open(known) }
    let rights = try loadRights(ofSector: sector, &session)
    guard let reader = openers[sector], !rights.deniesWriting else { return .closed }
    if rights.allowsWriting(with: reader.type) {
      writers[sector] = reader
      return .open(reader)
    }
    let other: MiFareClassicKeyType = reader.type == .a ? .b : .a
    guard rights.allowsWriting(with: other) else { return .closed }
    guard let key = try session.firstKey(of: sector, other, keys.keys(other, .ndef)) else {
      return .closedWithoutKey(other)
    }
    let writer = ClassicSectorKey(type: other, key: key)
    writers[sector] = writer
    return .open(writer)
  }

  /// Returns the error for a part of the directory that none of the keys opens, or `nil` if the card has none.
  ///
  /// The sector of a blank card opens with the key on delivery. The second part is there if the first says so.
  func refusal(
    of part: MiFareApplicationDirectory.Part, _ session: inout MiFareClassicSession
  ) throws -> NFCError? {
    switch part {
    case .first:
      guard try !session.open(part.sector, .a, .factory) else { return nil }
    case .second:
      let first = MiFareApplicationDirectory.Part.first.sector
      guard let opener = openers[first], try session.open(first, opener) else { return nil }
      let trailer = try session.readTrailer(ofSector: first)
      let version = MiFareApplicationDirectory.GeneralPurposeByte.version(
        of: trailer.generalPurposeByte)
      guard version == 2 else { return nil }
    }
    return NFCError(
      .notAuthenticated, "the application directory has another key", place: .sector(part.sector))
  }
}

extension MiFareClassicCommands {
  /// Uses these keys for the NDEF message of the card, as long as it is connected. No exchange.
  ///
  /// A card whose application directory or NFC sectors have other keys than the public ones is an NDEF tag only for
  /// those who have its keys. Each key is tried as key A, then as key B.
  ///
  /// - Parameters:
  ///   - keys: the keys of the card, in the order in which they are tried.
  ///   - includesPublicKeys: whether the public keys of NXP AN10787 and AN1304 are tried after them.
  public func setNDEFKeys(_ keys: [MiFareClassicKey], includesPublicKeys: Bool = true) {
    handle.knowledge.withLock {
      $0.classicKeys = ClassicNDEFKeys(given: keys, includesPublic: includesPublicKeys)
      $0.mapping = nil
      $0.invalidationCount += 1
    }
  }
}
