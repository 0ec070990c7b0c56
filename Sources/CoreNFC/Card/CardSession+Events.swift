import Foundation
import NFC
import Synchronization

extension CardSession {
  /// The events of a session, in order, from its beginning. There is one consumer; what happens before it asks is kept.
  public final class EventStream: AsyncSequence {
    /// An event of the session.
    public typealias Element = Event
    /// The iterator over the events.
    public typealias AsyncIterator = Iterator

    private let queue: CardEventQueue

    init(_ queue: CardEventQueue) { self.queue = queue }

    /// Returns an iterator over the events that have not been taken yet.
    public func makeAsyncIterator() -> Iterator { Iterator(queue) }

    /// The iterator, which ends after ``CardSession/Event/sessionInvalidated(reason:)``.
    public final class Iterator: AsyncIteratorProtocol {
      /// An event of the session.
      public typealias Element = Event

      private var iterator: AsyncStream<CardEventQueue.Box>.Iterator

      init(_ queue: CardEventQueue) { iterator = queue.stream.makeAsyncIterator() }

      /// Returns the next event as soon as there is one; `nil` after the last.
      public func next() async throws -> Event? { await iterator.next()?.event }
    }
  }

  /// A command that a reader has sent to the card. It is answered once; one that is released without an answer ends
  /// emulation.
  public final class APDU: Sendable, Equatable, CustomDebugStringConvertible {
    /// The bytes of the command.
    public let payload: Data

    private enum State {
      case open
      case responding
      case answered
    }

    private let state = Mutex(State.open)
    private let command: EmulatedCommand
    private let onDrop: @Sendable () -> Void

    init(_ command: EmulatedCommand, onDrop: @escaping @Sendable () -> Void) {
      payload = Data(command.bytes)
      self.command = command
      self.onDrop = onDrop
    }

    deinit {
      if state.withLock({ $0 == .open }) { onDrop() }
    }

    /// Sends the answer. Calling it a second time ends the program, as on an iPhone.
    ///
    /// - Throws: ``CardSession/Error/emulationStopped`` if the reader has gone, emulation was stopped, or the answer is
    ///   not one that a reader can send.
    public func respond(response: Data) async throws {
      let isFirst = state.withLock { state in
        defer { if state == .open { state = .responding } }
        return state == .open
      }
      guard isFirst else { fatalError("a command to a card session is answered once") }
      defer { state.withLock { $0 = .answered } }
      do {
        try await command.respond(with: Array(response))
      } catch {
        throw Error.emulationStopped
      }
    }

    /// The bytes in hexadecimal.
    public var debugDescription: String { payload.map { String(format: "%02X", $0) }.joined() }

    /// Returns whether both are the same command, not only equal bytes.
    public static func == (lhs: APDU, rhs: APDU) -> Bool { lhs === rhs }
  }
}

/// The events that a program has not taken yet.
final class CardEventQueue: Sendable {
  /// Unchecked because an event consists of what is Sendable; Apple's type does not say so.
  struct Box: @unchecked Sendable {
    let event: CardSession.Event
  }

  let stream: AsyncStream<Box>
  private let continuation: AsyncStream<Box>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func post(_ event: CardSession.Event) { continuation.yield(Box(event: event)) }

  /// Posts the last event.
  func finish(_ reason: CardSession.Error) {
    post(.sessionInvalidated(reason: reason))
    continuation.finish()
  }
}
