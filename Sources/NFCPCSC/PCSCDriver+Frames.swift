import SwiftNFCCore

// Frames of tags: transparent sessions, encapsulation, and direct transmit.
extension PCSCDriver {
  // MARK: Transparent session

  /// Starts a session for a standard.
  ///
  /// - Returns: whether the reader has one.
  func startTransparentSession(_ standard: TransparentSession.Standard) throws -> Bool {
    guard isDone(try transmit(TransparentSession.startCommand)) else { return false }
    guard isDone(try transmit(TransparentSession.switchCommand(to: standard))),
      acceptsExchanges(try transmit(TransparentSession.timerCommand))
    else {
      _ = try transmit(TransparentSession.endCommand)
      return false
    }
    if standard == .feliCa {
      // A card that the reader's own search has left active does not answer (Sony RC-S300).
      _ = try transmit(TransparentSession.fieldOffCommand)
      _ = try transmit(TransparentSession.fieldOnCommand)
    }
    session?.isTransparent = true
    return true
  }

  /// Returns the field to the reader's own search, which then notices when a card is removed.
  func endTransparentSession() throws {
    guard let session, session.isTransparent else { return }
    self.session?.isTransparent = false
    _ = try transmit(TransparentSession.endCommand)
  }

  /// Returns whether all objects of a session command were carried out.
  private func isDone(_ answer: [UInt8]) -> Bool {
    guard case .answer(let objects) = ExchangeOutcome(answer) else { return false }
    return TransparentSession.isDone(objects)
  }

  /// Returns whether the reader supports the command for exchanges; its reaction to one without a
  /// frame does not matter.
  private func acceptsExchanges(_ answer: [UInt8]) -> Bool {
    var outcome = ExchangeOutcome(answer)
    if case .answer(let objects) = outcome { outcome = TransparentSession.outcome(objects) }
    return switch outcome {
    case .unknown, .malformed: false
    case .answer, .noAnswer, .broken, .refused: true
    }
  }

  func transparentExchange(
    _ frame: [UInt8], _ timeout: Duration
  ) throws -> ExchangeOutcome {
    let answer = try transmit(
      TransparentSession.exchangeCommand(frame, timeout: timeout), timeout: timeout)
    let outcome = ExchangeOutcome(answer)
    guard case .answer(let objects) = outcome else { return outcome }
    let result = TransparentSession.outcome(objects)
    // A Sony RC-S300 sends some commands of FeliCa and refuses the object of others.
    if case .transparent(.feliCa) = session?.path, result == .refused(Self.refusedObject) {
      return .unknown(Self.refusedObject)
    }
    return result
  }

  /// The status word for an object whose value the reader does not accept (PC/SC part 3, supplement
  /// 2.02).
  private static let refusedObject: UInt16 = 0x6A80

  /// Returns the tag's answer, or throws the reason why there is none.
  func frame(_ outcome: ExchangeOutcome) throws -> [UInt8] {
    switch outcome {
    case .answer(let frame): return frame
    case .noAnswer:
      throw Self.silence
    case .broken:
      throw NFCError(.tagResponseError, "the tag's answer was broken", cause: .checksum)
    case .unknown(let word):
      throw unsupported("send this command to the tag", word)
    case .refused(let word):
      throw NFCError(
        .tagResponseError, "the reader did not perform the exchange", cause: .statusWord(word))
    case .malformed:
      throw NFCError(.tagResponseError, "the reader's answer makes no sense")
    }
  }

  /// Returns the error for what the reader itself does not do: another reader may.
  func unsupported(_ action: String, _ word: UInt16) -> NFCError {
    NFCError(
      .unsupported, "\(name) does not \(action): \(NFCError.Cause.statusWord(word))",
      cause: .unsupportedByReader)
  }

  // MARK: Type A, FeliCa

  /// Sends a command without its check bytes and returns the answer without its own.
  func sendFrame(_ command: [UInt8], _ timeout: Duration) throws -> ExchangeOutcome {
    try sendFrame(command, timeout, over: session?.path)
  }

  func sendFrame(
    _ command: [UInt8], _ timeout: Duration, over path: CardPath?
  ) throws -> ExchangeOutcome {
    switch path {
    case .direct: try sendDirect(command, timeout)
    case .passedThrough(let way): try sendPassedThrough(command, way, timeout)
    case .feliCaFrames: try sendFeliCa(command, timeout)
    case .feliCaCommands: try sendFeliCaCommand(command, timeout)
    case .encapsulated(let standard): try sendEncapsulated(command, of: standard, timeout)
    default: try transparentExchange(command, timeout)
    }
  }

