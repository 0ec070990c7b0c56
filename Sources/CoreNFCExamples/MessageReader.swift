import CoreNFC

/// Reads the messages of one tag and then ends, as most apps do.
public final class MessageReader: NSObject, NFCNDEFReaderSessionDelegate {
  private var session: NFCNDEFReaderSession?
  private let completion: (Result<[String], Error>) -> Void
  private var lines: [String] = []

  /// - Parameter completion: receives a line for each record, or the reason why there is none.
  public init(completion: @escaping (Result<[String], Error>) -> Void) {
    self.completion = completion
  }

  public func startScanning() {
    guard NFCNDEFReaderSession.readingAvailable else {
      completion(.failure(NFCReaderError(.readerErrorUnsupportedFeature)))
      return
    }
    session = NFCNDEFReaderSession(delegate: self, queue: nil, invalidateAfterFirstRead: true)
    session?.alertMessage = "Hold the tag near the reader"
    session?.begin()
  }

  public func readerSession(
    _ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]
  ) {
    lines = messages.flatMap(\.records).map(Self.line)
  }

  private static func line(_ record: NFCNDEFPayload) -> String {
    if let url = record.wellKnownTypeURIPayload() { return "Link: \(url.absoluteString)" }
    let (text, locale) = record.wellKnownTypeTextPayload()
    if let text { return "Text [\(locale?.identifier ?? "")]: \(text)" }
    return "\(record.typeNameFormat): \(record.payload.count) bytes"
  }

  public func readerSession(
    _ session: NFCNDEFReaderSession, didInvalidateWithError error: Error
  ) {
    self.session = nil
    if let error = error as? NFCReaderError,
      error.code == .readerSessionInvalidationErrorFirstNDEFTagRead
    {
      completion(.success(lines))
    } else {
      completion(.failure(error))
    }
  }
}
