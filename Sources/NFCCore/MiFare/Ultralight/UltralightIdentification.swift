/// Which chip of the Ultralight and NTAG families a tag is.
enum UltralightIdentification {
  /// Asks GET_VERSION and, where the tag does not know it, tells the older chips apart by what they
  /// answer: ``Type2Chip/Recognition``.
  ///
  /// `nil` as well on a reader that carries none of the commands that chips are told apart by.
  static func chip(_ link: TagLink) throws -> Type2Chip? {
    do {
      if let version = try version(link) { return Type2Chip.version(version) }
    } catch let error as NFCError where error.code == .unsupported {
      return nil
    }
    let maker = link.target.identifier.first
    if let chip = withAuthentication, try knowsAuthentication(link) { return chip }
    if let chip = try byProductCode(link, maker) { return chip }
    for chip in Type2Chip.all {
      guard case .page(let page, maker: maker) = chip.recognition else { continue }
      if try answer(.read(page: page), link) != nil { return chip }
    }
    return Type2Chip.all.first {
      guard case .identifier(let own) = $0.recognition else { return false }
      return own == maker
    }
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

  private static var withAuthentication: Type2Chip? {
    Type2Chip.all.first { $0.recognition == .authentication }
  }

  private static func knowsAuthentication(_ link: TagLink) throws -> Bool {
    guard let challenge = try answer(.authenticate, link),
      (try? UltralightCommand.authenticate.answer(challenge)) != nil
    else { return false }
    // It waits for the second half. Anything else ends that, by a refusal.
    _ = try answer(.getVersion, link)
    return true
  }

  /// Asks GET_VERSION with the reader's chip verifying the check, as it does after activation, which
  /// saves setting it up again. A NAK looks like a broken answer then, and other readers give it as a byte:
  /// whatever is no version is asked for again in the form that tells a NAK.
  private static func version(_ link: TagLink) throws -> [UInt8]? {
    do {
      let answer = try link.exchange(
        UltralightCommand.getVersion.encoded, framing: .checked, timeout: UltralightExchange.timeout
      )
      if answer.count > 1 { return answer }
    } catch let error as NFCError where [.tagRefused, .tagResponseError].contains(error.code) {
      // It is asked again below.
    }
    try link.selectAgain()
    return try answer(.getVersion, link)
  }

  /// Returns the answer, or `nil` if the tag does not know the command; it is awake again then.
  ///
  /// Some chips say so by silence. A frame that is lost looks the same, and would make another chip of the
  /// tag: what was not answered is asked once more.
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
  /// Whether a tag has said no, or nothing. A reader that looks at the check itself takes the four bits of a
  /// refusal for a broken answer. What has come to grief between host and reader is neither.
  fileprivate var isRefusalOrAbsence: Bool {
    switch (code, cause) {
    case (.tagRefused, _): true
    case (.tagResponseError, .libnfc): false
    default: code == .tagResponseError
    }
  }
}
