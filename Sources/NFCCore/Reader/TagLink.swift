/// The connection from a procedure to the tag: one call is one exchange.
///
/// A link exists only while a procedure runs on the reader's thread. ``Tag/exclusively(_:)`` passes
/// one to your closure, which can send several commands without interruption; the link is not valid
/// after that call.
public struct TagLink {
  /// Sends a command over a link, in the form of the tag's kind.
  typealias RawSender = ([UInt8], TagLink) throws -> [UInt8]

  private let driver: any ReaderDriver
  /// The activation data of the tag.
  public let target: Target
  private let operation: Reader.Operation
  /// What the chip of an Ultralight or NTAG tag would answer to GET_VERSION; `nil` if the program does not know it.
  let presumedVersion: [UInt8]?
  /// The time limit for every exchange, in place of the family's default.
  private var allowance: Duration?
  private var rawSender: RawSender?
  /// Repeats the program's authentication with a tag that was woken.
  private var reauthentication: ((TagLink) throws -> Void)?
  /// The protection of an Ultralight tag's commands, after an authentication.
  private(set) var channel: (any UltralightChannel)?

  init(
    driver: any ReaderDriver, target: Target, operation: Reader.Operation,
    presumedVersion: [UInt8]? = nil
  ) {
    self.driver = driver
    self.target = target
    self.operation = operation
    self.presumedVersion = presumedVersion
  }

  /// The time limit for an ordinary command, including waiting-time extensions.
  static let defaultTimeout = Duration.milliseconds(1000)

  package var capabilities: ReaderCapabilities { driver.capabilities(for: target) }

  /// Returns the same link, with `timeout` for each exchange in place of the family's default;
  /// `nil` leaves it unchanged.
  func allowing(_ timeout: Duration?) -> TagLink {
    guard let timeout else { return self }
    var link = self
    link.allowance = timeout
    return link
  }

  /// Returns the same link, for a program that uses only the tag's own commands.
  func sending(_ rawSender: @escaping RawSender) -> TagLink {
    var link = self
    link.rawSender = rawSender
    return link
  }

  /// Returns the same link, which restores a tag that it wakes.
  func reauthenticating(_ reauthentication: @escaping (TagLink) throws -> Void) -> TagLink {
    var link = self
    link.reauthentication = reauthentication
    return link
  }

  /// Returns the same link, whose commands to an Ultralight tag a channel protects; `nil` for none.
  package func protected(by channel: (any UltralightChannel)?) -> TagLink {
    var link = self
    link.channel = channel
    return link
  }

  /// Sends a command and returns the answer.
  ///
  /// Throws `commandTooLong` before anything is sent.
  func exchange(
    _ command: [UInt8], framing: Framing, timeout: Duration = TagLink.defaultTimeout
  ) throws -> [UInt8] {
    try operation.checkCancellation()
    let longest = capabilities.maximumCommandLength
    guard command.count <= longest else {
      throw NFCError(
        .commandTooLong,
        "a command has at most \(longest) bytes on this reader, not \(command.count)")
    }
    // Before it is sent: a tag whose answer is lost may have accepted it.
    if HeldState.mayFollow(command, framing, to: target) { driver.tagHoldsState(true) }
    return try driver.exchange(command, framing: framing, timeout: allowance ?? timeout)
  }

  /// Called after the tag has confirmed that it has ended its session.
  package func sessionHasEnded() { driver.tagHoldsState(false) }

  /// Sends a command that changes the tag's content; see ``inDoubtOfChange(_:_:)``. Only a refusal leaves the content
  /// as it was: what is lost on the way, the tag may have carried out.
  ///
  /// - Parameters:
  ///   - changes: whether the command changes anything; `send` is called in either case.
  ///   - isRefusal: whether an answer is a refusal, for a tag whose refusal is not an error here.
  func changing<Result>(
    _ changes: Bool = true, isRefusal: (Result) -> Bool = { _ in false },
    _ send: () throws -> Result
  ) throws -> Result {
    guard changes else { return try send() }
    return try operation.changing(isRefusal: isRefusal, send)
  }

  /// The tag has carried out a change whose answer looked like a refusal, or may have.
  func mayHoldChange() { operation.setMayHoldChange() }

  /// Every change that was made was taken back, which the tag has proved: an error after this is not in doubt.
  func changesWereTakenBack() { operation.changesWereTakenBack() }

  /// Runs a procedure that first asks the tag and then changes it. After a change that the tag has made or may have
  /// made, and that was not taken back, an error reports how to find out, whatever its kind.
  func inDoubtOfChange<Result>(_ recovery: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as NFCError where isInDoubt(error) {
      error.recovery = error.recovery ?? recovery
      throw error
    }
  }

  private func isInDoubt(_ error: NFCError) -> Bool {
    switch error.group {
    case .connection?: operation.hasSentChange
    case .refusal?, .content?, nil: operation.mayHoldChange
    default: false
    }
  }

