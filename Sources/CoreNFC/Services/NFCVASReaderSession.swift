import Foundation

/// Asks a phone for passes of Apple's Wallet (Value Added Services).
///
/// That protocol is Apple's own. Here, as on a device without it, the session ends at once with
/// `readerErrorUnsupportedFeature`.
open class NFCVASReaderSession: NFCReaderSession {
  /// - Parameters:
  ///   - commandConfigurations: what to ask for, in this order.
  ///   - queue: where the delegate is called; `nil` for a serial queue of the session's own.
  public init(
    vasCommandConfigurations commandConfigurations: [NFCVASCommandConfiguration],
    delegate: any NFCVASReaderSessionDelegate, queue: DispatchQueue?
  ) {
    super.init(
      delegate: delegate, queue: queue,
      purpose: .unsupported("Wallet passes can be read on Apple's devices alone"))
  }

  open override class var readingAvailable: Bool { false }

  override func tellEnd(_ error: NFCReaderError) {
    (delegate as? any NFCVASReaderSessionDelegate)?
      .readerSession(self, didInvalidateWithError: error)
  }
}

/// Is told of the passes that a ``NFCVASReaderSession`` reads, on the session's queue.
public protocol NFCVASReaderSessionDelegate: NSObjectProtocol {
  /// Optional: the reader is polling.
  func readerSessionDidBecomeActive(_ session: NFCVASReaderSession)
  /// The session has ended, for whatever reason. Comes once.
  func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error)
  /// The answers, in the order of the configurations.
  func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse])
}

extension NFCVASReaderSessionDelegate {
  public func readerSessionDidBecomeActive(_ session: NFCVASReaderSession) {}
}
