/// An event in the field of a reader. More may be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum TagEvent: Sendable {
  /// A tag has arrived.
  case arrived(DetectedTag)
  /// A tag was not found any more. The value is the one that arrived, whatever random UID the tag
  /// has now. Its calls throw `tagConnectionLost`.
  case left(DetectedTag)
  /// The reader was lost; its tags have left before this event. The sequence waits for the reader.
  ///
  /// Only if ``Reader/events(polling:period:survivesReaderLoss:onCardInUse:)`` was asked to survive
  /// that.
  case readerLost(NFCError)
  /// The reader has returned; tags that are present now arrive again.
  case readerReturned
}

/// A sequence of the tags that come and go in the field of a reader, until the task is cancelled or
/// the reader fails.
///
/// The reader polls only while the next event is awaited: between two events your program can use
/// it. All tags in the field stay usable until the next cycle of searches begins, which
/// happens when an event is awaited and none is left from the last cycle.
///
/// While your program uses a tag, which is between two events, the carrier stays on, and the tag keeps what is selected
/// and unlocked in it. While the next event is awaited, the carrier is switched off and on once in six cycles, but not
/// next to a card of ISO/IEC 14443-4, which starts again about once a second, when other cards are looked for. A tag that
/// is missed once is looked for again after the carrier was switched off and on.
///
/// Use one iterator at a time: two over the same reader put each other's tags to sleep.
public struct TagEvents: AsyncSequence, Sendable {
  public typealias Element = TagEvent

  let reader: Reader
  let technologies: [TagTechnology]
  let period: Duration?
  let refusal: NFCError?
  let survivesReaderLoss: Bool
  let onCardInUse: (@Sendable (NFCError) -> Void)?
  /// Whether the first cycle searches for all technologies.
  var sweepsFirst = false

  /// Returns the same events, whose first cycle searches for all technologies once: what arrives in it was there before;
  /// see ``Iterator/isSweeping``.
  package func sweepingFirst() -> TagEvents {
    var events = self
    events.sweepsFirst = true
    return events
  }

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Polls until the next event.
  ///
  /// A copy can be used after a cancelled ``next()``: it knows the tags that the iterator has reported.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    private let events: TagEvents
    private var cycle: PollCycle
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    /// The beginning of the current cycle.
    private var cycleStart: ContinuousClock.Instant
    /// Whether the reader was asked nothing yet since it was opened.
    private var isFirstReset = true
    /// The tags that have been reported and have not left yet.
    private var present: [PollCycle.ArrivalID: DetectedTag] = [:]
    /// Whether another program had the card when the reader was last asked.
    private var isCardInUse = false
    private var queue: [PollCycle.Event] = []
    /// The search that the first tag of its technology has interrupted.
    private var interrupted: (technology: TagTechnology, first: Target)?
    private var failures = ReaderFailures()
    /// The error that lost the reader, until it is reported.
    private var loss: NFCError?
    private var isLost = false

    /// The interval for trying to reach a lost reader again.
    private static let pauseBetweenReturns = Duration.seconds(1)
    /// Longer than any program runs, and short enough for every clock.
    private static let longestPause = Duration.seconds(1_000_000_000)

    init(_ events: TagEvents) {
      self.events = events
      let reader = events.reader
      cycle = PollCycle(
        technologies: events.technologies,
        manner: reader.pollsContinuously ? .continuously : .inRounds, phase: reader.phase,
        sweepsFirst: events.sweepsFirst)
      start = clock.now
      cycleStart = start
    }

    private var time: Duration { start.duration(to: clock.now) }

    private var reader: Reader { events.reader }

    /// Whether the first look into the field is not over, so that a tag that has arrived was there before; only of
    /// ``TagEvents/sweepingFirst()``.
    package var isSweeping: Bool { cycle.isSweeping }

    /// Polls until the next event. It never returns `nil`.
    ///
    /// - Throws: ``NFCError/Code/unsupported`` for a technology that the reader lacks; ``NFCError/Code/readerLost``
    ///   unless the events survive it; `CancellationError`.
    public mutating func next() async throws -> TagEvent? {
      if let refusal = events.refusal { throw refusal }
      while true {
        do {
          return try await nextEvent()
        } catch let error as NFCError where error.code == .readerLost {
          guard events.survivesReaderLoss, await reader.canReconnect else { throw error }
          interrupted = nil
          failures.reset()
          queue = cycle.startOver()
          // A loss that is known is not reported again.
          if !isLost { loss = error }
          isLost = true
        }
      }
    }

