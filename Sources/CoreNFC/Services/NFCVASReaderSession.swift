import Foundation

/// Reads passes of Apple's Wallet from phones that are held to the reader.
///
/// The session polls with the frame that makes a phone answer with passes only. For each phone, the delegate receives one
/// answer per configuration, in their order; then the session waits until the phone has left. It ends after 60 seconds, as
/// every session. With a reader that cannot send the frame, only a pass is found that its owner has chosen and confirmed.
///
/// What a pass has is encrypted for its issuer, who makes the pair of keys: `VASMessage` of the product `PassMessage`
/// decrypts it with the issuer's private key. Three things come from Apple, and none of them is needed here: the
/// certificate with which a pass is issued, the entitlement of an app on an iPhone, and the certification of readers.
///
/// - Important: For passes of your own. Apple does not publish the protocol; this package is not certified by Apple, and
///   was not tried with a phone. It is not for access control unless the program refuses what is old and what was there
///   before (`PassMemory`).
open class NFCVASReaderSession: NFCReaderSession {
  /// - Parameters:
  ///   - commandConfigurations: the requests, in this order. Without one, or with a URL of more than 64 characters, the
  ///     session ends with `readerErrorInvalidParameter`.
  ///   - queue: the queue on which the delegate is called; `nil` for the session's own serial
  ///     queue.
  public init(
    vasCommandConfigurations commandConfigurations: [NFCVASCommandConfiguration],
    delegate: any NFCVASReaderSessionDelegate, queue: DispatchQueue?
  ) {
    super.init(
      delegate: delegate, queue: queue,
      purpose: .passes(commandConfigurations.map(PassConfiguration.init)))
  }

  private var passDelegate: (any NFCVASReaderSessionDelegate)? {
    delegate as? any NFCVASReaderSessionDelegate
  }

  override func notifyActive() { passDelegate?.readerSessionDidBecomeActive(self) }

  override func notifyPasses(_ responses: [NFCVASResponse]) {
    passDelegate?.readerSession(self, didReceive: responses)
  }

  override func notifyInvalidated(_ error: NFCReaderError) {
    passDelegate?.readerSession(self, didInvalidateWithError: error)
  }
}

/// Receives what a ``NFCVASReaderSession`` reads, on the session's queue.
public protocol NFCVASReaderSessionDelegate: NSObjectProtocol {
  /// Optional: the reader is polling.
  func readerSessionDidBecomeActive(_ session: NFCVASReaderSession)
  /// The session has ended, for any reason. Called once.
  func readerSession(_ session: NFCVASReaderSession, didInvalidateWithError error: any Error)
  /// The answers of a phone, in the order of the configurations. Polling starts again when it has left.
  func readerSession(_ session: NFCVASReaderSession, didReceive responses: [NFCVASResponse])
}

extension NFCVASReaderSessionDelegate {
  /// The default body, which does nothing.
  public func readerSessionDidBecomeActive(_ session: NFCVASReaderSession) {}
}
