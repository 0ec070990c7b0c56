import Foundation

/// A tag that can hold an NDEF message.
///
/// Completion handlers run on the session's queue. The session must have connected to the tag.
public protocol NFCNDEFTag: NSObjectProtocol, NSSecureCoding, NSCopying {
  /// Whether the session is connected to the tag and the tag is in the field.
  ///
  /// Asks the tag, with one to three exchanges, unless it has answered within the last quarter of a
  /// second; this takes at most half a second. A MIFARE Classic has to be authenticated again
  /// afterwards.
  var isAvailable: Bool { get }

  /// Finds out whether there is an NDEF structure, whether it can be written, and its capacity.
  @preconcurrency func queryNDEFStatus(
    completionHandler: @escaping @Sendable (NFCNDEFStatus, Int, (any Error)?) -> Void)

  /// Reads the message; `ndefReaderSessionErrorZeroLengthMessage` if the tag holds none.
  @preconcurrency func readNDEF(
    completionHandler: @escaping @Sendable (NFCNDEFMessage?, (any Error)?) -> Void)

  /// Writes a message.
  ///
  /// A tag that is removed early holds the old message, none, or the new one. Fails with
  /// `ndefReaderSessionErrorTagNotWritable`, `…TagSizeTooSmall` before anything is written, or
  /// `…TagUpdateFailure`.
  @preconcurrency func writeNDEF(
    _ ndefMessage: NFCNDEFMessage, completionHandler: @escaping @Sendable ((any Error)?) -> Void)

  /// Makes the tag read-only permanently. **Cannot be undone.** Fails with
  /// `ndefReaderSessionErrorTagNotWritable` if it already is read-only.
  @preconcurrency func writeLock(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
}

extension NFCNDEFTag {
  /// ``queryNDEFStatus(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func queryNDEFStatus() async throws -> (NFCNDEFStatus, Int) {
    try await withCheckedThrowingContinuation { continuation in
      queryNDEFStatus { status, capacity, error in
        continuation.resume((status, capacity), error)
      }
    }
  }

  /// ``readNDEF(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func readNDEF() async throws -> NFCNDEFMessage {
    try await withCheckedThrowingContinuation { continuation in
      readNDEF { message, error in
        guard error == nil, let message else {
          let error = error ?? NFCReaderError(.ndefReaderSessionErrorZeroLengthMessage)
          return continuation.resume(throwing: error)
        }
        // The caller of the handler keeps nothing of what it passes.
        nonisolated(unsafe) let result = message
        continuation.resume(returning: result)
      }
    }
  }

  /// ``writeNDEF(_:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func writeNDEF(_ ndefMessage: NFCNDEFMessage) async throws {
    try await withCheckedThrowingContinuation { continuation in
      writeNDEF(ndefMessage) { error in continuation.resume((), error) }
    }
  }

  /// ``writeLock(completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func writeLock() async throws {
    try await withCheckedThrowingContinuation { continuation in
      writeLock { error in continuation.resume((), error) }
    }
  }
}

/// The status of a tag's NDEF structure.
public enum NFCNDEFStatus: UInt, Sendable {
  /// The tag has no NDEF structure.
  case notSupported = 1
  /// The message can be read and written.
  case readWrite = 2
  /// The message can be read, but not written.
  case readOnly = 3
}
