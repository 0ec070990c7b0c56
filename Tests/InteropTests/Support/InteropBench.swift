import Foundation
import Synchronization
import TestSupport
import Testing
import VirtualNFC

/// All tests with other people's programs: one program at a time, so that none waits for a processor
/// longer than its own time-outs allow.
@Suite(.serialized) enum Interop {}

/// A virtual reader, the tags in its field, and a directory for the files of the programs that use it.
final class InteropBench: Sendable {
  let field = VirtualField()
  let reader: VirtualReader
  let directory: URL

  init(
    _ tags: VirtualTag..., chip: VirtualPN532 = VirtualPN532(),
    trace: (@Sendable (TraceEvent) -> Void)? = nil
  ) throws {
    ReplayedReaders.begin()
    reader = try VirtualReader(field, chip: chip, trace: trace)
    directory = FileManager.default.temporaryDirectory.appending(
      path: "nfc-interop-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for tag in tags { field.place(tag) }
  }

  deinit {
    reader.close()
    try? FileManager.default.removeItem(at: directory)
  }

  /// The name of a file that a program can read or write.
  func path(_ name: String) -> String { directory.appending(path: name).path }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: directory.appending(path: name))
  }

  func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: directory.appending(path: name)))
  }

  /// Starts a program of libnfc, libfreefare or another user of libnfc on the virtual reader.
  ///
  /// - Parameter baudRate: what the program sets; 115200 unless given.
  func start(
    _ name: String, _ arguments: [String] = [], input: String = "", baudRate: Int? = nil
  ) throws -> RunningProgram {
    let device = reader.connectionString + (baudRate.map { ":\($0)" } ?? "")
    return try start(
      Self.executable(name), arguments, input: input,
      environment: [
        "LIBNFC_DEVICE": device, "LIBNFC_DEFAULT_DEVICE": device,
        "LIBNFC_AUTO_SCAN": "false", "LIBNFC_INTRUSIVE_SCAN": "false", "LC_ALL": "C.UTF-8",
      ])
  }

  /// Starts a program in the directory of the bench.
  ///
  /// - Parameter environment: the variables to set, in addition to those of the tests.
  func start(
    _ executable: URL, _ arguments: [String], input: String = "", environment: [String: String]
  ) throws -> RunningProgram {
    try RunningProgram(
      executable.path, arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      directory: directory, input: input)
  }

  /// Runs a program to its end.
  func run(
    _ name: String, _ arguments: [String] = [], input: String = "", baudRate: Int? = nil
  ) async throws -> FinishedProgram {
    try await start(name, arguments, input: input, baudRate: baudRate).result()
  }

  /// A program that is not there fails the test: `Scripts/install-dependencies tests` brings it.
  private static func executable(_ name: String) throws -> URL {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let candidates = path.split(separator: ":").map { URL(filePath: "\($0)/\(name)") }
    return try #require(
      candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
      "\(name) is not installed; run Scripts/install-dependencies tests")
  }
}

extension RunningProgram {
  static let limit = Duration.seconds(40)
  /// For programs that compute for long, too.
  static let longLimit = Duration.seconds(240)

  /// Waits until the program has printed a text.
  func waitForOutput(_ text: String) async throws {
    let isPrinted = try await waitForOutput(within: Self.limit) { $0.output.contains(text) }
    try #require(isPrinted, "'\(text)' has not been printed: \(output)")
  }

  func kill() { signal(SIGKILL) }

  /// Waits for the end of the program.
  ///
  /// - Parameter limit: the time after which it is ended.
  func result(limit: Duration = RunningProgram.limit) async -> FinishedProgram {
    await end(within: limit)
  }
}

/// Ends a program from the virtual reader's own thread at a given moment of its run.
final class Killer: Sendable {
  private let victim = Mutex<RunningProgram?>(nil)
  private let isAimed = DispatchSemaphore(value: 0)
  private let remaining: Mutex<Int>
  private let isMoment: @Sendable (TraceEvent) -> Bool

  /// - Parameters:
  ///   - count: at which of the events to do it, counted from 1.
  ///   - isMoment: the events that count.
  init(at count: Int = 1, _ isMoment: @escaping @Sendable (TraceEvent) -> Bool) {
    self.isMoment = isMoment
    remaining = Mutex(count)
  }

  func aim(at program: RunningProgram) {
    victim.withLock { $0 = program }
    isAimed.signal()
  }

  /// To be called for every event. The reader stands still until it is known whom to end.
  func see(_ event: TraceEvent) {
    guard isMoment(event) else { return }
    let isDue = remaining.withLock { remaining in
      remaining -= 1
      return remaining == 0
    }
    guard isDue else { return }
    // A test that has failed before it aimed ends its reader all the same.
    _ = isAimed.wait(timeout: .now() + 20)
    victim.withLock { victim in
      victim?.kill()
    }
  }
}
