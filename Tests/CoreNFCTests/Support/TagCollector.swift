import CoreNFC
import Synchronization

/// A delegate that makes a session's events into a stream.
///
/// Unchecked because it hands the session's objects to the test, which waits for one before it asks for
/// the next.
final class TagCollector: NSObject, NFCTagReaderSessionDelegate, @unchecked Sendable {
  enum Event {
    case active
    case tags([NFCTag])
    case ended(NFCReaderError)
  }

  private let stream = AsyncStream<Event>.makeStream()
  private var iterator: AsyncStream<Event>.Iterator

  override init() {
    iterator = stream.stream.makeAsyncIterator()
    super.init()
  }

  func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) {
    stream.continuation.yield(.active)
  }

  func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
    guard let error = error as? NFCReaderError else { return }
    stream.continuation.yield(.ended(error))
  }

  func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
    stream.continuation.yield(.tags(tags))
  }
}
