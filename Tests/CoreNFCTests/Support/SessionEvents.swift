import CoreNFC
import Synchronization

/// The calls that a delegate has received, in order, for the test to wait for.
final class SessionEvents: Sendable {
  /// Unchecked because the session's objects are the test's from here on.
  enum Event: @unchecked Sendable {
    case active
    case tags([NFCTag])
    case ndefTags([any NFCNDEFTag])
    case messages([NFCNDEFMessage])
    case ended(any Error)
  }

  private let waiting = Mutex<[Event]>([])

  func add(_ event: Event) { waiting.withLock { $0.append(event) } }

  /// The next event; an error if none comes in time.
  func next(within limit: Duration = .seconds(10)) async throws -> Event {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      if let event = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return event }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw Unexpected("no event in time")
  }

  func expectActive() async throws {
    let event = try await next()
    guard case .active = event else { throw Unexpected("\(event) in place of active") }
  }

  func tags() async throws -> [NFCTag] {
    let event = try await next()
    guard case .tags(let tags) = event else { throw Unexpected("\(event) in place of tags") }
    return tags
  }

  func ndefTags() async throws -> [any NFCNDEFTag] {
    let event = try await next()
    guard case .ndefTags(let tags) = event else { throw Unexpected("\(event) in place of tags") }
    return tags
  }

  func messages() async throws -> [NFCNDEFMessage] {
    let event = try await next()
    guard case .messages(let messages) = event else {
      throw Unexpected("\(event) in place of messages")
    }
    return messages
  }

  /// The code that the session has ended with.
  func end() async throws -> NFCReaderError {
    while true {
      if case .ended(let error) = try await next() {
        guard let error = error as? NFCReaderError else {
          throw Unexpected("\(error) is no NFCReaderError")
        }
        return error
      }
    }
  }

  /// Throws if the delegate is called within the time.
  func expectNothing(for time: Duration = .milliseconds(300)) async throws {
    let event: Event
    do {
      event = try await next(within: time)
    } catch is Unexpected {
      return
    }
    throw Unexpected("\(event) in place of nothing")
  }
}

/// A delegate that keeps the calls that it receives.
final class TagDelegate: NSObject, NFCTagReaderSessionDelegate, Sendable {
  let events = SessionEvents()

  func tagReaderSessionDidBecomeActive(_ session: NFCTagReaderSession) { events.add(.active) }

  func tagReaderSession(_ session: NFCTagReaderSession, didInvalidateWithError error: any Error) {
    events.add(.ended(error))
  }

  func tagReaderSession(_ session: NFCTagReaderSession, didDetect tags: [NFCTag]) {
    events.add(.tags(tags))
  }
}

/// A delegate that takes messages alone.
final class MessageDelegate: NSObject, NFCNDEFReaderSessionDelegate, Sendable {
  let events = SessionEvents()

  func readerSession(
    _ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error
  ) {
    events.add(.ended(error))
  }

  func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
    events.add(.messages(messages))
  }
}

/// A delegate that takes tags.
final class NDEFTagDelegate: NSObject, NFCNDEFReaderSessionDelegate, Sendable {
  let events = SessionEvents()

  func readerSessionDidBecomeActive(_ session: NFCNDEFReaderSession) { events.add(.active) }

  func readerSession(
    _ session: NFCNDEFReaderSession, didInvalidateWithError error: any Error
  ) {
    events.add(.ended(error))
  }

  func readerSession(_ session: NFCNDEFReaderSession, didDetectNDEFs messages: [NFCNDEFMessage]) {
    events.add(.messages(messages))
  }

  func readerSession(_ session: NFCNDEFReaderSession, didDetect tags: [any NFCNDEFTag]) {
    events.add(.ndefTags(tags))
  }
}
