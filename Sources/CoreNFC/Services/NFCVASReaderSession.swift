import Foundation

/// Reads passes of Apple's Wallet, which requires keys that only Apple issues: the session ends
/// right after ``NFCReaderSession/begin()`` with `readerErrorUnsupportedFeature`, as on a device
/// without support.
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
        "the Value Added Services protocol is available only on Apple's platforms"))
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
