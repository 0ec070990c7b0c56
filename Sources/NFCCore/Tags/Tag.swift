/// A tag that a reader has found.
///
/// A tag is of one connection: once it has left, the reader has gone, or polling has started again,
/// every call throws `tagConnectionLost` or the cause. It never talks to another tag by mistake.
public protocol Tag: Sendable {
  /// The UID, IDm, PUPI or serial number, most significant byte first.
  var identifier: [UInt8] { get }
  /// How the tag and the reader talk.
  var technology: TagTechnology { get }
  /// Whether commands can still reach the tag, as far as is known without asking it.
  var isAvailable: Bool { get async }

  /// Makes this the tag that the reader talks to: wakes it, and puts the one before to sleep.
  ///
  /// At most one activation over the air; none if the tag is connected already.
  ///
  /// - Throws: `tagConnectionLost` if it is no longer there.
  func connect() async throws
}

/// A vicinity tag: ISO/IEC 15693.
public protocol ISO15693Tag: NDEFTag {
  /// The second byte of the UID: who made the chip (ISO/IEC 7816-6).
  var icManufacturerCode: UInt8 { get }
  /// The last six bytes of the UID.
  var icSerialNumber: [UInt8] { get }
  /// The data storage format identifier of the inventory; `nil` if the reader has not told.
  var dsfid: UInt8? { get }

  /// Which chip it is, by its UID; `nil` if it is not known. No exchange.
  func product() async throws -> TagProduct?

  /// Sends a request as it is: one exchange.
  ///
  /// - Parameters:
  ///   - request: flags, command, the maker's code or UID where the flags say so, parameters; without
  ///     the check.
  ///   - timeout: for the answer.
  /// - Returns: the answer as it is, flags first, error answers included.
  /// - Throws: `tagResponseError` for no or a broken answer; `unsupported` on a reader that takes no
  ///   such request; `commandTooLong`.
  func transceive(_ request: [UInt8], timeout: Duration) async throws -> [UInt8]

  /// Sends one command, addressed to this tag, and gives the answer. Every command of the standard is an
  /// ``ISO15693Command``; those that lock cannot be undone. An inventory is for all tags; a reader that
  /// sends no lone end of frame hears the answer to one slot, so it needs `inventoryOneSlot`.
  ///
  /// - Parameter flags: what the request has besides the flags that it needs. With `select` it is for
  ///   the selected tag, and not addressed.
  /// - Throws: the tag's refusal with the cause `iso15693`; `commandTooLong`; `unsupported` on a reader
  ///   that carries no such command.
  func exchange(
    _ command: ISO15693Command, flags: ISO15693RequestFlags
  ) async throws -> ISO15693Response

  /// What the tag tells of itself; asked once while it is connected.
  ///
  /// - Throws: `unsupported` if it tells nothing, or if the reader cannot ask it.
  func systemInformation() async throws -> ISO15693SystemInformation

  /// Reads blocks by the fewest commands that tag and reader grant.
  ///
  /// - Parameter securityStatus: asks for each block's lock too.
  /// - Throws: `invalidParameter` before anything is sent for blocks that the tag does not have as far
  ///   as is known; a refusal with the block.
  func readBlocks(_ range: Range<Int>, securityStatus: Bool) async throws -> [ISO15693Block]

  /// Whether blocks are locked: a byte a block, bit 0 set if so.
  func securityStatus(_ range: Range<Int>) async throws -> [UInt8]

  /// Writes whole blocks. After a silence they are read back before they are sent again.
  ///
  /// - Throws: `invalidParameter` before anything is written for data that are not whole blocks, or
  ///   blocks that the tag does not have; `readOnly` with the number of a locked block.
  func writeBlocks(at first: Int, _ data: [UInt8]) async throws

  /// Makes one block read-only for good. **Cannot be undone.**
  func lockBlock(_ number: Int) async throws
}

extension ISO15693Tag {
  /// Reads blocks; see ``readBlocks(_:securityStatus:)``.
  public func readBlocks(_ range: Range<Int>) async throws -> [ISO15693Block] {
    try await readBlocks(range, securityStatus: false)
  }

  /// Sends one command, addressed to this tag, and gives what follows the flags of the answer; see
  /// ``exchange(_:flags:)``.
  public func send(
    _ command: ISO15693Command, flags: ISO15693RequestFlags = []
  ) async throws -> [UInt8] {
    try await exchange(command, flags: flags).payload
  }
}
