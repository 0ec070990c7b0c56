import SwiftNFCChildProcesses
import Foundation
import Synchronization

/// A private PC/SC daemon with virtual reader drivers. It has its own socket and mount namespace, and ends
/// with the test.
public final class PrivatePCSCD: Sendable {
  /// A reader that a driver shows, with room for one card.
  public struct Slot: Sendable {
    /// The reader's name in the daemon's list.
    public let name: String
    public let port: UInt16
  }

  public let directory: URL
  /// The slots, two for each driver, in the order of the drivers.
  public let slots: [Slot]
  private let ports: [PortPair]
  private let process: Mutex<RunningProcess?>

  private static let daemon = "/usr/sbin/pcscd"
  private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"
  private static let programs = [daemon, driver, "/usr/bin/unshare", "/usr/bin/scriptor"]

  /// The reason why there cannot be a daemon, or `nil` if there can.
  private static let obstacle: Obstacle? = {
    let files = FileManager.default
    if let missing = programs.first(where: { !files.fileExists(atPath: $0) }) {
      return Obstacle(
        description: "\(missing) is not there; run Scripts/install-dependencies tests")
    }
    guard geteuid() == 0 else {
      return Obstacle(description: "a mount namespace of its own takes root here")
    }
    var probe = ProgramStart("/usr/bin/unshare", ["-m", "true"])
    (probe.output, probe.errors) = (.null, .null)
    guard let process = try? RunningProcess(probe) else {
      return Obstacle(description: "unshare does not run")
    }
    switch process.outcome(blockingFor: .seconds(10)) {
    case .exited(0): return nil
    case nil: return Obstacle(description: "unshare does not end")
    default: return Obstacle(description: "no mount namespaces")
    }
  }()

  public var environment: [String: String] {
    ["PCSCLITE_CSOCK_NAME": directory.appending(path: "run/pcscd.comm").path]
  }

  /// The port of the first slot.
  public var port: UInt16 { slots[0].port }

  /// - Parameter name: the reader's name. The driver adds " 00 00", and " 00 01" for its second slot.
  public convenience init(name: String) throws {
    try self.init(names: [name])
  }

  /// - Parameter names: the names of the drivers' readers: one to eight different names, because a daemon has
  ///   16 slots.
  public init(names: [String]) throws {
    if let obstacle = Self.obstacle { throw obstacle }
    ports = names.map { _ in PortPair() }
    slots = zip(names, ports).flatMap { name, ports in
      (0..<2).map { Slot(name: "\(name) 00 0\($0)", port: ports.first + $0) }
    }
    // The name of the socket has at most 107 bytes.
    directory = URL(filePath: "/tmp/pcsc-\(UUID().uuidString.prefix(8))")
    let files = FileManager.default
    for folder in ["run", "conf"] {
      try files.createDirectory(
        at: directory.appending(path: folder), withIntermediateDirectories: true)
    }
    for (index, name) in names.enumerated() {
      // If a library is loaded twice, only the slots of the second driver remain.
      let library = directory.appending(path: "vpcd\(index).so")
      try files.copyItem(
        at: URL(filePath: Self.driver).resolvingSymlinksInPath(), to: library)
      try """
      FRIENDLYNAME "\(name)"
      DEVICENAME /dev/null:\(ports[index].first)
      LIBPATH \(library.path)
      CHANNELID \(ports[index].first)

      """.write(
        to: directory.appending(path: "conf/vpcd\(index)"), atomically: true, encoding: .utf8)
    }
    process = Mutex(nil)
    try start()
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: directory)
  }

  private var socketPath: String { directory.appending(path: "run/pcscd.comm").path }

  /// Starts the daemon, also after ``stop()``, and waits until it listens.
  public func start() throws {
    var start = ProgramStart(
      "/usr/bin/unshare",
      [
        "-m", "sh", "-euc",
        "mkdir -p /run/pcscd; mount --bind \"$1/run\" /run/pcscd; "
          + "exec \(Self.daemon) -f -c \"$1/conf\"",
        "sh", directory.path,
      ])
    (start.output, start.errors) = (.null, .null)
    let process = try RunningProcess(start)
    self.process.withLock { $0 = process }
    let attempts = 400
    for _ in 0..<attempts {
      if isListening { return }
      usleep(5_000)
    }
    throw Obstacle(description: "pcscd does not start")
  }

  /// Whether the daemon listens. The file of the socket exists a moment earlier.
  private var isListening: Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return withUnixAddress(Array(socketPath.utf8)) { connect(descriptor, $0, $1) == 0 }
  }

  /// Stops the daemon from answering until ``resume()``. Its socket still accepts connections.
  public func pause() { signal(SIGSTOP) }
  public func resume() { signal(SIGCONT) }

  private func signal(_ number: Int32) { process.withLock { $0?.signal(number) } }

  public func stop() {
    process.withLock { process in
      guard let process, process.isRunning else { return }
      // A paused process would not end.
      process.signal(SIGCONT)
      process.signal(SIGTERM)
      if process.outcome(blockingFor: .seconds(5)) == nil { process.signalGroup(SIGKILL) }
    }
  }
}

/// Two consecutive ports on which no process listens. They are not assigned to another test as long as this
/// object exists, because another test could also find them free until the daemon listens.
public final class PortPair: Sendable {
  public let first: UInt16
  /// A socket whose name represents the pair, without a file (unix(7), abstract).
  private let reservation: Int32

  /// The range of ports, which is below the ports that the system assigns to connections
  /// (ip_local_port_range).
  private static let range: Range<UInt16> = 20_000..<32_000

  public init() {
    while true {
      let first = UInt16.random(in: Self.range) & ~1
      let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
      let reservation = socket(AF_UNIX, Int32(flags), 0)
      let isReserved = withUnixAddress([0] + "pcsc-ports-\(first)".utf8) {
        bind(reservation, $0, $1) == 0
      }
      if isReserved, Self.isFree(first), Self.isFree(first + 1) {
        (self.first, self.reservation) = (first, reservation)
        return
      }
      close(reservation)
    }
  }

  deinit { close(reservation) }

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

/// Calls `body` with the address of a local socket. Its name has at most 107 bytes.
private func withUnixAddress<Result>(
  _ name: [UInt8], _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
  // The name of a socket without a file ends with the address, and any other name ends with a zero.
  let length = MemoryLayout<sa_family_t>.size + name.count + (name.first == 0 ? 0 : 1)
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
  }
}

/// A missing component, which fails the test.
struct Obstacle: Error, CustomStringConvertible {
  let description: String
}
