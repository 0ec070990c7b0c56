import SwiftNFCMQTTMessages

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Maintains a connection to a broker for the program that has started this one, and reconnects
/// whenever the connection ends.
///
/// One thread waits for standard input and for the broker at the same time. This program ends when
/// standard input ends.
struct Bridge {
  private var input = LineReader(descriptor: STDIN_FILENO)
  private let options: MQTTRequest.Connection
  private var filters: [String] = []
  private var connection: Mosquitto?
  private var isConnected = false
  /// The caller's number of each message that the broker has not acknowledged yet.
  private var pending: [Int32: UInt64] = [:]
  private var nextAttempt = ContinuousClock.now
  private var pause = shortestPause
  private var isEnding = false

  private static let shortestPause = Duration.milliseconds(250)
  private static let longestPause = Duration.seconds(10)
  /// How long a broker may take to answer a connection request.
  private static let patience = Duration.seconds(15)
  private var answerDeadline: ContinuousClock.Instant?
  /// The time at which the broker accepted the connection, or `nil` while there is none.
  private var connectionStart: ContinuousClock.Instant?

  init?() {
    while true {
      guard let line = input.nextBlocking() else { return nil }
      guard let request = MQTTRequest(line: line) else { continue }
      if let connect = request.connect {
        options = connect
        return
      }
    }
  }

  /// Runs until standard input ends or the broker refuses permanently.
  mutating func run() {
    while !input.isAtEnd {
      connectIfDue()
      wait()
      while let line = input.next() { handle(line) }
      guard report() else { return }
      if isEnding, pending.isEmpty || !isConnected { break }
    }
    // If this program does not disconnect, the broker publishes the last will.
    guard isEnding else { return }
    connection?.disconnect()
    try? connection?.write()
  }

  private mutating func connectIfDue() {
    guard connection == nil, ContinuousClock.now >= nextAttempt else { return }
    // libmosquitto waits until the system gives up a host that does not answer, which takes minutes. Standard input is
    // not read meanwhile, so a signal ends this program. There is no connection yet that it could interrupt.
    signal(SIGTERM, SIG_DFL)
    defer { signal(SIGTERM, SIG_IGN) }
    do {
      let connection = try Mosquitto(options)
      try connection.connect(host: options.host, port: options.port)
      self.connection = connection
      answerDeadline = .now + Self.patience
    } catch {
      end(error)
    }
  }

  /// Waits until it can read or write, at most for a short time.
  private mutating func wait() {
    var descriptors = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
    if let connection, connection.socket >= 0 {
      let events = Int16(POLLIN) | (connection.wantsToWrite ? Int16(POLLOUT) : 0)
      descriptors.append(pollfd(fd: connection.socket, events: events, revents: 0))
    }
    let untilAttempt = connection == nil ? nextAttempt - .now : .milliseconds(500)
    let timeout = max(.zero, min(untilAttempt, .milliseconds(500)))
    let milliseconds = timeout.components.attoseconds / 1_000_000_000_000_000
    guard poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds)) >= 0 else { return }
    if descriptors[0].revents != 0 { input.fill() }
    guard let connection else { return }
    do {
      if descriptors.count > 1 {
        if descriptors[1].revents & Int16(POLLOUT) != 0 { try connection.write() }
        if descriptors[1].revents & ~Int16(POLLOUT) != 0 { try connection.read() }
      }
      try connection.idle()
    } catch {
      end(error)
    }
    if !isConnected, let deadline = answerDeadline, ContinuousClock.now >= deadline {
      end(Mosquitto.Problem(reason: "the broker does not answer"))
    }
  }

  private mutating func handle(_ line: [UInt8]) {
    guard let request = MQTTRequest(line: line) else { return }
    if let filter = request.subscribe {
      filters.append(filter)
      if isConnected { attempt { try $0.subscribe(filter) } }
    }
    if let message = request.publish, isConnected {
      var number: Int32?
      attempt {
        number = try $0.publish(
          topic: message.topic, payload: Array(message.payload.utf8), retain: message.retain)
      }
      if let number { pending[number] = message.id }
    }
    if request.end == true { isEnding = true }
  }

  private mutating func attempt(_ body: (Mosquitto) throws -> Void) {
    guard let connection else { return }
    do {
      try body(connection)
    } catch {
      end(error)
    }
  }

  /// Reports events. Returns `false` if the broker refuses permanently.
  private mutating func report() -> Bool {
    var isRefused = refusal != nil
    if let refusal { Output.report(MQTTReport(refused: refusal)) }
    for event in connection?.takeEvents() ?? [] {
      switch event {
      case .connected:
        isConnected = true
        connectionStart = .now
        for filter in filters { attempt { try $0.subscribe(filter) } }
        Output.report(MQTTReport(connected: true))
      case .refused(let reason):
        Output.report(MQTTReport(refused: reason))
        isRefused = true
      case .ended(let reason):
        end(Mosquitto.Problem(reason: reason))
      case .published(let number):
        if let id = pending.removeValue(forKey: number) { Output.report(MQTTReport(published: id)) }
      case .message(let topic, let payload, let isRetained):
        let text = String(decoding: payload, as: UTF8.self)
        Output.report(
          MQTTReport(message: .init(topic: topic, payload: text, isRetained: isRetained)))
      }
    }
    return !isRefused
  }

  private var refusal: String?

  /// Handles a connection that has ended or could not be made. Another one is tried after a pause.
  private mutating func end(_ error: any Error) {
    let problem = error as? Mosquitto.Problem ?? Mosquitto.Problem(reason: "\(error)")
    if problem.isFinal { refusal = problem.reason }
    // The call that reports a refusal fails as well.
    for case .refused(let reason) in connection?.takeEvents() ?? [] { refusal = reason }
    // A broker that ends every connection soon is not asked several times a second.
    if let start = connectionStart, ContinuousClock.now - start >= Self.longestPause {
      pause = Self.shortestPause
    }
    connection = nil
    connectionStart = nil
    isConnected = false
    answerDeadline = nil
    pending = [:]
    nextAttempt = .now + pause
    pause = min(pause * 2, Self.longestPause)
    if refusal == nil { Output.report(MQTTReport(disconnected: problem.reason)) }
  }
}
