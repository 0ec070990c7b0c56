import Dispatch

/// Finds payment cards: ISO 7816 cards with one of the applications that Info.plist lists. Since iOS 26.
///
/// It polls ISO/IEC 14443 and reports no other card, not even as MIFARE. On an iPhone it is for devices
/// and accounts in the European Union; here it is for every reader. ``NFCTagReaderSession`` finds
/// payment cards too, which an iPhone's does not.
///
/// Source: Apple's documentation of the class, and its header in the SDK of macOS 26.
open class NFCPaymentTagReaderSession: NFCTagReaderSession {
  /// Creates a session.
  ///
  /// - Parameter queue: the queue on which the delegate and the completion handlers are called;
  ///   `nil` for the session's own serial queue.
  public init(delegate: any NFCTagReaderSessionDelegate, queue: DispatchQueue? = nil) {
    super.init(
      configuration: Configuration(pollingOption: .iso14443).forCards, delegate: delegate,
      queue: queue)
  }

  /// Searches for other applications of Info.plist; the polling options have no effect. The next
  /// ``NFCTagReaderSession/restartPolling()`` returns to all applications. Since iOS 26.4.
  open override func restartPolling(configuration: Configuration) {
    super.restartPolling(configuration: configuration.forCards)
  }
}
