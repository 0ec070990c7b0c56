/// Sends commands of the Ultralight and NTAG 2xx families.
enum UltralightExchange {
  /// A time longer than any write of these chips; a tag that is silent for this time has refused.
  static let timeout = Duration.milliseconds(100)

  /// Sends a command without its CRC_A and returns the answer without it.
  ///
  /// The CRC is generated and verified here instead of by the reader's chip: a PN53x that verifies
  /// it reports the four bits of a NAK as a wrong CRC, and their code is lost.
  static func send(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
    try send(command, protectedBy: link.channel, link)
  }

  /// Sends a command through a channel, if there is one.
  static func send(
    _ command: [UInt8], protectedBy channel: (any UltralightChannel)?, _ link: TagLink
  ) throws -> [UInt8] {
    guard let channel, let protected = try channel.protect(command) else {
      return try sendAsIs(command, link)
    }
    let answer = try channel.unprotect(sendAsIs(protected, link))
    // A MAC over nothing replaces an acknowledge.
    return answer.isEmpty ? [UltralightCommand.acknowledge] : answer
  }

  private static func sendAsIs(_ command: [UInt8], _ link: TagLink) throws -> [UInt8] {
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

  /// Sends a command, and once more after a loss that allows it.
  ///
  /// - Throws: `tagRefused` also for a broken answer that is followed by silence: some readers lose the code of a
  ///   refusal, after which a tag listens no more until it is selected (ISO/IEC 14443-3, 6.3). A tag whose answer was
  ///   only disturbed does.
  private static func repeating(
    _ command: UltralightCommand, _ link: TagLink
  ) throws -> [UInt8] {
    func answer() throws -> [UInt8] {
      try link.changing(command.changesTag) { try command.answer(send(command.encoded, link)) }
    }
    // A channel counts its commands.
    let losses = link.channel == nil ? command.repeatedAfter : []
    do {
      return try answer()
    } catch let first as NFCError where losses.includes(first) {
      do {
        return try answer()
      } catch let second as NFCError
        where first.cause == .checksum && second.code == .tagResponseError
        && second.cause == .noAnswer
      {
        // It may have left as well.
        try link.selectPlainly()
        throw NFCError(.tagRefused, "the tag has refused the command", cause: first.cause)
      }
    }
  }

  /// Sends a command as a value, and returns the content of its answer. An error includes the page,
  /// if there is one: a page that cannot be read is `tagRefused`, one that cannot be written is
  /// `readOnly`.
  static func send(_ command: UltralightCommand, _ link: TagLink) throws -> [UInt8] {
    do {
      return try repeating(command, link)
    } catch let error as NFCError where error.code == .tagRefused {
      // An acknowledge has no check, and the tag has carried out what it acknowledges.
      if command.changesTag, case .negativeAcknowledge(let code) = error.cause,
        !UltralightCommand.refusals.contains(code)
      {
        throw NFCError(
          .tagResponseError, "the tag's acknowledgement is broken", cause: .checksum,
          place: command.place)
      }
      guard let place = command.place else { throw error }
      if case .write = command, error.cause == .negativeAcknowledge(UltralightCommand.notAllowed) {
        throw NFCError(
          .readOnly,
          "the tag does not allow this page to be written: it is locked, requires a password first, "
            + "or does not exist", cause: error.cause, place: place)
      }
      throw NFCError(
        error.code, "the tag has refused the page: it is protected, or not there",
        cause: error.cause, place: place)
    } catch let error as NFCError where error.code == .tagResponseError && error.place == nil {
      throw NFCError(error.code, error.reason, cause: error.cause, place: command.place)
    }
  }
}