  func sendEncapsulated(
    _ frame: [UInt8], of standard: Encapsulation.Standard, _ timeout: Duration
  ) throws -> ExchangeOutcome {
    guard let command = Encapsulation.command(frame, of: standard) else { return .malformed }
    let outcome = ExchangeOutcome(
      try transmit(command, timeout: timeout), meanings: Encapsulation.meanings)
    // For an acknowledge, which has no whole byte, a reader may report only that it arrived.
    return outcome == .answer([]) ? .answer([Self.acknowledge]) : outcome
  }

  func sendPassedThrough(
    _ frame: [UInt8], _ way: TypeAPassThrough, _ timeout: Duration
  ) throws -> ExchangeOutcome {
    guard let command = way.command(for: frame) else {
      throw NFCError(
        .unsupported, "\(name) has no safe way to send command \(frame.prefix(1).hexadecimal)",
        cause: .unsupportedByReader)
    }
    return TypeAPassThrough.outcome(try transmit(command, timeout: timeout))
  }

  func sendDirect(_ command: [UInt8], _ timeout: Duration) throws -> ExchangeOutcome {
    let answer = try transmit(DirectTransmit.command(for: command), timeout: timeout)
    if DirectTransmit.mayAnswerEarlierCommand(answer, of: command) { try resynchronize() }
    return DirectTransmit.outcome(answer, of: command)
  }

  func sendFeliCa(_ frame: [UInt8], _ timeout: Duration) throws -> ExchangeOutcome {
    guard let command = FeliCaTransmit.command(for: frame) else { return .malformed }
    return FeliCaTransmit.outcome(try transmit(command, timeout: timeout))
  }

  func sendFeliCaCommand(_ frame: [UInt8], _ timeout: Duration) throws -> ExchangeOutcome {
    guard let command = FeliCaCommands.command(for: frame) else {
      throw NFCError(
        .unsupported, "\(name) has no way to send this command to the card",
        cause: .unsupportedByReader)
    }
    return FeliCaCommands.outcome(try transmit(command, timeout: timeout), of: frame)
  }

  /// Discards answers that belong to earlier commands.
  private func resynchronize() throws {
    let attempts = 3
    for _ in 0..<attempts
    where DirectTransmit.isVersion(try transmit(DirectTransmit.versionCommand)) { return }
  }

  func exchangeFrame(
    _ command: [UInt8], _ framing: Framing, _ timeout: Duration
  ) throws -> [UInt8] {
    switch framing {
    case .checked:
      let answer = try frame(sendFrame(command, timeout))
      if Self.isRefusal(answer) { becomeMute() }
      return answer
    case .bare:
      let answer = try frame(sendFrame(try withoutCheck(command), timeout))
      return Self.bare(answer, onRefusal: becomeMute)
    case .tagProtocol:
      throw NFCError(
        .unsupported, "\(name) does not run this tag's protocol in a session",
        cause: .unsupportedByReader)
    }
  }

  /// Returns the reader adds and verifies the check, so it has to be the usual one.
  func withoutCheck(_ frame: [UInt8]) throws -> [UInt8] {
    let body = Array(frame.dropLast(2))
    guard !body.isEmpty, CyclicRedundancyCheck.a(body) == Array(frame.suffix(2)) else {
      throw NFCError(
        .unsupported, "\(name) sends only frames with the right check", cause: .unsupportedByReader)
    }
    return body
  }

  /// The four bits of a positive acknowledge (NTAG21x data sheet, 9.3).
  static let acknowledge: UInt8 = 0x0A
  /// A refusal whose code was lost: an invalid argument (NTAG21x data sheet, 9.3).
  static let refusal: UInt8 = 0x00

  /// Returns an answer in its form on the air: with its check bytes, or the four bits of an
  /// acknowledge.
  ///
  /// - Parameter onRefusal: is called if the tag is mute from now on.
  static func bare(_ answer: [UInt8], onRefusal: () -> Void) -> [UInt8] {
    guard answer.count == 1 else { return answer + CyclicRedundancyCheck.a(answer) }
    if isRefusal(answer) { onRefusal() }
    return answer
  }

  /// Returns whether an answer is the four bits of a refusal, after which a tag is mute until it is woken.
  static func isRefusal(_ answer: [UInt8]) -> Bool {
    answer.count == 1 && answer[0] & 0x0F != acknowledge
  }
}
