import CoreNFC

/// Looks for tags of every kind, and sends the first one a command that its kind can answer.
public final class TagInspector: NSObject, NFCTagReaderSessionDelegate {
  private var session: NFCTagReaderSession?
  private let completion: (Result<String, Error>) -> Void
  private var finding: String?

  /// - Parameter completion: receives a line about the tag.
  public init(completion: @escaping (Result<String, Error>) -> Void) {
    self.completion = completion
  }

  public func startScanning() {
    session = NFCTagReaderSession(
      pollingOption: [.iso14443, .iso15693, .iso18092], delegate: self)
    session?.alertMessage = "Hold a tag near the reader"
    session?.begin()
  }

  public func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {}

  public func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
    guard let tag = tags.first else { return }
    session.connect(to: tag) { error in
      if let error {
        session.invalidate(errorMessage: error.localizedDescription)
        return
      }
      switch tag {
      case .miFare(let tag): self.inspect(tag, session)
      case .iso7816(let tag): self.inspect(tag, session)
      case .iso15693(let tag): self.inspect(tag, session)
      case .feliCa(let tag): self.inspect(tag, session)
      @unknown default: session.invalidate(errorMessage: "This kind of tag is new")
      }
    }
  }

  /// Reads the first four pages with READ, which every Type 2 tag supports.
  private func inspect(_ tag: NFCMiFareTag, _ session: NFCTagReaderSession) {
    tag.sendMiFareCommand(commandPacket: Data([0x30, 0x00])) { answer, error in
      self.finish(session, "MIFARE", answer, error)
    }
  }

  /// Reads the selected application's data with READ BINARY.
  private func inspect(_ tag: NFCISO7816Tag, _ session: NFCTagReaderSession) {
    let read = NFCISO7816APDU(
      instructionClass: 0x00, instructionCode: 0xB0, p1Parameter: 0, p2Parameter: 0, data: Data(),
      expectedResponseLength: 16)
    tag.sendCommand(apdu: read) { _, sw1, sw2, error in
      self.finish(session, "ISO 7816 \(tag.initialSelectedAID)", Data([sw1, sw2]), error)
    }
  }

  private func inspect(_ tag: NFCISO15693Tag, _ session: NFCTagReaderSession) {
    tag.readSingleBlock(requestFlags: [.highDataRate, .address], blockNumber: 0) { block, error in
      self.finish(session, "ISO 15693", block, error)
    }
  }

  private func inspect(_ tag: NFCFeliCaTag, _ session: NFCTagReaderSession) {
    tag.requestResponse { mode, error in
      self.finish(session, "FeliCa", Data([UInt8(clamping: mode)]), error)
    }
  }

  private func finish(
    _ session: NFCTagReaderSession, _ kind: String, _ answer: Data, _ error: Error?
  ) {
    if let error {
      session.invalidate(errorMessage: error.localizedDescription)
      return
    }
    finding = "\(kind): " + answer.map { String(format: "%02X", $0) }.joined()
    session.alertMessage = "Done"
    session.invalidate()
  }

  public func tagReaderSession(
    _ session: NFCTagReaderSession, didInvalidateWithError error: Error
  ) {
    self.session = nil
    completion(finding.map { .success($0) } ?? .failure(error))
  }
}
