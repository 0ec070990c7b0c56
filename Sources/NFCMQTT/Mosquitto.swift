import CSwiftNFCMosquitto
import SwiftNFCMQTTMessages

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One connection to a broker through libmosquitto. This is the only file of this program that
/// calls libmosquitto.
///
/// Used from one thread, which waits for ``socket`` and calls ``read()``, ``write()`` and
/// ``idle()``. ``events`` contains what has happened until it is read. A connection that has ended
/// is not used again, so that libmosquitto never repeats what the caller repeats.
final class Mosquitto {
  /// What has happened on the connection.
  enum Event: Hashable {
    case connected
    /// The broker refuses this user. Another attempt would fail, too.
    case refused(reason: String)
    case ended(reason: String)
    /// The broker has received the message with this number.
    case published(Int32)
    /// A message on a topic that was subscribed to. The broker has kept a retained one from before the
    /// subscription (MQTT 3.1.1, 3.3.1.3).
    case message(topic: String, payload: [UInt8], isRetained: Bool)
  }

  struct Problem: Error, Hashable {
    let reason: String
    /// Whether another attempt would fail, too, because the certificate or the password is wrong.
    var isFinal = false
  }

  private let handle: OpaquePointer
  private(set) var events: [Event] = []
  /// The last error that libmosquitto logged. Only the log contains OpenSSL's messages.
  private var lastLogged: String?

  static func start() { mosquitto_lib_init() }

  init(_ options: MQTTRequest.Connection) throws {
    guard let handle = mosquitto_new(options.clientID, true, nil) else {
      throw Problem(reason: "no memory for a connection")
    }
    self.handle = handle
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
    try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, Int32(MQTT_PROTOCOL_V311)))
    if options.user != nil || options.password != nil {
      try check(mosquitto_username_pw_set(handle, options.user ?? "", options.password))
    }
    let will = Array(options.willPayload.utf8)
    try check(
      mosquitto_will_set(handle, options.willTopic, Int32(will.count), will, 1, true))
    if options.isSecure {
      if let file = options.authorities {
        try check(mosquitto_tls_set(handle, file, nil, nil, nil, nil))
      } else {
        try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
      }
    }
  }

  deinit { mosquitto_destroy(handle) }

  /// The maximum length of a message in bytes, which is more than the caller accepts. The rest of a longer one is
  /// left out.
  private static let longestPayload = (1 << 20) + 1

  /// Whether a broker that is alone with an old connection notices that it is gone.
  private static let keepAlive: Int32 = 30

  /// Waits until the broker's host has accepted the connection. The broker itself answers later.
  func connect(host: String, port: UInt16) throws {
    lastLogged = nil
    try check(mosquitto_connect(handle, host, Int32(port), Self.keepAlive))
  }

  var socket: Int32 { mosquitto_socket(handle) }
  var wantsToWrite: Bool { mosquitto_want_write(handle) }

  func read() throws { try check(mosquitto_loop_read(handle, 16)) }
  func write() throws { try check(mosquitto_loop_write(handle, 16)) }
  func idle() throws { try check(mosquitto_loop_misc(handle)) }

  /// Sends a message, and returns the number that ``Event/published(_:)`` has for it.
  func publish(topic: String, payload: [UInt8], retain: Bool) throws -> Int32 {
    var number: Int32 = 0
    try check(
      mosquitto_publish(handle, &number, topic, Int32(payload.count), payload, 1, retain))
    return number
  }

  func subscribe(_ topic: String) throws { try check(mosquitto_subscribe(handle, nil, topic, 1)) }

  func disconnect() { mosquitto_disconnect(handle) }

  func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  private func check(_ code: Int32) throws {
    let code = mosq_err_t(code)
    guard code != MOSQ_ERR_SUCCESS else { return }
    // libmosquitto has one code for all TLS errors.
    if code == MOSQ_ERR_TLS {
      let reason = lastLogged ?? "the secure connection failed"
      throw Problem(
        reason: reason, isFinal: Self.isAboutCertificates(reason) && Self.isClockSet)
    }
    throw Problem(reason: Self.text(of: code))
  }

  private static func text(of code: mosq_err_t) -> String {
    switch code {
    case MOSQ_ERR_ERRNO: return String(cString: strerror(errno))
    // Some versions have no text for it.
    case MOSQ_ERR_KEEPALIVE: return "the broker does not answer"
    default:
      // Some of libmosquitto's texts end with a period.
      let text = String(cString: mosquitto_strerror(code.rawSigned))
      return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
  }

  /// Returns whether a TLS error is about certificates. A handshake that failed because the broker
  /// went away may succeed the next time.
  private static func isAboutCertificates(_ text: String) -> Bool {
    ["certificate", "host name", "alert", "unable to load", "CA"].contains { text.contains($0) }
  }

  /// The beginning of 2025 in seconds since 1970. This program is younger.
  private static let earliestTime: time_t = 1_735_689_600

  /// Whether the clock of this machine has been set. A machine without a battery starts at a time in the past, at
  /// which certificates are not valid yet, until it has reached a time server.
  private static var isClockSet: Bool { time(nil) >= earliestTime }

  private func setCallbacks() {
    mosquitto_connect_callback_set(handle) { _, object, code in
      Mosquitto.of(object)?.connected(code)
    }
    mosquitto_disconnect_callback_set(handle) { _, object, code in
      let reason = code == 0 ? "disconnected" : Mosquitto.text(of: mosq_err_t(code))
      Mosquitto.of(object)?.events.append(.ended(reason: reason))
    }
    mosquitto_publish_callback_set(handle) { _, object, number in
      Mosquitto.of(object)?.events.append(.published(number))
    }
    mosquitto_message_callback_set(handle) { _, object, message in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let payload = UnsafeRawBufferPointer(
        start: message.payload, count: max(0, Int(message.payloadlen)))
      Mosquitto.of(object)?.events.append(
        .message(
          topic: String(cString: topic), payload: Array(payload.prefix(Mosquitto.longestPayload)),
          isRetained: message.retain))
    }
    mosquitto_log_callback_set(handle) { _, object, level, text in
      guard level & MOSQ_LOG_ERR != 0, let text else { return }
      Mosquitto.of(object)?.lastLogged = String(cString: text)
    }
  }

  private static func of(_ object: UnsafeMutableRawPointer?) -> Mosquitto? {
    object.map { Unmanaged<Mosquitto>.fromOpaque($0).takeUnretainedValue() }
  }

  /// MQTT 3.1.1, 3.2.2.3: 4 is a bad user name or password, 5 is not authorized.
  private func connected(_ code: Int32) {
    switch code {
    case 0: events.append(.connected)
    case 4, 5: events.append(.refused(reason: "the broker refuses this user or password"))
    default: events.append(.ended(reason: String(cString: mosquitto_connack_string(code))))
    }
  }
}

extension mosq_err_t {
  fileprivate init(_ code: Int32) { self.init(rawValue: RawValue(code)) }
  fileprivate var rawSigned: Int32 { Int32(rawValue) }
}
