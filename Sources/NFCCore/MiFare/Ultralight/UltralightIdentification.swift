/// What a tag of the Ultralight and NTAG families has answered when it was asked for its chip.
struct UltralightIdentification: Sendable {
  /// The chip; `nil` if it is not known.
  let chip: Type2Chip?
  /// The answer to GET_VERSION; `nil` if the tag does not have the command.
  let version: [UInt8]?
  /// The error of a reader that cannot send what distinguishes chips: what depends on the chip fails with it, because
  /// the tag is not at fault.
  let readerError: NFCError?

  init(chip: Type2Chip?, version: [UInt8]? = nil, readerError: NFCError? = nil) {
    self.chip = chip
    self.version = version
    self.readerError = readerError
  }

  /// Sends GET_VERSION and, if the tag does not support it, distinguishes the older chips by their
  /// answers: ``Type2Chip/Recognition``. One to three exchanges for most chips.
  init(asking link: TagLink) throws {
    do {
      if let version = try Self.version(link) {
        self.init(chip: Type2Chip.version(version), version: version)
        return
      }
    } catch let error as NFCError where error.code == .unsupported {
      self.init(chip: nil, readerError: error)
      return
    }
    if let version = link.presumedVersion, let chip = Type2Chip.version(version) {
      self.init(chip: chip)
      return
    }
    self.init(chip: try Self.chipWithoutVersion(link))
  }

  private static func chipWithoutVersion(_ link: TagLink) throws -> Type2Chip? {
    let maker = link.target.identifier.first
    if let chip = withAuthentication, try supportsAuthentication(link) { return chip }
    if let chip = try byProductCode(link, maker) { return chip }
    for chip in Type2Chip.all {
      guard case .lastPage(let page, maker: maker) = chip.recognition else { continue }
      guard let content = try answer(.read(page: page), link) else { continue }
      // A chip with more pages is none of those without GET_VERSION.
      return isLast(content, link) ? chip : nil
    }
    return Type2Chip.all.first {
      guard case .identifier(let own) = $0.recognition else { return false }
      return own == maker
    }
  }

  /// Returns whether an answer to READ of a page continues with page 0, in which the identifier is.
  private static func isLast(_ content: [UInt8], _ link: TagLink) -> Bool {
    let (size, uid) = (Type2Memory.pageSize, link.target.identifier)
    return content.dropFirst(size).starts(with: uid.prefix(3))
      && content.dropFirst(2 * size).starts(with: uid.dropFirst(3))
  }

  /// Each page is read once.
  private static func byProductCode(_ link: TagLink, _ maker: UInt8?) throws -> Type2Chip? {
    var answers: [UInt8: [UInt8]] = [:]
    for chip in Type2Chip.all {
      guard case .productCode(let page, let bytes, maker: maker) = chip.recognition else {
        continue
      }
      let known = try answers[page] ?? answer(.read(page: page), link) ?? []
      answers[page] = known
      if known.starts(with: bytes) { return chip }
    }
    return nil
  }

  static var withAuthentication: Type2Chip? {
    Type2Chip.all.first { $0.recognition == .authentication }
  }

  private static func supportsAuthentication(_ link: TagLink) throws -> Bool {
    guard let challenge = try answer(.authenticate, link),
      (try? UltralightCommand.authenticate.answer(challenge)) != nil
    else { return false }
    // It waits for the second half. Anything else ends that, with a refusal.
    _ = try answer(.getVersion, link)
    return true
  }

  /// NTAG21x data sheet, 10.1: a tag answers within 5 ms. Silence is the answer of others.
  private static let versionTimeout = Duration.milliseconds(12)

  /// Sends GET_VERSION with the reader's chip verifying the CRC, as after activation, which avoids
  /// reconfiguring it. A NAK looks like a broken answer then, and other readers return it as a
  /// byte: anything except a version is requested again in the form that identifies a NAK. After
  /// silence, that is the repetition.
  private static func version(_ link: TagLink) throws -> [UInt8]? {
    do {
      let answer = try link.exchange(
        UltralightCommand.getVersion.encoded, framing: .checked, timeout: versionTimeout)
      if answer.count > 1 { return answer }
    } catch let error as NFCError where error.code == .tagResponseError && error.cause == .noAnswer
    {
      try link.selectAgain()
      return try answer(again: .getVersion, link)
    } catch let error as NFCError where [.tagRefused, .tagResponseError].contains(error.code) {
      // It is requested again below.
    }
    try link.selectAgain()
    return try answer(.getVersion, link)
  }

  /// Returns the answer, or `nil` if the tag does not support the command; it is awake again then.
  ///
  /// Some chips indicate this with silence. A lost frame looks the same, and would lead to another
  /// chip: a command without an answer is repeated once.
  private static func answer(_ command: UltralightCommand, _ link: TagLink) throws -> [UInt8]? {
    do {
      return try UltralightExchange.send(command.encoded, link)
    } catch let error as NFCError where error.code == .tagRefused {
      try link.selectAgain()
      return nil
    } catch let error as NFCError where error.code == .tagResponseError {
      try link.selectAgain()
      return try answer(again: command, link)
    }
  }

  private static func answer(
    again command: UltralightCommand, _ link: TagLink
  ) throws -> [UInt8]? {
    do {
      return try UltralightExchange.send(command.encoded, link)
    } catch let error as NFCError where error.isRefusalOrAbsence {
      try link.selectAgain()
      return nil
    }
  }
}

extension NFCError {
  /// Whether a tag has refused, or not answered. A reader that verifies the CRC itself reports the
  /// four bits of a refusal as a broken answer. A failure between host and reader is neither.
  fileprivate var isRefusalOrAbsence: Bool {
    switch (code, cause) {
    case (.tagRefused, _): true
    case (.tagResponseError, .driver(let failure)): failure.meaning != .readerFailure
    default: code == .tagResponseError
    }
  }
}
