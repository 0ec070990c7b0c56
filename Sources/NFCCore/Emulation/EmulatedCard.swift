import NDEF
import Synchronization

/// A reader that acts as an NFC Forum Type 4 tag, which phones read, and write if they may.
///
/// ```swift
/// let card = try EmulatedCard(.ndef(message, isWritable: true), on: reader)
/// for try await event in card.events {
///   if case .written(let message) = event { print(message) }
/// }
/// ```
///
/// The card exists while ``events`` is iterated over. What a phone writes incompletely, because it leaves too early, is
/// undone before the next session.
public struct EmulatedCard: Sendable {
  /// What the card holds.
  public struct Content: Hashable, Sendable {
    var tag: EmulatedType4Tag

    /// An NDEF message.
    ///
    /// - Throws: ``NFCError/Code/capacityExceeded``, ``NFCError/Code/invalidParameter``.
    public static func ndef(
      _ message: NDEFMessage, isWritable: Bool = false, layout: EmulatedType4Tag.Layout = .init()
    ) throws(NFCError) -> Content {
      Content(tag: try EmulatedType4Tag(message, isWritable: isWritable, layout: layout))
    }

    /// The bytes of an NDEF message; none for a tag without one.
    ///
    /// - Throws: ``NFCError/Code/capacityExceeded``, ``NFCError/Code/invalidParameter``.
    public static func ndef(
      bytes: [UInt8], isWritable: Bool = false, layout: EmulatedType4Tag.Layout = .init()
    ) throws(NFCError) -> Content {
      Content(tag: try EmulatedType4Tag(bytes, isWritable: isWritable, layout: layout))
    }
  }

  /// What happens to the card.
  @nonexhaustive
  public enum Event: Hashable, Sendable {
    /// It can be activated, with this UID.
    case ready(uid: [UInt8])
    /// A reader has activated it: a session begins.
    case activated
    /// A command was answered. Only if ``EmulatedCard/reportsCommands`` is set.
    case command([UInt8], answer: [UInt8])
    /// The message, of this many bytes, was read: its last byte was sent.
    case read(Int)
    /// A message was written completely: its bytes, which need not be valid NDEF.
    case written([UInt8])
    /// The session has ended, after this time.
    case released(EmulationRelease, after: Duration)
  }

  /// The reader that acts as a card.
  public let reader: Reader
  /// What the other side sees first.
  public let identity: CardIdentity
  /// What the card holds at first.
  public let content: Content
  /// Whether each command is an event.
  public var reportsCommands = false

  /// Creates a card; nothing is sent yet.
  public init(_ content: Content, on reader: Reader, as identity: CardIdentity) {
    self.content = content
    self.reader = reader
    self.identity = identity
  }

  /// Creates a card with a random UID; nothing is sent yet.
  public init(_ content: Content, on reader: Reader) {
    self.init(content, on: reader, as: .random)
  }

  /// Makes the reader the card, until the iteration ends or its task is cancelled.
  ///
  /// It throws ``NFCError/Code/unsupported`` for a reader that cannot act as a card, and ``NFCError/Code/readerLost``.
  public var events: Events { Events(card: self) }

  /// The events of a card.
  public struct Events: AsyncSequence, Sendable {
    let card: EmulatedCard

    /// Iterates over the events. The reader acts as a card until the iteration ends.
    public final class Iterator: AsyncIteratorProtocol {
      private let run: EmulationRun<Event>

      init(_ card: EmulatedCard) {
        let uid = card.identity.uid
        run = EmulationRun(card.reader) { events in
          EmulationConfiguration(identity: card.identity) { events.yield(.ready(uid: uid)) }
        } responder: { events in
          TagResponder(
            card.content.tag.limited(to: card.reader.capabilities.emulation),
            reportsCommands: card.reportsCommands, events)
        }
      }

      /// Returns the next event.
      ///
      /// - Throws: ``NFCError/Code/readerLost``; ``NFCError/Code/unsupported`` if the reader cannot act as a card.
      public func next() async throws -> Event? { try await run.next() }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(card) }
  }
}

/// Answers with the files of a Type 4 tag.
private final class TagResponder: EmulationResponder {
  private struct State {
    var tag: EmulatedType4Tag
    var start = ContinuousClock.now
    /// What the answer under way means once it was sent.
    var event: EmulatedType4Tag.Event?
    var exchange: (command: [UInt8], answer: [UInt8]) = ([], [])
  }

  private let state: Mutex<State>
  private let reportsCommands: Bool
  private let events: AsyncThrowingStream<EmulatedCard.Event, any Error>.Continuation

  init(
    _ tag: EmulatedType4Tag, reportsCommands: Bool,
    _ events: AsyncThrowingStream<EmulatedCard.Event, any Error>.Continuation
  ) {
    state = Mutex(State(tag: tag))
    self.reportsCommands = reportsCommands
    self.events = events
  }

  func activated() {
    state.withLock { state in
      state.tag.activate()
      state.event = nil
      state.start = .now
    }
    events.yield(.activated)
  }

  func answer(to command: [UInt8]) -> [UInt8] {
    state.withLock { state in
      let reply = state.tag.respond(to: command)
      state.event = reply.event
      state.exchange = (command, reply.answer)
      return reply.answer
    }
  }

  func sent() {
    let (event, exchange) = state.withLock { state in
      defer { state.event = nil }
      return (state.event, state.exchange)
    }
    if reportsCommands { events.yield(.command(exchange.command, answer: exchange.answer)) }
    switch event {
    case .read(let count)?: events.yield(.read(count))
    case .written(let message)?: events.yield(.written(message))
    case nil: break
    }
  }

  func released(_ release: EmulationRelease) {
    let (start, event) = state.withLock { state in
      defer { state.event = nil }
      return (state.start, state.event)
    }
    // The card has it, although the other side may not know.
    if case .written(let message)? = event { events.yield(.written(message)) }
    events.yield(.released(release, after: .now - start))
  }
}
