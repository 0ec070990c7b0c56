import NFC
import SwiftNFCCore

/// How a message is written to a tag: what is done before it and after it.
///
/// ```swift
/// let message = NDEFMessage(.uri("https://example.com"))
/// try await tag.write(message, MessageWriting(verifies: true))
/// ```
///
/// The tag is opened before, if it has a password or keys: `DetectedTag.open(with:password:)`.
public struct MessageWriting: Hashable, Sendable {
  /// Whether the records are appended to those of the tag.
  public var appends: Bool
  /// Whether a blank tag is formatted first, which cannot be undone on some tags. A tag that is formatted stays as it is.
  public var formats: Bool
  /// Whether everything is read back and compared.
  public var verifies: Bool
  /// Whether the tag is made read-only once the message is on it. **Cannot be undone.**
  public var locks: Bool

  /// Creates a way of writing; it only replaces the message unless something is requested.
  public init(
    appends: Bool = false, formats: Bool = false, verifies: Bool = false, locks: Bool = false
  ) {
    self.appends = appends
    self.formats = formats
    self.verifies = verifies
    self.locks = locks
  }
}

extension DetectedTag {
  /// Writes a message.
  ///
  /// - Parameters:
  ///   - message: the message, or the records to be appended.
  ///   - writing: what else is done.
  ///   - keep: receives the message that the tag has, as its bytes, before anything of it is changed; empty if it has
  ///     none. An error of it ends the call.
  /// - Returns: the size of the complete message in bytes.
  /// - Throws: `NFCError` `unsupported` for a tag that NDEF is not defined for; `notNDEF` for a blank tag that is not to
  ///   be formatted; `capacityExceeded`, `readOnly` and `notAuthenticated`, and nothing is written; `malformedContent` if
  ///   the records of the tag cannot be kept; the error of `keep`.
  @discardableResult
  public func write(
    _ message: NDEFMessage, _ writing: MessageWriting = MessageWriting(),
    keeping keep: (([UInt8]) throws -> Void)? = nil
  ) async throws -> Int {
    let ndef = try messageTag
    if writing.formats, try await ndef.queryNDEFStatus().access == .notSupported {
      try await ndef.formatNDEF(wipe: false)
    }
    let bytes = try await whole(message, writing, ndef)
    if let keep { try keep(try await ndef.readNDEFBytes() ?? []) }
    try await ndef.writeNDEFBytes(bytes, verify: writing.verifies)
    if writing.locks { try await ndef.makeReadOnly() }
    return bytes.count
  }

  /// Returns what ``write(_:_:keeping:)`` will do. Reads the tag, and writes nothing.
  ///
  /// Only the tag knows which of its pages or blocks a message changes: the plan has the message before and after.
  /// Performing it with a lock has to accept `IrreversibleEffect.locksMemory`.
  ///
  /// - Throws: as ``write(_:_:keeping:)``.
  public func messagePlan(
    _ message: NDEFMessage, _ writing: MessageWriting = MessageWriting()
  ) async throws -> ChangePlan {
    let ndef = try messageTag
    return try await plan(after: try await whole(message, writing, ndef), writing, ndef)
  }

  /// Returns what making the message empty will do: no bytes at all, not an empty record.
  ///
  /// - Throws: as ``write(_:_:keeping:)``.
  public func erasurePlan() async throws -> ChangePlan {
    try await plan(after: [], MessageWriting(), try messageTag)
  }

  private var messageTag: any NDEFTag {
    get throws {
      guard let ndef else {
        throw NFCError(.unsupported, "NDEF is not defined for \(kindName)")
      }
      return ndef
    }
  }

  /// Returns the complete message, which begins with the tag's message if it is to be kept.
  private func whole(
    _ message: NDEFMessage, _ writing: MessageWriting, _ ndef: any NDEFTag
  ) async throws -> [UInt8] {
    guard writing.appends else { return message.encoded() }
    let bytes = try await ndef.readNDEFBytes()
    guard let old = try NDEFTolerance.strict.message(in: bytes) else { return message.encoded() }
    guard !NDEFMessage.hasReservedFormat(bytes ?? []) else {
      throw NFCError(
        .malformedContent,
        "a record of the tag has a reserved format and cannot be written back")
    }
    let records = old.records.filter { $0 != .empty }
    return NDEFMessage(records: records + message.records).encoded()
  }

  private func plan(
    after: [UInt8], _ writing: MessageWriting, _ ndef: any NDEFTag
  ) async throws -> ChangePlan {
    let status = try await ndef.queryNDEFStatus()
    var steps: [ChangePlan.Step] = []
    var before: [UInt8]?
    switch status.access {
    case .notSupported:
      guard writing.formats else { throw NFCError(.notNDEF, "the tag is not NDEF formatted") }
      steps.append(.action("format for NDEF, which cannot be undone on some tags"))
    case .readOnly: throw NFCError(.readOnly, "the tag is read-only")
    default:
      before = try await ndef.readNDEFBytes() ?? []
      guard after.count <= status.capacity else {
        throw NFCError(
          .capacityExceeded,
          "the message has \(after.count) bytes, and the tag has room for \(status.capacity)")
      }
    }
    let old = before
    if before != after {
      steps.append(
        ChangePlan.Step(
          nil, "message", before: before.map { .bytes($0) }, after: .bytes(after)))
    }
    // The locks of a tag that is not formatted yet are not known.
    let lock = writing.locks && before != nil ? try await ndef.readOnlyPlan() : nil
    if writing.locks, lock == nil { steps.append(.action("lock, permanently")) }
    let effects = lock?.effects ?? (writing.locks ? [.locksMemory] : [])
    return ChangePlan(
      for: self, steps + (lock?.steps ?? []), effects: Set(effects),
      recovery: "the same change, planned again, completes it",
      performing: {
        if old == nil {
          try await ndef.formatNDEF(wipe: false)
        } else {
          ndef.discardCachedContent()
          guard try await ndef.readNDEFBytes() ?? [] == old else { throw NFCError.planIsStale }
        }
        if old != after { try await ndef.writeNDEFBytes(after, verify: writing.verifies) }
        if writing.locks { try await ndef.makeReadOnly() }
      })
  }
}
