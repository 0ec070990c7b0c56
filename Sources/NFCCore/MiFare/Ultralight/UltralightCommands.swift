/// The commands of MIFARE Ultralight and NTAG 2xx.
///
/// Not every chip supports every command; a chip refuses those that it does not support
/// (`tagRefused`). A refused command ends an authentication on the tag, which is repeated
/// automatically before the next command.
///
/// Sources: NXP MF0ICU1, MF0ICU2, MF0ULx1, NTAG21x and NT3H1101 data sheets.
public struct UltralightCommands: ChangeableTag {
  let handle: TagHandle

  public var identifier: [UInt8] { handle.target.identifier }
  public var reader: Reader { handle.reader }

  /// Sends GET_VERSION and returns eight bytes (NTAG21x data sheet, 10.1). One exchange.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` on a chip that does not support the command;
  ///   ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  public func version() async throws -> [UInt8] {
    try await send(.getVersion)
  }

  /// Reads four pages, 16 bytes, with READ. One exchange.
  ///
  /// After the last readable page, most chips continue with page 0.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a page beyond 255; ``NFCError/Code/tagRefused``.
  public func readFourPages(from page: Int) async throws -> [UInt8] {
    try await send(.read(page: Self.number(page)))
  }

  /// Reads the four bytes of a page. One exchange.
  ///
  /// - Throws: the errors of ``readFourPages(from:)``.
  public func readPage(_ page: Int) async throws -> [UInt8] {
    Array(try await readFourPages(from: page).prefix(Type2Memory.pageSize))
  }

  /// Reads pages in as few exchanges as chip and reader allow: FAST_READ with as many pages as fit
  /// into one answer, READ of four pages on chips without it.
  ///
  /// The first call also costs the exchanges of ``MiFareTag/product()``, unless that was called
  /// before.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for pages beyond 255;
  ///   ``NFCError/Code/tagRefused`` with the first page that the chip refuses to read. A chip
  ///   without FAST_READ returns page 0 and its successors in place of up to three protected pages.
  public func readPages(_ pages: Range<Int>) async throws -> [UInt8] {
    guard pages.lowerBound >= 0, pages.upperBound <= 256 else {
      throw NFCError(.invalidParameter, "pages are 0 to 255")
    }
    return try await handle.perform { link in
      var reader = PageReader(
        hasFastRead: try handle.type2Chip(link)?.hasFastRead ?? false)
      guard handle.knowledge.withLock({ $0.isSectorUnknown }) else {
        return try reader.read(pages, link)
      }
      // The tag cannot be woken in the sector that the program has selected.
      return try reader.read(pages, link) { _ in throw Self.sectorIsLost }
    }
  }

  private static let sectorIsLost = NFCError(
    .tagResponseError,
    "the tag's answer is broken, and the selected sector is lost; select it again")

  /// Writes the four bytes of a page with WRITE. One exchange.
  ///
  /// Page 2 contains lock bits, and page 3 bits that can only be set: **what is set there cannot be
  /// undone**.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for another number of bytes;
  ///   ``NFCError/Code/readOnly`` for a page that is locked, protected or does not exist.
  public func writePage(_ page: Int, _ data: [UInt8]) async throws {
    guard data.count == Type2Memory.pageSize else {
      throw NFCError(
        .invalidParameter, "a page has 4 bytes, not \(data.count)", place: .page(page))
    }
    let command = UltralightCommand.write(page: try Self.number(page), data: data)
    try await handle.performCommand { link in
      handle.knowledge.withLock { $0.willSend(command.encoded) }
      _ = try UltralightExchange.send(command, link)
    }
  }

  /// Reads a 24-bit counter with READ_CNT. One exchange.
  ///
  /// - Parameter number: 0 to 2 on Ultralight EV1; 2 on NTAG213, NTAG215 and NTAG216, where the
  ///   counter has to be enabled.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a number that no chip has;
  ///   ``NFCError/Code/tagRefused`` for a counter that this chip does not have, or does not reveal.
  public func readCounter(_ number: Int) async throws -> Int {
    let bytes = try await send(.readCounter(Self.number(counter: number)))
    return Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
  }

  /// Increases a counter of an Ultralight EV1 with INCR_CNT. One exchange. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for more than 24 bits; ``NFCError/Code/tagRefused`` if the
  ///   counter would overflow.
  public func incrementCounter(_ number: Int, by value: Int) async throws {
    let number = try Self.number(counter: number)
    guard (0...0xFF_FFFF).contains(value) else {
      throw NFCError(.invalidParameter, "a counter has 24 bits")
    }
    let command = UltralightCommand.incrementCounter(number, by: UInt32(value))
    try await handle.performCommand { link in
      try link.uninterrupted(recovery: "the tag may have counted: read the counter") {
        _ = try UltralightExchange.send(command, link)
      }
    }
  }

  /// Reads the originality signature with READ_SIG: 32 bytes, 48 on an Ultralight AES. One
  /// exchange.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` on a chip without a signature; ``NFCError/Code/tagResponseError``;
  ///   ``NFCError/Code/tagConnectionLost``.
  public func readSignature() async throws -> [UInt8] {
    try await send(.readSignature)
  }

  /// Presents the password with PWD_AUTH. One exchange. It lasts while the tag is connected, and is
  /// repeated automatically after a refusal has ended it.
  ///
  /// - Parameter password: four bytes.
  /// - Returns: the two bytes PACK, with which the tag confirms the password.
  /// - Throws: ``NFCError/Code/authenticationFailed``, with ``NFCError/attempts`` if the tag no
  ///   longer accepts any password because too many were wrong, or if anyone can read its limit of
  ///   wrong passwords: that costs up to four exchanges.
  @discardableResult
  public func authenticate(password: [UInt8]) async throws -> [UInt8] {
    try await handle.performCommand { link in
      let acknowledge = try UltralightProcedure.authenticate(
        password: password, link, chip: { try handle.type2Chip($0) })
      handle.knowledge.withLock { $0.authentication = .password(password) }
      return acknowledge
    }
  }

  /// Selects the sector of an NTAG I²C that page numbers refer to, with SECTOR_SELECT. Two
  /// exchanges. It lasts until the tag is selected again, or until an NDEF call, a dump or a
  /// restore, which return to sector 0.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` for a sector that does not exist.
  public func selectSector(_ sector: Int) async throws {
    guard let sector = UInt8(exactly: sector) else {
      throw NFCError(.invalidParameter, "sectors are 0 to 255", place: .sector(sector))
    }
    try await handle.performCommand { link in
      handle.knowledge.withLock { $0.isSectorUnknown = true }
      try UltralightProcedure.selectSector(sector, link)
    }
  }

  /// Returns a page's number in its form over the air.
  private static func number(_ page: Int) throws(NFCError) -> UInt8 {
    guard let number = UInt8(exactly: page) else {
      throw NFCError(.invalidParameter, "pages are 0 to 255", place: .page(page))
    }
    return number
  }

  private static func number(counter: Int) throws(NFCError) -> UInt8 {
    guard let number = UInt8(exactly: counter) else {
      throw NFCError(.invalidParameter, "there is no counter \(counter)")
    }
    return number
  }

  private func send(_ command: UltralightCommand) async throws -> [UInt8] {
    try await handle.perform { try UltralightExchange.send(command, $0) }
  }
}

