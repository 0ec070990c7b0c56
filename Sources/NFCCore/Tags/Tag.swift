/// A tag that a reader has found.
///
/// A tag is of one connection: once it has left, the reader has gone, or polling has started again, every call
/// throws ``NFCError/Code/tagConnectionLost`` or the cause. It never talks to another tag by mistake.
///
/// Declare no conformances to `Tag`, or to the protocols that refine it: they are there to use the tags that a
/// reader finds, and later versions add requirements. A test has tags of its own from the product `VirtualNFC`; a
/// new kind of reader is a ``ReaderDriver``.
public protocol Tag: Sendable {
  /// The UID, IDm, PUPI or serial number, most significant byte first.
  var identifier: [UInt8] { get }
  /// How the tag and the reader talk.
  var technology: TagTechnology { get }
  /// Whether commands can still reach the tag, as far as is known without asking it; see ``isPresent()``.
  var isAvailable: Bool { get async }

  /// Makes this the tag that the reader talks to: wakes it, and puts the one before to sleep.
  ///
  /// At most one activation over the air; none if the tag is connected already.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if it is no longer there.
  func connect() async throws

  /// Asks the connected tag whether it is still there: one to three exchanges, with the cheapest command that
  /// its kind has.
  ///
  /// A card of ISO/IEC 14443-4 keeps what is selected and unlocked in it. A MIFARE Classic and an iCLASS are
  /// woken again for it: a Classic has to be authenticated again.
  ///
  /// - Returns: `false` once the tag has gone; it is lost for good then.
  /// - Throws: ``NFCError/Code/tagNotConnected`` for a tag that the reader does not talk to;
  ///   ``NFCError/Code/readerLost``; `CancellationError`.
  func isPresent() async throws -> Bool

  /// Runs several commands as one: no other command to this reader, of whatever task, falls between them.
  ///
  /// ```swift
  /// let value = try await tag.exclusively { link in
  ///   _ = try link.transceive([0xA5, 0x00, 0x01, 0x00, 0x00, 0x00])
  ///   return try link.transceive([0x39, 0x00])
  /// }
  /// ```
  ///
  /// `body` runs on the reader's own thread from its first to its last exchange, and an exchange costs there
  /// what it costs in C. Other calls on the reader wait meanwhile, so it should do nothing but talk to the
  /// tag. A cancelled task ends it with the next exchange.
  ///
  /// - Throws: what `body` throws; ``NFCError/Code/tagNotConnected`` for a tag that the reader does not talk to.
  ///   What the last exchange of `body` failed with decides whether the tag is taken for lost, as with a single
  ///   command.
  func exclusively<Result: Sendable>(
    _ body: @Sendable (TagLink) throws -> Result
  ) async throws -> Result
}

/// A vicinity tag: ISO/IEC 15693.
public protocol ISO15693Tag: NDEFTag {
  /// The second byte of the UID: who made the chip (ISO/IEC 7816-6); `nil` if the reader has given no UID of
  /// 8 bytes.
  var icManufacturerCode: UInt8? { get }
  /// The last six bytes of the UID.
  var icSerialNumber: [UInt8] { get }
  /// The data storage format identifier, as it was reported or written last; `nil` if the reader has not
  /// reported it. No exchange.
  var dsfid: UInt8? { get }

  /// Which chip it is, by its UID; `nil` if it is not known. No exchange, or those of ``systemInformation()``
  /// where chips of different sizes share the beginning of the UID.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  func product() async throws -> TagProduct?

  /// Sends a request as it is: one exchange.
  ///
  /// - Parameters:
  ///   - request: flags, command, the maker's code or UID where the flags say so, parameters; without
  ///     the check.
  ///   - timeout: for the answer.
  /// - Returns: the answer as it is, flags first, error answers included.
  /// - Throws: ``NFCError/Code/tagResponseError`` for no or a broken answer; ``NFCError/Code/unsupported`` on a
  ///   reader that takes no such request; ``NFCError/Code/commandTooLong``.
  func transceive(_ request: [UInt8], timeout: Duration) async throws -> [UInt8]

