import CoreNFC

/// Selects the application of a Korean T-Money card.
///
/// Info.plist lists the application's name, D4100000030001, under
/// `com.apple.developer.nfc.readersession.iso7816.select-identifiers`.
public final class TMoneyReader: NSObject, NFCTagReaderSessionDelegate {
  private var session: NFCTagReaderSession?
  private let completion: (Result<Data, Error>) -> Void
  private var answer: Data?

  /// - Parameter completion: receives the answer to SELECT.
  public init(completion: @escaping (Result<Data, Error>) -> Void) {
    self.completion = completion
  }

  public func beginScanning() {
    session = NFCTagReaderSession(pollingOption: .iso14443, delegate: self)
    session?.alertMessage = "Hold the card near the reader"
    session?.begin()
  }

  public func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

  public func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
    guard tags.count == 1, let found = tags.first else {
      session.alertMessage = "More than one card is there; leave only one"
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .milliseconds(500),
        execute: DispatchWorkItem { session.restartPolling() })
      return
    }
    guard case .iso7816(let tag) = found else {
      session.invalidate(errorMessage: "This is no T-Money card")
      return
    }
    session.connect(to: found) { error in
      guard error == nil else {
        session.invalidate(errorMessage: "Cannot connect to the card")
        return
      }
      guard let select = NFCISO7816APDU(data: Data(hexadecimal: "00A4040007D4100000030001"))
      else { return session.invalidate(errorMessage: "The command is malformed") }
      tag.sendCommand(apdu: select) { response, sw1, sw2, error in
        guard error == nil, sw1 == 0x90, sw2 == 0x00 else {
          session.invalidate(errorMessage: "The card refuses")
          return
        }
        self.answer = response
        session.alertMessage = "Read \(response.count) bytes"
        session.invalidate()
      }
    }
  }

  public func tagReaderSession(
    _ session: NFCTagReaderSession, didInvalidateWithError error: Error
  ) {
    self.session = nil
    completion(answer.map { .success($0) } ?? .failure(error))
  }
}

extension Data {
  /// Decodes pairs of hexadecimal digits, up to the first other character.
  init(hexadecimal text: String) {
    let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
    self.init(
      stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }
}
