import SwiftNFCCore

// Waking a card, and recognizing it again.
extension PCSCDriver {
  static let gone = NFCError(.tagConnectionLost, "the tag has left the field")

  package func select(_ target: Target) throws {
    if let active, active.isSame(as: target), session != nil { return }
    active = nil
    silentEvent = nil
    do {
      guard try enter(patience: .zero) else { throw Self.gone }
    } catch let error as NFCError where error.code == .tagResponseError {
      throw Self.gone
    }
    guard let session else { throw Self.gone }
    if let active, active.isSame(as: target) { return }
    guard try session.target == nil ? wakeVicinityTag(target) : wake(target) else {
      throw Self.gone
    }
    active = target
  }

  /// Starts a card again, and says whether it is the one.
  func wake(_ target: Target) throws -> Bool {
    guard let path = session?.path else { return false }
    switch (path, target) {
    case (.transparent, _), (.direct, _), (.encapsulated, _), (.passedThrough, _):
      return try startAgain(path) && isThere(target)
    case (_, .iso14443a(let card)):
      try closeClassicFrames()
      try resetCard()
      return try isSame(card, as: try currentUID(of: card))
    case (_, .jewel(_, let uid)):
      return try identifier()?.starts(with: uid) ?? false
    case (_, .iso14443b):
      // A PUPI may be drawn again.
      try resetCard()
      guard let pupi = try identifier() else { return try isUnnamed(target) }
      return pupi == target.identifier || hasShown(target.identifier)
    default:
      return try identifier() == target.identifier
    }
  }

  /// Starts a card again; returns whether the reader sends frames in this way as before.
  @discardableResult
  func startAgain(_ path: CardPath) throws -> Bool {
    try endTransparentSession()
    try resetCard()
    guard case .transparent(let standard) = path else { return true }
    return try startTransparentSession(standard)
  }

  /// - Parameter uid: what the reader reports of the present card, if it does.
  private func isSame(_ card: ISO14443ATarget, as uid: [UInt8]?) throws -> Bool {
    guard let uid else { return try isUnnamed(.iso14443a(card)) }
    return uid == card.uid || (card.hasRandomUID || Self.isRandom(uid)) && hasShown(card.uid)
  }

  /// Returns what the reader reports, or what the pages of an Ultralight contain.
  private func currentUID(of card: ISO14443ATarget) throws -> [UInt8]? {
    if let uid = try identifier() { return uid }
    guard case .pages = session?.path, !card.uid.isEmpty else { return nil }
    return try storedPages().flatMap { Self.uid(in: $0) }
  }

  /// Returns whether the present card is one whose UID the reader does not report: the service knows whether it
  /// has stayed.
  private func isUnnamed(_ target: Target) throws -> Bool {
    guard target.identifier.isEmpty else { return false }
    try checkPresence()
    return hasShown([])
  }

  /// Asks with a frame of the tag's own, or with what can be read on every tag, if the reader can
  /// send frames: a reader in a session does not notice that a tag has left. For other tags, the
  /// service knows.
  package func isPresent(_ target: Target) throws -> Bool {
    do {
      try checkPresence()
      switch session?.path {
      case .transparent(.vicinity), .vicinity: return try hasVicinityTag(target)
      case .transparent, .encapsulated, .direct, .passedThrough: return try isThere(target)
      case .classic where hasOpenClassicFrames: return try wake(target)
      case .apdus, .pages, .classic, .feliCaFrames, .feliCaCommands, .feliCaBlocks,
        .identifierOnly:
        return true
      case nil: return false
      }
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return false
    }
  }

  /// Returns whether a tag with frames answers to its UID.
  private func isThere(_ target: Target) throws -> Bool {
    switch target {
    case .iso14443a(let card):
      switch try sendFrame(Self.readFirstPages, Self.tagTimeout) {
      case .answer(let pages) where !Self.isRefusal(pages):
        if Self.show(card.uid, pages) { return true }
        return Self.arePages(pages) && (card.hasRandomUID || !Self.showUID(pages))
          && hasShown(card.uid)
      case .answer, .broken: return try isRefusing(card)
      case .noAnswer, .refused, .unknown, .malformed: return false
      }
    case .feliCa:
      return Self.feliCa(try sendFrame(Self.polling, Self.tagTimeout))?.isSame(as: target) ?? false
    default:
      return false
    }
  }

