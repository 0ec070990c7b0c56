import SwiftNFCChildProcesses
import SwiftNFCMQTTMessages

/// Publishes a watcher's reports through the program `nfc-mqtt` and a broker.
///
/// Taps are stored in a ``TapSpool``: they are on disk before they are reported, and stay there until the
/// broker has acknowledged them. Everything else is current state, such as the tags that are present or that
/// the watcher is online. It is published again each time a connection is made.
actor MQTTPublisher {
  /// The program that communicates with the broker.
  private static let program = "nfc-mqtt"
  /// A number above those of the spool's entries. Its acknowledgement is ignored.
  private static let unspooled = UInt64.max

  /// A message to publish. Messages are published in order.
  private enum Order: Sendable {
    /// The spool has new entries.
    case spooled
    case retain(topic: String, payload: String)
    case answer(topic: String, payload: String)
  }

  nonisolated let spool: TapSpool
  nonisolated let topics: MQTTTopic
  private let options: MQTTOptions
  /// The path of the program that communicates with the broker.
  private let program: String
  private var process: LineProcess
  /// Whether a broker that refuses is tried again, because something else depends on this watcher.
  private let isPersistent: Bool
  private let homeAssistant: HomeAssistantDiscovery?
  private let orders: AsyncStream<Order>
  private nonisolated let order: AsyncStream<Order>.Continuation
  private var isConnected = false
  /// The number of entries, from the front of the spool, that have been sent.
  private var handedOver = 0
  /// The number of other messages that the broker has not acknowledged.
  private var unacknowledgedStates = 0
  private var refusals = RefusalDetector()
  /// The number of connections so far.
  private var connections = 0
  private var connectionStart = ContinuousClock.now
  /// The last state of each retained topic.
  private var retained: [String: String] = [:]
  private var hasReportedProblem = false
  private var hasReportedRefusal = false

  /// A command of a subscriber for a reader.
  struct CommandMessage: Sendable {
    /// The reader's level in the topic.
    let level: String
    let payload: String
    /// Whether the broker has kept the message from before this connection.
    let isRetained: Bool
  }

  nonisolated let commands: AsyncStream<CommandMessage>
  private let command: AsyncStream<CommandMessage>.Continuation

  /// - Parameter isPersistent: whether a broker that refuses is tried again.
  init(
    _ options: MQTTOptions, topics: MQTTTopic, spool: TapSpool,
    homeAssistant: HomeAssistantDiscovery?, isPersistent: Bool
  ) throws {
    guard let program = OwnProgram.sibling(Self.program) else {
      throw Failure(
        .noReader, "\(Self.program), which publishes for nfc, is not installed beside it",
        advice: "build it with: swift build --product \(Self.program)")
    }
    self.options = options
    self.topics = topics
    self.spool = spool
    self.homeAssistant = homeAssistant
    self.isPersistent = isPersistent
    self.program = program
    process = try Self.start(program, options, topics)
    (orders, order) = AsyncStream.makeStream()
    (commands, command) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1000))
  }

  /// Starts the program, which connects to the broker.
  private static func start(
    _ program: String, _ options: MQTTOptions, _ topics: MQTTTopic
  ) throws -> LineProcess {
    let process: LineProcess
    do {
      process = try LineProcess(program: program)
    } catch {
      throw Failure(.noReader, "cannot start \(program): \(SystemErrorText.of(error.errno))")
    }
    let connection = MQTTRequest.Connection(
      host: options.host, port: options.port, isSecure: options.isSecure,
      authorities: options.authorities, user: options.user, password: options.password,
      clientID: "nfc-" + Tap.newIdentifier().prefix(16), willTopic: topics.status,
      willPayload: "offline")
    for request in [
      MQTTRequest(connect: connection), MQTTRequest(subscribe: topics.commands),
      MQTTRequest(subscribe: topics.presences),
    ] { process.write(request.line) }
    return process
  }

  /// Publishes messages and handles the broker's reports until the task is cancelled.
  ///
  /// - Throws: a ``Failure`` if the broker refuses this watcher.
  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.publishOrders() }
      group.addTask { try await self.followBroker() }
      group.addTask { try await self.reportSilence() }
      defer { group.cancelAll() }
      while try await group.next() != nil {}
    }
  }

  private func publishOrders() async {
    for await order in orders {
      switch order {
      case .spooled: handOver()
      case .retain(let topic, let payload):
        guard retained[topic] != payload else { continue }
        retained[topic] = payload
        if isConnected { publish(payload, on: topic, retain: true) }
      case .answer(let topic, let payload):
        if isConnected { publish(payload, on: topic, retain: false) }
      }
    }
  }

  /// The time after which a broker that has not answered at all is reported.
  private static let patience = Duration.seconds(15)

  /// Reports a broker whose host does not answer. The system gives up such a connection only after minutes.
  private func reportSilence() async throws {
    try await Task.sleep(for: Self.patience)
    if connections == 0 { disconnected("no answer") }
  }

  /// The time after which a broker that has refused is tried again.
  private static let pauseAfterRefusal = Duration.seconds(30)

  private func followBroker() async throws {
    while true {
      var end = Failure(.lost, "\(Self.program) has ended", advice: "start nfc watch again")
      for await line in process.lines {
        guard let report = MQTTReport(line: line.utf8) else { continue }
        if let reason = report.refused {
          end = Failure(
            .notAllowed, "the MQTT broker at \(options.host) cannot be used: \(reason)",
            advice: "check the user, NFC_MQTT_PASSWORD and --mqtt-ca")
          break
        }
        if report.connected == true { connected() }
        if let reason = report.disconnected {
          try setAsideIfRefused()
          disconnected(reason)
        }
        if let number = report.published { try acknowledged(number) }
        if let message = report.message { received(message) }
      }
      try Task.checkCancellation()
      guard isPersistent else { throw end }
      try await startAgain(after: end)
    }
  }

  /// Says once that the broker refuses, and tries it again after a while: what is done for taps does not depend on it.
  private func startAgain(after failure: Failure) async throws {
    isConnected = false
    handedOver = 0
    if !hasReportedRefusal {
      (hasReportedRefusal, hasReportedProblem) = (true, true)
      Output.printError(
        failure.line + "; taps are kept in \(ArgumentText.shown(spool.path)), and it is tried again"
      )
    }
    await process.stop(grace: .zero)
    repeat {
      try await Task.sleep(for: Self.pauseAfterRefusal)
      guard let started = try? Self.start(program, options, topics) else { continue }
      process = started
      return
    } while true
  }

  // MARK: Publishing

  /// Keeps a message until the broker has received it. After this method has returned, the message will be
  /// published even if this process ends.
  nonisolated func deliver(_ payload: String, on topic: String) throws {
    do {
      try spool.append(topic: topic, payload: payload)
    } catch {
      throw Failure(spool: error)
    }
    order.yield(.spooled)
  }

  /// Publishes a state that new subscribers also receive.
  nonisolated func retain(_ payload: String, on topic: String) {
    order.yield(.retain(topic: topic, payload: payload))
  }

  /// Announces a reader to Home Assistant.
  nonisolated func announce(_ reader: String) {
    guard let homeAssistant else { return }
    let (topic, payload) = homeAssistant.message(for: reader, topics: topics)
    retain(payload, on: topic)
  }

  /// Publishes an answer if a broker is connected.
  nonisolated func answer(_ payload: String, from reader: String) {
    order.yield(.answer(topic: topics.answer(reader), payload: payload))
  }

  /// Disconnects from the broker.
  func stop() async {
    order.finish()
    command.finish()
    if isConnected {
      // Nobody would clear them if the readers do not return.
      for (topic, payload) in retained where isPresence(topic) && payload != Self.nobody {
        publish(Self.nobody, on: topic, retain: true)
      }
      publish("offline", on: topics.status, retain: true)
      process.write(MQTTRequest(end: true).line)
    }
    // A program that waits for a host has nothing to complete.
    await process.stop(grace: isConnected ? .seconds(1) : .milliseconds(100))
  }

  private func publish(
    _ payload: String, on topic: String, retain: Bool, number: UInt64 = unspooled
  ) {
    if number == Self.unspooled { unacknowledgedStates += 1 }
    let publication = MQTTRequest.Publication(
      id: number, topic: topic, payload: payload, retain: retain)
    process.write(MQTTRequest(publish: publication).line)
  }

  /// The size in bytes of the entries that can wait for an acknowledgement at the same time. The program that
  /// communicates with the broker would otherwise be taken for one that has stopped reading (``LineProcess``).
  private static let largestWindow = 4 << 20

  /// Sends as many entries of the spool as the window allows.
  private func handOver() {
    guard isConnected, !refusals.isSuspicious || unacknowledgedStates == 0 else { return }
    let entries = spool.entries(upTo: refusals.window, size: Self.largestWindow)
    while handedOver < entries.count {
      let entry = entries[handedOver]
      publish(entry.payload, on: entry.topic, retain: false, number: entry.number)
      handedOver += 1
    }
  }

  // MARK: The broker's reports

  private func connected() {
    isConnected = true
    connections += 1
    connectionStart = .now
    unacknowledgedStates = 0
    if hasReportedProblem { scheduleReturn(connections) }
    publish("online", on: topics.status, retain: true)
    for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) {
      publish(payload, on: topic, retain: true)
    }
    handedOver = 0
    spool.forgetUnorderedAcknowledgements()
    handOver()
  }

  /// The time after which a connection is reported. A broker may end it at once.
  private static let probation = Duration.seconds(2)

  private func scheduleReturn(_ connection: Int) {
    Task {
      try await Task.sleep(for: Self.probation)
      guard isConnected, connections == connection else { return }
      (hasReportedProblem, hasReportedRefusal) = (false, false)
      Output.printError("nfc: the MQTT broker at \(options.host) is back")
    }
  }

  /// Handles the end of a connection because of a message that the broker never accepts. The message is kept in
  /// another file, so that the others do not wait for it.
  private func setAsideIfRefused() throws {
    guard isConnected else { return }
    let oldest = handedOver > 0 ? spool.entries(upTo: 1).first : nil
    let length = oldest.map { $0.topic.utf8.count + $0.payload.utf8.count }
    let age = ContinuousClock.now - connectionStart
    guard refusals.ended(after: age, unacknowledged: length), let oldest else { return }
    do {
      let path = try spool.setAside(oldest)
      Output.printError(
        "nfc: the MQTT broker at \(options.host) does not accept a message of \(length ?? 0) bytes "
          + "on \(oldest.topic.onOneLine); it is kept in \(ArgumentText.shown(path))")
    } catch {
      guard isPersistent else { throw Failure(spool: error) }
      Output.printError(
        Failure(spool: error).line + "; the MQTT broker does not accept a message, which is dropped"
      )
      _ = try? spool.acknowledge(oldest.number)
    }
  }

  private func disconnected(_ reason: String) {
    isConnected = false
    handedOver = 0
    guard !hasReportedProblem else { return }
    hasReportedProblem = true
    Output.printError(
      "nfc: the MQTT broker at \(options.host) is away (\(reason)); taps are kept in "
        + ArgumentText.shown(spool.path))
  }

  private func acknowledged(_ number: UInt64) throws {
    guard number != Self.unspooled else {
      unacknowledgedStates = max(0, unacknowledgedStates - 1)
      if refusals.isSuspicious { handOver() }
      return
    }
    do {
      let count = try spool.acknowledge(number)
      if count > 0 { refusals.acknowledged() }
      handedOver = max(0, handedOver - count)
    } catch {
      throw Failure(spool: error)
    }
    handOver()
  }

  /// The state of a reader without tags.
  private static let nobody = "[]"

  private func isPresence(_ topic: String) -> Bool { topic.hasSuffix("/present") }

  /// Clears the tags of a reader that a watcher has left, which was ended before it could. Its own state is published
  /// again if another watcher has taken it for such.
  private func received(presence payload: String, on topic: String, isRetained: Bool) {
    if let own = retained[topic] {
      if !isRetained, payload == Self.nobody, own != payload {
        publish(own, on: topic, retain: true)
      }
    } else if isRetained, payload != Self.nobody, !payload.isEmpty {
      publish(Self.nobody, on: topic, retain: true)
    }
  }

  private func received(_ message: MQTTReport.Message) {
    if isPresence(message.topic) {
      return received(
        presence: message.payload, on: message.topic, isRetained: message.isRetained)
    }
    let levels = message.topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count >= 2, levels.last == "command" else { return }
    command.yield(
      CommandMessage(
        level: String(levels[levels.count - 2]), payload: message.payload,
        isRetained: message.isRetained))
  }
}

extension Failure {
  init(spool problem: TapSpool.Problem) {
    switch problem {
    case .inUse:
      self.init(
        .noReader, "another nfc watch uses this spool", advice: "name another one with --spool")
    case .notASpool(let path):
      self.init(
        .content, "\(path) is not a file of nfc watch, so no taps are kept in it",
        advice: "name another one with --spool")
    case .system(let path, let number):
      self.init(
        .lost, "cannot keep taps in \(path): \(SystemErrorText.of(number))",
        advice: "name another file with --spool")
    }
  }
}
