import SwiftNFCChildProcesses
import NFC

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program that is run for a tap. It has its own process group, so that all processes that it starts can be
/// ended with it.
struct ChildProcess: Sendable {
  /// The program's name, looked up by PATH, and its arguments.
  let arguments: [String]
  /// The variables to set, in addition to those of this process.
  var environment: [String: String] = [:]
  /// The variables of this process that it does not get, unless they are set.
  var removed: Set<String> = []
  /// Whether it gets the variables with keys and passwords, as a command of the user's own does.
  var inheritsSecrets = false
  /// The bytes for its standard input.
  var input: [UInt8] = []

  /// The way in which a program has ended.
  enum Outcome: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
    /// The program took too long, and its process group was ended.
    case timedOut
    /// The program could not be started. The value is the errno.
    case notStarted(Int32)
  }

  /// The time between SIGTERM and SIGKILL.
  private static let grace = Duration.milliseconds(500)

  /// Runs the program until it ends. Its output goes to standard error. If the task is cancelled, the process
  /// group is ended.
  ///
  /// - Parameter timeout: the maximum duration, or `nil` for no limit.
  func run(timeout: Duration?) async -> Outcome {
    let process: RunningProcess
    switch start() {
    case .success(let started): process = started
    case .failure(let failure): return .notStarted(failure.errno)
    }
    switch await process.outcome(within: timeout) {
    case .exited(let code): return .exited(code)
    case .signaled(let number): return .signaled(number)
    case .unknown: return .exited(0)
    case nil: break
    }
    let isCancelled = Task.isCancelled
    // This is not cancelled with the caller, because the group has to end before the caller continues.
    await Task.detached { await Self.endGroup(of: process) }.value
    return isCancelled ? .signaled(SIGTERM) : .timedOut
  }

  /// Starts a program that may run as long as it likes. It is never ended by this process.
  ///
  /// - Parameter patience: the time in which its end is noticed.
  /// - Returns: the way in which the program has ended, or `nil` if it is still running after `patience`.
  func launch(noticingEndWithin patience: Duration) async -> Outcome? {
    let process: RunningProcess
    switch start() {
    case .success(let started): process = started
    case .failure(let failure): return .notStarted(failure.errno)
    }
    return switch await process.outcome(within: patience) {
    case .exited(let code): .exited(code)
    case .signaled(let number): .signaled(number)
    case .unknown: .exited(0)
    case nil: nil
    }
  }

  private static func endGroup(of process: RunningProcess) async {
    process.signalGroup(SIGTERM)
    _ = await process.outcome(within: grace)
    process.signalGroup(SIGKILL)
    _ = await process.outcome(within: nil)
  }

  private func start() -> Result<RunningProcess, ProgramStart.Failure> {
    guard let program = arguments.first else { return .failure(.init(errno: EINVAL)) }
    guard let file = Self.file(holding: input) else { return .failure(.init(errno: errno)) }
    defer { _ = close(file) }
    var start = ProgramStart(program, Array(arguments.dropFirst()))
    if inheritsSecrets { start.environment = ProgramStart.ownEnvironment }
    start.environment = start.environment.filter { !removed.contains($0.key) }
      .merging(environment) { $1 }
    start.input = .descriptor(file)
    start.output = .descriptor(STDERR_FILENO)
    return Result { () throws(ProgramStart.Failure) in try RunningProcess(start) }
  }

  /// The folders in which unnamed files are created. The first one that is usable is used.
  private static var folders: [String] {
    let names: [String] = ["XDG_RUNTIME_DIR", "TMPDIR"]
    let named = names.compactMap { name -> String? in getenv(name).map { String(cString: $0) } }
    return named.filter { $0.hasPrefix("/") } + ["/tmp", "/dev/shm"]
  }

  /// Returns an unnamed file, positioned at its beginning. If there cannot be one, returns `nil` and sets
  /// errno.
  private static func file(holding bytes: [UInt8]) -> Int32? {
    for folder in folders {
      var name = Array("\(folder)/nfc-tap.XXXXXX".utf8CString)
      let descriptor = mkstemp(&name)
      guard descriptor >= 0 else { continue }
      unlink(name)
      if let problem = (try? Output.writeAll(bytes, to: descriptor)) ?? nil {
        _ = close(descriptor)
        errno = problem
        continue
      }
      lseek(descriptor, 0, SEEK_SET)
      return descriptor
    }
    return nil
  }
}
