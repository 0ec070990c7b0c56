import Foundation

/// The session that ISO 15693 tags had in iOS 11. Hidden by Apple, and used by programs nevertheless.
///
/// Its tags need no connection. Only
/// ``NFCISO15693Tag/sendCustomCommand(commandConfiguration:completionHandler:)`` and
/// ``NFCISO15693Tag/readMultipleBlock(readConfiguration:completionHandler:)`` work; all other methods fail.
open class __NFCISO15693ReaderSession: NFCReaderSession {
  /// - Parameter queue: the queue on which the delegate and the completion handlers are called;
  ///   `nil` for the session's own serial queue.
  public init(delegate: any __NFCReaderSessionDelegate, queue: DispatchQueue?) {
    super.init(
      delegate: delegate, queue: queue,
      purpose: .tags(NFCTagReaderSession.Configuration(pollingOption: .iso15693)))
  }

  /// Searches for tags again. Tags that were reported before can no longer be used.
  open func restartPolling() { core.restartPolling() }

  private var vicinityDelegate: (any __NFCReaderSessionDelegate)? {
    delegate as? any __NFCReaderSessionDelegate
  }

  override func notifyActive() { vicinityDelegate?.readerSessionDidBecomeActive(self) }

  override func notifyDetected(_ tags: [TagObject]) -> Bool {
    vicinityDelegate?.readerSession(self, didDetect: tags.compactMap { $0 as? any __NFCTag })
    return true
  }

  override func notifyInvalidated(_ error: NFCReaderError) {
    vicinityDelegate?.readerSession(self, didInvalidateWithError: error)
  }
}

/// Receives what an ``__NFCISO15693ReaderSession`` finds, on the session's queue.
public protocol __NFCReaderSessionDelegate: NSObjectProtocol {
  /// The reader is polling.
  func readerSessionDidBecomeActive(_ session: NFCReaderSession)
  /// The session has ended, for any reason. Called once.
  func readerSession(_ session: NFCReaderSession, didInvalidateWithError error: any Error)
  /// Optional: tags have arrived in the field.
  func readerSession(_ session: NFCReaderSession, didDetect tags: [any __NFCTag])
}

extension __NFCReaderSessionDelegate {
  /// The default body, which does nothing.
  public func readerSession(_ session: NFCReaderSession, didDetect tags: [any __NFCTag]) {}
}
