import Foundation

extension CardSession {
  /// What happens in a session.
  public enum Event {
    case sessionStarted
    /// A reader's field is there.
    case readerDetected
    case received(APDU)
    /// The field has gone, or another application was selected.
    case readerDeselected
    case sessionInvalidated(reason: CardSession.Error)
  }

  /// A command that a reader has sent.
  public final class APDU: Sendable, Equatable, CustomDebugStringConvertible {
    public let payload: Data

    init(payload: Data) {
      self.payload = payload
    }

    /// - Throws: ``CardSession/Error/transmissionError``, always: there is no reader to answer.
    public func respond(response: Data) async throws {
      throw CardSession.Error.transmissionError
    }

    public var debugDescription: String {
      payload.map { String(format: "%02X", $0) }.joined()
    }

    public static func == (lhs: APDU, rhs: APDU) -> Bool { lhs.payload == rhs.payload }
  }

  /// The events of a session, one after the other.
  public final class EventStream: AsyncSequence {
    public typealias Element = CardSession.Event
    public typealias AsyncIterator = Iterator

    public func makeAsyncIterator() -> Iterator { Iterator() }

    public final class Iterator: AsyncIteratorProtocol {
      public typealias Element = CardSession.Event

      /// `nil`, always: no session can be made.
      public func next() async throws -> CardSession.Event? { nil }
    }
  }
}