  /// Wakes the tag again after it has fallen silent. The program's authentication with an
  /// Ultralight or NTAG tag is repeated; anything else that was unlocked is locked again.
  func selectAgain() throws {
    try selectPlainly()
    guard let reauthentication else { return }
    var link = self
    link.reauthentication = nil
    try reauthentication(link)
  }

  /// Wakes the tag, and does nothing else.
  func selectPlainly() throws {
    try operation.checkCancellation()
    channel?.end()
    try driver.select(target)
  }

  /// Runs a part of a procedure that is not interrupted when the task is cancelled: changes that
  /// must be complete, such as a key of several pages, or lock bits after the container that
  /// announces them.
  ///
  /// If the task is cancelled before, it is stopped here; if it is cancelled meanwhile, it is
  /// stopped at the next exchange afterwards, and not at all if there is none.
  ///
  /// - Parameter recovery: what ``NFCError/recovery`` reports about a part that has failed.
  package func uninterrupted<Result>(
    recovery: String? = nil, _ body: () throws -> Result
  ) throws -> Result {
    try operation.uninterrupted {
      guard let recovery else { return try body() }
      return try NFCError.inDoubt(recovery, body)
    }
  }

  /// Runs the steps of a change without interruption; see ``uninterrupted(recovery:_:)``.
  ///
  /// An error after the first step has been carried out leaves the change in doubt, whatever its kind: a
  /// refusal of a later step does, too.
  ///
  /// - Parameter body: sets its argument when the tag has carried out a step.
  package func uninterrupted<Result>(
    recovery: String, steps body: (_ hasChanged: inout Bool) throws -> Result
  ) throws -> Result {
    try operation.uninterrupted {
      var hasChanged = false
      do {
        return try body(&hasChanged)
      } catch var error as NFCError where hasChanged || error.group == .connection {
        error.recovery = error.recovery ?? recovery
        throw error
      }
    }
  }

  /// Random bytes for the reader's side of a proof: of the system's generator, and of the recording where one is
  /// played back.
  package func random(_ count: Int) -> [UInt8] {
    (driver as? any RandomNumberDriver)?.random(count) ?? RandomNumbers.system(count)
  }

  func authenticate(block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8]) throws {
    try operation.checkCancellation()
    // The cipher is keyed with the UID's last four bytes (MF1S50 data sheet, 10.1; AN10927 for seven).
    try driver.authenticate(
      block: block, keyType: keyType, key: key, uid: Array(target.identifier.suffix(4)))
  }

  /// Sends a command that not every tag supports. Many tags refuse an unknown command and are
  /// silent until they are woken; others do not answer. Both are a valid result here, and the tag
  /// is awake afterwards.
  ///
  /// What breaks between host and reader is not an answer, and is thrown.
  ///
  /// - Returns: `nil` if the tag refuses or says nothing.
  /// - Throws: `tagConnectionLost` if the tag cannot be woken: it was silent because it has left.
  func answerIfAny<Result>(_ question: (TagLink) throws -> Result) throws -> Result? {
    do {
      return try question(self)
    } catch let error as NFCError where error.isRefusalOrSilence {
      try selectAgain()
      return nil
    }
  }
}

extension TagLink {
  /// Sends a command of the tag, in the form of the tag's raw command
  /// (``MiFareTag/sendMiFareCommand(_:timeout:)``, ``FeliCaTag/sendFeliCaCommand(_:timeout:)``,
  /// ``ISO15693Tag/transceive(_:timeout:)``, ``OtherTag/transceive(_:timeout:)``; the bytes of an
  /// APDU for an ``ISO7816Tag``): one exchange.
  ///
  /// - Parameter timeout: the time limit for the answer; `nil` for the default of the tag's family.
  /// - Throws: the errors of that command.
  public func transceive(_ command: [UInt8], timeout: Duration? = nil) throws -> [UInt8] {
    let link = allowing(timeout)
    guard let rawSender else { return try link.exchange(command, framing: .tagProtocol) }
    return try rawSender(command, link)
  }

  /// Sends an APDU unchanged: one exchange, whatever the status word.
  ///
  /// - Parameter timeout: the time limit for the answer; `nil` for five seconds.
  /// - Throws: ``NFCError/Code/unsupported`` for a tag that does not support ISO/IEC 14443-4;
  ///   ``NFCError/Code/commandTooLong``.
  public func send(_ command: APDU, timeout: Duration? = nil) throws -> ResponseAPDU {
    switch target {
    case .iso14443a(let target) where target.supportsISO14443Part4: break
    case .iso14443b: break
    default: throw NFCError(.unsupported, "this tag does not support ISO 14443-4")
    }
    return try ISO7816Exchange.send(command, allowing(timeout))
  }

  /// Wakes the tag again, which an Ultralight or a Classic requires after it has refused a command.
  /// What was unlocked or selected in it is lost.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it has left.
  public func wake() throws { try selectPlainly() }

  /// Activates the tag again, also if it is active: a card forgets what was selected and opened in it.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it has left, or has another number now.
  package func activateAgain() throws {
    driver.commandWasInterrupted()
    try selectPlainly()
  }
}
