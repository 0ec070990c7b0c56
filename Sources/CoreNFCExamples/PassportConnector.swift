import CoreNFC

/// Connects to a passport, and leaves reading it to the caller.
///
/// Info.plist lists the passport's application, A0000002471001 (ICAO 9303-10, 3.6).
public final class PassportConnector: NSObject, NFCTagReaderSessionDelegate {
  private var session: NFCReaderSessionProtocol?
  private let connected: (NFCISO7816Tag) -> Void
  private let ended: (NFCReaderError.Code?) -> Void

  /// - Parameters:
  ///   - connected: receives the passport; the session continues until ``stop()``.
  ///   - ended: receives the reason why the session has ended; `nil` if ``stop()`` ended it.
  public init(
    connected: @escaping (NFCISO7816Tag) -> Void, ended: @escaping (NFCReaderError.Code?) -> Void
  ) {
    self.connected = connected
    self.ended = ended
  }

  public func beginSession() {
    guard NFCTagReaderSession.readingAvailable,
      let session = NFCTagReaderSession(
        pollingOption: [.iso14443], delegate: self, queue: .global())
    else {
      ended(.readerErrorUnsupportedFeature)
      return
    }
    session.alertMessage = "Hold the passport to the reader"
    session.begin()
  }

  public func stop() { session?.invalidate() }

  public func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
    self.session = session
    self.session?.alertMessage = "Looking for a passport"
  }

  public func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
    guard tags.count == 1, let tag = tags.first else {
      session.invalidate(errorMessage: "More than one tag was found")
      return
    }
    guard case .iso7816(let passport) = tag else {
      session.invalidate(errorMessage: "This is no passport")
      return
    }
    session.connect(to: tag) { error in
      guard error == nil else {
        session.invalidate(errorMessage: "Cannot connect to the passport")
        return
      }
      self.connected(passport)
    }
  }

  public func tagReaderSession(
    _ session: NFCTagReaderSession, didInvalidateWithError error: Error
  ) {
    self.session = nil
    let code = (error as? NFCReaderError)?.code
    ended(code == .readerSessionInvalidationErrorUserCanceled ? nil : code)
  }
}
