import JSONText
import NFC
import NFCBackground

/// Converts the events of readers to taps, reports each tap once, and performs its actions.
///
/// All reports come from this actor, one after the other, so that times never decrease.
actor Watcher {
  struct Options: Sendable {
    var debounce: Duration
    var isJSON: Bool
    /// The UID of the tag to report, or `nil` for all tags.
    var uid: [UInt8]?
    /// The actions for taps that no rule matches.
    var actions: [TapAction]
  }

  private let options: Options
  private let rules: RulesFile?
  private let actions: TapActions
  private let publisher: MQTTPublisher?
  private let start = ContinuousClock.now
  private var debouncer: TapDebouncer
  private var latest = Duration.zero
  private var departures: Task<Void, Never>?
  /// The reasons why a departure could not be reported. Watching ends at the first one.
  nonisolated let failures: AsyncStream<any Error>
  private let failure: AsyncStream<any Error>.Continuation
  /// The pending actions for each reader, performed one after the other.
  private var queues: [String: AsyncStream<Work>.Continuation] = [:]
  private var workers: [Task<Void, Never>] = []

  private struct Work: Sendable {
    let tap: Tap
    let actions: [TapAction]
  }

  init(
    _ options: Options, rules: RulesFile?, actions: TapActions, publisher: MQTTPublisher?
  ) {
    self.options = options
    self.rules = rules
    self.actions = actions
    self.publisher = publisher
    debouncer = TapDebouncer(period: options.debounce)
    (failures, failure) = AsyncStream.makeStream()
  }

  /// Returns the time since the start. It never decreases.
  private func now() -> Duration {
    latest = max(latest, ContinuousClock.now - start)
    return latest
  }

  // MARK: What readers see

  /// Handles the start of watching a reader.
  func begins(_ reader: String) {
    publisher?.announce(reader)
    publishPresence(on: reader)
  }

  /// Handles a tag that has arrived: reads it if it is new, and reports it.
  ///
  /// - Parameters:
  ///   - reader: the reader's name in reports.
  ///   - address: the address that opens the reader now.
  /// - Throws: a ``Failure`` if the tap cannot be reported.
  func arrived(_ tag: DetectedTag, on reader: String, at address: String) async throws {
    if let uid = options.uid, uid != tag.identifier { return }
    let key = TapDebouncer.Key(
      reader: reader, technology: tag.technology.rawValue, identifier: tag.identifier)
    guard debouncer.arrives(key) else { return }
    let reading = await TapReading(tag)
    try await waitForRoom()
    let time = now()
    let tap = Tap(
      time: time, reader: reader, address: address, tag: reading.tag, ndef: reading.ndef,
      failure: reading.failure, message: reading.message, isRead: reading.isComplete)
    let isNew = debouncer.wasRead(key, tap, isComplete: reading.isComplete, at: time)
    if isNew { try report(tap) }
    scheduleDepartures()
  }

  /// Handles a tag that is no longer found.
  func left(_ tag: DetectedTag, on reader: String) {
    let key = TapDebouncer.Key(
      reader: reader, technology: tag.technology.rawValue, identifier: tag.identifier)
    debouncer.leaves(key, at: now())
    scheduleDepartures()
  }

  /// Handles a reader that has been removed or that starts polling again. Tags that are still present arrive
  /// again.
  func loses(_ reader: String) {
    debouncer.loses(reader, at: now())
    scheduleDepartures()
  }

  /// Reports the tags that have been absent for long enough, when the time has come.
  private func scheduleDepartures() {
    departures?.cancel()
    guard let next = debouncer.nextDeparture else { return }
    let due = start + next
    departures = Task {
      guard (try? await Task.sleep(until: due)) != nil else { return }
      do {
        try self.reportDepartures()
      } catch {
        self.failure.yield(error)
      }
    }
  }

  private func reportDepartures() throws {
    for departure in debouncer.departures(at: now()) {
      if departure.isUnreported {
        // Other taps may have been reported since this one.
        var tap = departure.tap
        tap.time = now()
        try report(tap)
      }
      let left = JSONValue.members([
        "event": "left", "id": .string(departure.tap.id), "time": .seconds(now()),
        "reader": .string(departure.tap.reader), "tag": .object(departure.tap.identity),
      ])
      try Output.line(
        options.isJSON ? left.text : "\(now().secondsText)  left      \(departure.tap.uid)")
      publishPresence(on: departure.key.reader)
    }
    scheduleDepartures()
  }

  // MARK: Reports

  /// Reports a tap. The tap is first stored on disk if there is a broker, then printed on standard output,
  /// and then its actions are performed. This method does not await anything, so that reports stay in the
  /// order of their times.
  private func report(_ tap: Tap) throws {
    let json = tap.json.text
    let actions = rules?.current.actions(for: tap) ?? standardActions(for: tap)
    if let publisher {
      try publisher.deliver(json, on: publisher.topics.tap(tap.reader))
      for case .publish(let topic) in actions { try publisher.deliver(json, on: topic) }
    }
    try Output.line(options.isJSON ? json : tap.line)
    publishPresence(on: tap.reader)
    guard !actions.isEmpty else { return }
    let result = queue(for: tap.reader).yield(Work(tap: tap, actions: actions))
    if case .dropped(let work) = result {
      Output.printError(
        "nfc: nothing was done for \(work.tap.uid): \(Self.longestQueue) later taps are waiting")
    }
  }

  /// Returns the actions for a tap that no rule matches. If a program has registered for the link, it
  /// receives the message, as on an iPhone, and nothing is opened or shown.
  private func standardActions(for tap: Tap) -> [TapAction] {
    guard let link = tap.uri, let application = RegisteredApplication.serving(link) else {
      return options.actions
    }
    let others = options.actions.filter { action in
      if case .execute = action { true } else { false }
    }
    return [.handOver(application)] + others
  }

  private static let roomPause = Duration.milliseconds(200)
  private var hasReportedFullSpool = false

  /// Waits while the spool is full. No tap may be lost, so none is reported during that time.
  private func waitForRoom() async throws {
    guard let spool = publisher?.spool else { return }
    while spool.isFull {
      if !hasReportedFullSpool {
        hasReportedFullSpool = true
        Output.printError(
          "nfc: the spool \(ArgumentText.shown(spool.path)) is full; taps wait until the broker has "
            + "taken it")
      }
      try await Task.sleep(for: Self.roomPause)
    }
    hasReportedFullSpool = false
  }

  /// The maximum number of pending actions for a reader. The actions for one reader are performed one after
  /// the other, and do not wait for those of another reader. If taps arrive faster than programs end, the
  /// oldest taps have no action.
  private static let longestQueue = 100

  private func queue(for reader: String) -> AsyncStream<Work>.Continuation {
    if let queue = queues[reader] { return queue }
    let (works, queue) = AsyncStream.makeStream(
      of: Work.self, bufferingPolicy: .bufferingNewest(Self.longestQueue))
    queues[reader] = queue
    let actions = actions
    workers.append(
      Task {
        for await work in works {
          for action in work.actions { await actions.perform(action, for: work.tap) }
        }
      })
    return queue
  }

  private func publishPresence(on reader: String) {
    guard let publisher else { return }
    let present = debouncer.present(on: reader).map(\.presence)
    publisher.retain(JSONValue.array(present).text, on: publisher.topics.present(reader))
  }

  /// Cancels the actions that are being performed.
  func stop() async {
    departures?.cancel()
    for queue in queues.values { queue.finish() }
    for worker in workers {
      worker.cancel()
      await worker.value
    }
  }
}

extension Tap {
  /// The members that identify a tag's departure.
  var identity: [JSONValue.Member] { tag.filter { ["type", "protocol", "uid"].contains($0.key) } }
}
