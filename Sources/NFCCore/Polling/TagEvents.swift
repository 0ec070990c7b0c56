/// A tag that has come into the field or left it.
public enum TagEvent: Sendable {
  /// A tag has come.
  case arrived(DetectedTag)
  /// A tag that had come was not found any more.
  case left(Target)
}

/// The tags that come and go in front of a reader, one event after the other, until the task is
/// cancelled or the reader fails.
///
/// Polling goes on only while the next event is waited for: between two events the reader is the
/// program's own. Tags that are together in the field stay reachable until the carrier is switched off
/// for a new round, which is when an event is waited for and none is left of the last round.
public struct TagEvents: AsyncSequence, Sendable {
  public typealias Element = TagEvent

  let reader: Reader
  let technologies: [TagTechnology]
  let pause: Duration
  let refusal: NFCError?
  let onCardInUse: (@Sendable (NFCError) -> Void)?

  public func makeAsyncIterator() -> Iterator {
    Iterator(
      reader: reader, cycle: PollCycle(technologies: technologies), pause: pause, refusal: refusal,
      onCardInUse: onCardInUse)
  }

  public struct Iterator: AsyncIteratorProtocol {
    private let reader: Reader
    private var cycle: PollCycle
    private let pause: Duration
    private let refusal: NFCError?
    private let onCardInUse: (@Sendable (NFCError) -> Void)?
    /// Whether another program had the card when the reader was last asked.
    private var isCardInUse = false
    private var queue: [PollCycle.Event] = []
    /// The search that the first tag of its technology has interrupted.
    private var interrupted: (technology: TagTechnology, first: Target)?
    /// Rounds one after the other in which the reader itself failed.
    private var failures = 0

    /// A frame between host and reader can break; a reader that fails this often is gone.
    private static let toleratedFailures = 2

    init(
      reader: Reader, cycle: PollCycle, pause: Duration, refusal: NFCError?,
      onCardInUse: (@Sendable (NFCError) -> Void)?
    ) {
      self.reader = reader
      self.cycle = cycle
      self.pause = pause
      self.refusal = refusal
      self.onCardInUse = onCardInUse
    }

    public mutating func next() async throws -> TagEvent? {
      if let refusal { throw refusal }
      while true {
        while !queue.isEmpty {
          switch queue.removeFirst() {
          case .left(let target):
            return .left(target)
          case .arrived(let target):
            // One that has gone again meanwhile is for the next rounds to tell.
            let tag = try await reader.perform { reader, work in
              try reader.detectIfPresent(target, work)
            }
            if let tag { return .arrived(tag) }
          }
        }
        try Task.checkCancellation()
        if let (technology, first) = interrupted {
          interrupted = nil
          let others = try await search { reader, _ in
            try reader.list(technology, besides: [first])
          }
          queue = cycle.found(others.map { [first] + $0 }, of: technology)
          continue
        }
        switch cycle.next() {
        case .pause:
          try await Task.sleep(for: pause)
        case .resetField:
          try await attempt { reader, _ in try reader.resetField() }
        case .list(let technology) where !cycle.present.contains { $0.technology == technology }:
          // Nobody can have left: what comes first is an event before others are looked for.
          let found = try await search { reader, work in try reader.find(technology, work) }
          guard let (targets, tag, hasMore) = found else { continue }
          queue = cycle.found(targets, of: technology)
          guard hasMore, let first = targets.first else { continue }
          interrupted = (technology, first)
          queue = []
          if let tag { return .arrived(tag) }
        case .list(let technology):
          let found = try await search { reader, _ in try reader.list(technology) }
          queue = cycle.found(found, of: technology)
        }
      }
    }

    /// Looks for tags. A card that another program has is one to wait for, and tells nothing.
    private mutating func search<Result: Sendable>(
      _ body: @Sendable (isolated Reader, Reader.Work) throws -> Result
    ) async throws -> Result? {
      do {
        let result = try await attempt(body)
        isCardInUse = false
        return result
      } catch let error as NFCError where error.isOfCardInUse {
        if !isCardInUse { onCardInUse?(error) }
        isCardInUse = true
        return nil
      }
    }

    private mutating func attempt<Result: Sendable>(
      _ body: @Sendable (isolated Reader, Reader.Work) throws -> Result
    ) async throws -> Result? {
      do {
        let result = try await reader.perform(body)
        failures = 0
        return result
      } catch let error as NFCError
        where error.code == .readerUnavailable && !error.isOfCardInUse
      {
        failures += 1
        guard failures > Self.toleratedFailures else { return nil }
        throw NFCError(.readerLost, error.reason, cause: error.cause)
      }
    }
  }
}

/// The tags that come into the field, each once for as long as it stays.
public struct DetectedTags: AsyncSequence, Sendable {
  public typealias Element = DetectedTag

  let events: TagEvents

  public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

  public struct Iterator: AsyncIteratorProtocol {
    var events: TagEvents.Iterator

    public mutating func next() async throws -> DetectedTag? {
      while let event = try await events.next() {
        if case .arrived(let tag) = event { return tag }
      }
      return nil
    }
  }
}

extension Reader {
  /// The tags that come into the field from now on, those that are in it first.
  ///
  /// ```swift
  /// for try await tag in reader.tags(polling: .all) {
  ///   try await tag.connect()
  /// }
  /// ```
  ///
  /// - Parameter options: what to look for. `.all` means all that this reader has; naming a technology
  ///   that it has not throws `unsupported`.
  public nonisolated func tags(polling options: PollingOptions = .all) -> DetectedTags {
    DetectedTags(events: events(polling: options))
  }

  /// Tags as they come and as they go.
  ///
  /// - Parameters:
  ///   - options: what to look for, as in ``tags(polling:)``.
  ///   - pause: between two rounds in which nothing has happened.
  ///   - onCardInUse: is told, once each time, that another program has the card that is there;
  ///     polling goes on until it is free or another comes.
  public nonisolated func events(
    polling options: PollingOptions = .all, pause: Duration = .milliseconds(100),
    onCardInUse: (@Sendable (NFCError) -> Void)? = nil
  ) -> TagEvents {
    let wanted = options.technologies
    let technologies = wanted.filter { capabilities.technologies.contains($0) }
    var refusal: NFCError?
    if options != .all {
      // What stands behind `.other` are many; a reader need not have them all.
      let needed = options.subtracting(.other).technologies
      if let missing = needed.first(where: { !capabilities.technologies.contains($0) }) {
        refusal = NFCError(.unsupported, Self.refusal(missing, name))
      }
    }
    if technologies.isEmpty, refusal == nil {
      refusal = NFCError(.invalidParameter, "no technology to poll for was named")
    }
    return TagEvents(
      reader: self, technologies: technologies, pause: pause, refusal: refusal,
      onCardInUse: onCardInUse)
  }

  private static func refusal(_ technology: TagTechnology, _ reader: String) -> String {
    switch technology {
    case .iso15693:
      "\(reader) has no ISO 15693: the PN53x chips cannot do it, some PC/SC readers can"
    default:
      "\(reader) cannot poll \(technology.rawValue)"
    }
  }
}
