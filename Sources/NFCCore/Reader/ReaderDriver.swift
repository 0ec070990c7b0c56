/// The capabilities of a reader, as its driver reports them.
public struct ReaderCapabilities: Hashable, Sendable {
  /// The technologies that it can poll.
  public var technologies: Set<TagTechnology>
  /// The bit rates in kilobits per second, by technology.
  public var bitRates: [TagTechnology: [Int]]
  /// The maximum length of a command to a tag, in bytes, without the check bytes that the reader
  /// adds.
  public var maximumCommandLength: Int
  /// The maximum length of a tag's answer, in bytes, without its check bytes.
  public var maximumResponseLength: Int
  /// Whether a card of ISO/IEC 14443-4 can only receive APDUs of ISO/IEC 7816-4.
  public var supportsOnlyAPDUs: Bool
  /// The ways in which commands can reach a tag, best first, with their capabilities. Empty for a
  /// reader that sends everything. The first tag shows which of them the reader supports.
  public var commandPaths: [CommandPath]
  /// The limits of the reader as a card; `nil` if it cannot act as one. See ``Reader/emulate(_:)``.
  public var emulation: EmulationCapabilities?
  /// The technologies after whose searches a frame can be sent; none for most readers. See
  /// ``Reader/setPollingFrames(_:)``.
  public var pollingFrames: Set<TagTechnology>

  /// Creates the capabilities of a reader that sends every command unchanged, unless `commandPaths`
  /// says otherwise.
  public init(
    technologies: Set<TagTechnology>, bitRates: [TagTechnology: [Int]],
    maximumCommandLength: Int, maximumResponseLength: Int, supportsOnlyAPDUs: Bool = false,
    commandPaths: [CommandPath] = [], emulation: EmulationCapabilities? = nil,
    pollingFrames: Set<TagTechnology> = []
  ) {
    self.technologies = technologies
    self.bitRates = bitRates
    self.maximumCommandLength = maximumCommandLength
    self.maximumResponseLength = maximumResponseLength
    self.supportsOnlyAPDUs = supportsOnlyAPDUs
    self.commandPaths = commandPaths
    self.emulation = emulation
    self.pollingFrames = pollingFrames
  }
}

/// The form in which a command is sent over the air and its answer returned.
///
/// More may be added: a driver refuses those that it does not know with ``NFCError/Code/unsupported``.
@nonexhaustive
public enum Framing: Hashable, Sendable {
  /// The reader runs the tag's protocol: the blocks of ISO/IEC 14443-4, or the cipher and the two
  /// phases of MIFARE Classic.
  case tagProtocol
  /// Bytes with check bytes that the reader appends, verifies and removes.
  case checked
  /// Bytes without any change, and the unchanged answer: including check bytes and the four bits of
  /// an acknowledge.
  case bare
}

/// A driver of a ``Reader``: one round trip per call, on one thread, without state for individual
/// tags.
///
/// There are drivers for libnfc's readers and for those of PC/SC; tests have their own. A driver is
/// not `Sendable`: it belongs to the actor that runs it. Only ``abort`` may be called from other
/// threads.
///
/// Every method throws ``NFCError``; `readerLost` means that the reader is gone, permanently unless
/// the driver ``canReconnect``.
public protocol ReaderDriver: AnyObject {
  /// The name for people.
  var name: String { get }
  /// The connection string that opens this reader again.
  var connectionString: String { get }
  /// The reader's chip and its firmware version, as the reader reports them; `nil` if it does not.
  var firmware: String? { get }
  /// The capabilities of the reader.
  var capabilities: ReaderCapabilities { get }

  /// Returns the reader's capabilities for a tag that it has found, if they differ from the general
  /// ``capabilities``.
  func capabilities(for target: Target) -> ReaderCapabilities

  /// Whether a call after `readerLost` tries to reach the reader again, so that it works again
  /// after it has returned. Tags that were found before are lost in either case.
  var canReconnect: Bool { get }

  /// Releases a reader that is considered lost. Called only if the driver ``canReconnect``; the
  /// next call tries to reach the reader again.
  func disconnect()