    private mutating func nextEvent() async throws -> TagEvent {
      while true {
        while !queue.isEmpty {
          switch queue.removeFirst() {
          case .left(let arrival):
            if let tag = present.removeValue(forKey: arrival) { return .left(tag) }
          case .arrived(let arrival, let target):
            if let tag = try await identify(target, arrival) { return arrived(tag, arrival) }
          }
        }
        try Task.checkCancellation()
        if let loss {
          self.loss = nil
          return .readerLost(loss)
        }
        if isLost {
          try await Task.sleep(for: Self.pauseBetweenReturns)
          try await reader.perform { reader, _ in try reader.reconnect() }
          isLost = false
          isFirstReset = true
          return .readerReturned
        }
        if let event = try await step() { return event }
      }
    }

    /// Asks a tag what it is. One that does not answer, or whose reader fails, is found again in the next round.
    private mutating func identify(
      _ target: Target, _ arrival: PollCycle.ArrivalID
    ) async throws -> DetectedTag? {
      var tag: DetectedTag?
      defer { if tag == nil { cycle.forget(arrival) } }
      tag =
        try await search { reader, operation in
          try reader.detectIfPresent(target, operation)
        } ?? nil
      return tag
    }

    /// Performs the next step of the cycle.
    private mutating func step() async throws -> TagEvent? {
      if let (technology, first) = interrupted {
        interrupted = nil
        let others = try await search { reader, _ in
          try reader.list(technology, excluding: [first])
        }
        queue = cycle.found(others.map { [first] + $0 }, of: technology, at: time)
        return nil
      }
      cycle.broadcasts = reader.isBroadcasting
      switch cycle.next() {
      case .pause(let duration): try await pause(atLeast: duration)
      case .beginCycle:
        cycleStart = clock.now
        try await attempt(provesReader: false) { reader, _ in try reader.beginCycle() }
      case .resetField:
        let isForced = !isFirstReset
        isFirstReset = false
        // A chip whose power has failed switches the carrier and finds nothing: this does not prove the reader.
        try await attempt(provesReader: false) { reader, _ in
          if isForced { reader.fieldState = .used }
          try reader.resetField()
        }
      case .check(let target):
        let isPresent = try await search { reader, _ in try reader.isPresent(target) }
        queue = cycle.checked(target, isPresent: isPresent, at: time)
      case .search(let technology, let excluded)
      where excluded.isEmpty && !cycle.present.contains { $0.technology == technology }:
        // No tag can have left: the first tag is reported before others are searched for.
        let found = try await search { reader, operation in try reader.find(technology, operation) }
        guard let (targets, tag, hasMore) = found else { return nil }
        queue = cycle.found(targets, of: technology, at: time)
        guard hasMore, let first = targets.first else { return nil }
        interrupted = (technology, first)
        guard case .arrived(let arrival, _)? = queue.first else { return nil }
        queue = []
        if let tag { return arrived(tag, arrival) }
        cycle.forget(arrival)
      case .search(let technology, let excluded):
        let known = cycle.present.count { $0.technology == technology }
        let found = try await search { reader, _ in
          try excluded + reader.search(technology, excluding: excluded, known: known)
        }
        queue = cycle.found(found, of: technology, at: time)
      }
      return nil
    }

    /// Waits until the cycle has lasted long enough.
    private mutating func pause(atLeast duration: Duration) async throws {
      let lasted = cycleStart.duration(to: clock.now)
      cycle.cycleLasted(lasted)
      guard let period = events.period else {
        let rest = reader.pollsContinuously ? duration - lasted : duration
        if rest > .zero { try await clock.sleep(for: rest) }
        return
      }
      let rest = Swift.min(period, Self.longestPause) - lasted
      guard rest > .zero else { return }
      if reader.pollsContinuously {
        cycle.fieldWasOff()
        try await attempt(provesReader: false) { reader, _ in try reader.switchFieldOff() }
      }
      try await clock.sleep(for: rest)
    }

    private mutating func arrived(_ tag: DetectedTag, _ arrival: PollCycle.ArrivalID) -> TagEvent {
      present[arrival] = tag
      return .arrived(tag)
    }

