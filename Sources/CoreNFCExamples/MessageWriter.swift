import CoreNFC

/// Writes a message to the first tag that can hold it.
public final class MessageWriter: NSObject, NFCNDEFReaderSessionDelegate {
  private var session: NFCNDEFReaderSession?
  private let message: NFCNDEFMessage
  private let completion: (Error?) -> Void

  /// - Parameter completion: receives the error that ended the session. The session was successful
  ///   if the code is `readerSessionInvalidationErrorUserCanceled` and ``isWritten`` is `true`.
  public init(message: NFCNDEFMessage, completion: @escaping (Error?) -> Void) {
    self.message = message
    self.completion = completion
  }

  /// Whether the message was written to a tag.
  public private(set) var isWritten = false

  /// The last message shown to the person.
  public private(set) var outcome = ""

  /// Returns a message that contains a link and a text.
  public static func message(link: URL, text: String) -> NFCNDEFMessage? {
    guard let link = NFCNDEFPayload.wellKnownTypeURIPayload(url: link),
      let text = NFCNDEFPayload.wellKnownTypeTextPayload(
        string: text, locale: Locale(identifier: "en"))
    else { return nil }
    return NFCNDEFMessage(records: [link, text])
  }

  public func startWriting() {
    session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: false)
    session?.alertMessage = "Hold the tag that is to be written near the reader"
    session?.begin()
  }

  public func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) {}

  public func readerSession(
    _ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]
  ) {}

  public func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [NFCNDEFTag]) {
    guard tags.count == 1, let tag = tags.first else {
      session.alertMessage = "Several tags are there; leave only one"
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .milliseconds(500),
        execute: DispatchWorkItem { session.restartPolling() })
      return
    }
    session.connect(to: tag) { error in
      if let error {
        self.finish(session, "Cannot connect: \(error.localizedDescription)")
        return
      }
      self.write(to: tag, session)
    }
  }

  private func write(to tag: NFCNDEFTag, _ session: NFCNDEFReaderSession) {
    tag.queryNDEFStatus { status, capacity, error in
      if let error {
        self.finish(session, "Cannot ask the tag: \(error.localizedDescription)")
        return
      }
      switch status {
      case .notSupported: self.finish(session, "The tag has no NDEF")
      case .readOnly: self.finish(session, "The tag is read-only")
      case .readWrite where capacity < self.message.length:
        self.finish(session, "The tag has room for \(capacity) bytes")
      case .readWrite:
        tag.writeNDEF(self.message) { error in
          if let error {
            self.finish(session, "Cannot write: \(error.localizedDescription)")
          } else {
            self.isWritten = true
            self.outcome = "Written"
            session.alertMessage = self.outcome
            session.invalidate()
          }
        }
      @unknown default: self.finish(session, "The tag is of no known kind")
      }
    }
  }

  private func finish(_ session: NFCNDEFReaderSession, _ text: String) {
    outcome = text
    session.invalidate(errorMessage: text)
  }

  public func readerSession(
    _ session: NFCNDEFReaderSession, didInvalidateWithError error: Error
  ) {
    self.session = nil
    completion(error)
  }
}
