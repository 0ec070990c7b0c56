import NDEF

/// A tag that may hold an NDEF message.
///
/// What is learned of the tag's layout by one call is kept for the next ones while it is connected. Every
/// call reaches the tag: a second read of an unchanged tag costs one exchange, which proves that the tag
/// is still there; a chip that its wired side can change is read again.
public protocol NDEFTag: Tag {
  /// Whether the tag holds an NDEF structure, whether it can be written, and how much fits.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``, ``NFCError/Code/tagResponseError``; a structure that is broken
  ///   beyond use is ``NFCError/Code/malformedContent``, with the page, block or file.
  func queryNDEFStatus() async throws -> NDEFStatus

  /// The bytes of the NDEF message as they stand on the tag; `nil` if the tag is formatted and holds
  /// none.
  ///
  /// - Throws: ``NFCError/Code/notNDEF``, ``NFCError/Code/malformedContent``, ``NFCError/Code/notAuthenticated``,
  ///   ``NFCError/Code/tagConnectionLost``.
  func readNDEFBytes() async throws -> [UInt8]?

  /// Writes the bytes of an NDEF message; none makes the tag empty.
  ///
  /// A tag torn away in the middle holds the old message, none, or the new one, never a mixture, and can
  /// be written again. Other TLVs after the message stay, and move where a longer message needs their place.
  /// A torn write loses them only where the tag has no room for a copy of them, or where a length above 254 changes
  /// in two pages or blocks at once. Only what changes is written, against what the tag holds now. Content that is
  /// broken is replaced.
  ///
  /// - Parameter verify: reads everything back and compares.
  /// - Throws: ``NFCError/Code/readOnly``, ``NFCError/Code/capacityExceeded`` or ``NFCError/Code/notNDEF`` before
  ///   anything is written, and ``NFCError/Code/invalidParameter`` for bytes that begin with 00, as no record does; ``NFCError/Code/malformedContent`` if what was read back differs.
  func writeNDEFBytes(_ message: [UInt8], verify: Bool) async throws

  /// Makes an NDEF tag of a blank one: writes the structure that its kind prescribes, and an empty
  /// message. A tag that is formatted already is emptied.
  ///
  /// What is written only once on some kinds (the capability container of type 1 and 2 tags) cannot be
  /// taken back.
  ///
  /// - Parameter wipe: overwrites what an unformatted tag holds. Without it, such a tag is refused.
  /// - Throws: ``NFCError/Code/unsupported`` with the reason where the kind does not allow it, or where the tag
  ///   holds something that is not NDEF and `wipe` is not set; ``NFCError/Code/readOnly``.
  func formatNDEF(wipe: Bool) async throws

  /// Makes the tag read-only for good. **Cannot be undone.**
  ///
  /// A lock that was torn or refused in the middle is completed; a tag that is locked completely stays as
  /// it is. Once begun, the change is completed even if the task is cancelled.
  ///
  /// - Throws: before anything is written, ``NFCError/Code/notNDEF``; ``NFCError/Code/unsupported`` with the reason
  ///   where the kind does not allow it; ``NFCError/Code/notAuthenticated`` where the lock could not be complete
  ///   without a secret.
  func makeReadOnly() async throws

  /// Forgets what was learned of the tag's content: the next call reads all of it again, even where only
  /// this connection could have changed it. No exchange.
  func forgetContent()
}

/// What ``NDEFTag/queryNDEFStatus()`` reports.
public struct NDEFStatus: Hashable, Sendable {
  /// What can be done with the message of a tag.
  public enum Access: String, Hashable, Sendable {
    /// The tag holds no NDEF structure.
    case notSupported
    /// The message can be read and not written.
    case readOnly
    /// The message can be read and written.
    case readWrite
  }

  /// What can be done with the message.
  public var access: Access
  /// The longest message that fits, in bytes; 0 if the tag holds no NDEF structure.
  public var capacity: Int

  /// A status of these parts.
  public init(access: Access, capacity: Int) {
    self.access = access
    self.capacity = capacity
  }

  /// No NDEF structure.
  public static let notSupported = NDEFStatus(access: .notSupported, capacity: 0)
}

extension NDEFTag {
  /// As ``formatNDEF(wipe:)``, and refuses a tag that holds something else.
  ///
  /// - Throws: as ``formatNDEF(wipe:)``: ``NFCError/Code/unsupported``, ``NFCError/Code/readOnly``.
  public func formatNDEF() async throws { try await formatNDEF(wipe: false) }

  /// The NDEF message; `nil` if the tag is formatted and holds none.
  ///
  /// Of a message that breaks a rule the records that are right are given, as
  /// ``NDEFMessage/decodeLeniently(_:limits:)`` has it: tags of other programs break rules in small ways. A program
  /// that writes the message back, or has to know that it is whole, asks for ``NDEFTolerance/strict``.
  ///
  /// - Throws: as ``readNDEFBytes()``; ``NFCError/Code/malformedContent`` with the rule for a message of which no
  ///   record can be read, and a strict reading of one that breaks any.
  public func readNDEF(_ tolerance: NDEFTolerance = .lenient) async throws -> NDEFMessage? {
    guard let bytes = try await readNDEFBytes(), !bytes.isEmpty else { return nil }
    let (message, error) = NDEFMessage.decodeLeniently(bytes)
    if let error, !tolerance.isLenient || message.records.isEmpty {
      throw NFCError(.malformedContent, "the NDEF message is broken: \(error)")
    }
    return message
  }

  /// Writes an NDEF message; see ``writeNDEFBytes(_:verify:)``.
  ///
  /// - Throws: as ``writeNDEFBytes(_:verify:)``: ``NFCError/Code/readOnly``, ``NFCError/Code/capacityExceeded``,
  ///   ``NFCError/Code/notNDEF``, ``NFCError/Code/malformedContent``.
  public func writeNDEF(_ message: NDEFMessage, verify: Bool = false) async throws {
    try await writeNDEFBytes(message.encoded(), verify: verify)
  }
}
