import Foundation
import Testing

@testable import SwiftNFCTool

@Suite struct ChildProcessTests {
  @Test func codesAndSignals() async {
    #expect(await ChildProcess(arguments: ["sh", "-c", "exit 3"]).run(timeout: nil) == .exited(3))
    #expect(
      await ChildProcess(arguments: ["sh", "-c", "kill -9 $$"]).run(timeout: nil) == .signaled(9))
    let missing = ChildProcess(arguments: ["no-such-program-here"])
    #expect(await missing.run(timeout: nil) == .notStarted(ENOENT))
  }

  @Test func itGetsInputAndVariablesAndNoDescriptor() async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "out").path
      let input = String(repeating: "line\n", count: 100_000)
      let descriptor = open("/dev/null", O_RDONLY)
      defer { close(descriptor) }
      let script =
        "cat | wc -c > \(file); echo \"$NFC_TEST\" >> \(file); ls /proc/self/fd >> \(file)"
      let process = ChildProcess(
        arguments: ["sh", "-c", script], environment: ["NFC_TEST": "a b\nc"],
        input: Array(input.utf8))
      #expect(await process.run(timeout: .seconds(20)) == .exited(0))
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      #expect(lines.prefix(3) == ["500000", "a b", "c"])
      // The descriptors are standard input, output and error, and the folder that `ls` reads.
      #expect(Set(lines.dropFirst(3)) == ["0", "1", "2", "3"])
    }
  }

  @Test func theWholeGroupIsEnded() async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "pid").path
      let script = "trap '' TERM; sleep 60 & echo $! > \(file); wait; sleep 60"
      let clock = ContinuousClock()
      let start = clock.now
      let process = ChildProcess(arguments: ["sh", "-c", script])
      #expect(await process.run(timeout: .milliseconds(300)) == .timedOut)
      #expect(clock.now - start < .seconds(10))
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let child = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
      // No process of the group remains except, for a moment, one that is ending or a zombie of init.
      func isRunning() -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z") } ?? false
      }
      while isRunning(), clock.now - start < .seconds(10) {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(!isRunning())
    }
  }

  @Test func aCancelledTaskEndsIt() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let task = Task { await ChildProcess(arguments: ["sleep", "60"]).run(timeout: nil) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    #expect(await task.value == .signaled(SIGTERM))
    #expect(clock.now - start < .seconds(10))
  }
}
