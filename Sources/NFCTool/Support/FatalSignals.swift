#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Ends the process with one line if it fails by a signal such as that of `abort()`: libnfc, and other libraries that
/// drivers use, call it. Swift would print a backtrace of some hundred lines on a terminal.
///
/// A process whose environment has `SWIFT_BACKTRACE` is left to Swift.
enum FatalSignals {
  private static let names: [(number: Int32, name: StaticString)] = [
    (SIGABRT, "SIGABRT"), (SIGSEGV, "SIGSEGV"), (SIGBUS, "SIGBUS"), (SIGILL, "SIGILL"),
    (SIGFPE, "SIGFPE"), (SIGTRAP, "SIGTRAP"), (SIGSYS, "SIGSYS"),
  ]

  /// The lines by the signals' numbers: a handler may neither allocate nor compose.
  ///
  /// Unsafe because it is written before a handler can be called, and only read after that.
  nonisolated(unsafe) private static let lines = UnsafeMutablePointer<UnsafeRawBufferPointer>
    .allocate(capacity: numbers)
  private static let numbers = 65

  static func prepare() {
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    lines.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: numbers)
    for (number, name) in names {
      let text =
        "nfc: the program has failed (\(name)); run it again with SWIFT_BACKTRACE=enable=yes before it, and "
        + "report what it prints\n"
      let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
      bytes.copyBytes(from: text.utf8)
      lines[Int(number)] = UnsafeRawBufferPointer(bytes)
      var action = sigaction()
      sigemptyset(&action.sa_mask)
      action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
      #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = end
      #else
      action.__sigaction_u.__sa_handler = end
      #endif
      sigaction(number, &action, nil)
    }
  }

  private static let end: @convention(c) (Int32) -> Void = { number in
    if (0..<Int32(numbers)).contains(number) {
      let line = lines[Int(number)]
      _ = write(STDERR_FILENO, line.baseAddress, line.count)
    }
    _exit(ExitStatus.lost.rawValue)
  }
}
