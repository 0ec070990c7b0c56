/// A vicinity tag: ISO/IEC 15693.
public protocol ISO15693Tag: NDEFTag {
  /// The code of the chip's maker, the second byte of the UID (ISO/IEC 7816-6); `nil` if the reader
  /// has not reported a UID of 8 bytes.
  var icManufacturerCode: UInt8? { get }
  /// The last six bytes of the UID.
  var icSerialNumber: [UInt8] { get }
  /// The data storage format identifier, as it was last reported or written; `nil` if the reader
  /// has not reported it. No exchange.
  var dsfid: UInt8? { get }

  /// Identifies the chip by its UID; `nil` if it is not known. No exchange, or those of
  /// ``systemInformation()`` if chips of different sizes share the beginning of the UID.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``.
  func product() async throws -> TagProduct?

  /// Sends a request unchanged: one exchange.
  ///
  /// - Parameters:
  ///   - request: flags, command, the maker's code or UID if the flags say so, and parameters,
  ///     without check bytes.
  ///   - timeout: the time limit for the answer.
  /// - Returns: the unchanged answer, flags first, including error answers.
  /// - Throws: ``NFCError/Code/tagResponseError`` for a missing or broken answer;
  ///   ``NFCError/Code/unsupported`` on a reader that cannot send such a request;
  ///   ``NFCError/Code/commandTooLong``.
  func transceive(_ request: [UInt8], timeout: Duration) async throws -> [UInt8]

  /// Sends one command, addressed to this tag, and returns the answer. ``ISO15693Command`` has all
  /// commands of the standard; those that lock cannot be undone. An inventory addresses all tags; a
  /// reader that cannot send a single end of frame receives the answer to one slot, so it needs
  /// `inventoryOneSlot`.
  ///
  /// - Parameter flags: flags in addition to the required ones. With `select`, the request is for
  ///   the selected tag, and not addressed.
  /// - Throws: the tag's refusal, with the cause `iso15693`; ``NFCError/Code/commandTooLong``;
  ///   ``NFCError/Code/unsupported`` on a reader that cannot send the command.
  func sendCommand(
    _ command: ISO15693Command, flags: ISO15693RequestFlags
  ) async throws -> ISO15693Response

  /// Returns the information that the tag reports about itself: up to three exchanges, and one once
  /// the form of the command that the tag accepts is known.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` if the tag reports nothing, or if the reader cannot
  ///   ask.
  func systemInformation() async throws -> ISO15693SystemInformation

  /// Reads blocks with the fewest commands that tag and reader allow.
  ///
  /// - Parameter securityStatus: also reads the lock state of each block.
  /// - Throws: ``NFCError/Code/invalidParameter``, before anything is sent, for blocks that the tag
  ///   is known not to have; a refusal with the block.
  func readBlocks(_ range: Range<Int>, securityStatus: Bool) async throws -> [ISO15693Block]

  /// Returns the security status of each block in the tag's form, with bit 0 set for a locked
  /// block; see ``lockStates(of:)``.
  ///
  /// - Throws: the errors of ``readBlocks(_:securityStatus:)``: ``NFCError/Code/invalidParameter``;
  ///   ``NFCError/Code/unsupported`` if the tag or the reader does not support it.
  func securityStatus(_ range: Range<Int>) async throws -> [UInt8]

  /// Writes whole blocks. If the tag does not answer, the blocks are read back before they are sent
  /// again.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` before anything is written for data that does not
  ///   fill whole blocks, and for blocks that the tag does not have; ``NFCError/Code/readOnly``
  ///   with the number of a locked block.
  func writeBlocks(at first: Int, _ data: [UInt8]) async throws

  /// Makes one block read-only permanently. **Cannot be undone.**
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a number beyond 65535;
  ///   ``NFCError/Code/tagRefused`` or ``NFCError/Code/unsupported`` for a chip with another way of
  ///   locking. A block that is already locked is not an error.
  func lockBlock(_ number: Int) async throws
}

extension ISO15693Tag {
  /// Reads blocks; see ``readBlocks(_:securityStatus:)``.
  ///
  /// - Throws: the errors of ``readBlocks(_:securityStatus:)``: ``NFCError/Code/invalidParameter``,
  ///   and a refusal with the block.
  public func readBlocks(_ range: Range<Int>) async throws -> [ISO15693Block] {
    try await readBlocks(range, securityStatus: false)
  }

  /// Returns whether each of these blocks is locked permanently.
  ///
  /// - Throws: the errors of ``securityStatus(_:)``.
  public func lockStates(of range: Range<Int>) async throws -> [Bool] {
    try await securityStatus(range).map { $0 & ISO15693Block.lockedBit != 0 }
  }

  /// Sends one command, addressed to this tag, with the required flags; see ``sendCommand(_:flags:)``.
  ///
  /// - Throws: the errors of ``sendCommand(_:flags:)``: the tag's refusal, with the cause `iso15693`;
  ///   ``NFCError/Code/commandTooLong``; ``NFCError/Code/unsupported``.
  public func sendCommand(_ command: ISO15693Command) async throws -> ISO15693Response {
    try await sendCommand(command, flags: [])
  }
}
