import Foundation

/// Finds tags that hold NDEF messages, or may.
///
/// If the delegate implements the method for tags (`readerSession(_:didDetect:)`), it receives the
/// tags, and must connect to them and restart polling itself. Otherwise the session reads the
/// messages, and continues when the tag has left.
open class NFCNDEFReaderSession: NFCReaderSession {
  /// - Parameters:
  ///   - queue: the queue on which the delegate and the completion handlers are called; `nil` for
  ///     the session's own serial queue.
  ///   - invalidateAfterFirstRead: ends the session after the first message, with
  ///     `readerSessionInvalidationErrorFirstNDEFTagRead`. Ignored if the delegate implements the
  ///     method for tags.
  public init(
    delegate: any NFCNDEFReaderSessionDelegate, queue: DispatchQueue?,
    invalidateAfterFirstRead: Bool
  ) {
    super.init(
      delegate: delegate, queue: queue,
      purpose: .messages(invalidateAfterFirstRead: invalidateAfterFirstRead))
  }

  /// Searches for tags again. Tags that were reported before can no longer be used. Has no effect
  /// if the session reads the messages itself.
  open func restartPolling() { core.restartPolling() }

  /// Connects to a tag, which its methods need; the tag before is put to sleep.
  @preconcurrency open func connect(
    to tag: any NFCNDEFTag, completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    core.connect(tag, completionHandler)
  }

  /// ``connect(to:completionHandler:)`` as an asynchronous call.
  ///
  /// - Throws: ``NFCReaderError``.
  public nonisolated(nonsending) func connect(to tag: any NFCNDEFTag) async throws {
    try await withCheckedThrowingContinuation { continuation in
      connect(to: tag) { error in continuation.resume((), error) }
    }
  }

  /// Set by the default body of the delegate's method while it is called: the delegate has none.
  var delegateTakesNoTags = false

  private var messageDelegate: (any NFCNDEFReaderSessionDelegate)? {
    delegate as? any NFCNDEFReaderSessionDelegate
  }

  override func notifyActive() { messageDelegate?.readerSessionDidBecomeActive(self) }

  override func notifyDetected(_ tags: [TagObject]) -> Bool {
    messageDelegate?.readerSession(self, didDetect: tags)
    return !delegateTakesNoTags
  }

  override func notifyMessages(_ messages: [NFCNDEFMessage]) {
    messageDelegate?.readerSession(self, didDetectNDEFs: messages)
  }

  override func notifyInvalidated(_ error: NFCReaderError) {
    messageDelegate?.readerSession(self, didInvalidateWithError: error)
  }
}

/// Receives what a ``NFCNDEFReaderSession`` finds, on the session's queue.
public protocol NFCNDEFReaderSessionDelegate: NSObjectProtocol {
  /// The session has ended, for any reason. Called once.
  func readerSession(
    _ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error)
  /// Messages were read. Not called if the delegate implements the method for tags.
  func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage])
  /// Optional: receives tags instead of messages.
  func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag])
  /// Optional: the reader is polling.
  func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession)
}

extension NFCNDEFReaderSessionDelegate {
  /// The default body, which records that the delegate has no such method: Linux has no other way
  /// to find out.
  public func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
    session.delegateTakesNoTags = true
  }

  /// The default body, which does nothing.
  public func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {}
}