/// Commands and procedures of Ultralight and NTAG over a link.
enum UltralightProcedure {
  /// The NAK of PWD_AUTH after AUTHLIM wrong passwords (NTAG21x data sheet, 9.3 and 8.8.2).
  private static let authenticationLimitReached: UInt8 = 0x04
  private static let checkSize = 2

  /// Returns the number of pages in one answer, with its check bytes.
  static func pagesPerFastRead(_ link: TagLink) -> Int {
    max(
      1,
      (link.capabilities.maximumResponseLength - checkSize - (link.channel?.overhead ?? 0))
        / Type2Memory.pageSize)
  }

  /// Puts the tag to sleep; silence is its consent (ISO/IEC 14443-3, 6.5.3).
  static func halt(_ link: TagLink) throws {
    do {
      _ = try UltralightExchange.send(.halt, link)
    } catch let error as NFCError where error.isRefusalOrSilence {
      return
    }
  }

  /// Writes a page that anybody can read, and finds out what became of it; see ``UnitMemory``.
  ///
  /// - Parameter old: the content before, as far as it is known.
  /// - Throws: an error of the group `refusal` if the page has its old content, and `tagResponseError` if that is not
  ///   known.
  static func write(
    _ data: [UInt8], to page: UInt8, over old: [UInt8]? = nil, _ link: TagLink
  ) throws {
    var memory = Type2Memory()
    switch try memory.attempt(WholeUnit(unit: Int(page), data: data), over: old, link) {
    case .written: return
    case .refused(let error): throw error
    case .unknown(let error): throw error.inDoubt
    }
  }

