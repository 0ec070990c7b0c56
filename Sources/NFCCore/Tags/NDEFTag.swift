import NDEF

/// A tag that can hold an NDEF message.
///
/// The layout of a tag that one call has found out is remembered while the tag is connected. Every
/// call reaches the tag: reading an unchanged tag a second time costs one exchange, which proves
/// that the tag is still present; a chip that its wired interface can change is read again.
public protocol NDEFTag: Tag {
  /// Returns whether the tag holds an NDEF structure, whether it can be written, and the capacity.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``, ``NFCError/Code/tagResponseError``;
  ///   ``NFCError/Code/malformedContent`` for a structure that cannot be used, with the page, block
  ///   or file.
  func queryNDEFStatus() async throws -> NDEFStatus

  /// Returns the bytes of the NDEF message on the tag; `nil` if the tag is formatted and holds
  /// none.
  ///
  /// - Throws: ``NFCError/Code/notNDEF``, ``NFCError/Code/malformedContent``, ``NFCError/Code/notAuthenticated``,
  ///   ``NFCError/Code/tagConnectionLost``.
  func readNDEFBytes() async throws -> [UInt8]?

  /// Writes the bytes of an NDEF message; no bytes make the tag empty.
  ///
  /// A tag that is removed early holds the old message, none, or the new one, never a mixture, and
  /// can be written again. Other TLVs after the message are kept, and move if a longer message
  /// needs their place. An interrupted write loses them only if the tag has no room for a copy of
  /// them, or if a length above 254 changes in two pages or blocks at once. Only bytes that differ
  /// from the current content are written. Broken content is replaced.
  ///
  /// - Parameter verify: reads everything back and compares it.
  /// - Throws: ``NFCError/Code/readOnly``, ``NFCError/Code/capacityExceeded`` or ``NFCError/Code/notNDEF`` before
  ///   anything is written, and ``NFCError/Code/invalidParameter`` for bytes that begin with 00, as no record does;
  ///   ``NFCError/Code/malformedContent`` if what was read back differs. The error of a write that was interrupted has
  ///   an ``NFCError/recovery``.
  func writeNDEFBytes(_ message: [UInt8], verify: Bool) async throws

  /// Formats a blank tag as an NDEF tag: writes the structure that its kind prescribes, and an
  /// empty message. A tag that is already formatted is emptied.
  ///
  /// On some kinds, parts of the structure can be written only once (the capability container of
  /// type 1 and 2 tags) and cannot be restored.
  ///
  /// - Parameter wipe: overwrites the content of an unformatted tag. Otherwise, a tag with other
  ///   content is refused.
  /// - Throws: ``NFCError/Code/unsupported`` with the reason if the kind does not allow it, or if
  ///   the tag holds other content than NDEF and `wipe` is not set; ``NFCError/Code/readOnly``.
  func formatNDEF(wipe: Bool) async throws

  /// Makes the tag read-only permanently. **Cannot be undone.**
  ///
  /// A lock that was interrupted is completed; a tag that is completely locked does not change.
  /// Once begun, the change is completed even if the task is cancelled.
  ///
  /// - Throws: before anything is written, ``NFCError/Code/notNDEF``; ``NFCError/Code/unsupported``
  ///   with the reason if the kind does not allow it; ``NFCError/Code/notAuthenticated`` if the
  ///   lock could not be completed without a secret.
  func makeReadOnly() async throws

  /// Plans what ``makeReadOnly()`` would do, in its order; the plan has no steps if the tag is completely
  /// locked. Only reads.
  ///
  /// Performing the plan is ``makeReadOnly()``, and has to accept ``IrreversibleEffect/locksMemory``.
  ///
  /// - Throws: the errors of ``makeReadOnly()``. Some kinds of tags refuse a lock only when it is tried.
  func readOnlyPlan() async throws -> ChangePlan

  /// Forgets the known content of the tag: the next call reads all of it again, even if only this
  /// connection could have changed it. No exchange.
  func discardCachedContent()
}

/// The result of ``NDEFTag/queryNDEFStatus()``.
public struct NDEFStatus: Hashable, Sendable {
  /// The access to the message of a tag.
  public enum Access: String, Hashable, Sendable {
    /// The tag holds no NDEF structure.
    case notSupported
    /// The message can be read but not written.
    case readOnly
    /// The message can be read and written.
    case readWrite
  }

  /// The access to the message.
  public var access: Access
  /// The maximum length of a message in bytes; 0 if the tag holds no NDEF structure.
  public var capacity: Int

  /// Creates a status.
  public init(access: Access, capacity: Int) {
    self.access = access
    self.capacity = capacity
  }

  /// No NDEF structure.
  public static let notSupported = NDEFStatus(access: .notSupported, capacity: 0)
}

extension NDEFTag {
  /// Formats the tag, and refuses a tag with other content; see ``formatNDEF(wipe:)``.
  ///
  /// - Throws: the errors of ``formatNDEF(wipe:)``: ``NFCError/Code/unsupported``,
  ///   ``NFCError/Code/readOnly``.
  public func formatNDEF() async throws { try await formatNDEF(wipe: false) }

  /// Returns the NDEF message; `nil` if the tag is formatted and holds none.
  ///
  /// If a message breaks a rule, its valid records are returned, as in
  /// ``NDEFMessage/decodeLeniently(_:limits:)``: tags of other programs break rules in small ways.
  /// A program that writes the message back, or must know that it is complete, uses
  /// ``NDEFTolerance/strict``.
  ///
  /// - Throws: the errors of ``readNDEFBytes()``; ``NFCError/Code/malformedContent`` with the rule
  ///   for a message without a readable record, and, with strict reading, for one that breaks any
  ///   rule.
  public func readNDEF(_ tolerance: NDEFTolerance = .lenient) async throws -> NDEFMessage? {
    try tolerance.message(in: try await readNDEFBytes())
  }

  /// Writes an NDEF message; see ``writeNDEFBytes(_:verify:)``.
  ///
  /// - Throws: the errors of ``writeNDEFBytes(_:verify:)``: ``NFCError/Code/readOnly``,
  ///   ``NFCError/Code/capacityExceeded``, ``NFCError/Code/notNDEF``,
  ///   ``NFCError/Code/malformedContent``.
  public func writeNDEF(_ message: NDEFMessage, verify: Bool = false) async throws {
    try await writeNDEFBytes(message.encoded(), verify: verify)
  }
}

extension NDEFTag {
  /// Returns the results of ``queryNDEFStatus()`` and ``readNDEFBytes()`` in one call, which costs at least one
  /// exchange less than two.
  ///
  /// - Returns: the status, and the bytes of the message; `nil` if there is none, or no NDEF structure.
  /// - Throws: the errors of both.
  package func readNDEFContent() async throws -> (status: NDEFStatus, bytes: [UInt8]?) {
    if let tag = self as? any ConnectedTag { return try await tag.handle.readNDEFContent() }
    let status = try await queryNDEFStatus()
    return (status, status.access == .notSupported ? nil : try await readNDEFBytes())
  }
}

extension NDEFTolerance {
  /// Decodes the bytes of a tag's message; `nil` if it has none.
  ///
  /// - Throws: `malformedContent`.
  package func message(in bytes: [UInt8]?) throws -> NDEFMessage? {
    guard let bytes, !bytes.isEmpty else { return nil }
    let (message, error) = NDEFMessage.decodeLeniently(bytes)
    if let error, !isLenient || message.records.isEmpty {
      throw NFCError(.malformedContent, "the NDEF message is broken: \(error)")
    }
    return message
  }
}
