import JSONText
import NFC
import NFCBackground

/// Converts the readers' events into taps, reports each tap once, and performs its actions.
///
/// Everything is reported from here, one after the other, so that times never decrease.
actor Watcher {
  struct Options: Sendable {
    var debounce: Duration
    var isJSON: Bool
    /// `nil` reports every tag.
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
  private var departures: Task<Void, any Error>?
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
  }

  /// Returns the time since the start. It never decreases.
  private func now() -> Duration {
    latest = max(latest, ContinuousClock.now - start)
    return latest
  }

  // MARK: What readers see

  /// A reader is being watched from now on.
  func begins(_ reader: String) {
    publisher?.announce(reader)
    publishPresence(on: reader)
  }

  /// A tag has arrived: reads it if it is new, and reports it.
  ///
  /// - Throws: a ``Failure`` if it cannot be reported.
  func arrived(_ tag: DetectedTag, on reader: String) async throws {
    if let uid = options.uid, uid != tag.identifier { return }
    let key = TapDebouncer.Key(
      reader: reader, technology: tag.technology.rawValue, identifier: tag.identifier)
    guard debouncer.arrives(key) else { return }
    let reading = await TapReading(tag)
    try await waitForRoom()
    let time = now()
    let tap = Tap(
      time: time, reader: reader, tag: reading.tag, ndef: reading.ndef, message: reading.message)
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

  /// Handles a reader that has gone or starts polling again: tags that are still present arrive
  /// again.
  func loses(_ reader: String) {
    debouncer.loses(reader, at: now())
    scheduleDepartures()
  }

  /// Reports the tags that have been gone for long enough, when it is time.
  private func scheduleDepartures() {
    departures?.cancel()
    guard let next = debouncer.nextDeparture else { return }
    let due = start + next
    departures = Task {
      try await Task.sleep(until: due)
      try await self.reportDepartures()
    }
  }

  private func reportDepartures() async throws {
    for departure in debouncer.departures(at: now()) {
      if departure.isUnreported { try report(departure.tap) }
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

  /// Stores the tap on disk first if there is a broker, then prints it on standard output, then
  /// performs its actions. Does not await anything, so that reports stay in the order of their
  /// times.
  private func report(_ tap: Tap) throws {
    let json = tap.json.text
    let actions = rules?.current.actions(for: tap) ?? standardActions(for: tap)
    if let publisher {
      try publisher.deliver(json, on: publisher.topics.tap(tap.reader))
      for case .publish(let topic) in actions { try publisher.deliver(json, on: topic) }
    }
    try Output.line(options.isJSON ? json : tap.line)
    publishPresence(on: tap.reader)
    if !actions.isEmpty { queue(for: tap.reader).yield(Work(tap: tap, actions: actions)) }
  }

  /// Returns the actions for a tap that no rule matches. A program that has registered for the link
  /// receives the message, as on an iPhone; then nothing is opened or shown.
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
  private var hasComplainedOfRoom = false

  /// Waits while the spool is full: no tap is lost, so none is reported.
  private func waitForRoom() async throws {
    guard let spool = publisher?.spool else { return }
    while spool.isFull {
      if !hasComplainedOfRoom {
        hasComplainedOfRoom = true
        Output.complain(
          "nfc: the spool \(spool.path) is full; taps wait until the broker has taken some")
      }
      try await Task.sleep(for: Self.roomPause)
    }
    hasComplainedOfRoom = false
  }

  /// Programs of one reader run one after the other; those of another do not wait for them. Who taps
  /// faster than programs end has the oldest taps left without one.
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
    let present = debouncer.present(on: reader).map { JSONValue.object($0.tag) }
    publisher.retain(JSONValue.array(present).text, on: publisher.topics.present(reader))
  }

  /// Ends the actions that are running.
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
