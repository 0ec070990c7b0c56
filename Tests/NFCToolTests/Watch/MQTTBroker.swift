import Foundation
import Testing

/// A private Mosquitto broker on the loopback interface.
final class MQTTBroker {
  let port: UInt16
  let folder: URL
  private let configuration: URL
  private var process: RunningTool?

  /// - Parameter settings: further lines of the broker's configuration. `FOLDER` is replaced by ``folder``.
  init(_ folder: URL, settings: [String] = ["allow_anonymous true"], port: UInt16? = nil) throws {
    self.folder = folder
    self.port = try port ?? Self.freePort()
    configuration = folder.appending(path: "mosquitto.conf")
    let lines =
      ["listener \(self.port) 127.0.0.1", "persistence false", "user root"]
      + settings.map { $0.replacing("FOLDER", with: folder.path) }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: configuration)
  }

  var url: String { "mqtt://127.0.0.1:\(port)" }

  /// Starts the broker, and waits until it listens.
  func start() async throws {
    process = try RunningTool(["-c", configuration.path], program: "/usr/sbin/mosquitto")
    let deadline = ContinuousClock.now + .seconds(10)
    while !Self.isListening(port) {
      try #require(ContinuousClock.now < deadline, "mosquitto does not listen")
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Ends the broker at once.
  func kill() async throws {
    process?.interrupt(SIGKILL)
    _ = try await process?.end()
    process = nil
  }

  /// Returns a subscriber. Each of its lines is a topic, a blank and a payload. It subscribes again after the
  /// broker was absent.
  func subscribe(_ topics: [String], options: [String] = []) async throws -> RunningTool {
    let subscriber = try RunningTool(
      ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-F", "%t %p", "-i", UUID().uuidString, "-c"]
        + options + topics.flatMap { ["-t", $0] } + ["-t", "ready"],
      program: "/usr/bin/mosquitto_sub")
    // Only messages that are published from now on are certain to reach the subscriber.
    let deadline = ContinuousClock.now + .seconds(10)
    while !subscriber.output().contains("ready now") {
      try #require(ContinuousClock.now < deadline, "the subscriber hears nothing")
      try await publish("now", on: "ready", options: options)
      try await Task.sleep(for: .milliseconds(50))
    }
    return subscriber
  }

  func publish(_ payload: String, on topic: String, options: [String] = []) async throws {
    let publisher = try RunningTool(
      ["-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic, "-m", payload] + options,
      program: "/usr/bin/mosquitto_pub")
    let result = try await publisher.end()
    try #require(result.status == 0, "\(result.errors)")
  }

  private static func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
      }
    }
    try #require(code == 0)
    return UInt16(bigEndian: address.sin_port)
  }

  private static func isListening(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = loopback(port: port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

extension RunningTool {
  /// Waits for lines that contain a text, and returns them.
  func lines(containing text: String, _ count: Int = 1) async throws -> [String] {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      let found = output().split(separator: "\n").map(String.init).filter { $0.contains(text) }
      if found.count >= count || ContinuousClock.now > deadline { return found }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
