import Foundation
import TestSupport
import Testing

extension PrivatePCSCD {
  /// Runs `nfc` on a reader of this daemon.
  func nfc(_ arguments: String...) async throws -> Tool.Result {
    try await nfc(arguments: arguments)
  }

  func nfc(arguments: [String]) async throws -> Tool.Result {
    try await Tool.run(arguments + ["--reader", "pcsc:"], environment: environment)
  }

  /// Returns the output of scriptor, another PC/SC program, for commands.
  func scriptor(_ commands: [String]) async throws -> String {
    let script = directory.appending(path: "script")
    try (commands.joined(separator: "\n") + "\n").write(
      to: script, atomically: true, encoding: .utf8)
    let scriptor = try RunningTool(
      ["-p", "T=1", script.path], environment: environment, program: "/usr/bin/scriptor")
    return try await scriptor.end().output
  }
}
