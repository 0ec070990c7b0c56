/// What a reader can do, as its driver reports it.
public struct ReaderCapabilities: Hashable, Sendable {
  /// The technologies that it can poll.
  public var technologies: Set<TagTechnology>
  /// In kilobits per second, by technology.
  public var bitRates: [TagTechnology: [Int]]
  /// The longest command to a tag, in bytes, without the check that the reader adds.
  public var maximumCommandLength: Int
  /// The longest answer of a tag, in bytes, without its check.
  public var maximumResponseLength: Int
  /// A card of ISO/IEC 14443-4 gets the APDUs of ISO/IEC 7816-4 and nothing else.
  public var supportsOnlyAPDUs: Bool
  /// The ways in which commands can reach a tag, best first, and what each of them loses. Empty for
  /// a reader that carries everything. Which of them a reader has shows with the first tag.
  public var commandPaths: [CommandPath]

  /// The capabilities of a reader that sends every command as it is, unless `commandPaths` says otherwise.
  public init(
    technologies: Set<TagTechnology>, bitRates: [TagTechnology: [Int]],
    maximumCommandLength: Int, maximumResponseLength: Int, supportsOnlyAPDUs: Bool = false,
    commandPaths: [CommandPath] = []
  ) {
    self.technologies = technologies
    self.bitRates = bitRates
    self.maximumCommandLength = maximumCommandLength
    self.maximumResponseLength = maximumResponseLength
    self.supportsOnlyAPDUs = supportsOnlyAPDUs
    self.commandPaths = commandPaths
  }
}

/// How a command goes over the air and its answer comes back.
public enum Framing: Hashable, Sendable {
  /// The reader runs the tag's protocol: the blocks of ISO/IEC 14443-4, or the cipher and the two
  /// phases of MIFARE Classic.
  case tagProtocol
  /// Bytes with a check that the reader appends, verifies and takes off.
  case checked
  /// Bytes as they are, and the answer as it is: checks and the four bits of an acknowledge
  /// included.
  case bare
}

/// A reader, as ``Reader`` drives it: one round trip per call, on one thread, no state of a tag's
/// own.
///
/// There is one for libnfc's readers and one for those of PC/SC; tests have their own. A driver is not
/// `Sendable`: it belongs to the actor that runs it. Only ``abort`` may be called from elsewhere.
///
/// Every method throws ``NFCError``; `readerLost` means that the reader is gone, for good unless
/// the driver ``canReconnect``.
public protocol ReaderDriver: AnyObject {
  /// What people call it.
  var name: String { get }
  /// What ``Reader`` is opened by to get this reader again.
  var connectionString: String { get }
  /// Its chip and the version of the chip's program, as the reader reports them; `nil` if it does not.
  var firmware: String? { get }
  /// What the reader can do.
  var capabilities: ReaderCapabilities { get }

  /// What the reader can do with a tag that it has found, where that is less or more than
  /// ``capabilities`` say of all.
  func capabilities(for target: Target) -> ReaderCapabilities

  /// Whether a call after `readerLost` tries to reach the reader again, so that it is of use once
  /// it is back. Tags that were found before are lost in either case.
  var canReconnect: Bool { get }

  /// Lets go of a reader that has been taken for lost. Called only if the driver ``canReconnect``; the next
  /// call tries to reach the reader again.
  func disconnect()

  /// Ends the call that is running, from any thread. The call then throws `CancellationError`.
  var abort: @Sendable () -> Void { get }

  /// Called, from any thread, when the last reference to the reader has gone and ``close()`` will follow: whoever
  /// opens the reader again waits for it rather than to find it in use.
  var announceClose: @Sendable () -> Void { get }

  /// Called before and after each piece of work: an ``abort`` concerns only the work it falls into.
  func begin()
  /// Called after each piece of work; see ``begin()``.
  func end()

  /// Switches the carrier off and on, so that all tags start again.
  ///
  /// - Throws: ``NFCError/Code/readerLost``.
  func resetField() throws

  /// Looks once for tags of a technology. Each that is found is put to sleep again if the
  /// technology has a way, so that the next one can be found; the last may stay active.
  ///
  /// - Throws: ``NFCError/Code/readerLost``; ``NFCError/Code/unsupported`` for a technology that the reader lacks;
  ///   ``NFCError/Code/readerUnavailable`` with the cause `pcsc` if another program has the card.
  func list(_ technology: TagTechnology) throws -> [Target]

  /// Whether tags of a technology are found one by one, by ``find(_:excluding:)``: the first can be
  /// told of before the others are looked for.
  func findsOneByOne(_ technology: TagTechnology) -> Bool

  /// Looks for one more tag of such a technology, and leaves it active, so that it takes commands at
  /// once.
  ///
  /// - Parameter found: the tags of this technology that were found since the carrier's last
  ///   interruption. Commands may have gone to them since; they are put to sleep.
  /// - Returns: none of `found`; `nil` if there is no other.
  /// - Throws: as ``list(_:)``: ``NFCError/Code/readerLost``, ``NFCError/Code/unsupported``,
  ///   ``NFCError/Code/readerUnavailable``.
  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target?

  /// Wakes a tag that ``list(_:)`` has found, and no other; throws `tagConnectionLost` if it is
  /// gone.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it is gone; ``NFCError/Code/readerLost``.
  func select(_ target: Target) throws

  /// Asks the selected tag whether it is still there, by the cheapest command of its own that loses nothing
  /// in it, and leaves it selected. A driver that has none wakes it again.
  ///
  /// - Throws: ``NFCError/Code/readerLost``. A tag that has gone is no error.
  func isPresent(_ target: Target) throws -> Bool

  /// Sends a command to the selected tag.
  ///
  /// - Parameter timeout: for the whole exchange.
  /// - Throws: ``NFCError/Code/tagResponseError`` with the cause `noAnswer` on silence and `checksum` on a broken
  ///   answer; ``NFCError/Code/unsupported`` if the reader has no way for it; ``NFCError/Code/readerLost``.
  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8]

  /// Sends MIFARE Classic's authentication, with the key in place.
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a wrong key; ``NFCError/Code/tagResponseError`` on
  ///   silence; ``NFCError/Code/unsupported`` if the reader has no way for it.
  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws

  /// Switches the carrier off and releases the reader. Nothing is called after it.
  func close()
}

extension ReaderDriver {
  public var firmware: String? { nil }
  public func findsOneByOne(_ technology: TagTechnology) -> Bool { false }
  public func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? { nil }
  public func capabilities(for target: Target) -> ReaderCapabilities { capabilities }
  public var canReconnect: Bool { false }
  public func disconnect() {}
  public var announceClose: @Sendable () -> Void { {} }

  public func isPresent(_ target: Target) throws -> Bool {
    do {
      try select(target)
      return true
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return false
    }
  }
}