    /// Looks for tags. If another program holds the card, this round says nothing, and polling
    /// continues.
    private mutating func search<Result: Sendable>(
      _ body: @Sendable (isolated Reader, Reader.Operation) throws -> Result
    ) async throws -> Result? {
      do {
        let result = try await attempt(body)
        isCardInUse = false
        return result
      } catch let error as NFCError where error.isCardInUse {
        if !isCardInUse { events.onCardInUse?(error) }
        isCardInUse = true
        return nil
      }
    }

    @discardableResult
    private mutating func attempt<Result: Sendable>(
      provesReader: Bool = true,
      _ body: @Sendable (isolated Reader, Reader.Operation) throws -> Result
    ) async throws -> Result? {
      do {
        let result = try await reader.perform(body)
        if provesReader { failures.reset() }
        return result
      } catch is CancellationError {
        // Whoever goes on after this begins with a cycle.
        cycle.stepFailed()
        throw CancellationError()
      } catch let error as NFCError
        where error.code == .readerUnavailable && !error.isCardInUse
      {
        cycle.stepFailed()
        do {
          try failures.add(error)
        } catch {
          await reader.treatAsLost()
          throw error
        }
        return nil
      }
    }
  }
}

/// A sequence of the tags that arrive in the field, each once for as long as it stays.
public struct DetectedTags: AsyncSequence, Sendable {
  public typealias Element = DetectedTag

  let events: TagEvents

  public func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

  /// Polls until the next tag.
  public struct Iterator: AsyncIteratorProtocol {
    var events: TagEvents.Iterator

    /// Polls until a tag arrives. It never returns `nil`.
    ///
    /// - Throws: ``NFCError/Code/unsupported`` for a technology that the reader lacks; ``NFCError/Code/readerLost``
    ///   unless the tags survive it; `CancellationError`.
    public mutating func next() async throws -> DetectedTag? {
      while let event = try await events.next() {
        if case .arrived(let tag) = event { return tag }
      }
      return nil
    }
  }
}

extension Reader {
  /// Returns a sequence of the tags that arrive in the field, starting with those that are present.
  ///
  /// ```swift
  /// for try await tag in reader.tags(polling: .all) {
  ///   try await tag.connect()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - options: the technologies to look for. `.all` means all that this reader supports; a named
  ///     technology that it does not support throws `unsupported`.
  ///   - survivesReaderLoss: whether to wait for a lost reader instead of throwing `readerLost`.
  public nonisolated func tags(
    polling options: PollingOptions = .all, survivesReaderLoss: Bool = false
  ) -> DetectedTags {
    DetectedTags(events: events(polling: options, survivesReaderLoss: survivesReaderLoss))
  }

  /// Returns a sequence of the tags that come and go.
  ///
  /// - Parameters:
  ///   - options: the technologies to look for, as in ``tags(polling:survivesReaderLoss:)``.
  ///   - period: the time from one look into the field to the next, between which the carrier is off: for batteries,
  ///     and for less radio noise. Half of it is added to the time until a tag is reported, a tag that stays starts
  ///     again in each period, the technologies that few tags have are looked for once in six periods, and phones with
  ///     a payment card lose their place when it is longer than 250 ms. `nil` polls all the time, with the carrier on.
  ///   - survivesReaderLoss: whether to report ``TagEvent/readerLost(_:)`` and wait for the reader,
  ///     which is checked once a second, instead of throwing `readerLost`. A reader that was
  ///     closed, or whose driver cannot reconnect, throws anyway.
  ///   - onCardInUse: called once each time that another program uses the card that is present;
  ///     polling continues until that card is free or another arrives.
  public nonisolated func events(
    polling options: PollingOptions = .all, period: Duration? = nil,
    survivesReaderLoss: Bool = false, onCardInUse: (@Sendable (NFCError) -> Void)? = nil
  ) -> TagEvents {
    var technologies: [TagTechnology] = []
    var refusal: NFCError?
    do throws(NFCError) {
      technologies = try self.technologies(for: options)
    } catch {
      refusal = error
    }
    return TagEvents(
      reader: self, technologies: technologies, period: period, refusal: refusal,
      survivesReaderLoss: survivesReaderLoss, onCardInUse: onCardInUse)
  }
}
