import Foundation

extension CardSession {
  /// The events of a session, a sequence that ends at once.
  public final class EventStream: AsyncSequence {
    /// An event of the session.
    public typealias Element = Event
    /// The iterator over the events.
    public typealias AsyncIterator = Iterator

    /// Returns an iterator, which ends at once.
    public func makeAsyncIterator() -> Iterator { Iterator() }

    /// The iterator, which returns no event.
    public final class Iterator: AsyncIteratorProtocol {
      /// An event of the session.
      public typealias Element = Event

      /// Returns `nil`: there are no events.
      public func next() async throws -> Event? { nil }
    }
  }

  /// A command that a reader has sent to the card.
  public final class APDU: Sendable, Equatable, CustomDebugStringConvertible {
    /// The bytes of the command.
    public let payload: Data

    init(payload: Data) {
      self.payload = payload
    }

    /// Fails with ``CardSession/Error/transmissionError``: there is no reader to respond to.
    public func respond(response: Data) async throws { throw Error.transmissionError }

    /// The bytes in hexadecimal.
    public var debugDescription: String { payload.map { String(format: "%02X", $0) }.joined() }

    /// Returns whether both are the same command, not only equal bytes.
    public static func == (lhs: APDU, rhs: APDU) -> Bool { lhs === rhs }
  }
}