  /// Ends the running call, from any thread. The call then throws `CancellationError`.
  var abort: @Sendable () -> Void { get }

  /// Called, from any thread, when the last reference to the reader was released and ``close()``
  /// will follow: opening the reader again then waits for it instead of finding it in use.
  var announceClose: @Sendable () -> Void { get }

  /// Called before each operation: an ``abort`` affects only the operation during which it occurs.
  func begin()
  /// Called after each operation; see ``begin()``.
  func end()

  /// Switches the carrier off and on, so that all tags start again.
  ///
  /// - Throws: ``NFCError/Code/readerLost``.
  func resetField() throws

  /// Switches the carrier off until ``resetField()`` is called, to save energy. A driver that cannot leaves it on.
  ///
  /// - Throws: ``NFCError/Code/readerLost``.
  func switchFieldOff() throws

  /// Searches once for tags of a technology. Each tag that is found is put to sleep again if the
  /// technology allows it, so that the next one can be found; the last may stay active.
  ///
  /// - Throws: ``NFCError/Code/readerLost``; ``NFCError/Code/unsupported`` for a technology that the reader lacks;
  ///   ``NFCError/Code/readerUnavailable`` with the meaning ``NFCError/DriverFailure/Meaning/cardInUse`` if another
  ///   program has the card.
  func list(_ technology: TagTechnology) throws -> [Target]

  /// Returns whether tags of a technology are found one by one, by ``find(_:excluding:)``, so that
  /// the first can be reported before the others are searched for.
  ///
  /// A driver for which this is true of any technology is polled with the carrier on: searches follow each other
  /// without a pause, and known tags are asked by ``isPresent(_:)``. The others, for which a service polls, are polled in
  /// rounds of ``resetField()`` and ``list(_:)``.
  func findsOneByOne(_ technology: TagTechnology) -> Bool

  /// Searches for one more tag of such a technology, and leaves it active, so that it accepts
  /// commands at once.
  ///
  /// - Parameter found: the tags of this technology that were found since the carrier was last
  ///   switched off. Commands may have been sent to them since; they are put to sleep.
  /// - Returns: a tag that is not in `found`; `nil` if there is none.
  /// - Throws: the errors of ``list(_:)``: ``NFCError/Code/readerLost``,
  ///   ``NFCError/Code/unsupported``, ``NFCError/Code/readerUnavailable``.
  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target?

  /// Called before searches after which frames are sent, and with `false` before the next ones without: meanwhile, each
  /// search makes one attempt. Sends nothing by itself.
  func setBroadcasting(_ isOn: Bool)

  /// Sends a frame with its check bytes, which nothing answers, right after a search of its technology that has found
  /// nothing. A reader with ``ReaderCapabilities/pollingFrames`` implements this.
  ///
  /// - Throws: ``NFCError/Code/unsupported``; ``NFCError/Code/readerUnavailable``; ``NFCError/Code/readerLost``.
  func broadcast(_ frame: PollingFrame) throws

  /// Wakes a particular tag that ``list(_:)`` has found; throws `tagConnectionLost` if it is gone.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it is gone; ``NFCError/Code/readerLost``.
  func select(_ target: Target) throws

  /// Asks a tag whether it is still present, with its cheapest command that loses no
  /// state, and leaves it selected. A tag that is not selected is woken; a driver without such a command wakes the tag
  /// again.
  ///
  /// - Throws: ``NFCError/Code/readerLost``. A tag that has left is not an error.
  func isPresent(_ target: Target) throws -> Bool

