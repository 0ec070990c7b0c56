/// Finds the message that a broker never accepts, so that the others do not wait for it without end.
///
/// MQTT 3.1.1 has no answer for such a message: the broker ends the connection, for instance because the message is
/// longer than its limit (mosquitto.conf(5), "max_packet_size"). After the next connection, the same message would be
/// sent first again.
///
/// This value has no clock. It does not suspect a short message: a broker that refuses those accepts none, and they
/// wait.
struct RefusalDetector: Sendable {
  /// The number of connections that end in this way, one after the other, until each message is sent alone.
  private static let suspicion = 3
  /// The number of connections that end in this way until the message is considered refused.
  private static let proof = 5
  /// The number of messages that can wait for an acknowledgement at the same time.
  private static let longestWindow = 100
  /// The length in bytes that every broker accepts.
  static let shortestRefused = 2048
  /// A connection that has lasted this long did not end because of a message.
  private static let promptness = Duration.seconds(10)

  private var failures = 0

  /// Whether a message is sent only when nothing else waits for an acknowledgement.
  var isSuspicious: Bool { failures >= Self.suspicion }

  /// The number of messages that can wait for an acknowledgement at the same time.
  var window: Int { isSuspicious ? 1 : Self.longestWindow }

  /// Handles an acknowledgement of the oldest message.
  mutating func acknowledged() { failures = 0 }

  /// Handles the end of a connection.
  ///
  /// - Parameters:
  ///   - age: the time since the broker accepted the connection.
  ///   - length: the length in bytes of the oldest message that was sent and not acknowledged, or `nil` if there was
  ///     none.
  /// - Returns: whether that message is refused.
  mutating func ended(after age: Duration, unacknowledged length: Int?) -> Bool {
    guard let length else { return false }
    guard age < Self.promptness else {
      failures = 0
      return false
    }
    failures += 1
    guard failures >= Self.proof, length > Self.shortestRefused else {
      failures = min(failures, Self.proof - 1)
      return false
    }
    failures = 0
    return true
  }
}