  /// Writes a page that nobody can read: a password, a part of a key.
  ///
  /// A tag that has refused does not listen to the second write; one whose acknowledgement was damaged accepts it.
  ///
  /// - Throws: an error of the group `refusal` only if the page has its old content.
  static func write(secret data: [UInt8], to page: UInt8, _ link: TagLink) throws {
    let command = UltralightCommand.write(page: page, data: data)
    do {
      _ = try UltralightExchange.send(command, link)
    } catch let error as NFCError where error.group == .refusal || error.code == .tagResponseError {
      // What was lost between host and reader says nothing of the tag, and the reader may need time.
      guard !FrameLoss.onLine.includes(error) else { throw error }
      do {
        _ = try UltralightExchange.send(command, link)
      } catch let second as NFCError
        where second.group == .refusal || second.code == .tagResponseError
      {
        let isRefused = error.code == .readOnly && second.cause == .noAnswer
        if isRefused { try link.selectAgain() }
        throw isRefused ? error : error.inDoubt
      }
    }
  }

  static func authenticate(password: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard password.count == UltralightProtection.passwordSize else {
      throw NFCError(.invalidParameter, "a password has 4 bytes, not \(password.count)")
    }
    do {
      return try UltralightExchange.send(.passwordAuthenticate(password), link)
    } catch let error as NFCError where error.isRefusalOrSilence || error.cause == .checksum {
      try throwIfSilent(error, "the password is wrong", link)
      let isLockedOut = error.cause == .negativeAcknowledge(authenticationLimitReached)
      throw NFCError(
        .authenticationFailed,
        isLockedOut
          ? "the tag no longer accepts a password: too many were wrong" : "the password is wrong",
        cause: error.cause, attempts: isLockedOut ? .left(0) : nil)
    }
  }

  /// Throws `authenticationFailed` if a tag has refused a secret with silence, and `error` if only a frame was lost.
  ///
  /// By their data sheets, these chips refuse a wrong secret. Tags that are silent instead were seen (ChameleonUltra
  /// pull request 215; forum.dangerousthings.com, topic 7632), and nfcpy expects it of a MIFARE Ultralight C. A tag
  /// that has refused does not listen until it is selected again, but one that has lost a frame does: one exchange.
  /// The secret is not sent again, because a tag may count wrong ones. A reader that loses the code of a refusal shows
  /// it as a broken answer, after which the tag is as silent.
  ///
  /// - Throws: `tagConnectionLost` if the tag cannot be selected: it was silent because it has left.
  static func throwIfSilent(_ error: NFCError, _ reason: String, _ link: TagLink) throws {
    guard error.code == .tagResponseError else { return }
    let isListening: Bool
    do {
      let read = UltralightCommand.read(page: 0).encoded
      _ = try UltralightExchange.send(read, protectedBy: nil, link)
      isListening = true
    } catch let answer as NFCError
      where answer.code == .tagRefused || answer.code == .tagResponseError
    {
      isListening = answer.cause != .noAnswer
    }
    if isListening { throw error }
    try link.selectPlainly()
    let isBroken = error.cause == .checksum
    throw NFCError(
      .authenticationFailed, isBroken ? reason : "\(reason): the tag is silent",
      cause: isBroken ? nil : error.cause)
  }

  /// Returns the same; an error for a wrong password has the limit that the tag's settings give,
  /// where they can be read.
  static func authenticate(
    password: [UInt8], _ link: TagLink, chip: (TagLink) throws -> Type2Chip?
  ) throws -> [UInt8] {
    do {
      return try authenticate(password: password, link)
    } catch var error as NFCError where error.code == .authenticationFailed {
      if error.attempts == nil { error.attempts = attemptLimit(link, chip) }
      throw error
    }
  }

  /// Reads AUTHLIM of a tag that has just refused a password, and is silent until it is selected
  /// again.
  private static func attemptLimit(
    _ link: TagLink, _ chip: (TagLink) throws -> Type2Chip?
  ) -> NFCError.Attempts? {
    do {
      try link.selectPlainly()
      guard let chip = try chip(link), let settings = chip.passwordSettings else { return nil }
      let limit = try UltralightProtectionPlan.configuration(chip, settings, link).attemptLimit
      return limit == 0 ? nil : .limit(Int(limit))
    } catch {
      // Report the wrong password instead.
      return nil
    }
  }

  /// The second half is acknowledged by silence (NT3H1101 data sheet, 10.6). If the tag has not heard it, the
  /// next command has the wrong length for it and is refused.
  static func selectSector(_ sector: UInt8, _ link: TagLink) throws {
    _ = try UltralightExchange.send(.sectorSelect, link)
    do {
      _ = try UltralightExchange.send(.sector(sector), link)
    } catch let error as NFCError
      where error.code == .tagResponseError && error.cause == .noAnswer
    {
      return
    } catch let error as NFCError where error.code == .tagRefused {
      throw NFCError(
        .tagRefused, "the tag has no sector \(sector) at present", cause: error.cause,
        place: .sector(Int(sector)))
    }
    throw NFCError(
      .tagResponseError, "the tag has answered although it should be silent",
      place: .sector(Int(sector)))
  }
}
