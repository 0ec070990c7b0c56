import Foundation
import Synchronization
import VirtualNFC

/// A PC/SC daemon of a test's own, with one virtual reader driver: on its own socket, in its own
/// mount namespace, ended with the test.
final class PrivatePCSCD: Sendable {
  let directory: URL
  let port: UInt16
  private let process: Mutex<Process>

  private static let daemon = "/usr/sbin/pcscd"
  private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"
  private static let programs = [daemon, driver, "/usr/bin/unshare", "/usr/bin/scriptor"]

  /// Why there can be none; `nil` if there can.
  static var obstacle: String? {
    let files = FileManager.default
    if let missing = programs.first(where: { !files.fileExists(atPath: $0) }) {
      return "\(missing) is not there; run Scripts/install-dependencies tests"
    }
    guard geteuid() == 0 else { return "a mount namespace of its own takes root here" }
    let probe = try? run("/usr/bin/unshare", ["-m", "true"], environment: [:])
    return probe?.status == 0 ? nil : "no mount namespaces"
  }

  var environment: [String: String] {
    ["PCSCLITE_CSOCK_NAME": directory.appending(path: "run/pcscd.comm").path]
  }

  /// - Parameters:
  ///   - name: the reader's, to which the driver adds " 00 00", and " 00 01" for its second slot.
  ///   - port: of the first slot; the second has the next.
  init(name: String, port: UInt16 = PrivatePCSCD.freePort()) throws {
    if let obstacle = Self.obstacle { throw Obstacle(description: obstacle) }
    self.port = port
    // The socket's name may have 107 bytes.
    directory = URL(filePath: "/tmp/pcsc-\(UUID().uuidString.prefix(8))")
    let files = FileManager.default
    for folder in ["run", "conf"] {
      try files.createDirectory(
        at: directory.appending(path: folder), withIntermediateDirectories: true)
    }
    let library = directory.appending(path: "vpcd.so")
    try files.copyItem(
      at: URL(filePath: Self.driver).resolvingSymlinksInPath(), to: library)
    try """
    FRIENDLYNAME "\(name)"
    DEVICENAME /dev/null:\(port)
    LIBPATH \(library.path)
    CHANNELID \(port)

    """.write(to: directory.appending(path: "conf/vpcd"), atomically: true, encoding: .utf8)
    process = Mutex(Process())
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: directory)
  }

  /// Below those that connections are given by the system (ip_local_port_range): one of them could
  /// have the port before the daemon has.
  private static let ports: Range<UInt16> = 20_000..<32_000

  /// The first of two ports that nobody listens at.
  static func freePort() -> UInt16 {
    while true {
      let first = boundSocket(at: .random(in: ports))
      defer { close(first.descriptor) }
      guard first.port != 0 else { continue }
      let second = boundSocket(at: first.port + 1)
      defer { close(second.descriptor) }
      if second.port == first.port + 1 { return first.port }
    }
  }

  /// A socket with a port, 0 if it could not have the one that was wanted.
  private static func boundSocket(at port: UInt16) -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    return (descriptor, isBound ? UInt16(bigEndian: address.sin_port) : 0)
  }

  private var socketPath: String { directory.appending(path: "run/pcscd.comm").path }

  /// Starts the daemon, anew after ``stop()``, and waits until it listens.
  func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/unshare")
    process.arguments = [
      "-m", "sh", "-euc",
      "mkdir -p /run/pcscd; mount --bind \"$1/run\" /run/pcscd; "
        + "exec \(Self.daemon) -f -c \"$1/conf\"",
      "sh", directory.path,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process.withLock { $0 = process }
    let attempts = 400
    for _ in 0..<attempts {
      if isListening { return }
      usleep(5_000)
    }
    throw Obstacle(description: "pcscd does not start")
  }

  /// The socket's file is there a moment before the daemon listens at it.
  private var isListening: Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  func stop() {
    process.withLock { process in
      guard process.isRunning else { return }
      process.terminate()
      process.waitUntilExit()
    }
  }

  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Runs a program to its end.
  static func run(
    _ path: String, _ arguments: [String], environment: [String: String]
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // Both are short enough for a pipe's buffer.
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
      errors: String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
  }

  /// Runs `nfc` on a reader of this daemon.
  func nfc(_ arguments: String...) throws -> Outcome { try nfc(arguments: arguments) }

  func nfc(arguments: [String]) throws -> Outcome {
    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let tool = URL(filePath: bundle).deletingLastPathComponent().appending(path: "nfc")
    return try Self.run(
      tool.path, arguments + ["--reader", "pcsc:"], environment: environment)
  }

  /// What scriptor, another PC/SC program, gets for commands.
  func scriptor(_ commands: [String]) throws -> String {
    let script = directory.appending(path: "script")
    try (commands.joined(separator: "\n") + "\n").write(
      to: script, atomically: true, encoding: .utf8)
    return try Self.run(
      "/usr/bin/scriptor", ["-p", "T=1", script.path], environment: environment
    ).output
  }
}

/// A part that is missing fails the test.
struct Obstacle: Error, CustomStringConvertible {
  let description: String
}
