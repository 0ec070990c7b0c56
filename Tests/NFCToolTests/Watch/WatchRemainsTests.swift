import Foundation
import Testing
import VirtualNFC

/// Where watchers keep their locks, and what they leave there.
@Suite struct WatchRemainsTests {
  /// Anybody can create a folder in /tmp first. Nothing of ours is there.
  @Test func withoutARuntimeFolderLocksAreAmongTheUsersOwnFiles() async throws {
    try await TemporaryDirectory.with { folder in
      let virtual = try VirtualReader(VirtualField())
      let watch = try RunningTool(
        ["watch", "--json", "--reader", virtual.connectionString],
        environment: ["XDG_RUNTIME_DIR": "", "XDG_STATE_HOME": folder.appending(path: "s").path])
      let names = [
        folder.appending(path: "s/nfc/run").path, "/run/user/\(getuid())/nfc",
      ]
      let lock =
        "watch-" + virtual.connectionString.map { $0.isLetter || $0.isNumber ? $0 : "-" } + ".lock"
      var places: [String] = []
      for _ in 0..<600 where places.isEmpty {
        places = names.filter { FileManager.default.fileExists(atPath: "\($0)/\(lock)") }
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(places.count == 1, "\(watch.errors())")
      #expect(!FileManager.default.fileExists(atPath: "/tmp/nfc-\(getuid())/\(lock)"))
      let place = try #require(places.first)
      let attributes = try FileManager.default.attributesOfItem(atPath: place)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      watch.interrupt()
      #expect(try await watch.end().status == 130)
      virtual.close()
    }
  }

  @Test func whatAKilledWatcherHasLeftIsRemovedByTheNextOne() async throws {
    try await TemporaryDirectory.with { folder in
      let environment = ["XDG_RUNTIME_DIR": folder.path]
      let readers = try (0..<3).map { _ in try VirtualReader(VirtualField()) }
      func watch(_ index: Int) async throws -> RunningTool {
        let watch = try RunningTool(
          ["watch", "--json", "--reader", readers[index].connectionString],
          environment: environment)
        while try names().count(where: { $0.contains(Self.level(readers[index])) }) < 2 {
          try await Task.sleep(for: .milliseconds(20))
        }
        return watch
      }
      func names() throws -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "nfc").path))
          ?? []
      }
      let killed = try await watch(0)
      killed.interrupt(SIGKILL)
      _ = try await killed.end()
      let alive = try await watch(1)
      for name in try names() {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -600)],
          ofItemAtPath: folder.appending(path: "nfc/\(name)").path)
      }
      let next = try await watch(2)
      let left = try names()
      #expect(!left.contains { $0.contains(Self.level(readers[0])) }, "\(left)")
      #expect(left.count { $0.contains(Self.level(readers[1])) } == 2, "\(left)")
      for watch in [alive, next] {
        watch.interrupt()
        #expect(try await watch.end().status == 130)
      }
      #expect(try names() == [])
    }
  }

  private static func level(_ reader: VirtualReader) -> String {
    String(reader.connectionString.map { $0.isLetter || $0.isNumber ? $0 : "-" }) + "."
  }
}
