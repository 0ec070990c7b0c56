import Foundation
import NFC
import Testing
import VirtualNFC

@testable import NFCBackground

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
}
