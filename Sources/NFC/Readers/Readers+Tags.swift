import SwiftNFCCore
import Synchronization

/// A sequence of the events of several readers and their fields, until the task is cancelled or no
/// reader is left.
///
/// The reader of an event continues to poll when the next event is requested, so that your program
/// can use the tag until then. The other readers continue at once, and their next events wait. Only
/// one iteration over the events of a group is possible at a time.
public struct ReadersEvents: AsyncSequence, Sendable {
  public typealias Element = ReadersEvent

  let readers: Readers
  let options: PollingOptions

  public func makeAsyncIterator() -> Iterator { Iterator(queue: EventQueue(readers, options)) }

  /// Polls the readers until the next event.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let queue: EventQueue

    /// Polls until the next event; `nil` after the last one.
    ///
    /// - Throws: ``NFCError/Code/unsupported`` for a technology that no reader supports;
    ///   ``NFCError/Code/readerLost`` if no reader is left; `CancellationError`.
    public mutating func next() async throws -> ReadersEvent? { try await queue.next() }
  }
}

/// A sequence of the tags that arrive in the fields of several readers, each once for as long as it
/// stays.
public struct ReadersTags: AsyncSequence, Sendable {
  public typealias Element = DetectedTag

  let events: ReadersEvents

  public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

  /// Polls the readers until the next tag.
  public struct Iterator: AsyncIteratorProtocol {
    var events: ReadersEvents.Iterator

    /// Polls until a tag arrives; `nil` after the last tag.
    ///
    /// - Throws: ``NFCError/Code/unsupported`` for a technology that no reader supports;
    ///   ``NFCError/Code/readerLost`` if no reader is left; `CancellationError`.
    public mutating func next() async throws -> DetectedTag? {
      while let event = try await events.next() {
        if case .arrived(let tag, _) = event { return tag }
      }
      return nil
    }
  }
}

extension Readers {
  /// Returns a sequence of the tags and readers that come and go; see
  /// ``forEachEvent(polling:period:onCardInUse:_:)``.
  public func events(polling options: PollingOptions = .all) -> ReadersEvents {
    ReadersEvents(readers: self, options: options)
  }

  /// Returns a sequence of the tags that arrive in the field of any reader, starting with those
  /// that are present.
  public func tags(polling options: PollingOptions = .all) -> ReadersTags {
    ReadersTags(events: events(polling: options))
  }

  /// Returns the tags that are in the fields now. Each reader searches once, concurrently.
  ///
  /// Tags that were found before can no longer be used afterwards.
  ///
  /// - Throws: the first reader's error if all have failed, or if one has a card that another program uses and no
  ///   reader has found a tag; ``NFCError/Code/unsupported`` as ``firstTag(polling:within:where:)``.
  public func tagsInField(polling options: PollingOptions = .all) async throws -> [DetectedTag] {
    try check(options)
    let shares = shares(of: options.technologies)
    guard !shares.isEmpty else { throw Self.refusal(options.technologies, all) }
    let outcomes = try await shares.search()
    let tags = outcomes.compactMap { try? $0.get() }
    let problems = outcomes.compactMap { outcome -> NFCError? in
      if case .failure(let error) = outcome { error } else { nil }
    }
    if tags.isEmpty, let problem = problems.first { throw problem }
    // The expected tag may be the one that cannot be asked.
    if tags.allSatisfy(\.isEmpty), let inUse = problems.first(where: \.isCardInUse) {
      throw inUse
    }
    return tags.flatMap(\.self)
  }
}

/// Passes events from the readers' tasks to the consumer, and lets a reader continue when the next
/// event is requested. Ends the readers' tasks when it is released.
private final class EventQueue: Sendable {
  fileprivate typealias Answer = CheckedContinuation<Bool, Never>

  fileprivate struct State {
    /// Events that wait for the consumer, with the readers that wait for an answer.
    var events: [(ReadersEvent, Answer)] = []
    /// The reader whose event was passed on last.
    var answer: Answer?
    var consumer: CheckedContinuation<ReadersEvent?, any Error>?
    var task: Task<Void, Never>?
    var end: Result<Void, any Error>?
  }

  /// The state that the readers' tasks refer to, so that they do not retain the queue itself.
  fileprivate final class Mailbox: Sendable {
    let state = Mutex(State())

    func deliver(_ event: ReadersEvent) async -> Bool {
      await withCheckedContinuation { answer in
        let (consumer, isOver) = state.withLock {
          state -> (CheckedContinuation<ReadersEvent?, any Error>?, Bool) in
          guard state.end == nil else { return (nil, true) }
          guard let consumer = state.consumer else {
            state.events.append((event, answer))
            return (nil, false)
          }
          state.consumer = nil
          state.answer = answer
          return (consumer, false)
        }
        if isOver { answer.resume(returning: false) }
        consumer?.resume(returning: event)
      }
    }

    func end(_ result: Result<Void, any Error>) {
      let (waiting, consumer, isFirst) = state.withLock { state in
        defer {
          state.events = []
          state.answer = nil
          state.consumer = nil
          state.end = state.end ?? result
        }
        return (
          state.events.map(\.1) + [state.answer].compactMap(\.self), state.consumer,
          state.end == nil
        )
      }
      for answer in waiting { answer.resume(returning: false) }
      guard isFirst || consumer != nil else { return }
      consumer?.resume(with: result.map { nil })
    }
  }

  private let mailbox = Mailbox()
  private let readers: Readers
  private let options: PollingOptions

  init(_ readers: Readers, _ options: PollingOptions) {
    self.readers = readers
    self.options = options
  }

  deinit { stop() }

  private func stop() {
    mailbox.state.withLock { $0.task }?.cancel()
    mailbox.end(.failure(CancellationError()))
  }

  private func begin() {
    mailbox.state.withLock { state in
      guard state.task == nil, state.end == nil else { return }
      state.task = Task { [mailbox, readers, options] in
        do {
          try await readers.forEachEvent(polling: options) { await mailbox.deliver($0) }
          mailbox.end(.success(()))
        } catch {
          mailbox.end(.failure(error))
        }
      }
    }
  }

  func next() async throws -> ReadersEvent? {
    begin()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { consumer in
        mailbox.request(consumer)
      }
    } onCancel: {
      stop()
    }
  }
}

extension EventQueue.Mailbox {
  /// Lets the reader of the last event continue, and returns the next event when there is one.
  fileprivate func request(_ consumer: CheckedContinuation<ReadersEvent?, any Error>) {
    enum Outcome {
      case event(ReadersEvent)
      case end(Result<Void, any Error>)
      case later
    }
    let (last, outcome) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, Outcome) in
      let last = state.answer
      state.answer = nil
      if !state.events.isEmpty {
        let (event, answer) = state.events.removeFirst()
        state.answer = answer
        return (last, .event(event))
      }
      if let end = state.end { return (last, .end(end)) }
      state.consumer = consumer
      return (last, .later)
    }
    last?.resume(returning: true)
    switch outcome {
    case .event(let event): consumer.resume(returning: event)
    case .end(let end): consumer.resume(with: end.map { nil })
    case .later: break
    }
  }
}
