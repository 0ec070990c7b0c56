import SwiftNFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How a helper has ended by itself.
struct HelperEnding {
  /// What `waitpid` has reported; `nil` if that is not known.
  let status: Int32?
  /// The last line that it has written to standard error.
  let report: String

  private static let signals: [Int32: String] = [
    SIGABRT: "SIGABRT", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGFPE: "SIGFPE",
    SIGTRAP: "SIGTRAP", SIGKILL: "SIGKILL", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP",
    SIGINT: "SIGINT", SIGXCPU: "SIGXCPU", SIGSYS: "SIGSYS",
  ]

  /// - Parameter subject: what has ended, for people.
  func error(_ code: NFCError.Code, _ subject: String) -> NFCError {
    guard let status else { return NFCError(code, "\(subject) has ended\(addition)") }
    let signal = status & 0x7F
    guard signal != 0 else {
      let exitCode = status >> 8 & 0xFF
      return NFCError(code, "\(subject) has ended with exit code \(exitCode)\(addition)")
    }
    let name = Self.signals[signal] ?? "signal \(signal)"
    let what =
      switch signal {
      case SIGABRT: "libnfc has called abort() in \(subject)"
      case SIGSEGV, SIGBUS, SIGILL, SIGFPE: "libnfc has crashed in \(subject)"
      default: "\(subject) was killed"
      }
    return NFCError(code, what, cause: .signal(number: signal, text: name + addition))
  }

  private var addition: String { report.isEmpty ? "" : ", " + report }

  /// The last line that a program writes before it ends is the reason; a longer line is something
  /// else.
  private static let longestReport = 200

  /// - Parameter descriptor: the end of a nonblocking pipe.
  static func lastLine(of descriptor: Int32) -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A pipe holds 64 KiB; reading stops after a limit even if the program continues to write.
    for _ in 0..<32 {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      text = (text + buffer.prefix(count)).suffix(4096)
    }
    let lines = text.split(separator: 0x0A)
    let last = String(decoding: lines.last ?? [], as: UTF8.self)
    let printable = last.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    return String(String.UnicodeScalarView(printable)).prefix(longestReport)
      .trimmingPrefix { $0 == " " }.description
  }
}
