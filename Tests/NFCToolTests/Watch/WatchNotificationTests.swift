import Foundation
import NFC
import Testing
import VirtualNFC

/// Tests of `nfc watch --notify` with a real message bus and a notification service for the tests.
@Suite(.serialized) struct WatchNotificationTests {
  /// A private message bus.
  private struct Bus {
    let daemon: RunningTool
    let address: String

    init(_ folder: URL) async throws {
      daemon = try RunningTool(
        ["--session", "--nofork", "--print-address", "--address=unix:path=\(folder.path)/bus"],
        program: "/usr/bin/dbus-daemon")
      address = try #require(try await daemon.waitForLines(1).first)
    }

    /// Starts the service. The lines after its first line are the notifications.
    func service(_ words: [String]) async throws -> RunningTool {
      let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "notification_service.py").path
      let service = try RunningTool(
        [script] + words, environment: ["DBUS_SESSION_BUS_ADDRESS": address],
        program: "/usr/bin/python3")
      #expect(try await service.waitForLines(1) == ["ready"])
      return service
    }
  }

  private static func end(_ programs: RunningTool...) async throws {
    for program in programs {
      program.interrupt(SIGKILL)
      _ = try await program.end()
    }
  }

  private static let open = "printf '%s\\n' \"$@\" >> \"$FOLDER/opened\""

  private static func tag(_ record: NDEFRecord) throws -> VirtualTag {
    try .ntag216(ndef: NDEFMessage(records: [record]))
  }

  @Test func aClickOpensTheLink() async throws {
    try await TemporaryDirectory.with { folder in
      let bus = try await Bus(folder)
      let service = try await bus.service(["click"])
      try await WatchBench.with(
        ["--notify"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address],
        programs: ["xdg-open": Self.open, "notify-send": "echo no >> \"$FOLDER/opened\""],
        tags: [try Self.tag(.uri("https://swift.org/?a=1&b=2"))]
      ) { bench in
        let shown = try await service.waitForLines(2)
        #expect(
          shown.last
            == #"["nfc", "NFC tag", "https://swift.org/?a=1&b=2", ["default", "Open"]]"#)
        #expect(try await bench.lines(of: "opened", 1) == ["https://swift.org/?a=1&b=2"])
      }
      try await Self.end(service, bus.daemon)
    }
  }

  /// A tag's text is shown as text, even by a service that supports markup. A link that may not be opened
  /// cannot be clicked.
  @Test(arguments: [["markup"], []]) func aTagsTextIsNotMarkup(_ words: [String]) async throws {
    try await TemporaryDirectory.with { folder in
      let bus = try await Bus(folder)
      let service = try await bus.service(words + ["click"])
      let text = "<a href='https://evil.example'>A & B</a>"
      try await WatchBench.with(
        ["--notify"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address],
        tags: [try Self.tag(.text(text, language: "en"))]
      ) { bench in
        let body =
          words.isEmpty ? text : "&lt;a href='https://evil.example'&gt;A &amp; B&lt;/a&gt;"
        let shown = try await service.waitForLines(2)
        #expect(shown.last == "[\"nfc\", \"NFC tag\", \"\(body)\", []]")
      }
      try await Self.end(service, bus.daemon)
    }
  }

  /// Without a service, one line reports that. When the service is available, it shows the next tap.
  @Test func aServiceThatIsNotThereIsReported() async throws {
    try await TemporaryDirectory.with { folder in
      let bus = try await Bus(folder)
      let tag = try Self.tag(.text("one", language: "en"))
      try await WatchBench.with(
        ["--notify", "--debounce", "0.1"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address],
        tags: [tag]
      ) { bench in
        #expect(try await bench.watch.waitForErrors("nfc: no notification: no service"))
        bench.field.remove(tag)
        _ = try await bench.events(2)
        let service = try await bus.service([])
        bench.field.place(tag)
        #expect(try await service.waitForLines(2).count == 2)
        // The bus ends, and watching continues.
        try await Self.end(service, bus.daemon)
        bench.field.remove(tag)
        _ = try await bench.events(4)
        bench.field.place(tag)
        #expect(try await bench.events(5).last?.event == "tap")
      }
    }
  }
}
