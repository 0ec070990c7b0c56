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
    let process: pid_t
    switch start() {
    case .success(let started): process = started
    case .failure(let problem): return .notStarted(problem.errno)
    }
    let clock = ContinuousClock()
    let deadline = timeout.map { clock.now + $0 }
    // The interval is short at first, so that the end of a short program is noticed soon. It costs little for
    // long programs.
    var pause = Duration.milliseconds(1)
    while true {
      if let outcome = Self.outcome(of: process) { return outcome }
      if let deadline, clock.now >= deadline {
        await Self.endGroup(of: process)
        return .timedOut
      }
      do {
        try await Task.sleep(for: pause)
      } catch {
        await Self.endGroup(of: process)
        return .signaled(SIGTERM)
      }
      pause = min(pause * 2, .milliseconds(50))
    }
  }

  private struct StartProblem: Error {
    let errno: Int32
  }

  /// Returns the status of a process that has ended, and removes the process. Returns `nil` while it is
  /// running.
  private static func outcome(of process: pid_t) -> Outcome? {
    var status: Int32 = 0
    let result = waitpid(process, &status, WNOHANG)
    guard result != 0 else { return nil }
    guard result == process else { return .exited(0) }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signaled(signal)
  }

  private static func endGroup(of process: pid_t) async {
    kill(-process, SIGTERM)
    let clock = ContinuousClock()
    let deadline = clock.now + grace
    while clock.now < deadline, kill(-process, 0) == 0 {
      if outcome(of: process) != nil { break }
      // This is not cancelled with the caller, because the group has to end before the caller continues.
      await Task.detached { try? await Task.sleep(for: .milliseconds(10)) }.value
    }
    kill(-process, SIGKILL)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  private func start() -> Result<pid_t, StartProblem> {
    guard let standardInput = Self.file(holding: input) else {
      return .failure(StartProblem(errno: errno))
    }
    defer { _ = close(standardInput) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, standardInput, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    // The program must not inherit the reader's port. Libraries do not always prevent that themselves.
    for descriptor in Self.openDescriptors where descriptor > STDERR_FILENO {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawnattr_setpgroup(&attributes, 0)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var standard = sigset_t()
    sigemptyset(&standard)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&standard, signal) }
    posix_spawnattr_setsigdefault(&attributes, &standard)

    var process = pid_t()
    let variables = Self.inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
    let code = Self.withCStrings(arguments) { arguments in
      Self.withCStrings(variables) { variables in
        guard let program = arguments.first.flatMap(\.self) else { return EINVAL }
        return posix_spawnp(&process, program, &actions, &attributes, arguments, variables)
      }
    }
    return code == 0 ? .success(process) : .failure(StartProblem(errno: code))
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

  /// The open descriptors of this process, as far as the system lists them.
  private static var openDescriptors: [Int32] {
    guard let folder = opendir("/dev/fd") else { return [] }
    defer { closedir(folder) }
    var descriptors: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let descriptor = Int32(name) { descriptors.append(descriptor) }
    }
    return descriptors
  }

  private static var inherited: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next = next.advanced(by: 1)
    }
    return variables
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