  /// Sends one command, addressed to this tag, and gives the answer. Every command of the standard is an
  /// ``ISO15693Command``; those that lock cannot be undone. An inventory is for all tags; a reader that
  /// sends no lone end of frame hears the answer to one slot, so it needs `inventoryOneSlot`.
  ///
  /// - Parameter flags: what the request has in addition to the flags that it needs. With `select` it is for
  ///   the selected tag, and not addressed.
  /// - Throws: the tag's refusal with the cause `iso15693`; ``NFCError/Code/commandTooLong``;
  ///   ``NFCError/Code/unsupported`` on a reader that carries no such command.
  func exchange(
    _ command: ISO15693Command, flags: ISO15693RequestFlags
  ) async throws -> ISO15693Response

  /// What the tag reports of itself: one exchange once the form of the question that it takes is known, up to
  /// three before that.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if it reports nothing, or if the reader cannot ask it.
  func systemInformation() async throws -> ISO15693SystemInformation

  /// Reads blocks by the fewest commands that tag and reader grant.
  ///
  /// - Parameter securityStatus: asks for each block's lock too.
  /// - Throws: ``NFCError/Code/invalidParameter`` before anything is sent for blocks that the tag does not have as
  ///   far as is known; a refusal with the block.
  func readBlocks(_ range: Range<Int>, securityStatus: Bool) async throws -> [ISO15693Block]

  /// The security status of each block as the tag gives it, bit 0 set for a locked block; see
  /// ``lockStates(of:)``.
  ///
  /// - Throws: as ``readBlocks(_:securityStatus:)``: ``NFCError/Code/invalidParameter``;
  ///   ``NFCError/Code/unsupported`` if the tag or the reader has no way for it.
  func securityStatus(_ range: Range<Int>) async throws -> [UInt8]

  /// Writes whole blocks. After a silence they are read back before they are sent again.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` before anything is written for data that are not whole blocks, or
  ///   blocks that the tag does not have; ``NFCError/Code/readOnly`` with the number of a locked block.
  func writeBlocks(at first: Int, _ data: [UInt8]) async throws

  /// Makes one block read-only for good. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a number beyond 65535; ``NFCError/Code/tagRefused`` or
  ///   ``NFCError/Code/unsupported`` for a chip that locks otherwise. A block that is locked already is no error.
  func lockBlock(_ number: Int) async throws
}

extension ISO15693Tag {
  /// Reads blocks; see ``readBlocks(_:securityStatus:)``.
  ///
  /// - Throws: as ``readBlocks(_:securityStatus:)``: ``NFCError/Code/invalidParameter``, and a refusal with the
  ///   block.
  public func readBlocks(_ range: Range<Int>) async throws -> [ISO15693Block] {
    try await readBlocks(range, securityStatus: false)
  }

  /// Whether each of these blocks is locked for good.
  ///
  /// - Throws: as ``securityStatus(_:)``.
  public func lockStates(of range: Range<Int>) async throws -> [Bool] {
    try await securityStatus(range).map { $0 & ISO15693Block.lockedBit != 0 }
  }

  /// Sends one command, addressed to this tag, and gives what follows the flags of the answer; see
  /// ``exchange(_:flags:)``.
  ///
  /// - Throws: as ``exchange(_:flags:)``: ``NFCError/Code/tagRefused``, ``NFCError/Code/readOnly`` or
  ///   ``NFCError/Code/notAuthenticated`` with the cause `iso15693`; ``NFCError/Code/commandTooLong``;
  ///   ``NFCError/Code/unsupported``.
  public func send(
    _ command: ISO15693Command, flags: ISO15693RequestFlags = []
  ) async throws -> [UInt8] {
    try await exchange(command, flags: flags).payload
  }
}
