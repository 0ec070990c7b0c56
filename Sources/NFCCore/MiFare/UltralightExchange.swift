/// Commands of the Ultralight and NTAG 2xx families over the air.
enum UltralightExchange {
  /// Longer than any write of these chips takes, and the silence after which a tag has refused.
  static let timeout = Duration.milliseconds(100)

  /// Sends a command without its CRC_A and gives the answer without it.
  ///
  /// The check is made and verified here and not by the reader's chip: a PN53x that verifies it
  /// reports the four bits of a NAK as a broken check, and their code is lost.
  static func send(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    let answer = try link.exchange(
      command + CyclicRedundancyCheck.a(command), framing: .bare, timeout: timeout)
    if answer.count == 1 {
      let code = answer[0] & 0x0F
      guard code != UltralightCommand.acknowledge else { return [code] }
      throw NFCError(
        .tagRefused, "the tag has refused command \([command[0]].hexadecimal)",
        cause: .negativeAcknowledge(code))
    }
    let body = Array(answer.dropLast(2))
    guard answer.count > 2, CyclicRedundancyCheck.a(body) == Array(answer.suffix(2)) else {
      throw NFCError(.tagResponseError, "the tag's answer is broken", cause: .checksum)
    }
    return body
  }

  /// Sends a command as a value, and gives what its answer carries. A refusal says the page, where there is
  /// one.
  static func send(_ command: UltralightCommand, _ link: TagLink) throws -> [UInt8] {
    do {
      return try command.answer(send(command.encoded, link))
    } catch let error as NFCError where error.code == .tagRefused {
      guard let place = command.place else { throw error }
      throw NFCError(
        error.code, "the tag has refused the page: it is locked, protected or not there",
        cause: error.cause, place: place)
    }
  }
}

/// Which chip of the Ultralight and NTAG families a tag is.
enum UltralightIdentification {
  /// NTAG203 has pages up to this; a 16-page Ultralight refuses to read it (NTAG203 data sheet, 8.5;
  /// MF0ICU1 data sheet, 7.6.1).
  private static let lastPageOfNTAG203: UInt8 = 0x29

  /// Asks GET_VERSION and, where the tag does not know it, tells the older chips apart by what they
  /// answer: AUTHENTICATE of Ultralight C, the 42 pages of NTAG203.
  ///
  /// `nil` as well on a reader that carries none of the commands that chips are told apart by.
  static func product(_ link: TagLink) throws -> TagProduct? {
    do {
      if let version = try version(link) {
        return UltralightChip.version(version)?.product
      }
    } catch let error as NFCError where error.code == .unsupported {
      return nil
    }
    if let challenge = try answer(.authenticate, link),
      (try? UltralightCommand.authenticate.answer(challenge)) != nil
    {
      // It waits for the second half. Anything else ends that, by a refusal.
      _ = try answer(.getVersion, link)
      return UltralightChip.ultralightC.product
    }
    guard link.target.identifier.first == UltralightChip.Version.vendor else { return nil }
    if try answer(.read(page: lastPageOfNTAG203), link) != nil {
      return UltralightChip.ntag203.product
    }
    return UltralightChip.ultralight.product
  }

  /// Asks GET_VERSION with the reader's chip verifying the check, as it does after activation, which
  /// saves setting it up anew. A NAK looks like a broken answer then, and other readers give it as a byte:
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

  /// The answer, or `nil` if the tag does not know the command; it is awake again then.
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
