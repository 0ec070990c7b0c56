#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A program to start as a child process, with everything that it inherits.
///
/// The child gets the three standard streams and no other descriptor of this process, not even one that
/// another thread opens at the same moment. Foundation's `Process` cannot ensure that: it lists the open
/// descriptors before it starts a program, and considers a process to be running as long as any other
/// process holds a certain socket of it.
///
/// The child leads a process group of its own, so that an interrupt from the terminal does not reach it and
/// the processes that it starts can be ended with it. All signals have their default actions.
package struct ProgramStart: Sendable {
  /// The end of a standard stream that the child gets.
  package enum Stream: Sendable {
    /// The stream of this process.
    case inherited
    /// `/dev/null`.
    case null
    /// A descriptor of this process. It stays open here.
    case descriptor(Int32)
    /// A file. For output, it is created or emptied.
    case file(String)
  }

  /// The path of the executable. A name without a slash is searched for in the directories of `PATH`.
  package var executable: String
  /// The arguments after the program's name.
  package var arguments: [String]
  /// The environment variables. Others are not inherited. Without another value, they are those of this process,
  /// except those with keys and passwords.
  package var environment: [String: String]
  package var input = Stream.null
  package var output = Stream.inherited
  package var errors = Stream.inherited

  package init(
    _ executable: String, _ arguments: [String] = [],
    environment: [String: String] = ProgramStart.environmentWithoutSecrets
  ) {
    self.executable = executable
    self.arguments = arguments
    self.environment = environment
  }

  /// The environment variables of this process.
  package static var ownEnvironment: [String: String] {
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

  /// The variables with keys and passwords for the `nfc` command.
  private static let secretVariables: Set<String> = [
    "NFC_KEYS", "NFC_MQTT_PASSWORD", "NFC_PASSWORD",
  ]

  /// The environment variables of this process, except those with keys and passwords.
  package static var environmentWithoutSecrets: [String: String] {
    ownEnvironment.filter { !secretVariables.contains($0.key) }
  }

  /// The program cannot be started.
  package struct Failure: Error, Hashable {
    /// The error number of the system.
    package let errno: Int32

    package init(errno: Int32) { self.errno = errno }
  }

  /// Starts the program.
  ///
  /// - Returns: the process ID. The process stays a zombie after its end until someone waits for it.
  package func spawn() throws(Failure) -> pid_t {
    #if canImport(Glibc)
    var actions = Actions()
    var attributes = Attributes()
    #else
    var actions: Actions = nil
    var attributes: Attributes = nil
    #endif
    try Self.check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try Self.check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    try addStreams(to: &actions)
    try Self.addClosing(to: &actions)
    try Self.set(&attributes)

    var process = pid_t()
    let code = Self.withCStrings([executable] + arguments) { arguments in
      Self.withCStrings(environment.map { "\($0)=\($1)" }) { variables in
        posix_spawnp(&process, executable, &actions, &attributes, arguments, variables)
      }
    }
    try Self.check(code)
    return process
  }

  #if canImport(Glibc)
  private typealias Actions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
  #else
  private typealias Actions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
  #endif

  private static func check(_ code: Int32) throws(Failure) {
    guard code == 0 else { throw Failure(errno: code) }
  }

  private func addStreams(to actions: inout Actions) throws(Failure) {
    try Self.add(input, as: STDIN_FILENO, to: &actions)
    try Self.add(output, as: STDOUT_FILENO, to: &actions)
    try Self.add(errors, as: STDERR_FILENO, to: &actions)
  }

  /// - Throws: ``Failure`` if the stream cannot be passed on. The child would otherwise have that of this
  ///   process.
  private static func add(
    _ stream: Stream, as target: Int32, to actions: inout Actions
  ) throws(Failure) {
    let isInput = target == STDIN_FILENO
    switch stream {
    case .inherited:
      #if !canImport(Glibc)
      try check(posix_spawn_file_actions_addinherit_np(&actions, target))
      #endif
    case .null:
      let flags = isInput ? O_RDONLY : O_WRONLY
      try check(posix_spawn_file_actions_addopen(&actions, target, "/dev/null", flags, 0))
    case .descriptor(let descriptor):
      try check(posix_spawn_file_actions_adddup2(&actions, descriptor, target))
    case .file(let path):
      let flags = isInput ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
      try check(posix_spawn_file_actions_addopen(&actions, target, path, flags, 0o600))
    }
  }

  /// Closes all other descriptors in the child.
  private static func addClosing(to actions: inout Actions) throws(Failure) {
    #if canImport(Glibc)
    // A descriptor that is not open is ignored.
    for descriptor in STDERR_FILENO + 1..<firstUnusedDescriptor {
      try check(posix_spawn_file_actions_addclose(&actions, descriptor))
    }
    #endif
  }

  /// Sets a process group of its own and the default actions of all signals.
  private static func set(_ attributes: inout Attributes) throws(Failure) {
    #if canImport(Glibc)
    let closing: Int32 = 0
    #else
    let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    try check(posix_spawnattr_setflags(&attributes, Int16(Int32(flags) | Int32(closing))))
    try check(posix_spawnattr_setpgroup(&attributes, 0))
    var none = sigset_t()
    sigemptyset(&none)
    try check(posix_spawnattr_setsigmask(&attributes, &none))
    var all = sigset_t()
    sigfillset(&all)
    try check(posix_spawnattr_setsigdefault(&attributes, &all))
  }

  #if canImport(Glibc)
  /// A number that is greater than those of all descriptors, including those that other threads open before
  /// the child exists. The system assigns the lowest free number.
  ///
  /// The function that closes all descriptors (posix_spawn_file_actions_addclosefrom_np) is hidden from Swift.
  private static var firstUnusedDescriptor: Int32 {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let highest = Int32(clamping: limit.rlim_cur)
    let last = OpenDescriptors.list()?.max() ?? 1023
    return max(STDERR_FILENO + 1, min(last.addingReportingOverflow(spare).partialValue, highest))
  }

  /// More than other threads can open in the meantime.
  private static let spare: Int32 = 256
  #endif

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