  /// Sends a command to the selected tag.
  ///
  /// After an error, the same command may follow without ``select(_:)``: one that changes nothing on the tag is repeated
  /// once after silence, a broken answer, or a failure between host and reader, which has the meaning
  /// ``NFCError/DriverFailure/Meaning/readerFailure``.
  ///
  /// - Parameter timeout: the time limit for the whole exchange.
  /// - Throws: ``NFCError/Code/tagResponseError`` with the cause `noAnswer` on silence and
  ///   `checksum` on a broken answer; ``NFCError/Code/unsupported`` if the reader does not support
  ///   it; ``NFCError/Code/readerLost``.
  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8]

  /// Authenticates to a MIFARE Classic with the given key.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key;
  ///   ``NFCError/Code/tagResponseError`` on silence; ``NFCError/Code/unsupported`` if the reader
  ///   does not support it.
  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws

  /// Called when the selected tag may hold something that the next program would inherit, such as an authenticated
  /// session, and with `false` when it holds nothing any more.
  ///
  /// A driver that can release a tag without switching off the carrier must, as long as this was last called with
  /// `true`, release it so that it starts again. Sends nothing by itself.
  func tagHoldsState(_ holdsState: Bool)

  /// Called when a command to the selected tag was given up between two of its frames. The tag must start again before
  /// its next command, and before another program gets it: the next ``select(_:)`` wakes it, even if it is active.
  func commandWasInterrupted()

  /// Shows a signal with the reader's light and buzzer, and returns when it is over.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` for a reader without.
  func signal(_ signal: ReaderSignal) throws

  /// Makes the reader a card, and waits until another reader has activated it. Called again after each session, when
  /// as few commands to the reader as possible must pass. A reader with such
  /// ``ReaderCapabilities/emulation`` implements this and the following three methods.
  ///
  /// - Returns: whether it was activated within the time limit.
  /// - Throws: ``NFCError/Code/unsupported``; ``NFCError/Code/readerUnavailable``; ``NFCError/Code/readerLost``.
  func waitForActivation(as identity: CardIdentity, timeout: Duration) throws -> Bool

  /// Waits for the next command of the reader that has activated the card.
  ///
  /// - Throws: ``NFCError/Code/readerUnavailable``; ``NFCError/Code/readerLost``.
  func receiveCommand(timeout: Duration) throws -> EmulationReception

  /// Answers the command that was received, and returns once the answer has been sent.
  ///
  /// - Returns: `nil`, or how the session has ended if the answer could not be sent.
  /// - Throws: ``NFCError/Code/commandTooLong``, and nothing was sent; ``NFCError/Code/readerUnavailable``;
  ///   ``NFCError/Code/readerLost``.
  func answerCommand(_ answer: [UInt8]) throws -> EmulationRelease?

  /// Ends to act as a card, so that tags can be looked for as before. Called once after any number of
  /// ``waitForActivation(as:timeout:)``.
  ///
  /// - Throws: ``NFCError/Code/readerLost``.
  func endEmulation() throws

  /// Switches off the carrier and releases the reader. No call follows.
  func close()
}

extension ReaderDriver {
  public var firmware: String? { nil }
  public func switchFieldOff() throws {}
  public func findsOneByOne(_ technology: TagTechnology) -> Bool { false }
  public func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? { nil }
  public func capabilities(for target: Target) -> ReaderCapabilities { capabilities }
  public var canReconnect: Bool { false }
  public func disconnect() {}
  public func tagHoldsState(_ holdsState: Bool) {}
  public func commandWasInterrupted() {}
  public var announceClose: @Sendable () -> Void { {} }
  public func setBroadcasting(_ isOn: Bool) {}

  public func broadcast(_ frame: PollingFrame) throws {
    throw NFCError(
      .unsupported, "this reader cannot send a polling frame; a PN532 can",
      cause: .unsupportedByReader)
  }

  public func signal(_ signal: ReaderSignal) throws {
    throw NFCError(.unsupported, "\(name) has no light or buzzer that programs can use")
  }

  public func waitForActivation(as identity: CardIdentity, timeout: Duration) throws -> Bool {
    throw Self.cannotBeCard
  }

  public func receiveCommand(timeout: Duration) throws -> EmulationReception {
    throw Self.cannotBeCard
  }

  public func answerCommand(_ answer: [UInt8]) throws -> EmulationRelease? {
    throw Self.cannotBeCard
  }

  public func endEmulation() throws {}

  private static var cannotBeCard: NFCError {
    NFCError(
      .unsupported, "this reader cannot act as a card; a PN532 can", cause: .unsupportedByReader)
  }

  public func isPresent(_ target: Target) throws -> Bool {
    do {
      try select(target)
      return true
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return false
    }
  }
}
