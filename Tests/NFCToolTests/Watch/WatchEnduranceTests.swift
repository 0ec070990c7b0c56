import Foundation
import NFC
import Testing
import VirtualNFC

/// A door for a long day.
@Suite(.serialized) struct WatchEnduranceTests {
  private static let count = 2000
  /// The number of badges that lie on the reader together, so that one search finds several.
  private static let together = 10

  private static func badges(from number: Int) throws -> [VirtualTag] {
    try (number..<number + together).map { number in
      try .ntag213(
        uid: [0x04, 0x51, 0x2C, 0x8A, 0x3D, UInt8(number >> 8), UInt8(number & 0xFF)],
        ndef: NDEFMessage(.text("badge \(number)", language: "en")))
    }
  }

  /// Neither a disk that takes no more taps nor a broker that refuses keeps a command from running: one for each of
  /// two thousand badges, and none twice.
  @Test func twoThousandTapsWithoutDiskAndBroker() async throws {
    try await TemporaryDirectory.with { folder async throws in
      let broker = try MQTTBroker(folder, settings: ["allow_anonymous false"])
      try await broker.start()
      let field = VirtualField()
      let reader = try VirtualReader(field)
      defer { reader.close() }
      let opened = folder.appending(path: "opened")
      try Data().write(to: opened)
      // Without the signal, the limit of 4096 bytes is an error of write(2), like that of a full disk: the spool has
      // room for the first taps only. The command has no limit, because the disk of the door is another one, and the
      // lines go to a device, which has none.
      let watch = try RunningTool(
        [
          "-c", "trap '' XFSZ; ulimit -S -f 8; exec \"$0\" \"$@\" >/dev/null",
          try RunningTool.executable().path, "watch", "--json", "--debounce", "0",
          "--reader", reader.connectionString, "--mqtt", broker.url, "--name", "door",
          "--spool", folder.path + "/spool",
          "--exec", "ulimit -S -f unlimited; echo \"$NFC_UID\" >> '\(opened.path)'",
        ], environment: ["XDG_RUNTIME_DIR": folder.path, "XDG_STATE_HOME": folder.path],
        program: "/bin/sh")
      #expect(try await watch.waitForErrors("cannot be used"))
      for first in stride(from: 0, to: Self.count, by: Self.together) {
        field.removeAll()
        for badge in try Self.badges(from: first) { field.place(badge) }
        try await Self.wait(for: opened, lines: first + Self.together)
      }
      watch.interrupt()
      let result = try await watch.end()
      #expect(result.status == 130)
      let lines = try String(contentsOf: opened, encoding: .utf8).split(separator: "\n")
      #expect(lines.count == Self.count)
      #expect(Set(lines).count == Self.count)
      // Each of both faults is told once.
      #expect(result.errors.ranges(of: "they are kept in memory").count == 1)
      #expect(result.errors.ranges(of: "cannot be used").count == 1)
      #expect(!result.errors.contains("nothing was done"))
      try await broker.kill()
    }
  }

  /// The length of a line with a UID of 7 bytes.
  private static let lineLength = 15

  /// Waits until a file has this many lines. Only a watcher that hangs takes so long for a few of them.
  private static func wait(for file: URL, lines: Int) async throws {
    let deadline = ContinuousClock.now + .seconds(30)
    var size = 0
    while size < lines * lineLength {
      try #require(ContinuousClock.now < deadline, "only \(size / lineLength) of \(lines) commands")
      try await Task.sleep(for: .milliseconds(2))
      size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
    }
  }
}
