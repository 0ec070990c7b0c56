import Foundation
import TestSupport
import Testing

/// Tests that no command waits long for a PC/SC daemon that accepts connections but does not answer.
@Suite struct SilentServiceTests {
  private static let commands: [[String]] = [
    ["readers"], ["doctor"], ["poll", "--timeout", "1", "--once"],
    ["poll", "--timeout", "1", "--once", "--reader", "pcsc:"],
  ]

  @Test(arguments: commands)
  func endsWithinSeconds(_ command: [String]) async throws {
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    daemon.pause()
    let environment = daemon.environment.merging(["LIBNFC_AUTO_SCAN": "false"]) { $1 }
    let start = ContinuousClock.now
    let result = try await Tool.run(command, environment: environment)
    #expect(ContinuousClock.now - start < .seconds(12))
    #expect((result.output + result.errors).contains("does not answer"), "\(result)")
    #expect(result.status != 0 || command == ["doctor"])
    daemon.resume()
    let again = try await Tool.run(["readers"], environment: environment)
    #expect(again.output.contains("Virtual ACR1552"), "\(again)")
  }

  /// A user ends a poll whose daemon has stopped in the meantime.
  @Test func doesNotDelayAnInterrupt() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual ACR1552 PICC")
    let poll = try RunningTool(
      ["poll", "--reader", "pcsc:"], environment: daemon.environment)
    try await Task.sleep(for: .seconds(1))
    daemon.pause()
    let start = ContinuousClock.now
    poll.interrupt()
    _ = try await poll.end()
    #expect(ContinuousClock.now - start < .seconds(5))
  }
}
