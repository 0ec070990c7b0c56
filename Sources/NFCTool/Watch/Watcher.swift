import SwiftNFCJSONText
import NFC
import SwiftNFCBackground

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
    /// Whether to say which rule is used.
    var isVerbose = false
    /// Whether to show taps with the light and buzzer of the reader.
    var beeps = false
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
  /// The readers that were named because they could not show a signal.
  private var readersWithoutSignal: Set<String> = []
  /// The readers as they were at the last tap, by their names in reports.
  private var readers: [String: Reader] = [:]

  private struct Work: Sendable {
    let occasion: TapActions.Occasion
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
  ///   - isInitial: whether the tag lay on the reader when watching began.
  /// - Throws: a ``Failure`` if the tap cannot be reported.
  func arrived(
    _ tag: DetectedTag, on reader: String, at address: String, isInitial: Bool = false
  ) async throws {
    let date = EventDate.now
    if let uid = options.uid, uid != tag.identifier { return }
    readers[reader] = tag.reader
    let key = TapDebouncer.Key(
      reader: reader, technology: tag.technology.rawValue, identifier: tag.identifier)
    guard debouncer.arrives(key) else { return }
    let reading = await TapReading(tag)
    try await waitForRoom()
    let time = now()
    let tap = Tap(
      time: time, date: date, isInitial: isInitial, reader: reader, address: address,
      tag: reading.tag, ndef: reading.ndef,
      failure: reading.failure, message: reading.message, isRead: reading.isComplete)
    let isNew = debouncer.wasRead(key, tap, isComplete: reading.isComplete, at: time)
    if isNew { try report(tap) }
    scheduleDepartures()
  }

  /// Returns the signals of an event: those that its actions name, or else that of `--beep`.
  private func signals(
    of actions: [TapAction], _ rule: TapRule?, for tap: Tap, _ event: TapEvent = .tap
  ) -> [ReaderSignal] {
    let named = actions.compactMap { if case .signal(let signal) = $0 { signal } else { nil } }
    guard named.isEmpty, options.beeps, event == .tap, !tap.isInitial else { return named }
    let isKnown = rules == nil || rule != nil || !options.actions.isEmpty
    return [isKnown ? .success : .failure]
  }

  /// Shows signals with the reader's light and buzzer. A reader that cannot is named once.
  private func show(_ signals: [ReaderSignal], on name: String) {
    guard !signals.isEmpty, let reader = readers[name] else { return }
    Task {
      do {
        for signal in signals { try await reader.signal(signal) }
      } catch let error as NFCError where error.code != .readerLost {
        self.sayOnce("nfc: no signal: \(error)", on: name)
      } catch {}
    }
  }

  private func sayOnce(_ text: String, on reader: String) {
    if readersWithoutSignal.insert(reader).inserted { Output.printError(text) }
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
      try reportLeaving(of: departure.tap)
      publishPresence(on: departure.key.reader)
    }
    scheduleDepartures()
  }

  // MARK: Reports

  private func reportLeaving(of tap: Tap) throws {
    let (time, date) = (now(), EventDate.now)
    let json = JSONValue.members([
      "event": "left", "id": .string(tap.id), "time": .seconds(time), "date": .string(date.utc),
      "reader": .string(tap.reader), "tag": .object(tap.identity),
    ]).text
    let rule = rules?.current.rule(for: tap, .left)
    try publish(json, by: rule?.actions ?? [])
    try printLine("\(time.secondsText)  left      \(tap.uid)", json, date)
    guard let rule else { return }
    show(signals(of: rule.actions, rule, for: tap, .left), on: tap.reader)
    perform(
      rule.actions,
      for: .init(tap: tap, event: .left, date: date, json: json, rule: name(of: rule)))
  }

  /// Prints a report. Where people do not see it at once, it begins with its date.
  private func printLine(_ line: String, _ json: String, _ date: EventDate) throws {
    guard !options.isJSON else { return try Output.line(json) }
    try Output.line(Terminal.isOutput ? line : "\(date.local)  \(line)")
  }

  /// Publishes a report on the topics of actions.
  private func publish(_ json: String, by actions: [TapAction]) throws {
    guard let publisher else { return }
    for case .publish(let topic) in actions { try publisher.deliver(json, on: topic) }
  }

  /// Returns the name of a rule in messages.
  private func name(of rule: TapRule) -> String {
    (rules?.name ?? "rules") + (rule.line.map { ", line \($0)" } ?? "")
  }

  private func sayRule(_ rule: TapRule?, for tap: Tap) {
    guard options.isVerbose, let rules else { return }
    Output.printError(
      "nfc: \(tap.uid): "
        + (rule.map { "the rule of \(name(of: $0))" } ?? "no rule of \(rules.name) matches"))
  }

  /// Reports a tap. The tap is first stored on disk if there is a broker, then printed on standard output,
  /// and then its actions are performed. This method does not await anything, so that reports stay in the
  /// order of their times.
  private func report(_ tap: Tap) throws {
    let json = tap.json.text
    let rule = rules?.current.rule(for: tap)
    let actions = rule?.actions ?? standardActions(for: tap)
    if let publisher { try publisher.deliver(json, on: publisher.topics.tap(tap.reader)) }
    try publish(json, by: actions)
    try printLine(tap.line, json, tap.date)
    sayRule(rule, for: tap)
    show(signals(of: actions, rule, for: tap), on: tap.reader)
    publishPresence(on: tap.reader)
    perform(
      actions, for: .init(tap: tap, date: tap.date, json: json, rule: rule.map { name(of: $0) }))
  }

  /// Adds actions to those of the reader, which are performed one after the other.
  private func perform(_ actions: [TapAction], for occasion: TapActions.Occasion) {
    let actions = actions.filter(\.isQueued)
    guard !actions.isEmpty else { return }
    let result = queue(for: occasion.tap.reader).yield(Work(occasion: occasion, actions: actions))
    if case .dropped(let work) = result {
      Output.printError(
        "nfc: nothing was done for \(work.occasion.tap.uid): \(Self.longestQueue) later taps are waiting"
      )
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
          for action in work.actions { await actions.perform(action, for: work.occasion) }
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

extension TapAction {
  /// Whether the action waits for those before it. What the watcher does itself is done at once.
  fileprivate var isQueued: Bool {
    switch self {
    case .publish, .signal: false
    default: true
    }
  }
}

extension Tap {
  /// The members that identify a tag's departure.
  var identity: [JSONValue.Member] { tag.filter { ["type", "protocol", "uid"].contains($0.key) } }
}
