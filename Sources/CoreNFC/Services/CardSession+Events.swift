import Foundation

extension CardSession {
  /// The events of a session, a sequence that ends at once.
  public final class EventStream: AsyncSequence {
    public typealias Element = Event
    public typealias AsyncIterator = Iterator

    public func makeAsyncIterator() -> Iterator { Iterator() }

    public final class Iterator: AsyncIteratorProtocol {
      public typealias Element = Event

      public func next() async throws -> Event? { nil }
    }
  }

  /// A command that a reader has sent to the card.
  public final class APDU: Sendable, Equatable, CustomDebugStringConvertible {
    public let payload: Data

    init(payload: Data) {
      self.payload = payload
    }

    /// Fails with ``CardSession/Error/transmissionError``: there is no reader to respond to.
    public func respond(response: Data) async throws { throw Error.transmissionError }

    public var debugDescription: String { payload.map { String(format: "%02X", $0) }.joined() }

    /// Returns whether both are the same command, not only equal bytes.
    public static func == (lhs: APDU, rhs: APDU) -> Bool { lhs === rhs }
  }
}
