import NFC
import SwiftNFCCore

/// What `nfc write --plan` and `nfc erase --plan` show: the tag's message before and after, and what cannot be undone. Only
/// the tag knows which of its pages or blocks a message changes; nothing but them is changed.
enum MessagePlan {
  /// Reads the tag, and writes nothing.
  ///
  /// - Parameters:
  ///   - after: the complete new message; `nil` for a tag that is not formatted and will not be.
  ///   - formats: whether a blank tag is formatted first.
  ///   - locks: whether the tag is made read-only.
  static func make(
    _ tag: DetectedTag, _ ndef: any NDEFTag, after: [UInt8], formats: Bool = false,
    locks: Bool = false
  ) async throws -> ChangePlan {
    let status = try await ndef.queryNDEFStatus()
    var steps: [ChangePlan.Step] = []
    var before: [UInt8]?
    switch status.access {
    case .notSupported:
      guard formats else { throw NFCError(.notNDEF, "the tag is not NDEF formatted") }
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
    if before != after {
      steps.append(
        ChangePlan.Step(
          nil, "message", before: before.map { .bytes($0) }, after: .bytes(after)))
    }
    // The locks of a tag that is not formatted yet are not known.
    let lock = locks && before != nil ? try await ndef.readOnlyPlan() : nil
    if locks, lock == nil { steps.append(.action("lock, permanently")) }
    return ChangePlan(
      for: tag, steps + (lock?.steps ?? []), effects: Set(lock?.effects ?? []),
      recovery: "the same command completes the change", run: { nil })
  }
}
