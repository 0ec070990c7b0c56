import Foundation
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCBackground

/// Tests with a Core NFC program in a separate process, which receives the tags of its domain.
@Suite(.serialized) struct WatchApplicationTests {
  private static func program() throws -> String {
    try RunningTool.built().appending(path: "CoreNFCBackgroundExample").path
  }

  private static func tag(_ number: UInt8, _ host: String = "museum.example") throws -> VirtualTag {
    try .ntag215(
      uid: [0x04, 0x51, 0x2C, 0x8A, 0x3D, 0x62, number],
      ndef: NDEFMessage(records: [
        .text("Room \(number)", language: "en"), .uri("https://\(host)/room/\(number)"),
      ]))
  }

  /// Registers the program, with a script that starts it and saves its output.
  private static func register(in folder: URL) throws {
    let applications = folder.appending(path: "nfc/applications")
    try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
    let script = "echo $$ > \(folder.path)/pid; exec \(try program()) >> \(folder.path)/printed"
    let registration = ["domains": ["museum.example"], "command": ["sh", "-c", script]]
    try JSONEncoder().encode(registration).write(
      to: applications.appending(path: "museum-guide.json"))
  }

  @Test func theProgramIsStartedAndThenFoundRunning() async throws {
    try await TemporaryDirectory.with { data in
      try Self.register(in: data)
      defer {
        // The program may run without a limit, even after the watcher has ended.
        let text = try? String(contentsOf: data.appending(path: "pid"), encoding: .utf8)
        let number = text.flatMap { pid_t($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        if let number { kill(number, SIGKILL) }
      }
      try await WatchBench.with(
        ["--open", "--debounce", "0.1"],
        environment: ["XDG_DATA_HOME": data.path],
        programs: ["xdg-open": "echo \"$1\" >> \"$FOLDER/opened\""]
      ) { bench in
        for number: UInt8 in 1...2 {
          let tag = try Self.tag(number)
          bench.field.place(tag)
          _ = try await bench.events(2 * Int(number) - 1)
          bench.field.remove(tag)
          _ = try await bench.events(2 * Int(number))
        }
        // A tag of another domain is handled like any link.
        bench.field.place(try Self.tag(3, "other.example"))
        #expect(try await bench.lines(of: "opened", 1) == ["https://other.example/room/3"])
        let deadline = ContinuousClock.now + .seconds(20)
        var printed: [String] = []
        while printed.count < 7, ContinuousClock.now < deadline {
          try await Task.sleep(for: .milliseconds(20))
          let text = try? String(contentsOf: data.appending(path: "printed"), encoding: .utf8)
          printed = text?.split(separator: "\n").map(String.init) ?? []
        }
        #expect(
          printed == [
            "ready", "opened https://museum.example/room/1", "text Room 1",
            "link https://museum.example/room/1", "opened https://museum.example/room/2",
            "text Room 2", "link https://museum.example/room/2",
          ])
      }
    }
  }

  @Test(arguments: [
    ("https://museum.example/a", true), ("https://MUSEUM.example", true),
    ("http://museum.example:8080/", true), ("https://sub.museum.example/", false),
    ("https://a.b.park.example/x", true), ("https://park.example/", false),
    ("https://museum.example.evil.org/", false), ("https://user@evil.org/museum.example", false),
    ("tel:museum.example", false), ("museum.example", false), ("", false),
  ])
  func domains(link: String, expected: Bool) async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "guide.json")
      try Data(#"{"domains": ["museum.example", "*.park.example"]}"#.utf8).write(to: file)
      let application = try #require(RegisteredApplication(file: file))
      #expect(application.name == "guide")
      #expect(application.serves(link) == expected)
    }
  }

  @Test(arguments: ["", "{}", #"{"domains": "a"}"#, "[1]", "\u{0}"])
  func aWrongRegistrationIsIgnored(text: String) async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "guide.json")
      try Data(text.utf8).write(to: file)
      #expect(RegisteredApplication(file: file) == nil)
    }
  }

  /// A watcher lends its reader to any program that requests it, and continues afterwards.
  @Test func aReaderIsLentAndTakenBack() async throws {
    try await WatchBench.with(["--debounce", "0.1"]) { bench in
      let tag = try Self.tag(1)
      bench.field.place(tag)
      _ = try await bench.events(1)
      let folder = "\(bench.folder.path)/nfc"
      let name = try #require(
        try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("lease-") }
      )
      do {
        let lease = try #require(LocalSocket.connect(to: "\(folder)/\(name)"))
        #expect(lease.receive(1) != nil, "the reader is free")
        let reader = try await Reader.open(bench.reader.connectionString)
        #expect(try await reader.firstTag(within: .seconds(5)).identifier == tag.identifier)
        await reader.close()
      }
      bench.field.remove(tag)
      bench.field.place(try Self.tag(2))
      let events = try await bench.events(3)
      #expect(events.contains { $0.event == "tap" && $0.tag.uid.hasSuffix("02") })
    }
  }

  /// Every program that requests the reader gets it, also one whose connection has the memory of an earlier one.
  @Test func everyRequestIsGranted() async throws {
    try await WatchBench.with { bench in
      let tag = try Self.tag(1)
      bench.field.place(tag)
      _ = try await bench.events(1)
      let name = try #require(try await bench.waitForLeases(1).first)
      let path = "\(bench.folder.path)/nfc/\(name)"
      // The reader stays lent, because the second program keeps it.
      var first = LocalSocket.connect(to: path)
      #expect(first?.receive(1) != nil)
      let second = try #require(LocalSocket.connect(to: path))
      #expect(second.receive(1) != nil)
      for request in 0..<5 {
        first = nil
        // The watcher checks for closed connections every 50 ms.
        try await Task.sleep(for: .milliseconds(150))
        first = LocalSocket.connect(to: path)
        #expect(first?.receive(1) != nil, "request \(request)")
      }
      withExtendedLifetime(second) {}
    }
  }

  /// Watchers that do not release their readers delay a program by one time limit, not by one each.
  @Test func watchersAreWaitedForTogether() async throws {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      let folder = FileManager.default.temporaryDirectory.appending(path: "lease-\(UUID())")
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      defer { try? FileManager.default.removeItem(at: folder) }
      setenv("XDG_RUNTIME_DIR", folder.path, 1)
      #expect(ReaderLease.take() == nil)
      let watchers = try (0..<4).map { try #require(try ReaderLease.listen(for: "reader\($0)")) }
      let start = ContinuousClock.now
      let lease = ReaderLease.take()
      #expect(lease != nil)
      #expect(ContinuousClock.now - start < .seconds(5))
      withExtendedLifetime((watchers, lease)) {}
    }
  }

  /// A program listens for the tags of its domain and does not respond. There are as many readers with such tags
  /// as threads in Swift's pool; another reader continues meanwhile.
  @Test func aProgramThatHangsDelaysNoOtherReader() async throws {
    try await TemporaryDirectory.with { data in
      let applications = data.appending(path: "nfc/applications")
      try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
      try Data(#"{"domains": ["museum.example"]}"#.utf8).write(
        to: applications.appending(path: "museum-guide.json"))
      let count = min(ProcessInfo.processInfo.activeProcessorCount, 8)
      let fields = (0..<count).map { _ in VirtualField() }
      let readers = try fields.map { try VirtualReader($0) }
      defer { for reader in readers { reader.close() } }
      try await WatchBench.with(
        readers.flatMap { ["--reader", $0.connectionString] },
        environment: ["XDG_DATA_HOME": data.path]
      ) { bench in
        try await bench.waitForLeases(count + 1)
        let socket = LocalSocket.listen(
          at: "\(bench.folder.path)/nfc/museum-guide.socket")
        try #require(socket != nil)
        for (number, field) in fields.enumerated() { field.place(try Self.tag(UInt8(number))) }
        _ = try await bench.events(count)
        // The messages are delivered after the reports.
        try await Task.sleep(for: .milliseconds(200))
        let start = ContinuousClock.now
        bench.field.place(try Self.tag(100, "other.example"))
        _ = try await bench.events(count + 1)
        #expect(ContinuousClock.now - start < .milliseconds(1500))
        withExtendedLifetime(socket) {}
      }
    }
  }
}