  /// Returns whether a tag that refuses its first pages, without a password for them, is the one. It is started again,
  /// because it is mute after a refusal.
  private func isRefusing(_ card: ISO14443ATarget) throws -> Bool {
    let path = session?.path
    try endTransparentSession()
    try resetCard()
    let uid = try identifier()
    if case .transparent(let standard) = path, try !startTransparentSession(standard) {
      return false
    }
    return try isSame(card, as: uid)
  }

  // MARK: UIDs

  /// Records what the card shows that arrived at an event.
  func remember(_ target: Target, at event: Int) {
    if shown?.event != event { shown = (event, []) }
    shown?.identifiers.insert(target.identifier)
  }

  /// Returns whether the present card has shown this identifier since it arrived.
  func hasShown(_ identifier: [UInt8]) -> Bool {
    guard let shown, let session, shown.event == session.eventCount else { return false }
    return shown.identifiers.contains(identifier)
  }

  /// Returns whether a UID is drawn at each power-on, and so identifies nothing: a single-size UID that
  /// begins with 08 (ISO/IEC 14443-3, 6.5.4).
  private static func isRandom(_ uid: [UInt8]) -> Bool {
    ISO14443ATarget(uid: uid, atqa: [], sak: ultralightSAK).hasRandomUID
  }

  private static func arePages(_ pages: [UInt8]) -> Bool { pages.count == 16 }

  /// Returns whether the first pages can be those of the tag with this UID: they hide the UID of a tag
  /// that shows a random one (MIFARE Ultralight AES, RID_ACT). The reader may not report the UID either.
  static func arePages(_ pages: [UInt8], of uid: [UInt8]) -> Bool {
    arePages(pages) && (uid.isEmpty || isRandom(uid) || show(uid, pages))
  }

  /// Returns whether the first pages contain a UID of seven bytes with both its check bytes (NTAG21x data sheet,
  /// 8.5.1).
  static func hasCheckedUID(_ pages: [UInt8]) -> Bool {
    arePages(pages) && pages[0..<3].reduce(cascadeTag, ^) == pages[3]
      && pages[4..<8].reduce(0, ^) == pages[8]
  }

  /// Returns the UID that the first pages contain, with check bytes or, on an NTAG I2C, without.
  static func uid(in pages: [UInt8]) -> [UInt8]? {
    if hasCheckedUID(pages) { return Array(pages[0..<3] + pages[4..<8]) }
    guard arePages(pages), pages[0] == manufacturer else { return nil }
    return Array(pages[0..<7])
  }

  /// Returns whether the first pages contain this UID, which has seven bytes: with a check byte after
  /// the third (NTAG21x data sheet, 8.5.1), or without (NTAG I2C, NT3H1101/NT3H1201 data sheet, 8).
  private static func show(_ uid: [UInt8], _ pages: [UInt8]) -> Bool {
    guard arePages(pages) else { return false }
    return Array(pages[0..<3] + pages[4..<8]) == uid || Array(pages[0..<7]) == uid
  }

  /// Begins a UID of seven bytes in the anticollision (ISO/IEC 14443-3, 6.5.4), and is part of its first
  /// check byte.
  private static let cascadeTag: UInt8 = 0x88
  /// NXP's, with which the UID of an NTAG I2C begins (ISO/IEC 7816-6).
  private static let manufacturer: UInt8 = 0x04

  /// Returns whether the first pages contain a UID at all, of whichever tag.
  private static func showUID(_ pages: [UInt8]) -> Bool {
    guard arePages(pages) else { return false }
    return pages[0..<3].reduce(cascadeTag, ^) == pages[3] || pages[0] == manufacturer
  }
}
