import Foundation
import Testing

/// Tests of `nfc --reader isolated:…`, which runs libnfc in a separate process.
@Suite struct IsolatedReaderCommandTests {
  private func withVirtualReader(
    _ tag: String, _ body: (String) async throws -> Void
  ) async throws {
    let virtual = try RunningTool(["virtual", tag])
    let reader = try #require(try await virtual.waitForLines(1).first)
    try await body(reader)
    virtual.interrupt()
    _ = try await virtual.end()
  }

  @Test func readsAndWritesATag() async throws {
    try await withVirtualReader("ntag215") { reader in
      let address = "isolated:" + reader
      let write = try await Tool.run("--reader", address, "write", "uri", "https://box.dev")
      #expect(write.status == 0 && write.errors == "")
      let read = try await Tool.run("--reader", address, "read", "--json")
      #expect(read.output.contains(#""uri":"https://box.dev""#))
      #expect(read.errors == "")
    }
  }

  @Test func aHelperThatIsMissingIsOneLineAndExitCode69() async throws {
    let result = try await Tool.run(
      ["--reader", "isolated:pn532_uart:/dev/nowhere", "read"],
      environment: ["NFC_READER_HELPER": "/nowhere/nfc-reader"])
    #expect(result.status == 69)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("/nowhere/nfc-reader"))
  }

  @Test func theDoctorExaminesThePortBeneath() async throws {
    let result = try await Tool.run("doctor", "--reader", "isolated:pn532_uart:/dev/ttyNowhere")
    #expect((result.output + result.errors).contains("/dev/ttyNowhere is not there"))
  }

  /// Returns the processes that have opened a port.
  static func helpers(of reader: String) -> [pid_t] {
    let path = String(reader.dropFirst("pn532_uart:".count).prefix { $0 != ":" })
    let files = FileManager.default
    return ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
      guard let process = pid_t(name),
        (try? String(contentsOfFile: "/proc/\(name)/comm", encoding: .utf8)) == "nfc-reader\n"
      else { return nil }
      let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/\(name)/fd")) ?? []
      let isHolder = descriptors.contains {
        (try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/fd/\($0)")) == path
      }
      return isHolder ? process : nil
    }
  }

  /// Returns whether a process ends within some seconds. A zombie has ended.
  private static func hasEnded(_ process: pid_t) async throws -> Bool {
    for _ in 0..<600 {
      let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      if state.map({ $0.contains(") Z ") }) ?? true { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test(arguments: [false, true])
  func aProgramThatIsKilledLeavesNoHelper(_ isStopped: Bool) async throws {
    try await withVirtualReader("ntag215") { reader in
      let poll = try RunningTool(["--reader", "isolated:" + reader, "poll", "--json"])
      _ = try await poll.waitForLines(1)
      let helper = try #require(Self.helpers(of: reader).first)
      // A stopped helper cannot notice that its program has ended. The system ends it.
      if isStopped { kill(helper, SIGSTOP) }
      poll.interrupt(SIGKILL)
      _ = try await poll.end()
      #expect(try await Self.hasEnded(helper))
      let read = try await Tool.run("--reader", "isolated:" + reader, "read", "--json")
      #expect(read.status == 0)
    }
  }

  /// If a helper dies, the reader is lost, and polling continues with another helper.
  @Test func pollingOutlivesItsHelper() async throws {
    try await withVirtualReader("ntag215") { reader in
      let poll = try RunningTool(["--reader", "isolated:" + reader, "poll", "--json"])
      _ = try await poll.waitForLines(1)
      kill(try #require(Self.helpers(of: reader).first), SIGKILL)
      let lines = try await poll.waitForLines(3)
      #expect(lines.count >= 3)
      #expect(lines.dropFirst().first?.contains(#""left""#) == true)
      #expect(lines.dropFirst(2).first?.contains(#""arrived""#) == true)
      #expect(poll.errors().contains("SIGKILL"))
      poll.interrupt()
      #expect(try await poll.end().status == 130)
    }
  }
}
