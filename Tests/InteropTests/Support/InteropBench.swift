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
  /// - Parameter baudRate: what the program sets, 115200 if it is not told.
  func start(
    _ name: String, _ arguments: [String] = [], input: String = "", baudRate: Int? = nil
  ) throws -> RunningProgram {
    let device = reader.connectionString + (baudRate.map { ":\($0)" } ?? "")
    return try RunningProgram(
      executable: Self.executable(name), arguments: arguments, input: input, directory: directory,
      environment: [
        "LIBNFC_DEVICE": device, "LIBNFC_DEFAULT_DEVICE": device,
        "LIBNFC_AUTO_SCAN": "false", "LIBNFC_INTRUSIVE_SCAN": "false", "LC_ALL": "C.UTF-8",
      ])
  }

  /// Runs a program to its end.
  func run(
    _ name: String, _ arguments: [String] = [], input: String = "", baudRate: Int? = nil
  ) async throws -> ProgramResult {
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

/// What a program has left behind.
struct ProgramResult: Sendable {
  /// The exit code, or the number of the signal that ended it with a minus before it.
  let status: Int32
  let output: String
  let errors: String

  /// Fails the test if the program says that it has failed.
  func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(status == 0, "\(output)\(errors)", sourceLocation: sourceLocation)
  }

  /// Fails the test unless the program has printed these.
  func expectOutput(_ parts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    for part in parts {
      #expect(output.contains(part), "\(output)\(errors)", sourceLocation: sourceLocation)
    }
  }
}

/// A child process whose output goes into files and which is killed when it takes too long.
final class RunningProgram: Sendable {
  static let limit = Duration.seconds(40)
  /// For programs that compute for long, too.
  static let longLimit = Duration.seconds(240)

  private let process: Process
  private let outputFile: URL
  private let errorFile: URL
  private let ended: ProcessEnd

  var identifier: Int32 { process.processIdentifier }

  init(
    executable: URL, arguments: [String], input: String, directory: URL,
    environment: [String: String]
  ) throws {
    let stem = UUID().uuidString
    func file(_ kind: String, _ content: String = "") throws -> URL {
      let url = directory.appending(path: "\(stem).\(kind)")
      try Data(content.utf8).write(to: url)
      return url
    }
    let inputFile = try file("in", input)
    outputFile = try file("out")
    errorFile = try file("err")
    process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = directory
    let handles = [
      try FileHandle(forReadingFrom: inputFile), try FileHandle(forWritingTo: outputFile),
      try FileHandle(forWritingTo: errorFile),
    ]
    // The program has them; this process must not run out of descriptors for them.
    defer { for handle in handles { try? handle.close() } }
    process.standardInput = handles[0]
    process.standardOutput = handles[1]
    process.standardError = handles[2]
    ended = ProcessEnd(of: process)
    try process.run()
  }

  /// What it has printed so far.
  var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

  func kill(_ signal: Int32 = SIGKILL) { Foundation.kill(identifier, signal) }

  /// Waits until it has printed `text`.
  func waitForOutput(_ text: String) async throws {
    let end = ContinuousClock.now + Self.limit
    while !output.contains(text) {
      try #require(ContinuousClock.now < end, "'\(text)' has not been printed: \(output)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits for its end.
  ///
  /// - Parameter limit: when it is ended, if not before.
  func result(limit: Duration = RunningProgram.limit) async throws -> ProgramResult {
    let status =
      switch await ended.outcome(of: process, within: limit) {
      case .exited(let code): code
      case .signalled(let number): -number
      }
    return ProgramResult(
      status: status, output: output,
      errors: (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "")
  }
}

/// Ends a program from the virtual reader's own thread at a given moment of its run.
final class Killer: Sendable {
  private let victim = Mutex<Int32?>(nil)
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
    victim.withLock { $0 = program.identifier }
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
      if let victim { Foundation.kill(victim, SIGKILL) }
    }
  }
}
