import Glibc
import NFC

/// Runs a program as a person would: its standard output is a terminal of its own.
enum Terminal {
  /// Requests of ioctl(2) from <asm-generic/ioctls.h>, whose macros Swift cannot import.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - arguments: the arguments, beginning with the program's path.
  ///   - environment: the complete environment, as `NAME=value`.
  ///   - mark: the text to wait for in the output.
  /// - Returns: the milliseconds from the start to the mark, and to the end.
  static func run(
    _ arguments: [String], _ environment: [String], until mark: String
  ) throws -> (Double, Double) {
    let name = arguments.first ?? ""
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw BenchmarkFailure("no pseudo-terminal") }
    defer { close(master) }
    var isLocked: Int32 = 0
    var index: UInt32 = 0
    guard ioctl(master, unlock, &isLocked) == 0, ioctl(master, number, &index) == 0 else {
      throw BenchmarkFailure("no pseudo-terminal")
    }
    let slave = open("/dev/pts/\(index)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw BenchmarkFailure("no pseudo-terminal") }

    let start = ContinuousClock.now
    func elapsed() -> Double { (ContinuousClock.now - start) / .milliseconds(1) }
    let process = spawn(arguments, environment, output: slave)
    close(slave)
    guard let process else { throw BenchmarkFailure("\(name) cannot be started") }
    var toMark: Double?
    var output = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    // EIO: the program has ended.
    while case let count = read(master, &buffer, buffer.count), count > 0 {
      output += String(decoding: buffer.prefix(count), as: UTF8.self)
      if toMark == nil, output.contains(mark) { toMark = elapsed() }
    }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    let toEnd = elapsed()
    guard status == 0, let toMark else { throw BenchmarkFailure("\(name) failed: \(output)") }
    return (toMark, toEnd)
  }

  private static func spawn(
    _ arguments: [String], _ environment: [String], output: Int32
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var process: pid_t = 0
    guard let path = argv.first ?? nil,
      posix_spawn(&process, path, &actions, nil, argv, envp) == 0
    else { return nil }
    return process
  }
}
