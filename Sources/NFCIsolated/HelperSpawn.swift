#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Starts a helper with its sockets in place of its standard input and output.
enum HelperSpawn {
  /// Variables that the helper gets in addition to the program's own: an abort is meant to end it,
  /// without a backtrace.
  private static let variables = ["SWIFT_BACKTRACE=enable=no"]

  /// - Parameter errors: its standard error; `nil` for the program's own.
  /// - Returns: 0, or the errno.
  static func run(
    _ executable: String, requests: Int32, aborts: Int32, errors: Int32?,
    _ process: inout pid_t
  ) -> Int32 {
    #if canImport(Glibc)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #else
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, requests, HelperProtocol.requests)
    posix_spawn_file_actions_adddup2(&actions, aborts, HelperProtocol.aborts)
    if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }

    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    posix_spawnattr_setpgroup(&attributes, 0)
    // Whatever the program does with its signals, these end the helper.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)

    return withCStrings([executable]) { arguments in
      withCStrings(environment) { environment in
        posix_spawn(&process, executable, &actions, &attributes, arguments, environment)
      }
    }
  }

  private static var environment: [String] {
    var entries: [String] = []
    var next = environ
    while let entry = next.pointee {
      entries.append(String(cString: entry))
      next = next.advanced(by: 1)
    }
    return entries + variables
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
