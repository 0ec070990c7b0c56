import Foundation

/// Reads passes of Apple's Wallet, which is not possible here yet: the session ends right after
/// ``NFCReaderSession/begin()`` with `readerErrorUnsupportedFeature`, as on a device without support.
///
/// What a pass has is encrypted for its issuer, who makes the pair of keys: `PassMessage` decrypts it. An app on an iPhone
/// needs an entitlement of Apple for this session, and a pass a certificate of Apple.
open class NFCVASReaderSession: NFCReaderSession {
  /// - Parameters:
  ///   - commandConfigurations: the requests, in this order.
  ///   - queue: the queue on which the delegate is called; `nil` for the session's own serial
  ///     queue.
  public init(
    vasCommandConfigurations commandConfigurations: [NFCVASCommandConfiguration],
    delegate: any NFCVASReaderSessionDelegate, queue: DispatchQueue?
  ) {
    super.init(
      delegate: delegate, queue: queue,
      purpose: .unsupported(
        "reading passes of phones is not supported here yet"))
  }

  /// No device here can read passes.
  open override class var readingAvailable: Bool { false }

  private var passDelegate: (any NFCVASReaderSessionDelegate)? {
    delegate as? any NFCVASReaderSessionDelegate
  }

  override func notifyInvalidated(_ error: NFCReaderError) {
    passDelegate?.readerSession(self, didInvalidateWithError: error)
  }
}

/// Receives what a ``NFCVASReaderSession`` reads, on the session's queue.
public protocol NFCVASReaderSessionDelegate: NSObjectProtocol {
  /// Optional: the reader is polling. Never called here.
  func readerSessionDidBecomeActive(_ session: NFCVASReaderSession)
  /// The session has ended, for any reason. Called once.
  func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error)
  /// The answers, in the order of the configurations. Never called here.
  func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse])
}

extension NFCVASReaderSessionDelegate {
  /// The default body, which does nothing.
  public func readerSessionDidBecomeActive(_ session: NFCVASReaderSession) {}
}
