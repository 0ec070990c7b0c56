import Foundation
import Testing

/// Tests that the reader works after a command was killed, which cannot reset the reader.
@Suite struct KilledCommandTests {
  @Test(arguments: [1, 20, 60, 150])
  func theNextCommandWorksAtOnce(_ milliseconds: Int) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let virtual = try RunningTool(["virtual", "ntag216"])
      let reader = try #require(try await virtual.waitForLines(1).first)
      let file = directory.appending(path: "dump.bin").path
      let killed = try RunningTool(["mifare", "dump", file, "--reader", reader])
      try await Task.sleep(for: .milliseconds(milliseconds))
      killed.interrupt(SIGKILL)
      _ = try await killed.end()
      let result = try await Tool.run("read", "--json", "--reader", reader)
      #expect(result.status == 0)
      #expect(result.errors == "")
      virtual.interrupt()
      _ = try await virtual.end()
    }
  }
}
